import { lstatSync, readdirSync } from "node:fs";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { type ForkRequest, forkJournal } from "../../src/journal/fork.ts";
import { journalFile, type SessionPlace, sessionPaths } from "../../src/journal/paths.ts";
import { readJournal } from "../../src/journal/reader.ts";
import { JOURNAL_VERSION, type SessionEvent } from "../../src/journal/session-events.ts";
import { listSessions } from "../../src/journal/sessions.ts";
import { startJournal } from "../../src/journal/thread-journal.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { SessionId } from "../../src/mailbox/ids.ts";
import { ALICE, linesOf, prompt, recordsOf, SESSION, sessionEvent, spawn, turnEvent } from "./samples.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const COPY = SessionId.parse("copy00000001");
const NOW = "2026-05-05T05:05:05.000Z";
const clock = { date: () => NOW };

const EVENTS: readonly SessionEvent[] = [
  sessionEvent(),
  prompt("do it in the next session"),
  spawn(ALICE),
  turnEvent(ALICE, 1, 'a "session" of ü\u2028'),
  { ...sessionEvent(), ...{ model: "opus" } },
];

/** A session with this journal, and the place of its copy. */
async function stored(content: string) {
  const home = await temporaryFolder();
  const from = sessionPaths(home, "/w", SESSION).folder;
  await mkdir(from, { recursive: true });
  await writeFile(journalFile(from), content);
  const to = sessionPaths(home, "/w", COPY);
  const fork = (place: SessionPlace = to, more: Pick<ForkRequest, "cut"> = {}) =>
    forkJournal({ from, to: place, id: COPY, clock, ...more });
  return { home, from, to, fork };
}

async function read(folder: string) {
  const reading = await readJournal(journalFile(folder));
  if (reading.type === "refused") throw new Error(reading.reason);
  return reading;
}

test("a copy has every whole line under its own id, and the original is as it was", async () => {
  const content = `${linesOf(EVENTS)}{"seq":6,"at`;
  const { home, from, to, fork } = await stored(content);
  expect(await fork()).toEqual({ type: "forked" });
  expect(await readFile(journalFile(from), "utf8")).toBe(content);
  const { records, notes, end } = await read(to.folder);
  expect(notes).toEqual([]);
  const originals = recordsOf(EVENTS);
  const own = { id: COPY, forkedFrom: SESSION };
  expect(records).toEqual([
    { ...originals[0], at: NOW, event: { ...EVENTS[0], ...own } },
    ...originals.slice(1, 4),
    { ...originals[4], event: { ...EVENTS[4], ...own } },
  ]);
  expect((await listSessions(home)).sessions.map(({ id, startedAt }) => [id, startedAt])).toContainEqual([
    COPY,
    NOW,
  ]);
  expect((lstatSync(journalFile(to.folder)).mode & 0o777).toString(8)).toBe("600");
  expect(readdirSync(to.folder)).toEqual(["journal.jsonl"]);

  const journal = startJournal({ ...to, clock: systemClock, goOn: end });
  expect(await journal.append(prompt("on"))).toBe(6);
  await journal.close();
  expect((await read(to.folder)).notes).toEqual([]);
});

test("a copy of a copy names the one it was made of, and its damage is still said", async () => {
  const first = sessionEvent({ forkedFrom: SessionId.parse("grandparent") });
  const { to, fork } = await stored(
    `${linesOf([first])}rubbish "session"\n${linesOf(EVENTS).split("\n")[2]}\n`,
  );
  expect(await fork()).toEqual({ type: "forked" });
  const { records, notes } = await read(to.folder);
  expect(records[0]?.event).toMatchObject({ id: COPY, forkedFrom: SESSION });
  expect(records.map(({ seq }) => seq)).toEqual([1, 3]);
  expect(notes).toHaveLength(1);
});

test("lines of more than one batch are all there", async () => {
  const events = [
    sessionEvent(),
    ...Array.from({ length: 300 }, (_, index) => prompt(`${index} ${"x".repeat(9_000)}`)),
  ];
  const { from, to, fork } = await stored(linesOf(events));
  expect(await fork()).toEqual({ type: "forked" });
  const lines = async (folder: string) => (await readFile(journalFile(folder), "utf8")).split("\n").slice(1);
  expect(await lines(to.folder)).toEqual(await lines(from));
});

test("a session that is there is never written over, by a copy or by half of one", async () => {
  const { to, fork } = await stored(linesOf(EVENTS));
  await mkdir(to.folder, { recursive: true });
  await writeFile(journalFile(to.folder), "precious");
  await writeFile(`${journalFile(to.folder)}.copy`, "left by a crash");
  expect(await fork()).toMatchObject({ type: "refused", reason: expect.stringContaining("EEXIST") });
  expect(await readFile(journalFile(to.folder), "utf8")).toBe("precious");
  expect(readdirSync(to.folder)).toEqual(["journal.jsonl"]);
});

test.each([
  [
    "a newer version's",
    `${linesOf(EVENTS)}{"seq":9,"at":"x","event":{"type":"session","version":${JOURNAL_VERSION + 1}}}\n`,
    /written by a newer Troupe/,
  ],
  ["not there", null, /There is no journal at/],
])("a journal that is %s is refused, and no copy is left", async (_, content, reason) => {
  const { from, to, fork } = await stored(content ?? "");
  const absent = { from: join(dirname(from), "absent"), to, id: COPY, clock };
  const result = content === null ? await forkJournal(absent) : await fork();
  expect(result).toMatchObject({ type: "refused", reason: expect.stringMatching(reason) });
  expect(readdirSync(to.folder)).toEqual([]);
});

test("a link in place of the copy's folder is not followed", async () => {
  const { to, fork } = await stored(linesOf(EVENTS));
  const elsewhere = await temporaryFolder();
  await symlink(elsewhere, to.folder);
  expect(await fork()).toMatchObject({
    type: "refused",
    reason: expect.stringMatching(/is a link or a file/),
  });
  expect(readdirSync(elsewhere)).toEqual([]);
});

test("an aborted copy rejects and leaves nothing", async () => {
  const { from, to } = await stored(linesOf(EVENTS));
  const signal = AbortSignal.abort();
  await expect(forkJournal({ from, to, id: COPY, clock, signal })).rejects.toThrow(/abort/i);
  expect(readdirSync(to.folder)).toEqual([]);
});

test("a copy can end before a record, and what is added is sealed and numbered like the rest", async () => {
  const { to, fork } = await stored(linesOf(EVENTS));
  const add = [prompt("instead")];
  expect(await fork(to, { cut: { before: 3, add } })).toEqual({ type: "forked" });
  const { records, notes, end } = await read(to.folder);
  expect(notes).toEqual([]);
  expect(records.map(({ seq, event }) => [seq, event.type])).toEqual([
    [1, "session"],
    [2, "prompt"],
    [3, "prompt"],
  ]);
  expect(records[2]?.event).toEqual(add[0]);
  expect(end.seq).toBe(3);
});
