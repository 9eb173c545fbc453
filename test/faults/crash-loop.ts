import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { journalFile } from "../../src/journal/paths.ts";
import { sessionStateOf } from "../../src/journal/session-state.ts";
import { type MessagesServer, startMessagesServer } from "../support/messages-server.ts";
import { conversationsOf, faultsIn } from "./checker.ts";
import { textOf } from "./checks/conversation.ts";
import { unknownResults } from "./checks/effects.ts";
import { lookAtJournal } from "./checks/journal.ts";
import { marked } from "./checks/remains.ts";
import { cue, eight, nextReply, OWNERS, reportOf } from "./play.ts";
import { type Seeded, seededBy } from "./seeded.ts";
import { LIBRARY, runSession, type SessionRun } from "./session-run.ts";

export interface CrashOptions {
  readonly seed: number;
  /** So often the session is killed, if it does not come to its end before. */
  readonly kills: number;
  /** Replies with commands of each agent: how long the session is. */
  readonly steps: number;
}

export interface CrashReport {
  readonly seed: number;
  /** Empty: all that is promised was kept. */
  readonly faults: readonly string[];
  readonly kills: number;
  readonly requests: number;
  readonly records: number;
  /** Side effects that happened, each once. */
  readonly effects: number;
  /** Calls that were running when the program died. */
  readonly unknown: number;
  readonly peakMb: number;
  /** Most milliseconds until the processes of a killed session were gone, where that was waited for. */
  readonly slowestEndMs: number;
  /** Where everything lies; kept only where there are faults. */
  readonly folder: string;
}

const MAX_MB = 700;
/** A session that takes longer than this to end, or processes that stay for so long, hang. */
const HANGS_MS = 60_000;

/** A session with eight agents, killed at random moments and taken up again until it has ended, then checked. */
export async function crashLoop({ seed, kills, steps }: CrashOptions): Promise<CrashReport> {
  const random = seededBy(seed);
  const place = placeOf(seed);
  const server = await serverOf(place.log, steps, random);
  const before: Buffer[] = [];
  const faults: string[] = [];
  let peakMb = 0;
  let slowestEndMs = 0;
  try {
    for (;;) {
      const run = runSession({ ...request(place), url: server.url }, place.mark);
      const killing = before.length < kills ? killLater(run, server, random) : hangWatch(run);
      const { signal, code, complaints, peakMb: peak } = await run.ended;
      killing.abort();
      peakMb = Math.max(peakMb, peak);
      const folder = folderOf(run);
      if (signal === "SIGKILL" && before.length < kills) {
        before.push(folder === null ? Buffer.alloc(0) : bytesOf(journalFile(folder)));
        // Whoever takes it up at once finds the processes of the one before still on their way out.
        if (random.next() < 0.5) slowestEndMs = Math.max(slowestEndMs, await allGone(place.mark));
        continue;
      }
      if (code !== 0) faults.push(`the program ended with ${signal ?? code}: ${complaints}`);
      const last = run.lines.at(-1);
      if (last?.type !== "ended" || last.status !== "done")
        faults.push(`the session ended with ${JSON.stringify(last)}`);
      await allGone(place.mark);
      return await report(folder);
    }
  } finally {
    await server.close();
    if (faults.length === 0) rmSync(place.root, { recursive: true, force: true });
  }

  async function report(folder: string | null): Promise<CrashReport> {
    const effects = bytesOf(place.log).toString("utf8").split("\n").slice(0, -1);
    const requests = server.requests.map(({ rawBody }) => rawBody);
    const journal = folder === null ? Buffer.alloc(0) : bytesOf(journalFile(folder));
    const { records } = lookAtJournal(journal, []);
    const conversations = conversationsOf(sessionStateOf(records));
    const evidence = { home: place.home, before, requests, effects, mark: place.mark, peakMb };
    if (folder === null) faults.push("no session was ever opened");
    else faults.push(...faultsIn({ ...evidence, folder, maxMb: MAX_MB, ended: true }));
    faults.push(...reportFaults(records, conversations));
    return {
      ...{ seed, faults, kills: before.length, requests: requests.length, records: records.length },
      ...{ effects: effects.length, unknown: unknownResults([...conversations.values()]) },
      ...{ peakMb: Math.round(peakMb), slowestEndMs: Math.round(slowestEndMs), folder: place.root },
    };
  }
}

