import { chmodSync, lstatSync, readdirSync, writeFileSync } from "node:fs";
import { appendFile, readFile, rename, symlink, truncate, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { GroupCommit } from "../../src/journal/group-commit.ts";
import { type JournalFile, openJournalFile, replaceJournalFile } from "../../src/journal/journal-file.ts";
import { journalFile, sessionPaths } from "../../src/journal/paths.ts";
import { createPrivateFile, makePrivateFolders } from "../../src/journal/private-files.ts";
import { type JournalEnd, readJournal } from "../../src/journal/reader.ts";
import { recordText } from "../../src/journal/serve-writer.ts";
import type { SessionEvent } from "../../src/journal/session-events.ts";
import { startJournal } from "../../src/journal/thread-journal.ts";
import type { FromWriter } from "../../src/journal/writer-messages.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { everyNth } from "../support/long.ts";
import { ALICE, linesOf, prompt, recordsOf, SESSION, sessionEvent, spawn, turnEvent } from "./samples.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const EVENTS: readonly SessionEvent[] = [
  sessionEvent(),
  prompt("first, with 你好 in it"),
  spawn(ALICE),
  turnEvent(ALICE, 1, "look: \u2028 and ü"),
];
const LATER = [turnEvent(ALICE, 2, "second"), turnEvent(ALICE, 3, "third")];

/** A session's journal with this content. */
async function stored(content: string | Buffer) {
  const place = sessionPaths(await temporaryFolder(), "/w", SESSION);
  makePrivateFolders(place.home, place.folder);
  const path = journalFile(place.folder);
  await writeFile(path, content, { mode: 0o600 });
  return { place, path };
}

async function read(path: string) {
  const reading = await readJournal(path);
  if (reading.type === "refused") throw new Error(reading.reason);
  return reading;
}

/** What the thread does, without the thread. */
function goOn(
  place: { home: string; folder: string },
  end: JournalEnd,
  over?: (file: JournalFile) => JournalFile,
) {
  const path = journalFile(place.folder);
  const data = { ...place, path, redaction: null, beginning: { type: "go-on", end } } as const;
  const replies: FromWriter[] = [];
  const commits = new GroupCommit({
    ...{ path, clock: systemClock, from: end },
    open: () => (over ?? ((file) => file))(openJournalFile(data)),
    replace: (keep, bytes) => replaceJournalFile(path, keep, bytes),
    reply: (message) => replies.push(message),
  });
  const append = (...events: readonly SessionEvent[]) => {
    for (const event of events) commits.add({ awaited: true, text: recordText(path, "t", event) });
    commits.settle();
  };
  return { commits, append, replies };
}

test("resumes a journal cut at any byte: keeps whole lines, reports the torn one, adds new ones (fault 37)", {
  tags: ["long"],
  timeout: 60_000,
}, async () => {
  const all = Buffer.from(linesOf(EVENTS));
  const ends = recordsOf(EVENTS).map((_, index) => Buffer.byteLength(linesOf(EVENTS.slice(0, index + 1))));
  const { place, path } = await stored("");
  const cuts = everyNth([...all.keys(), all.length], 9).concat(ends);
  for (const cut of cuts) {
    writeFileSync(path, all.subarray(0, cut));
    const whole = ends.filter((end) => end <= cut).length;
    const before = await read(path);
    expect(before.records).toEqual(recordsOf(EVENTS).slice(0, whole));
    expect(before.notes).toHaveLength([0, ...ends].includes(cut) ? 0 : 1);
    expect(before.end).toEqual({ seq: whole, bytes: ends[whole - 1] ?? 0 });

    const { append, commits, replies } = goOn(place, before.end);
    append(...LATER);
    commits.close();
    expect(replies[0]).toMatchObject({ type: "written", seqs: [whole + 1, whole + 2] });
    const after = await read(path);
    expect(after.notes).toEqual([]);
    expect(after.records.map(({ seq }) => seq)).toEqual(after.records.map((_, index) => index + 1));
    expect(after.records.map(({ event }) => event)).toEqual([...EVENTS.slice(0, whole), ...LATER]);
  }
});

