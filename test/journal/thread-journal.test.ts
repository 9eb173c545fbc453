import { on } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { JournalError } from "../../src/journal/journal-error.ts";
import { MAX_RECORD_CHARS } from "../../src/journal/lines.ts";
import { journalFile, type SessionPlace, sessionPaths } from "../../src/journal/paths.ts";
import { readJournal } from "../../src/journal/reader.ts";
import type { JournalRecord, SessionEvent } from "../../src/journal/session-events.ts";
import { type JournalOptions, startJournal } from "../../src/journal/thread-journal.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { startThread } from "../../src/lib/threads.ts";
import { callId, MAIN } from "../../src/mailbox/ids.ts";
import { long } from "../support/long.ts";
import { linesUntilEnd, startAppending } from "./child.ts";
import { prompt, SESSION, sessionEvent } from "./samples.ts";
import { temporaryFolder } from "./temporary-folder.ts";

async function newPlace(): Promise<SessionPlace> {
  return sessionPaths(await temporaryFolder(), "/w", SESSION);
}

type SetupOptions = Partial<Pick<JournalOptions, "startThread" | "closeMs" | "intensity">>;

/** A writer that dies is not replaced. */
const MORTAL = { max: 0, periodMs: 1_000 };

/** As a writer whose disk never answers. */
const silentThread = () => new Worker("setInterval(() => {}, 1000)", { eval: true });

/** A journal with its real thread, which the test can look at and end. */
async function setup({ startThread: start = startThread, ...over }: SetupOptions = {}) {
  const place = await newPlace();
  const threads: Worker[] = [];
  const journal = startJournal({
    ...place,
    clock: systemClock,
    ...over,
    startThread(kind) {
      const worker = start(kind);
      threads.push(worker);
      return worker;
    },
  });
  const [thread] = threads;
  if (thread === undefined) throw new Error("no thread was started");
  onTestFinished(() => thread.terminate().then(() => {}));
  return { place, file: journalFile(place.folder), journal, thread };
}

async function recordsIn(file: string): Promise<readonly JournalRecord[]> {
  const reading = await readJournal(file);
  if (reading.type === "refused") throw new Error(reading.reason);
  expect(reading.notes).toEqual([]);
  return reading.records;
}

const texts = (records: readonly JournalRecord[]) =>
  records.map(({ event }) => (event.type === "prompt" ? event.message.content : event.type));

test("writes each record under the number that it returned, whether awaited or not", async () => {
  const { file, journal } = await setup();
  const first = journal.append(sessionEvent());
  journal.note(prompt("note"));
  const others = Array.from({ length: 500 }, (_, index) => journal.append(prompt(`p${index} \u2028 ü\n`)));
  expect(await Promise.all([first, ...others])).toEqual([1, ...others.map((_, index) => index + 3)]);
  const records = await recordsIn(file);
  expect(records.map(({ seq }) => seq)).toEqual(records.map((_, index) => index + 1));
  expect(texts(records)).toEqual(["session", "note", ...others.map((_, index) => `p${index} \u2028 ü\n`)]);
  await journal.close();
});

test("appends that wait together share their fsync (A22.29)", async () => {
  const { journal, thread } = await setup();
  let commits = 0;
  thread.on("message", () => {
    commits += 1;
  });
  await Promise.all(Array.from({ length: 2_000 }, (_, index) => journal.append(prompt(`${index}`))));
  expect(commits).toBeLessThan(200);
  await journal.close();
});

test("close writes the notes that wait, ends the thread, and may be called again", async () => {
  const { file, journal, thread } = await setup();
  journal.note(prompt("last words"));
  const closing = journal.close();
  expect(journal.close()).toBe(closing);
  await closing;
  expect(thread.threadId).toBe(-1);
  expect(texts(await recordsIn(file))).toEqual(["last words"]);
  await expect(journal.append(prompt("late"))).rejects.toThrow(/journal\.jsonl is closed\.$/);
  expect(() => journal.note(prompt("late"))).not.toThrow();
});

test("an append that is under way when the journal is closed is written", async () => {
  const { file, journal } = await setup();
  const append = journal.append(prompt("just in time"));
  await journal.close();
  expect(await append).toBe(1);
  expect(texts(await recordsIn(file))).toEqual(["just in time"]);
});

