import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { troupe } from "../support/cli-process.ts";
import { repositoryWith } from "../support/git-repository.ts";
import { temporaryFolder } from "../support/temporary.ts";

test("start --demo edits: three agents, a conflict that its owner settles, all merged over uncommitted work, and an undo; the repository itself is only read (issue 6, done when)", {
  tags: ["long"],
}, async () => {
  const { folder, must, write } = await repositoryWith({
    ...{ "README.md": "# A project\n\nWhat it is.\n", "docs/use.md": "# Use\n\nAs you like.\n" },
    "src/main.ts": "export const main = () => {};\n",
  });
  write({ "README.md": "# A project\n\nNot committed.\n" });
  const all = async () => {
    const asked = [
      ["status", "--porcelain"],
      ["for-each-ref"],
      ["worktree", "list"],
      ["config", "-l", "--local"],
    ];
    return Promise.all(asked.map((args) => must(args)));
  };
  const before = await all();
  const temporary = temporaryFolder();

  // Neither a key nor a limit of one agent counts, nor what steers git.
  const env = {
    ...{ TMPDIR: temporary, ANTHROPIC_API_KEY: "sk-unused", TROUPE_MAX_AGENTS: "1" },
    ...{ EDITOR: "vi", PAGER: "less", GIT_INDEX_FILE: "/nowhere", GIT_EDITOR: "vi" },
  };
  const { code, json, err } = await troupe(["start", "--demo", "edits", "--json"], { cwd: folder, env });
  const told = json();
  expect(told).toMatchObject({ type: "demo", ok: true, checkout: null });
  expect(told["origin"]).toContain(`a scratch clone of ${folder} at `);
  expect(told["agents"]).toMatchObject(
    [1, 1, 2].map((files) => ({ status: "done", worktree: { outcome: "merged", files } })),
  );
  const checks = JSON.stringify(told["checks"]);
  expect(checks).toMatch(
    /agents 1 and 2 wrote at the same place of README\.md, and agent [12] settled the conflict/,
  );
  expect(JSON.stringify(told["agents"]).match(/Both sides were kept in README\.md/g)).toHaveLength(1);
  expect(told["undone"]).toHaveLength(3);
  expect(err).toContain("and is removed (--keep leaves it there).");
  expect(code).toBe(0);
  expect(readdirSync(temporary).filter((name) => name.startsWith("troupe-demo-"))).toEqual([]);
  expect(await all()).toEqual(before);
});

test("an interrupted demo says what is known, removes its scratch checkout, and offers no resume", {
  tags: ["long"],
}, async () => {
  const temporary = temporaryFolder();
  const { code, out, err } = await troupe(["start", "--demo", "edits"], {
    env: { TMPDIR: temporary },
    onStart(child) {
      let seen = "";
      child.stderr?.on("data", (text) => {
        const had = seen.includes("started");
        seen += String(text);
        if (!had && seen.includes("started")) child.kill("SIGINT");
      });
    },
  });
  expect(code).toBe(130);
  expect(out).toContain("a small repository of the demo's own");
  expect(out).toContain("What the agents did");
  expect(err).not.toContain("--resume");
  expect(err).toContain("and is removed");
  expect(readdirSync(temporary).filter((name) => name.startsWith("troupe-demo-"))).toEqual([]);
});
