import { execFileSync } from "node:child_process";
import { mkdir, open, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readJournal } from "../../src/journal/reader.ts";
import { JOURNAL_VERSION, type SessionEvent } from "../../src/journal/session-events.ts";
import {
  ALICE,
  lineOf,
  linesOf,
  prompt,
  recordsOf,
  sealed,
  sessionEvent,
  spawn,
  summary,
  turnEvent,
} from "./samples.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const EVENTS: readonly SessionEvent[] = [
  sessionEvent(),
  prompt("first"),
  spawn(ALICE),
  { type: "start", actor: ALICE, attempt: 1 },
  turnEvent(ALICE, 1, "look: \u2028 and ü and 你好"),
  { type: "summary", actor: ALICE, summary: summary("found it"), durationMs: 7 },
  prompt("last, with 你好 in it"),
];

async function journalOf(content: string | Buffer): Promise<string> {
  const path = join(await temporaryFolder(), "journal.jsonl");
  await writeFile(path, content);
  return path;
}

async function read(path: string) {
  const reading = await readJournal(path);
  if (reading.type === "refused") throw new Error(reading.reason);
  return reading;
}

/** The file with line `number` (from 1) replaced by `by`. */
function withLine(number: number, by: string | ((line: string) => string)): string {
  const change = typeof by === "string" ? () => by : by;
  return linesOf(EVENTS)
    .split("\n")
    .map((line, index) => (index === number - 1 ? change(line) : line))
    .join("\n");
}

/** As a writer that miscounts would have written it. */
const numbered = (seq: string) => (line: string) => sealed(line.replace(/"seq":\d+/, `"seq":${seq}`));

test("a whole journal is read as it was written, without a note", async () => {
  expect(await read(await journalOf(linesOf(EVENTS)))).toEqual({
    type: "read",
    records: recordsOf(EVENTS),
    notes: [],
    end: { seq: EVENTS.length, bytes: Buffer.byteLength(linesOf(EVENTS)) },
  });
});

test("a last line torn at any byte is left out and said; all before it is kept (fault 37)", async () => {
  const all = Buffer.from(linesOf(EVENTS));
  const start = Buffer.byteLength(linesOf(EVENTS.slice(0, -1)));
  const path = await journalOf(all.subarray(0, start));
  expect((await read(path)).notes).toEqual([]);
  for (let end = start + 1; end < all.length; end += 1) {
    await writeFile(path, all.subarray(0, end));
    const { records, notes, end: whole } = await read(path);
    expect(records).toEqual(recordsOf(EVENTS.slice(0, -1)));
    expect(whole).toEqual({ seq: EVENTS.length - 1, bytes: start });
    expect(notes).toEqual([`The last line (7) of ${path} is torn and was left out; all before it is kept.`]);
  }
});

test.each([
  ["torn", '{"seq":5,"at":"2026', "is torn or not JSON"],
  ["empty", "", "is torn or not JSON"],
  ["zeros of a power loss", "\0".repeat(64), "is torn or not JSON"],
  ["not a record", '{"hello":"world"}', "is not a record of a journal"],
  [
    "against the schema",
    sealed('{"seq":5,"at":"x","event":{"type":"turn","actor":"alice","turn":{}}}'),
    "is not a valid turn record",
  ],
])(
  "a middle line that is %s is left out and said with its number; later ones are kept (fault 41)",
  async (_, line, why) => {
    const path = await journalOf(withLine(5, line));
    const { records, notes } = await read(path);
    expect(records).toEqual(recordsOf(EVENTS).filter(({ seq }) => seq !== 5));
    expect(notes).toHaveLength(1);
    expect(notes[0]).toContain(`Line 5 of ${path} ${why}`);
  },
);

test("bytes that are not UTF-8 spoil their own line only", async () => {
  const lines = linesOf(EVENTS)
    .split("\n")
    .map((line) => Buffer.from(`${line}\n`));
  lines[1]?.fill(0xff, 40, 44);
  const path = await journalOf(Buffer.concat(lines.slice(0, -1)));
  const { records, notes } = await read(path);
  expect(records.map(({ seq }) => seq)).toEqual([1, 3, 4, 5, 6, 7]);
  expect(notes).toEqual([`Line 2 of ${path} is torn or not JSON and was left out.`]);
});

test("a journal of a newer version is refused with the reason, even where its shape is another", async () => {
  const next = JOURNAL_VERSION + 1;
  const path = await journalOf(`{"seq":1,"at":"x","event":{"type":"session","version":${next},"ident":7}}\n`);
  expect(await readJournal(path)).toEqual({
    type: "refused",
    reason: `The journal ${path} was written by a newer Troupe (journal version ${next}, this one reads up to ${JOURNAL_VERSION}); update Troupe to open it.`,
  });
});

test("leaves out an unknown type of event and reports it", async () => {
  const strange = { seq: 4, at: "x", event: { type: "teleport", to: "mars" } };
  const path = await journalOf(withLine(4, lineOf(strange).trimEnd()));
  const { records, notes } = await read(path);
  expect(records.map(({ seq }) => seq)).toEqual([1, 2, 3, 5, 6, 7]);
  expect(notes).toEqual([`Line 4 of ${path} is of an unknown type (teleport) and was left out.`]);
});