test("a note is written by itself soon", async () => {
  const { file, journal, thread } = await setup();
  journal.note(prompt("alone"));
  for await (const [message] of on(thread, "message")) if (message.type === "written") break;
  expect(texts(await recordsIn(file))).toEqual(["alone"]);
  await journal.close();
});

test("a writer that is ended for good rejects every pending and later append, and close says a note was lost", async () => {
  const { journal, thread } = await setup({ intensity: MORTAL });
  expect(await journal.append(sessionEvent())).toBe(1);
  journal.note(prompt("note"));
  const pending = [journal.append(prompt("a")), journal.append(prompt("b"))];
  void thread.terminate();
  const ends = await Promise.allSettled(pending);
  const gone =
    /^The journal .*journal\.jsonl can no longer be written because its writer has ended; start a new session/;
  for (const end of ends) {
    // The thread may have been quicker than its end.
    if (end.status === "rejected") expect(end.reason.message).toMatch(gone);
  }
  await expect(journal.append(prompt("c"))).rejects.toThrow(gone);
  const last = await journal.append(prompt("d")).catch((error: unknown) => error);
  expect(last instanceof JournalError && last.kind).toBe("broken");
  expect(journal.state()).toEqual({
    type: "unwritable",
    reason: expect.stringMatching(gone),
    forGood: true,
  });
  journal.note(prompt("into the void"));
  await expect(journal.close()).rejects.toThrow(gone);
});

