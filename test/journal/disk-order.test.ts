// @module-tag long
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { temporaryFolder } from "./temporary-folder.ts";

const SCRIPT = fileURLToPath(new URL("./fixtures/disk-calls.ts", import.meta.url));

/** What a process of its own did to its disk, in order. */
async function callsOf(scenario: string): Promise<readonly string[]> {
  const home = await temporaryFolder();
  const text = execFileSync(process.execPath, [SCRIPT, scenario, home], { encoding: "utf8", env: {} });
  return text.trimEnd().split("\n");
}

/** The directory of a session is named after it. */
const DIRECTORY = "session0000001";

test.each([
  [
    "new journal",
    "the directories are synced before anything is answered, each record before its answer (J1, J3)",
    [
      "sync projects",
      "sync -w",
      `sync ${DIRECTORY}`,
      "answer opened",
      "write journal.jsonl",
      "sync journal.jsonl",
      "answer written",
      "answer closed",
    ],
  ],
  [
    "replaced journal",
    "the new file is synced before it has the name, the directory after that (J2)",
    ["write journal.jsonl.new", "sync journal.jsonl.new", "name journal.jsonl", `sync ${DIRECTORY}`],
  ],
  [
    "copied journal",
    "the copy is synced before it has the name, the directory after that (J4)",
    ["write journal.jsonl.copy", "sync journal.jsonl.copy", "name journal.jsonl", "sync copy000000001"],
  ],
  [
    "edited file",
    "the file is synced before it has the name (T1)",
    ["write temporary", "sync temporary", "name edited"],
  ],
  [
    "large edited file",
    "the file is synced before it has the name (T1)",
    ["write temporary", "sync temporary", "name edited"],
  ],
])("%s: %s", async (scenario, _, expected) => {
  const calls = await callsOf(scenario);
  expect(calls.slice(-expected.length)).toEqual(expected);
});
