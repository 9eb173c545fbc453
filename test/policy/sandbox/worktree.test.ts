import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { backgroundCommands } from "../../../src/features/background/commands.ts";
import { callId, MAIN } from "../../../src/mailbox/ids.ts";
import { gitPlaceOf } from "../../../src/policy/sandbox/git-place.ts";
import type { SandboxPlace } from "../../../src/policy/sandbox/sandbox.ts";
import { platformShell } from "../../../src/processes/platform-shell.ts";
import { unless } from "../../support/needs.ts";
import { enclosed } from "../confinement/enclosed.ts";
import { opened, whyNoBubblewrap } from "./opened.ts";

/** A command of an actor in a tree, in a real sandbox. */
async function inTree() {
  const place = await enclosed();
  const { path, tree, repository } = place;
  const { sandbox, processes, outputs } = opened();
  const held = (): SandboxPlace => ({
    writable: [path],
    readable: [outputs.folder],
    git: gitPlaceOf(tree),
  });
  const shell = platformShell(process.platform, process.env);
  const commands = backgroundCommands(processes, outputs, shell, { sandbox, mode: "on", place: held });
  const { signal } = new AbortController();
  const identity = "GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@b";
  const run = (command: string) =>
    commands.run(
      MAIN,
      {
        ...{ call: callId(MAIN, 1, 0), cwd: path, timeoutMs: 60_000 },
        command: `export ${identity}; ${command}`,
      },
      signal,
    );
  const asked = [
    "status --porcelain",
    "rev-parse HEAD",
    "config --list --local",
    "worktree list",
    "stash list",
  ];
  const persons = async () => {
    const said = await Promise.all(asked.map((line) => repository.must(line.split(" "))));
    // Which commit a tree is at is its actor's affair.
    return said.map((text) => text.replace(/ [0-9a-f]{7} (?=\[worktree-agent-1\])/, " "));
  };
  return { ...place, run, persons };
}

describe("a tree in the sandbox", unless(whyNoBubblewrap), () => {
  test("an actor works and commits in its tree, and the user's files stay the same (C11)", {
    tags: ["long"],
  }, async () => {
    const { run, persons, repository, path, branch } = { ...(await inTree()), branch: "worktree-agent-1" };
    const before = await persons();
    const main = await repository.must(["rev-parse", "main"]);
    const steps = [
      "echo new > src/new.ts && echo more >> src/a.ts",
      "git add -A && git commit -qm one",
      "git commit -q --allow-empty -m two && git commit -q --allow-empty --amend -m three",
      "git switch -qc side && git commit -q --allow-empty -m x && git switch -q - && git merge -q side",
      "git rebase -q --force-rebase HEAD~1 && git reset -q --hard HEAD && git status --porcelain",
    ];
    for (const step of steps) expect([step, await run(step)]).toMatchObject([step, { exitCode: 0 }]);
    expect(readFileSync(join(path, "src/new.ts"), "utf8")).toBe("new\n");
    expect((await repository.must(["log", "--format=%s", branch])).split("\n")).toContain("one");
    expect(await persons()).toEqual(before);
    expect(await repository.must(["rev-parse", "main"])).toBe(main);
    expect((await repository.git.run(["fsck", "--no-dangling"])).code).toBe(0);
  });

  test("what is not its own cannot be written, whatever the command is (C11)", {
    tags: ["long"],
  }, async () => {
    const { run, checkout, other, path, beside, persons } = await inTree();
    const before = await persons();
    const commands = [
      `echo x > '${checkout}/src/a.ts'`,
      `node -e "require('fs').writeFileSync('${checkout}/new', '')"`,
      `echo x > '${other}/src/a.ts'`,
      `echo x > '${beside}/new'`,
      "echo x > out-link",
      "rm -rf node_modules/dep",
      "echo x > .git",
      `echo x > '${checkout}/.git/config'`,
      `echo x > '${checkout}/.git/hooks/pre-commit'`,
      `echo x > '${checkout}/.git/index'`,
      `echo x > '${checkout}/.git/worktrees/agent-1/gitdir'`,
      `rm '${checkout}/.git/worktrees/agent-2/HEAD'`,
      "git stash",
      "git config user.name x",
      "git tag v1",
      "git branch -f main HEAD~0 --no-track; git branch -D main",
      "git update-ref refs/heads/main HEAD~0 && git update-ref -d refs/heads/worktree-agent-2",
      `rm -rf '${checkout}/.git/refs/heads/main'`,
      "git worktree remove --force ../agent-2",
      "git pack-refs --all",
    ];
    writeFileSync(join(path, "src/a.ts"), "changed");
    for (const command of commands) {
      const { exitCode } = await run(command);
      // It ran, and was refused.
      expect([command, exitCode]).toEqual([command, expect.toSatisfy((code) => code !== null && code > 0)]);
    }
    expect(await persons()).toEqual(before);
    expect(existsSync(join(checkout, "new"))).toBe(false);
    expect(existsSync(join(checkout, "node_modules/dep/index.js"))).toBe(true);
    expect(readFileSync(join(other, "src/a.ts"), "utf8")).toBe("a\n");
  });
});

test("what git needs is found by what git notes of the tree, not by what the tree says", {
  tags: ["long"],
}, async () => {
  const { tree, path, checkout, home } = await enclosed();
  const common = join(checkout, ".git");
  const expected = ["worktrees/agent-1", "objects", "refs/heads", "logs/refs/heads"];
  expect(gitPlaceOf(tree).writable).toEqual(expected.map((name) => join(common, name)));
  expect(gitPlaceOf(tree).held).toEqual(
    expect.arrayContaining([join(common, "refs/heads/main"), join(common, "logs/refs/heads/main")]),
  );
  expect(gitPlaceOf(tree).held).not.toContain(join(common, "refs/heads/worktree-agent-1"));
  writeFileSync(join(path, ".git"), `gitdir: ${home}\n`);
  expect(gitPlaceOf(tree).writable).toEqual(expected.map((name) => join(common, name)));
  symlinkSync(checkout, join(home, "by-another-name"));
  const named = join(home, "by-another-name");
  const linked = { ...tree, checkout: named, path: join(named, ".claude/worktrees/agent-1") };
  expect(gitPlaceOf(linked).writable[0]).toContain("worktrees/agent-1");
});

test("no repository, nothing of git's", () => {
  const tree = { path: "/nonexistent/t", branch: "b", checkout: "/nonexistent" };
  expect(gitPlaceOf(tree)).toEqual({ writable: [], held: [] });
});
