// @module-tag long
import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import "../support/built.ts";
import { fakeMachine } from "../support/fake-ssh.ts";
import { repositoryWith } from "../support/git-repository.ts";
import { temporaryFolder } from "../support/temporary.ts";

const examples = join(import.meta.dirname, "../../examples");

/** What each prints without a key. */
const PRINTS: Readonly<Record<string, readonly (string | RegExp)[]>> = {
  "fan-out.ts": [/^## where is the wire format/m, "(done, "],
  "own-tool.ts": ["closed"],
  "rate-limiter.ts": ["a may go", "e may go"],
  "reviewer.ts": ["3 of 3 agents are done.", "`npm test`"],
  "runners.ts": [/^done on .*: /m, "a.txt:1"],
  "typed-output.ts": [/^(partial|failed): /m],
  "who-may.ts": ["? Bash: npm publish", "ran:     v2", "Not today."],
  "work-queue.ts": [/(done: .*\n){3}/],
};

/** Where one runs, if it needs more than this repository. */
const OWN: Readonly<
  Record<string, () => Promise<{ readonly cwd: string; readonly env: Readonly<Record<string, string>> }>>
> = {
  "runners.ts": async () => ({
    cwd: (await repositoryWith({ "a.txt": "hello world\n" })).folder,
    env: { ...fakeMachine().env, TROUPE_ENGINE: "ssh://build-3" },
  }),
};

/** Imported by the others. */
const PARTS = /-actor\.ts$|^opening-hours\.ts$/;

test("every example is run", () => {
  expect(
    readdirSync(examples)
      .filter((name) => !PARTS.test(name) && name !== "runners")
      .toSorted(),
  ).toEqual(Object.keys(PRINTS));
});

test.for(Object.entries(PRINTS))(
  "examples/%s runs without a key, prints what it says, and ends",
  async ([name, expected]) => {
    const { ANTHROPIC_API_KEY: _, ...env } = process.env;
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const home = temporaryFolder();
    const own = await OWN[name]?.();
    execFile(
      process.execPath,
      [join(examples, name)],
      { cwd: own?.cwd ?? join(examples, ".."), env: { ...env, HOME: home, TROUPE_HOME: home, ...own?.env } },
      (error, stdout, stderr) => (error && error.code !== 1 ? reject(new Error(stderr)) : resolve(stdout)),
    );
    const printed = await promise;
    for (const one of expected)
      expect(printed).toEqual(
        typeof one === "string" ? expect.stringContaining(one) : expect.stringMatching(one),
      );
  },
);
