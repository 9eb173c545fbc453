// @module-tag long
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { Worker } from "node:worker_threads";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { journalFile, sessionPaths } from "../../src/journal/paths.ts";
import { readJournal } from "../../src/journal/reader.ts";
import { type JournalOptions, startJournal } from "../../src/journal/thread-journal.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { RESTART_INTENSITY } from "../../src/lib/restarts.ts";
import { startThread } from "../../src/lib/threads.ts";
import { long } from "../support/long.ts";
import { prompt, SESSION, sessionEvent } from "./samples.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** A journal whose threads the test can end. */
async function mortalJournal(over: Partial<JournalOptions> = {}) {
  const place = sessionPaths(await temporaryFolder(), "/w", SESSION);
  const threads: Worker[] = [];
  const warnings: string[] = [];
  const journal = startJournal({
    ...place,
    clock: systemClock,
    intensity: { max: 1_000, periodMs: 60_000 },
    onWarning: (sentence) => warnings.push(sentence),
    startThread(kind) {
      const worker = startThread(kind);
      threads.push(worker);
      return worker;
    },
    ...over,
  });
  onTestFinished(async () => {
    await Promise.all(threads.map((thread) => thread.terminate()));
  });
  return { journal, threads, warnings, file: journalFile(place.folder) };
}

/** The texts of the file's prompts under their numbers, which have no gap. */
async function textsIn(file: string): Promise<Map<number, unknown>> {
  const reading = await readJournal(file);
  if (reading.type === "refused") throw new Error(reading.reason);
  expect(reading.notes).toEqual([]);
  expect(reading.records.map(({ seq }) => seq)).toEqual(reading.records.map((_, index) => index + 1));
  return new Map(
    reading.records.map(({ seq, event }) => [
      seq,
      event.type === "prompt" ? event.message.content : event.type,
    ]),
  );
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** What is handed over, and after how many turns of the event loop a thread is ended. */
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("append" as const), chars: fc.nat(200_000) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("note" as const), chars: fc.nat(100) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("wait" as const), turns: fc.nat(30) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("settle" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("kill" as const) }) },
);

test("whenever the writer dies, each record is in the file once, under the number that was answered", async () => {
  const run = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
    const { journal, threads, file } = await mortalJournal();
    const texts: string[] = ["session"];
    const appends: { readonly text: string; readonly answer: Promise<number> }[] = [
      { text: "session", answer: journal.append(sessionEvent()) },
    ];
    for (const [index, what] of steps.entries()) {
      if (what.do === "append" || what.do === "note") {
        const text = `${index} ${"x".repeat(what.chars)}`;
        texts.push(text);
        if (what.do === "note") journal.note(prompt(text));
        else appends.push({ text, answer: journal.append(prompt(text)) });
      } else if (what.do === "wait") for (let turn = 0; turn < what.turns; turn += 1) await nextTurn();
      else if (what.do === "settle") await Promise.all(appends.map(({ answer }) => answer));
      else void threads.at(-1)?.terminate();
    }
    const answers = await Promise.all(appends.map(({ answer }) => answer));
    await journal.close();
    const written = await textsIn(file);
    expect(answers.map((seq) => written.get(seq))).toEqual(appends.map(({ text }) => text));
    // Nothing twice, nothing lost, the order kept.
    expect([...written.values()]).toEqual(texts);
  });
  await fc.assert(run, { seed: 37, numRuns: long(100, 6), endOnFailure: true });
}, 120_000);

/** Where one thread after the other ends itself: after so many operations, within a write or after an fsync. */
const deaths = fc.array(fc.record({ operations: fc.nat(7), bytes: fc.nat(3_000) }), {
  minLength: 1,
  maxLength: 8,
});

test("whatever a dying writer has left in the file, torn or whole, each record is there once", {
  tags: ["long"],
  timeout: 120_000,
}, async () => {
  const run = fc.asyncProperty(
    deaths,
    fc.array(fc.nat(5), { minLength: 8, maxLength: 30 }),
    async (plan, sizes) => {
      const left = [...plan];
      const { journal, file } = await mortalJournal({
        startThread(kind) {
          const death = left.shift();
          const dying = new URL("./fixtures/dying-writer.ts", import.meta.url);
          return death ? new Worker(dying, { workerData: death }) : startThread(kind);
        },
      });
      const texts = sizes.map((size, index) => `${index} ${"x".repeat(4 ** size)}`);
      const answers: Promise<number>[] = [journal.append(sessionEvent())];
      for (const [index, text] of texts.entries()) {
        if (index % 5 === 4) journal.note(prompt(text));
        else answers.push(journal.append(prompt(text)));
        // Groups of different sizes.
        if (index % 3 === 2) await answers.at(-1);
      }
      await Promise.all(answers);
      await journal.close();
      expect([...(await textsIn(file)).values()]).toEqual(["session", ...texts]);
    },
  );
  await fc.assert(run, { seed: 41, numRuns: long(100, 6), endOnFailure: true });
});

