import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { MAIN } from "../../../src/mailbox/ids.ts";
import { type Entry, edit, never, printing, startHooks } from "./session.ts";

const hooksOf = startHooks();

/** A hook that waits until `open` is called, and then runs a command. */
function gated(then: string, more: Partial<Entry> = {}) {
  const session = hooksOf("PostToolUse", [
    { command: `cat > event.json; read go < gate; ${then}`, async: true, ...more },
  ]);
  const { folder, runner, caller } = session;
  execFileSync("mkfifo", [join(folder, "gate")]);
  const end = { event: "PostToolUse", response: {} } as const;
  const result = runner.postToolUse(edit, end, caller, never);
  return { ...session, result, open: () => writeFile(join(folder, "gate"), "go\n") };
}

const said = { hookSpecificOutput: { additionalContext: "3 tests failed" } };

describe("an asynchronous hook (issue 20, 8)", () => {
  test("is not awaited, and what it says comes later", async () => {
    const { result, open, later, folder, eventsLeft } = gated(printing(said));
    expect(await result).toEqual({});
    await open();
    expect(await later()).toEqual([MAIN, "PostToolUse", "3 tests failed", false]);
    expect(JSON.parse(readFileSync(join(folder, "event.json"), "utf8"))).toMatchObject({
      hook_event_name: "PostToolUse",
      tool_use_id: "toolu_1",
    });
    expect(eventsLeft()).toEqual([]);
  });

  test("says its systemMessage to the user and to the model", async () => {
    const { open, later, messages } = gated(printing({ systemMessage: "tests passed" }));
    await open();
    expect(await later()).toEqual([MAIN, "PostToolUse", "tests passed", false]);
    expect(messages).toEqual(["tests passed"]);
  });

  test.each([
    "echo plain text",
    printing({ errors: 2 }),
    printing({ decision: "block", reason: "no" }),
    "exit 2",
  ])("decides nothing and says nothing with %s", async (then) => {
    const { result, open, runner, caller, messages, heard } = gated(then);
    expect(await result).toEqual({});
    await open();
    await runner.sessionEnd("other", caller, never);
    expect([...heard, ...messages]).toEqual([]);
  });

  test("wakes its agent with its reason if it is asyncRewake and says no", async () => {
    const { open, later } = gated("echo it broke >&2; exit 2", { async: false, asyncRewake: true });
    await open();
    expect(await later()).toEqual([MAIN, "PostToolUse", "it broke", true]);
  });

  test("blocks no call, not even your organisation's", async () => {
    const { runner, caller } = hooksOf("PreToolUse", [
      { command: "exit 2", async: true, scope: "enterprise" },
    ]);
    expect(await runner.preToolUse(edit, caller, never)).toEqual({ type: "go" });
    await runner.sessionEnd("other", caller, never);
  });

  test("is awaited if another entry of the same command is", async () => {
    const entries = [{ command: "exit 2", async: true }, { command: "exit 2" }];
    const { runner, caller } = hooksOf("PreToolUse", entries);
    expect(await runner.preToolUse(edit, caller, never)).toMatchObject({ type: "deny" });
  });

  test("is awaited at the end of the session", async () => {
    const { runner, caller, folder } = hooksOf("SessionEnd", [{ command: "touch ended", async: true }]);
    await runner.sessionEnd("other", caller, never);
    expect(existsSync(join(folder, "ended"))).toBe(true);
  });

  test("ends with the session, and with everything it started", { tags: ["long"] }, async () => {
    const { runner, caller, eventsLeft, folder, result } = gated("touch never");
    await result;
    await runner.sessionEnd("other", caller, never);
    expect(eventsLeft()).toEqual([]);
    expect(existsSync(join(folder, "never"))).toBe(false);
  });

  test("that is too slow is not said to have blocked anything", async () => {
    const { runner, caller, problem } = hooksOf("PreToolUse", [
      { command: "sleep 20", async: true, scope: "enterprise", timeout: 0.1 },
    ]);
    await runner.preToolUse(edit, caller, never);
    expect(await problem()).toContain("Troupe continues without it");
  });

  test("is stopped at its timeout, and that is said", async () => {
    const { result, problem } = gated("true", { timeout: 0.1 });
    await result;
    expect(await problem()).toMatch(/did not end within 0.1 s and was stopped; Troupe continues without it/);
  });
});