test("a record that is there twice counts once, and one that is missing is said", async () => {
  const lines = linesOf(EVENTS).split("\n").slice(0, -1);
  const path = await journalOf(`${[...lines.slice(0, 3), lines[1], ...lines.slice(5)].join("\n")}\n`);
  const { records, notes } = await read(path);
  expect(records.map(({ seq }) => seq)).toEqual([1, 2, 3, 6, 7]);
  expect(notes).toEqual([
    `Line 4 of ${path} repeats record 2 and was left out.`,
    `Line 5 of ${path} is record 6 where 4 belongs; some may be missing.`,
  ]);
});

test("a wrong number loses no record", async () => {
  const path = await journalOf(withLine(3, numbered("300000")));
  const { records, notes } = await read(path);
  expect(records.map(({ seq }) => seq)).toEqual([1, 2, 300_000, 4, 5, 6, 7]);
  expect(notes).toHaveLength(2);
});

test.each([
  ["a damaged last line has used a number too", withLine(7, "rubbish"), 7],
  ["a number out of order is not given again", withLine(3, numbered("300")), 300],
  ["a number nobody can count on from is passed over", withLine(7, numbered("1e300")), 6],
  [
    "a record of an unknown kind has a number",
    withLine(7, sealed('{"seq":7,"at":"x","event":{"type":"new"}}')),
    7,
  ],
  ["an empty file", "", 0],
])("where a writer goes on: %s", async (_, content, seq) => {
  expect((await read(await journalOf(content))).end).toEqual({ seq, bytes: Buffer.byteLength(content) });
});

test("a file full of rubbish is a bounded number of sentences", async () => {
  const { records, notes } = await read(await journalOf("rubbish\n".repeat(5_000)));
  expect(records).toEqual([]);
  expect(notes).toHaveLength(101);
  expect(notes.at(-1)).toMatch(/^4900 more lines of .* were left out\.$/);
});

test("records larger than a chunk, and newlines at its borders, are whole", async () => {
  const sizes = [262_143, 262_144, 262_145, 700_000, 1];
  const events = [sessionEvent(), ...sizes.map((size) => prompt("ü".repeat(size)))];
  const { records, notes } = await read(await journalOf(linesOf(events)));
  expect(notes).toEqual([]);
  expect(records).toEqual(recordsOf(events));
});

test("a line longer than any record is left out without being held in memory", {
  tags: ["long"],
}, async () => {
  const path = await journalOf(linesOf(EVENTS.slice(0, 1)));
  const handle = await open(path, "r+");
  // A hole: 210 MB of zeros that take no disk.
  const end = 210 * 1024 * 1024;
  await handle.write(`\n${linesOf(EVENTS).split("\n")[2]}\n`, end);
  await handle.close();
  const { records, notes } = await read(path);
  expect(records.map(({ seq }) => seq)).toEqual([1, 3]);
  expect(notes).toEqual([`Line 2 of ${path} is longer than any record and was left out.`]);
});

test("refuses with a sentence what is not a journal: absent, a directory, a link, a named pipe", async () => {
  const folder = await temporaryFolder();
  const path = (name: string) => join(folder, name);
  await mkdir(path("folder"));
  await writeFile(path("file"), linesOf(EVENTS));
  await symlink(path("file"), path("link"));
  execFileSync("/bin/sh", ["-c", 'mkfifo "$0"', path("pipe")]);
  expect(await readJournal(path("absent"))).toEqual({
    type: "refused",
    reason: `There is no journal at ${path("absent")}; see \`troupe sessions list\`.`,
  });
  for (const name of ["folder", "link", "pipe"]) {
    expect(await readJournal(path(name))).toMatchObject({
      type: "refused",
      reason: expect.stringContaining(path(name)),
    });
  }
});

test("an aborted reading rejects", async () => {
  const path = await journalOf(linesOf(EVENTS));
  await expect(readJournal(path, AbortSignal.abort())).rejects.toThrow(/abort/i);
});

test("whatever bytes are damaged, reading ends, takes no changed record, and loses none without saying so", async () => {
  const whole = Buffer.from(linesOf(EVENTS));
  const path = await journalOf("");
  const originals = new Set(recordsOf(EVENTS).map((record) => JSON.stringify(record.event)));
  const damage = fc.tuple(fc.nat(whole.length - 1), fc.uint8Array({ minLength: 1, maxLength: 40 }));
  await fc.assert(
    fc.asyncProperty(damage, async ([at, bytes]) => {
      const damaged = Buffer.from(whole);
      damaged.set(bytes.subarray(0, whole.length - at), at);
      await writeFile(path, damaged);
      const reading = await readJournal(path);
      if (reading.type === "refused") throw new Error(reading.reason);
      const { records, notes } = reading;
      expect(records.map(({ event }) => JSON.stringify(event)).filter((one) => !originals.has(one))).toEqual(
        [],
      );
      expect(records.length === EVENTS.length || notes.length > 0).toBe(true);
    }),
    { seed: 7, numRuns: 150 },
  );
});
