import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { gitIn } from "../../src/worktrees/git.ts";
import { deleteRef } from "../../src/worktrees/git-locks.ts";
import { repositoryWith } from "../support/git-repository.ts";
import { unless } from "../support/needs.ts";
import { temporaryFolder } from "../support/temporary.ts";

test("a ref is deleted even if git alone is killed, and the lock of packed refs goes (issue 15, 28)", {
  tags: ["long"],
  ...unless(process.platform === "win32" ? "this is Windows" : null),
}, async () => {
  const { folder, env, must } = await repositoryWith({ "a.txt": "1\n" });
  const common = join(folder, ".git");
  const lock = join(common, "packed-refs.lock");
  const bin = temporaryFolder();
  const path = env["PATH"] ?? "";
  const script = `#!/bin/sh
case "$*" in *"update-ref -d"*) mkdir '${bin}/once' 2>/dev/null && : > '${lock}' && kill -9 $$;; esac
PATH='${path}' exec git "$@"
`;
  writeFileSync(join(bin, "git"), script, { mode: 0o755 });
  await must(["branch", "old"]);
  const git = gitIn(folder, { ...env, PATH: `${bin}:${path}` });
  expect(await deleteRef({ git, common }, "refs/heads/old")).toMatchObject({ code: 0 });
  expect(await must(["for-each-ref", "refs/heads/old"])).toBe("");
  expect(existsSync(join(bin, "once"))).toBe(true);
  expect(existsSync(lock)).toBe(false);
  expect(readdirSync(join(common, "troupe"))).toEqual([]);
});
