import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { bundledProgram } from "../../support/bundled-entries.ts";
import { unless } from "../../support/needs.ts";
import { inTerminal, whyNoTerminal } from "../../support/pseudo-terminal.ts";
import { temporaryFolder } from "../../support/temporary.ts";

const why = whyNoTerminal();
if (why !== null) console.warn(`troupe undo is not tested in a terminal here: ${why}.`);

const PROGRAM = await bundledProgram(join(import.meta.dirname, "undo-program.ts"));

describe("troupe undo in a terminal", unless(why), () => {
  test.each([
    ["y\r", "Undone: rename the parser", 0],
    ["\r", "Nothing was undone.", 1],
    ["\u0004", "Nothing was undone.", 1],
  ])("asks before it undoes what was changed since, and ends: %j", async (keys, told, code) => {
    const terminal = inTerminal([process.execPath, PROGRAM], { cwd: temporaryFolder(), env: {} });
    await terminal.shows("[y/N]");
    terminal.type(keys);
    await terminal.shows(told);
    expect(await terminal.ended).toBe(code);
  });
});