test("a group that reached the disk before its writer died, without an answer, is there once", async () => {
  // A first thread that writes what it is given and then a torn piece, and answers nothing.
  const mute = `
    const { appendFileSync, writeFileSync, mkdirSync } = require("node:fs");
    const { parentPort } = require("node:worker_threads");
    let path;
    let seq = 0;
    parentPort.on("message", ({ folder, at, event, ...data }) => {
      if (path === undefined) {
        path = data.path;
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        writeFileSync(path, "", { mode: 0o600 });
        return parentPort.postMessage({ type: "opened" });
      }
      seq += 1;
      appendFileSync(path, JSON.stringify({ seq, at, event }) + "\\n");
      if (seq < 3) return;
      appendFileSync(path, '{"seq":4,"at":');
      process.exit();
    });`;
  let starts = 0;
  const { journal, file, warnings } = await mortalJournal({
    startThread(kind) {
      starts += 1;
      return starts === 1 ? new Worker(mute, { eval: true }) : startThread(kind);
    },
  });
  const answers = [sessionEvent(), prompt("a"), prompt("b")].map((event) => journal.append(event));
  expect(await Promise.all(answers)).toEqual([1, 2, 3]);
  await journal.close();
  expect([...(await textsIn(file)).values()]).toEqual(["session", "a", "b"]);
  expect(warnings).toEqual([
    `The writer of the journal ${file} has ended and was started again; nothing is lost.`,
  ]);
});

test("an idle writer that dies is replaced, and its file is unchanged", async () => {
  const { journal, threads, file } = await mortalJournal();
  await journal.append(sessionEvent());
  const before = await readFile(file);
  const [first] = threads;
  if (first !== undefined) await first.terminate();
  expect(threads).toHaveLength(2);
  expect(await journal.append(prompt("on"))).toBe(2);
  await journal.close();
  expect((await readFile(file)).subarray(0, before.length).equals(before)).toBe(true);
});

test("a writer that dies while the journal is closed is replaced, and what waits is written", async () => {
  const { journal, threads, file } = await mortalJournal();
  await journal.append(sessionEvent());
  journal.note(prompt("last words"));
  void threads.at(-1)?.terminate();
  await journal.close();
  expect([...(await textsIn(file)).values()]).toEqual(["session", "last words"]);
  await Promise.all(threads.map(({ threadId }) => expect(threadId).toBe(-1)));
});

test("a writer that dies too often is given up, with every append answered", async () => {
  const { journal, threads, file, warnings } = await mortalJournal({ intensity: RESTART_INTENSITY });
  expect(await journal.append(sessionEvent())).toBe(1);
  for (let death = 0; death <= RESTART_INTENSITY.max; death += 1) {
    const thread = threads.at(-1);
    if (thread === undefined) throw new Error("no thread was started");
    const gone = once(thread, "exit");
    void thread.terminate();
    await gone;
  }
  expect(threads).toHaveLength(RESTART_INTENSITY.max + 1);
  await expect(journal.append(prompt("late"))).rejects.toThrow(/because its writer has ended; /);
  expect(journal.state()).toMatchObject({ type: "unwritable", forGood: true });
  expect(warnings.at(-1)).toMatch(/can no longer be written because its writer has ended/);
  await journal.close();
  expect([...(await textsIn(file)).values()]).toEqual(["session"]);
});

test("a journal that is there is not touched by a new one, though its writer dies", async () => {
  const first = await mortalJournal();
  await first.journal.append(sessionEvent());
  await first.journal.close();
  const folder = first.file.replace(/\/journal\.jsonl$/, "");
  const second = await mortalJournal({ folder, home: folder.replace(/\/projects\/.*$/, "") });
  void second.threads.at(-1)?.terminate();
  await expect(second.journal.append(prompt("mine now"))).rejects.toThrow(/never written over/);
  await second.journal.close();
  expect([...(await textsIn(first.file)).values()]).toEqual(["session"]);
});

test("a disk that can be believed no more ends the journal: all who wait learn it, and no thread is tried again (fault 45)", async () => {
  const broken = `
    const { parentPort } = require("node:worker_threads");
    parentPort.on("message", ({ type }) => {
      if (type === undefined) return;
      if (type === "close") process.exit();
      parentPort.postMessage({ type: "failed", count: 1, failure: "broken", message: "The disk is broken." });
    });`;
  const started: Worker[] = [];
  const { journal, warnings } = await mortalJournal({
    startThread() {
      const thread = new Worker(broken, { eval: true });
      started.push(thread);
      return thread;
    },
  });
  const appends = [sessionEvent(), prompt("a")].map((event) => journal.append(event));
  journal.note(prompt("note"));
  const ends = await Promise.allSettled(appends);
  expect(ends).toMatchObject([
    { status: "rejected", reason: { kind: "broken", message: "The disk is broken." } },
    { status: "rejected", reason: { kind: "broken", message: "The disk is broken." } },
  ]);
  expect(journal.state()).toEqual({ type: "unwritable", reason: "The disk is broken.", forGood: true });
  await expect(journal.append(prompt("b"))).rejects.toThrow("The disk is broken.");
  await started[0]?.terminate();
  await expect(journal.close()).rejects.toThrow("The disk is broken.");
  expect(started).toHaveLength(1);
  expect(warnings).toEqual(["The disk is broken."]);
});
