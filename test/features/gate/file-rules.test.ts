import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { FileRules } from "../../../src/tools/tool.ts";
import { everyDayHosts, type HostName, supervised } from "../../support/supervised.ts";

/** What is in a file after an agent has read it, somebody else has changed it, and it edits or overwrites it. */
async function after(host: HostName, change: object, fileRules?: Partial<FileRules>): Promise<string> {
  let file = "";
  const { supervisor, cwd } = supervised(
    host,
    ({ messages }) => {
      if (messages.length === 1) return { calls: [{ name: "Read", input: { file_path: file } }] };
      if (messages.length > 3) return { text: "done" };
      writeFileSync(file, "new\none\n");
      const name = "content" in change ? "Write" : "Edit";
      return { calls: [{ name, input: { file_path: file, ...change } }] };
    },
    { files: { a: "one\n" }, permissionMode: "acceptEdits", ...(fileRules ? { fileRules } : {}) },
  );
  file = join(cwd, "a");
  await supervisor.prompt("go");
  return readFileSync(file, "utf8");
}

describe.each(everyDayHosts)("file rules of settings reach every call, %s", (host) => {
  const edit = { old_string: "one", new_string: "uno" };
  const write = { content: "mine" };

  test.each([
    ["Edit, unless said otherwise", edit, undefined, "new\none\n"],
    ["Edit, relaxed (A22.8)", edit, { edit: "relaxed" }, "new\nuno\n"],
    ["Write, unless said otherwise", write, undefined, "mine"],
    ["Write, read-first (A22.10)", write, { write: "read-first" }, "new\none\n"],
  ] as const)("%s", async (_, change, fileRules, content) => {
    expect(await after(host, change, fileRules)).toBe(content);
  });
});
