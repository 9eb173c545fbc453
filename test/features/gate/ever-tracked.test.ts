// @module-tag long
import { dirname, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { trackedLookUp } from "../../../src/features/gate/ever-tracked.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import type { Rule } from "../../../src/settings/permissions.ts";
import { startGitWorker } from "../../../src/worktrees/git-worker.ts";
import { repositoryWith } from "../../support/git-repository.ts";

const rule = (text: string, behaviour: Rule["behaviour"] = "deny"): Rule => ({
  ...{ text, behaviour, scope: "user" },
});

async function here(...rules: Rule[]) {
  const person = await repositoryWith({ "a.txt": "1\n" });
  const keeper = startGitWorker({ env: person.env, clock: systemClock, onWarning: () => {} });
  onTestFinished(() => keeper.close());
  let requests = 0;
  const worktrees = {
    everTracked(...given: Parameters<typeof keeper.everTracked>) {
      requests += 1;
      return keeper.everTracked(...given);
    },
  };
  let foreign: string | null = null;
  const lookUp = trackedLookUp({
    ...{ worktrees, clock: systemClock, rules: () => rules },
    foreignGit: () => foreign,
  });
  const distrust = () => {
    foreign = "git would run something";
  };
  const scope = { root: person.folder, additionalDirs: [], tree: null };
  const look = (command: string, cwd = person.folder) => lookUp(command, { cwd, scope });
  return { person, look, distrust, requests: () => requests };
}

test("answers for each deny and ask rule about files, again after a commit, and for no other pattern", async () => {
  const { person, look } = await here(
    rule("Read( .env )"),
    rule("Edit(b.txt)", "ask"),
    rule("Read(a.txt)", "allow"),
  );
  const answers = await look("git diff HEAD~1");
  expect([" .env ", ".env", "b.txt", "a.txt", "**"].map((pattern) => answers?.(pattern))).toEqual([
    ...["no", "no", "no", "unknown", "unknown"],
  ]);
  person.write({ ".env": "SECRET=1\n" });
  await person.commit("in");
  expect((await look("git diff"))?.(".env")).toBe("yes");
});

test("a rule of the user's settings is about their directory, also if CLAUDE_CONFIG_DIR names another", async () => {
  const { person, look } = await here(rule("Read(/key)"));
  person.write({ "conf/key": "SECRET=1\n" });
  await person.commit("in");
  expect((await look("git diff"))?.("/key")).toBe("no");
  vi.stubEnv("CLAUDE_CONFIG_DIR", join(person.folder, "conf"));
  onTestFinished(() => void vi.unstubAllEnvs());
  expect((await look("git diff"))?.("/key")).toBe("yes");
});

test("a rule about a whole tool is about all files", async () => {
  const { look } = await here(rule("Read"));
  expect((await look("git diff"))?.("**")).toBe("yes");
});

test.each([
  "cd other; git diff",
  "git -C other diff",
  "git --git-dir=other/.git diff",
  "GIT_DIR=other/.git git log -p",
  `"c"\\d other && git diff`,
  "git '-C' other log -p",
  "git $'\\x2dC' other log -p",
  "echo -C other log -p | xargs git",
  "env --chdir=other git diff",
])("nothing is known of a command whose git may look at another repository: %s", async (command) => {
  const { look, requests } = await here(rule("Read(.env)"));
  expect(await look(command)).toBeUndefined();
  expect(requests()).toBe(0);
});

test.each(["awk '{ print | \"sort\" }' a.txt", "sed 1e.x a.txt"])(
  "is looked up for a script that may start git: %s",
  async (command) => {
    const { look } = await here(rule("Read(.env)"));
    expect((await look(command))?.(".env")).toBe("no");
  },
);

test("nothing is looked up without git or without a rule, and nothing is known outside of a repository", async () => {
  const denied = await here(rule("Read(.env)"));
  expect(await denied.look("ls -la")).toBeUndefined();
  expect(denied.requests()).toBe(0);
  expect(await denied.look("git diff", dirname(denied.person.folder))).toBeUndefined();
  expect(denied.requests()).toBe(1);
  denied.distrust();
  expect(await denied.look("git diff")).toBeUndefined();
  expect(denied.requests()).toBe(1);
  const free = await here(rule("Read(.env)", "allow"), rule("Bash(rm *)"));
  expect(await free.look("git diff")).toBeUndefined();
  expect(free.requests()).toBe(0);
});