test("the thread goes on where the reading ended, again and again", async () => {
  const { place, path } = await stored(`${linesOf(EVENTS)}{"seq":5,"at`);
  for (const text of ["one", "two"]) {
    const { end, notes } = await read(path);
    expect(notes).toHaveLength(text === "one" ? 1 : 0);
    const journal = startJournal({ ...place, clock: systemClock, goOn: end });
    expect(await journal.append(prompt(text))).toBe(end.seq + 1);
    await journal.close();
  }
  const { records, notes } = await read(path);
  expect(notes).toEqual([]);
  expect(records.map(({ event }) => event)).toEqual([...EVENTS, prompt("one"), prompt("two")]);
});

test("after a damaged last line no number is given twice (fault 41)", async () => {
  const { place, path } = await stored(`${linesOf(EVENTS)}rubbish\n`);
  const { end } = await read(path);
  const { append, commits } = goOn(place, end);
  append(prompt("on"));
  commits.close();
  const { records, notes } = await read(path);
  expect(notes).toEqual([`Line 5 of ${path} is torn or not JSON and was left out.`]);
  expect(records.at(-1)).toMatchObject({ seq: 6, event: prompt("on") });
});

test("removes permissions that became too wide", async () => {
  const { place, path } = await stored(linesOf(EVENTS));
  chmodSync(path, 0o644);
  const { commits } = goOn(place, (await read(path)).end);
  commits.begin();
  commits.close();
  expect((lstatSync(path).mode & 0o777).toString(8)).toBe("600");
});

test.each([
  [
    "somebody has added a line",
    (path: string) => appendFile(path, linesOf([prompt("theirs")])),
    /has changed since it was read, so nothing is added to it; .*resume the session again\.$/,
  ],
  [
    "it has become shorter",
    (path: string) => truncate(path, 10),
    /has changed since it was read, so nothing is added to it/,
  ],
  [
    "it is a link now",
    async (path: string) => {
      await rename(path, `${path}.moved`);
      await symlink(`${path}.moved`, path);
    },
    /journal\.jsonl is a link, so the session is not written there; move it away or start a new session\.$/,
  ],
  [
    "it is gone",
    (path: string) => rename(path, `${path}.moved`),
    /journal\.jsonl could not be written: ENOENT/,
  ],
])("a journal is left as it is where %s", async (_, happens, message) => {
  const { place, path } = await stored(linesOf(EVENTS));
  const { end } = await read(path);
  await happens(path);
  const before = await readFile(path).catch(() => null);
  const { append, commits, replies } = goOn(place, end);
  append(prompt("mine"));
  commits.close();
  expect(replies[0]).toMatchObject({ type: "failed", message: expect.stringMatching(message) });
  expect(await readFile(path).catch(() => null)).toEqual(before);
});

test("a failed fsync of a real file: all is in a private new file in its place (fault 45)", async () => {
  const { place, path } = await stored(linesOf(EVENTS));
  writeFileSync(`${path}.new`, "left by a crash");
  const { ino } = lstatSync(path);
  const { append, commits, replies } = goOn(place, (await read(path)).end, (file) => ({
    ...file,
    sync() {
      throw Object.assign(new Error("EIO"), { code: "EIO" });
    },
  }));
  append(...LATER);
  append(prompt("more"));
  commits.close();
  expect(replies.map(({ type }) => type)).toEqual(["replaced", "written", "written", "closed"]);
  const { records, notes, end } = await read(path);
  expect(notes).toEqual([]);
  expect(records.map(({ event }) => event)).toEqual([...EVENTS, ...LATER, prompt("more")]);
  expect(replies[2]).toMatchObject({ end });
  expect(lstatSync(path).ino).not.toBe(ino);
  expect((lstatSync(path).mode & 0o777).toString(8)).toBe("600");
  expect(readdirSync(dirname(path))).toEqual(["journal.jsonl"]);
});

test("a new file that cannot be made leaves the old one where it was (fault 45)", async () => {
  const { path } = await stored(linesOf(EVENTS));
  const { end } = await read(path);
  expect(() => replaceJournalFile(path, end.bytes + 1_000, Buffer.from("x\n"))).toThrow(/has changed/);
  expect(await readFile(path, "utf8")).toBe(linesOf(EVENTS));
  expect(readdirSync(dirname(path))).toEqual(["journal.jsonl"]);
});

test("an empty file that a dying thread left is taken for a new journal, one with anything in it never", async () => {
  const { place, path } = await stored("");
  const begin = () => openJournalFile({ ...place, path, redaction: null, beginning: { type: "create" } });
  begin().close();
  writeFileSync(path, "x");
  expect(begin).toThrow(/EEXIST/);
  expect(() => createPrivateFile(path)).toThrow(/EEXIST/);
});
