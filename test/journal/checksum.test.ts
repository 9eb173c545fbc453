import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { describe, expect, test } from "vitest";
import { verifyLine } from "../../src/journal/lines.ts";
import { readJournal } from "../../src/journal/reader.ts";
import { JOURNAL_VERSION } from "../../src/journal/session-events.ts";
import { startJournal } from "../../src/journal/thread-journal.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { prompt, sessionEvent } from "./samples.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** A journal as the writer makes it. */
async function written(): Promise<{ path: string; text: string }> {
  const home = await temporaryFolder();
  const folder = join(home, "session");
  const journal = startJournal({ home, folder, clock: systemClock });
  for (const event of [sessionEvent(), prompt("the first words"), prompt("Füße \u2028 \ud83d\ude00")])
    await journal.append(event);
  await journal.close();
  const path = join(folder, "journal.jsonl");
  return { path, text: readFileSync(path, "utf8") };
}

async function reading(path: string) {
  const read = await readJournal(path);
  if (read.type === "refused") throw new Error(read.reason);
  return { types: read.records.map(({ event }) => event.type), notes: read.notes };
}

describe("a line of the journal, version 3 (issue 15, 7)", () => {
  test("ends with the checksum of its bytes before it", async () => {
    const { path, text } = await written();
    for (const line of text.trimEnd().split("\n")) {
      const at = line.lastIndexOf(',"crc":"');
      expect(JSON.parse(line).crc).toBe(crc32(line.slice(0, at)).toString(16).padStart(8, "0"));
    }
    expect(await reading(path)).toEqual({ types: ["session", "prompt", "prompt"], notes: [] });
  });

  test.each([
    ["a character inside a string", "first", "fjrst"],
    ["its number", '"seq":2', '"seq":7'],
    ["a key that no reader needs", '"at":"', '"aT":"'],
    ["a bit of a character of two bytes", "ü", "û"],
  ])("is left out and named if %s has changed", async (_, was, is) => {
    const { path, text } = await written();
    const line = text.split("\n").findIndex((one) => one.includes(was) && one.includes('"prompt"')) + 1;
    const lines = text.split("\n").map((one, index) => (index === line - 1 ? one.replace(was, is) : one));
    writeFileSync(path, lines.join("\n"));
    expect(await reading(path)).toEqual({
      types: ["session", "prompt"],
      notes: [`Line ${line} of ${path} is damaged (its checksum does not match) and was left out.`],
    });
  });

  test.each([
    [
      "has another digit",
      (line: string) => line.replace(/.(?="\}$)/, (digit) => (digit === "a" ? "b" : "a")),
    ],
    ["has another name", (line: string) => line.replace('"crc"', '"crd"')],
    ["is gone", (line: string) => line.replace(/,"crc":"\w+"/, "")],
  ])("is left out and named if its checksum %s", async (_, damage) => {
    const { path, text } = await written();
    const [first = "", second = "", ...rest] = text.split("\n");
    writeFileSync(path, [first, damage(second), ...rest].join("\n"));
    const { types, notes } = await reading(path);
    expect(types).toEqual(["session", "prompt"]);
    expect(notes).toEqual([expect.stringMatching(/^Line 2 of .* is (damaged|without its checksum)/)]);
  });

  test("is checked behind a first line that is damaged as well", async () => {
    const { path, text } = await written();
    const [, second = "", third = ""] = text.split("\n");
    writeFileSync(path, `rubbish\n${second}\n${third.replace(/,"crc":"\w+"/, "")}\n`);
    const { types, notes } = await reading(path);
    expect(types).toEqual(["prompt"]);
    expect(notes).toHaveLength(2);
  });

  test("says its version, which older programs refuse", async () => {
    const { text } = await written();
    expect(JSON.parse(text.split("\n")[0] ?? "").event.version).toBe(JOURNAL_VERSION);
  });
});

test("a line is damaged with any one of its bits changed", async () => {
  const { text } = await written();
  const line = Buffer.from(text.split("\n")[2] ?? "");
  expect(verifyLine(line)).toBe("intact");
  const unnoticed: number[] = [];
  for (let bit = 0; bit < line.length * 8; bit += 1) {
    const changed = Buffer.from(line);
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    if (verifyLine(changed) === "intact") unnoticed.push(bit);
  }
  expect(unnoticed).toEqual([]);
});