test("an append whose writer dies before it answers is rejected, not left hanging", async () => {
  const { journal, thread } = await setup({ startThread: silentThread, intensity: MORTAL });
  const pending = [journal.append(prompt("a")), journal.append(prompt("b"))];
  void thread.terminate();
  const ends = await Promise.allSettled(pending);
  expect(ends.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  await journal.close();
});

test("a writer that cannot even start rejects the appends", async () => {
  const { journal } = await setup({
    startThread: (kind) => startThread({ ...kind, entry: new URL("./no-such-writer.ts", kind.entry) }),
  });
  await expect(journal.append(sessionEvent())).rejects.toThrow(
    /because its writer failed \(.*no-such-writer/,
  );
  await journal.close();
});

test("a disk that never answers does not hold up close", async () => {
  const { journal } = await setup({
    closeMs: 20,
    startThread: silentThread,
  });
  const append = journal.append(sessionEvent());
  journal.note(prompt("note"));
  await Promise.all([
    expect(journal.close()).rejects.toThrow(/the disk did not answer within 20 ms/),
    expect(append).rejects.toThrow(/the disk did not answer within 20 ms/),
  ]);
});

test("a home that is a file is said with its name and what to do", async () => {
  const folder = await temporaryFolder();
  const home = `${folder}/file`;
  await writeFile(home, "mine");
  const journal = startJournal({ ...sessionPaths(home, "/w", SESSION), clock: systemClock });
  await expect(journal.append(sessionEvent())).rejects.toThrow(
    /^Sessions cannot be kept in .*file, because .*; set TROUPE_HOME to a directory\.$/,
  );
  await journal.close();
  expect(await readFile(home, "utf8")).toBe("mine");
});

test("a journal is never written over", async () => {
  const { place, file, journal } = await setup();
  await journal.append(sessionEvent());
  await journal.close();
  const second = startJournal({ ...place, clock: systemClock });
  await expect(second.append(prompt("mine now"))).rejects.toThrow(/never written over.*start a new session/);
  await second.close();
  expect(texts(await recordsIn(file))).toEqual(["session"]);
});

test("a record that no reader would take is refused before it is written", { tags: ["long"] }, async () => {
  const { file, journal } = await setup();
  await expect(journal.append(prompt("x".repeat(MAX_RECORD_CHARS)))).rejects.toThrow(
    /too large for the journal/,
  );
  expect(await journal.append(sessionEvent())).toBe(1);
  await journal.close();
  expect(texts(await recordsIn(file))).toEqual(["session"]);
});

test("an event that is not plain data is rejected in its turn and leaves the journal as it was", async () => {
  const { file, journal } = await setup();
  const odd = (input: unknown): SessionEvent => ({
    type: "before",
    actor: MAIN,
    call: callId(MAIN, 1, 0),
    tool: "Read",
    input,
    decision: "go",
  });
  const before = journal.append(prompt("before"));
  await expect(journal.append(odd(1n))).rejects.toThrow(
    /^A record \(before\) was not written to the journal .* because it is not plain data \(.*BigInt.*\); .*report it\.$/,
  );
  await expect(journal.append(odd(() => {}))).rejects.toThrow();
  expect(await before).toBe(1);
  expect(await journal.append(prompt("after"))).toBe(2);
  await journal.close();
  expect(texts(await recordsIn(file))).toEqual(["before", "after"]);
});

test("what is changed after it was appended is not changed in the journal", async () => {
  const { file, journal } = await setup();
  const event = { ...sessionEvent(), title: "as it was" };
  const append = journal.append(event);
  event.title = "changed";
  await append;
  await journal.close();
  expect((await recordsIn(file)).map((record) => record.event)).toMatchObject([{ title: "as it was" }]);
});

test("every number that was answered survives SIGKILL (A22.29, promise 4)", { tags: ["long"] }, async () => {
  const place = await newPlace();
  const child = startAppending(place, "forever");
  const { code, signal, lines } = await linesUntilEnd(child, (count) => {
    if (count >= 200) child.kill("SIGKILL");
  });
  // One that ends by itself has said why.
  expect({ code, signal }).toEqual({ code: null, signal: "SIGKILL" });
  const reading = await readJournal(journalFile(place.folder));
  if (reading.type === "refused") throw new Error(reading.reason);
  const seqs = new Set(reading.records.map(({ seq }) => seq));
  expect(lines.length).toBeGreaterThanOrEqual(200);
  expect(lines.filter((line) => !seqs.has(Number(line)))).toEqual([]);
});

const KILLS = long(16, 4);

test("a session that is killed and resumed repeatedly keeps every number it returned (faults 37, 46)", {
  tags: ["long"],
}, async () => {
  const place = await newPlace();
  const answered: string[] = [];
  for (let kill = 0; kill < KILLS; kill += 1) {
    const child = startAppending(place, "resume");
    // At a different place each time, by what it has said.
    const { code, signal, lines } = await linesUntilEnd(child, (count) => {
      if (count >= 1 + kill * 7) child.kill("SIGKILL");
    });
    expect({ code, signal }, `start ${kill}`).toEqual({ code: null, signal: "SIGKILL" });
    answered.push(...lines);
  }
  const reading = await readJournal(journalFile(place.folder));
  if (reading.type === "refused") throw new Error(reading.reason);
  const seqs = reading.records.map(({ seq }) => seq);
  expect(seqs).toEqual(seqs.map((_, index) => index + 1));
  // Only the last kill's torn line may still be there.
  expect(reading.notes.length).toBeLessThanOrEqual(1);
  expect(answered.map(Number).filter((seq) => !seqs.includes(seq))).toEqual([]);
  expect(new Set(answered).size).toBe(answered.length);
  expect(reading.records.filter(({ event }) => event.type === "session")).toHaveLength(KILLS);
});

test.each(["once", "note"] as const)(
  "a journal that is not closed loses nothing and holds up no exit (%s)",
  { tags: ["long"] },
  async (mode) => {
    const place = await newPlace();
    const { code } = await linesUntilEnd(startAppending(place, mode));
    expect(code).toBe(0);
    expect(texts(await recordsIn(journalFile(place.folder)))).toEqual(["session"]);
  },
);

test("a file that may not grow is one sentence, and every earlier record is whole (fault 42)", {
  tags: ["long"],
}, async () => {
  const place = await newPlace();
  const { code, lines } = await linesUntilEnd(startAppending(place, "full", "ulimit -f 32"));
  expect(code).toBe(0);
  expect(lines.at(-1)).toMatch(/^The journal .*journal\.jsonl could not be written: .*EFBIG.*; .*\.$/);
  const records = await recordsIn(journalFile(place.folder));
  expect(records.map(({ seq }) => `${seq}`)).toEqual(lines.slice(0, -1));
  expect(records.length).toBeGreaterThan(5);
});
