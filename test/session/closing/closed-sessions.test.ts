import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { bundledProgram } from "../../support/bundled-entries.ts";
import { onLinux } from "../../support/needs.ts";
import { temporaryFolder } from "../../support/temporary.ts";

const PROGRAM = join(import.meta.dirname, "sessions-program.ts");

test("leaves no descriptor, thread or handle behind after each of 30 closed sessions, and the program ends by itself", {
  ...onLinux,
  tags: ["long"],
}, async () => {
  const request = JSON.stringify({
    cwd: temporaryFolder(),
    home: temporaryFolder(),
    sessions: 30,
    agents: 3,
  });
  const program = await bundledProgram(PROGRAM);
  const { stdout } = await promisify(execFile)(process.execPath, [program, request]);
  const counts: unknown[] = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(counts).toHaveLength(30);
  // The first one starts what node itself keeps: its pool of threads.
  const [, second] = counts;
  expect(counts.slice(1)).toEqual(Array.from({ length: 29 }, () => second));
});
