// @module-tag long
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { userPlaces } from "../../src/settings/paths.ts";
import type { HookSource } from "../../src/settings/read-settings.ts";
import { supervised } from "../support/supervised.ts";
import { temporaryFolder } from "../support/temporary.ts";

/** Each hook appends its name to a file; prompts that say so are blocked. */
function hooksIn(cwd: string): readonly HookSource[] {
  const hook = (command: string) => [{ hooks: [{ type: "command", command }] }];
  const value = {
    SessionStart: hook("echo SessionStart >> hooks.log; echo The session has begun."),
    UserPromptSubmit: hook("echo UserPromptSubmit >> hooks.log; ! grep -q blocked || exit 2"),
  };
  return [{ scope: "user", file: join(cwd, "settings.json"), value }];
}

function sessionWithFiles(after?: () => Promise<void>) {
  const cwd = temporaryFolder();
  for (const name of ["a", "b"]) writeFileSync(join(cwd, `${name}.ts`), `content of ${name}\n`);
  const home = temporaryFolder();
  const memory = {
    ...userPlaces({}, home),
    home: join(home, ".troupe"),
    managed: home,
    trusted: () => false,
  };
  const options = { cwd, hooks: hooksIn(cwd), context: { memory } };
  const session = supervised("in-thread", () => ({ text: "done", ...(after ? { after } : {}) }), options);
  const hooksRun = () => {
    const log = join(cwd, "hooks.log");
    return existsSync(log) ? readFileSync(log, "utf8").split("\n").filter(Boolean) : [];
  };
  const sent = () => session.model.requests.map(({ messages }) => JSON.stringify(messages));
  return { ...session, hooksRun, sent };
}

test("a prompt that overlaps another one is refused before it has run a hook, and leaves the first its files", async () => {
  const { supervisor, hooksRun, sent } = sessionWithFiles();
  const first = supervisor.prompt("look at @a.ts");
  await expect(supervisor.prompt("look at @b.ts")).rejects.toThrow("still busy");
  expect((await first).summary.text).toBe("done");
  expect(sent()).toEqual([expect.stringContaining("content of a")]);
  expect(sent()[0]).not.toContain("content of b");
  expect(hooksRun()).toEqual(["SessionStart", "UserPromptSubmit"]);
});

test("a prompt during the run of another one is refused before it has run a hook", async () => {
  const reached = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  const { supervisor, hooksRun } = sessionWithFiles(() => {
    reached.resolve();
    return opened.promise;
  });
  const first = supervisor.prompt("look at @a.ts");
  await reached.promise;
  await expect(supervisor.prompt("look at @b.ts")).rejects.toThrow("still busy");
  opened.resolve();
  expect((await first).summary.text).toBe("done");
  expect(hooksRun()).toEqual(["SessionStart", "UserPromptSubmit"]);
});

test("a prompt that a hook blocks gives the turn back, and SessionStart runs once for the session", async () => {
  const { supervisor, hooksRun, sent } = sessionWithFiles();
  expect((await supervisor.prompt("blocked")).summary).toMatchObject({ status: "failed" });
  expect((await supervisor.prompt("look at @b.ts")).summary.text).toBe("done");
  expect((await supervisor.prompt("and again")).summary.text).toBe("done");
  expect(hooksRun().filter((name) => name === "SessionStart")).toHaveLength(1);
  // What it said is for the first prompt that the model is sent.
  expect(sent()[0]).toContain("The session has begun.");
  expect(sent()[1]?.match(/The session has begun\./g)).toHaveLength(1);
});

test.each([
  [{}, "startup"],
  [{ afterClear: true }, "clear"],
])("a session with %j reports to SessionStart hooks how it began", async (more, source) => {
  const cwd = temporaryFolder();
  const hook = (matcher: string) => ({
    matcher,
    hooks: [{ type: "command", command: `echo ${matcher} >> log` }],
  });
  const value = { SessionStart: [hook("startup"), hook("resume"), hook("clear")] };
  const hooks = [{ scope: "user", file: join(cwd, "settings.json"), value }] as const;
  const { supervisor } = supervised("in-thread", () => ({ text: "done" }), { cwd, hooks, ...more });
  await supervisor.prompt("go");
  await supervisor.prompt("again");
  expect(readFileSync(join(cwd, "log"), "utf8")).toBe(`${source}\n`);
});
