import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { supervised } from "../support/supervised.ts";
import { temporaryFolder } from "../support/temporary.ts";

/** What hooks before and after three reads of one reply wrote, in their order. */
async function order(parallelCalls: number): Promise<string[]> {
  const log = join(temporaryFolder(), "log");
  const writes = (word: string) => [
    { matcher: "Read", hooks: [{ type: "command", command: `echo ${word} >> '${log}'` }] },
  ];
  const value = { PreToolUse: writes("before"), PostToolUse: writes("after") };
  const cwd = temporaryFolder();
  for (const file of ["a", "b", "c"]) writeFileSync(join(cwd, file), "text\n");
  const calls = ["a", "b", "c"].map((file) => ({ name: "Read", input: { file_path: join(cwd, file) } }));
  const { supervisor } = supervised("in-thread", [{ calls }, { text: "Read." }], {
    cwd,
    hooks: [{ scope: "library", file: "test", value }],
    limits: { parallelCalls },
  });
  await supervisor.prompt("read");
  return readFileSync(log, "utf8").trim().split("\n");
}

test("calls of one reply run one after the other if parallelCalls is 1", { tags: ["long"] }, async () => {
  expect(await order(1)).toEqual(["before", "after", "before", "after", "before", "after"]);
});
