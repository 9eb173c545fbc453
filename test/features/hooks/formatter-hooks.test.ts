// @module-tag long
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { everyDayHosts, type HostName, supervised } from "../../support/supervised.ts";
import { lastResults } from "../../support/texts-of.ts";

const hooks = (event: string, command: string, matcher = "Edit|Write") => [
  {
    scope: "user" as const,
    file: "/u/settings.json",
    value: { [event]: [{ matcher, hooks: [{ type: "command", command }] }] },
  },
];

/** A file after an agent has read it and changed it, call by call; and what the agent was told of each call. */
async function changed(
  host: HostName,
  { text = "let a=1\nlet b=2\n", event, command }: { text?: string; event: string; command: string },
  changes: readonly (readonly [from: string, to: string])[],
  between: (file: string) => void = () => {},
) {
  let file = "";
  let calls = 0;
  const told: string[] = [];
  const { supervisor, cwd } = supervised(
    host,
    (request) => {
      told.push(...lastResults(request));
      const change = changes[calls - 1];
      calls += 1;
      if (calls === 1) return { calls: [{ name: "Read", input: { file_path: file } }] };
      between(file);
      if (change === undefined) return { text: "done" };
      const [old_string, new_string] = change;
      return { calls: [{ name: "Edit", input: { file_path: file, old_string, new_string } }] };
    },
    { files: { "a.js": text }, permissionMode: "acceptEdits", hooks: hooks(event, command) },
  );
  file = join(cwd, "a.js");
  await supervisor.prompt("go");
  return { text: readFileSync(file, "utf8"), told };
}

const SPACES = "sed -i 's/\\([a-z]\\)=/\\1 = /' a.js";

describe.each(everyDayHosts)("hooks that format files, %s", (host) => {
  test("edits a file again after a PostToolUse hook has formatted it, and tells the agent what the hook changed (A22.32)", async () => {
    const { text, told } = await changed(host, { event: "PostToolUse", command: SPACES }, [
      ["let a=1", "let a=3"],
      ["let b = 2", "let b = 4"],
    ]);
    expect(text).toBe("let a = 3\nlet b = 4\n");
    expect(told[1]).toMatch(/while the PostToolUse hooks/);
    expect(told[1]).toContain("-let a=3\n-let b=2\n+let a = 3\n+let b = 2");
    expect(told[2]).not.toContain("hooks");
  });

  test("edits a file that a PreToolUse hook has formatted just before (A22.32)", async () => {
    const { text, told } = await changed(host, { event: "PreToolUse", command: SPACES }, [
      ["let b = 2", "let b = 4"],
    ]);
    expect(text).toBe("let a = 1\nlet b = 4\n");
    expect(told[1]).toMatch(/while the PreToolUse hooks/);
    expect(told[1]).toContain("+let a = 1");
  });

  test("still asks for a new Read after a change that no hook has made (A22.8)", async () => {
    let turn = 0;
    const { text, told } = await changed(
      host,
      { event: "PostToolUse", command: "true" },
      [
        ["let a=1", "let a=3"],
        ["let b=2", "let b=4"],
      ],
      (file) => {
        turn += 1;
        if (turn === 2) writeFileSync(file, "let a=9\nlet b=2\n");
      },
    );
    expect(text).toBe("let a=9\nlet b=2\n");
    expect(told[2]).toContain("was changed since you read it");
  });

  test("still asks for a new Read if a hook formats a file that had been changed before (A22.8)", async () => {
    let turn = 0;
    const { text, told } = await changed(
      host,
      { event: "PreToolUse", command: SPACES },
      [["let b = 2", "let b = 4"]],
      (file) => {
        turn += 1;
        if (turn === 1) writeFileSync(file, "let a=9\nlet b=2\n");
      },
    );
    expect(text).toBe("let a = 9\nlet b = 2\n");
    expect(told[1]).toContain("was changed since you read it");
  });

  test("bounds the diff of a file that a hook has changed as a whole", async () => {
    const text = Array.from({ length: 5_000 }, (_, line) => `let v${line}=${line}`).join("\n");
    const { told } = await changed(host, { text, event: "PostToolUse", command: "sed -i 's/=/ = /' a.js" }, [
      ["let v0=0", "let v0=1"],
      ["let v4999 = 4999", "let v4999 = 5000"],
    ]);
    expect(told[1]?.length).toBeLessThan(6_000);
    expect(told[1]).toMatch(/more lines/);
    expect(told[2]).toContain("was edited");
  });
});
