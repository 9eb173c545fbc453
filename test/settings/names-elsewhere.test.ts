import { expect, test } from "vitest";
import { foldersWith, readAll, readIn } from "./folders.ts";

test("autoCompactEnabled of Claude Code counts like troupe.autoCompact, which wins in the same file", async () => {
  const off = await readIn({ user: { autoCompactEnabled: false } });
  expect(off.warnings).toEqual([]);
  expect(off.settings.compaction.auto).toBe(false);
  const both = await readIn({ user: { troupe: { autoCompact: true }, autoCompactEnabled: false } });
  expect(both.settings.compaction.auto).toBe(true);
  const later = await readIn({
    user: { troupe: { autoCompact: true } },
    local: { autoCompactEnabled: false },
  });
  expect(later.settings.compaction.auto).toBe(false);
});

test("worktree.symlinkDirectories of Claude Code counts like links of worktree.dependencies, which wins", async () => {
  const worktree = {
    dependencies: { vendor: "copy" },
    symlinkDirectories: ["node_modules", "./web/node_modules/", "vendor"],
  };
  const read = await readIn({ user: { worktree } });
  expect(read.warnings).toEqual([]);
  expect(read.settings.worktree.dependencies).toEqual({
    ...{ node_modules: "link", "web/node_modules": "link", vendor: "copy" },
  });
});

test("a project's own counts after trust, as what it stands for", async () => {
  const folders = foldersWith({
    project: { autoCompactEnabled: false, worktree: { symlinkDirectories: ["node_modules"] } },
  });
  const untrusted = await readAll(folders, false);
  expect(untrusted.settings).toMatchObject({ compaction: {}, worktree: { dependencies: {} } });
  expect(untrusted.settings.compaction.auto).toBeUndefined();
  const granted = untrusted.granted.map(({ path }) => path.join("."));
  expect(granted.toSorted()).toEqual(["troupe.autoCompact", "worktree.dependencies.node_modules"]);
  expect((await readAll(folders, true)).settings.worktree.dependencies).toEqual({ node_modules: "link" });
});

test("what is wrong in them is named as it is written, and the rest counts", async () => {
  const folders = foldersWith({
    user: { autoCompactEnabled: "no", worktree: { symlinkDirectories: ["../out", "node_modules", 7] } },
  });
  const { warnings, settings } = await readAll(folders, true);
  const file = folders.fileOf("user");
  expect(warnings).toEqual([
    `${file}: autoCompactEnabled must be true or false (line 1); correct it, until then it does not count.`,
    `${file}: worktree.symlinkDirectories must be a list of directories below the top of the repository (line 1); correct it, until then only what is right in it counts.`,
  ]);
  expect(settings.worktree.dependencies).toEqual({ node_modules: "link" });
  const none = await readIn({ user: { worktree: { symlinkDirectories: "node_modules" } } });
  expect(none.warnings[0]).toContain("until then it does not count");
});