interface Place {
  readonly root: string;
  readonly home: string;
  readonly cwd: string;
  readonly log: string;
  readonly mark: string;
}

function placeOf(seed: number): Place {
  const root = realpathSync(mkdtempSync(join(tmpdir(), `troupe-crash-${seed}-`)));
  const [home, cwd] = [join(root, "home"), join(root, "work")];
  for (const folder of [home, cwd]) mkdirSync(folder);
  return { root, home, cwd, log: join(root, "effects.log"), mark: root };
}

function request({ home, cwd }: Place) {
  return { library: LIBRARY, home, cwd, prompt: `${cue("main")} Begin.` };
}

/** It answers after a moment, at times piece by piece, so that a kill may come anywhere in a reply. */
function serverOf(log: string, steps: number, random: Seeded): Promise<MessagesServer> {
  const play = eight(steps, log);
  return startMessagesServer(({ body, n }) => {
    const slowly = random.next() < 0.3 ? { chunks: 3, chunkDelayMs: 2 } : {};
    return { ...nextReply(play, body, () => String(n)), ...slowly, delayMs: random.between(0, 12) };
  });
}

/** One of three kinds of moments: after so many requests, so many bytes of the journal, or so many milliseconds. */
function killLater(run: SessionRun, server: MessagesServer, random: Seeded): AbortController {
  const over = new AbortController();
  const { signal } = over;
  const kind = random.pick(["requests", "bytes", "time"] as const);
  const requests = server.requests.length + random.between(1, 8);
  const bytes = random.between(1, 20_000);
  const ms = random.between(0, kind === "time" ? 700 : 6);
  const moment = async () => {
    if (kind === "requests") await server.request(requests - 1);
    if (kind === "bytes") {
      await run.opened;
      const folder = folderOf(run);
      const path = folder === null ? null : journalFile(folder);
      const enough = path === null ? 0 : sizeOf(path) + bytes;
      while (!signal.aborted && path !== null && sizeOf(path) < enough) await wait(1);
    }
    await wait(ms);
    if (!signal.aborted) run.kill();
  };
  void moment();
  return over;
}

function hangWatch(run: SessionRun): AbortController {
  const over = new AbortController();
  wait(HANGS_MS, undefined, { signal: over.signal, ref: false }).then(run.kill, () => {});
  return over;
}

/** Milliseconds until no process of the session was there any more; what stays is the checker's to find. */
async function allGone(mark: string): Promise<number> {
  const since = performance.now();
  while (marked(mark).length > 0 && performance.now() - since < HANGS_MS / 6) await wait(10);
  return performance.now() - since;
}

/** Each report stands once in the conversation of its owner, as it was to be given, and nowhere else. */
function reportFaults(
  records: ReturnType<typeof lookAtJournal>["records"],
  conversations: ReturnType<typeof conversationsOf>,
): string[] {
  const ids = new Map<string, string>([["main", "main"]]);
  for (const { event } of records) {
    if (event.type === "spawn" && event.spec.parent !== null)
      ids.set(event.spec.description.replace("part ", ""), event.spec.id);
  }
  return OWNERS.flatMap(({ name, owner }) => {
    const text = textOf(conversations.get(ids.get(owner) ?? "") ?? []);
    const times = text.split(reportOf(name)).length - 1;
    return times === 1 ? [] : [`${owner} was given the report of ${name} ${times} times`];
  });
}

function folderOf({ lines }: SessionRun): string | null {
  const opened = lines.find((line) => line.type === "opened");
  return opened?.folder ?? null;
}

function bytesOf(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
