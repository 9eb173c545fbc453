import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { journalFile } from "../../../src/journal/paths.ts";
import { processesWith } from "../../support/left-behind.ts";
import { type MessagesServer, startMessagesServer } from "../../support/messages-server.ts";
import { cue } from "../play.ts";
import { type Seeded, seededBy } from "../seeded.ts";
import { agentFaults, countsOf } from "./checks.ts";
import {
  type CliPlay,
  CONTESTED,
  cliPlay,
  contestedFile,
  LONG,
  nextCliReply,
  SHARED,
  sharedFile,
} from "./play.ts";
import {
  killEverything,
  killGitWorker,
  type Place,
  type Program,
  type ProgramEnd,
  sessionFolder,
  startProgram,
  type Victim,
} from "./program.ts";
import { remainsIn } from "./remains.ts";
import { watchStandStill } from "./stand-still.ts";
import { type BusyUser, busyUser, type UserStory, userFaults } from "./user.ts";

export interface CliCrashOptions {
  readonly seed: number;
  /** So often the program is killed, if the session does not come to its end before. */
  readonly kills: number;
  /** Insertions of each agent into its file: how long the session is. */
  readonly steps: number;
  /** Milliseconds after which a start that was neither killed nor ended stands still (default 90 s). */
  readonly hangsMs?: number;
}

export interface CliCrashReport {
  readonly seed: number;
  /** Empty: all that is promised was kept. */
  readonly faults: readonly string[];
  readonly kills: number;
  /** Times that the process that does the git work was killed, beneath a program that went on. */
  readonly workerKills: number;
  readonly requests: number;
  readonly summaries: number;
  /** Lines of agents that are in the checkout, each once. */
  readonly lines: number;
  /** Why the edits of agents stayed on a branch, and came in with the command that was printed. */
  readonly broughtIn: readonly string[];
  readonly commits: number;
  readonly unknown: number;
  readonly peakMb: number;
  /** Where everything lies; kept only where there are faults. */
  readonly folder: string;
}

const NO_STORY: UserStory = { commits: [], files: new Map(), shared: [], staged: new Map() };
const MODEL = "a-model";
/** Small enough that the main conversation and most agents outgrow it. */
const WINDOW = 22_000;
/** One start takes less, the last one too, in which the session comes to its end. */
const HANGS_MS = 90_000;

/** The built program with eight editing agents, killed at random moments and resumed until the session has ended, then checked. */
export async function cliCrashLoop({
  seed,
  kills,
  steps,
  hangsMs = HANGS_MS,
}: CliCrashOptions): Promise<CliCrashReport> {
  const random = seededBy(seed);
  const place = placeOf(seed);
  const play = cliPlay(steps, place.log, place.repository);
  const git = makeRepository(place);
  const summaries = { count: 0 };
  const server = await serverOf(play, random, summaries);
  const user = busyUser(place.repository, gitEnvironment(place), seededBy(seed + 1));
  const before: Buffer[] = [];
  const faults: string[] = [];
  const said: string[] = [];
  let [workerKills, peakMb, hasPrinted] = [0, 0, false];
  try {
    for (;;) {
      const program = startProgram(argumentsOf(place), place, {
        ...{ ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: "sk-test-secret" },
      });
      const moment = before.length < kills ? killLater(program, place, server, random) : noKill();
      const { signal } = moment.over;
      const stood = watchStandStill(program.child.pid, { root: place.root, ms: hangsMs, signal });
      stood.then((evidence) => evidence !== null && program.kill()).catch(program.kill);
      const end = await program.ended;
      moment.over.abort();
      const evidence = await stood;
      if (evidence !== null) {
        const file = join(place.root, "stood-still.txt");
        writeFileSync(file, evidence);
        faults.push(`start ${said.length} stood still for ${hangsMs / 1000} s; what it did is in ${file}`);
        moment.victim = null;
      }
      peakMb = Math.max(peakMb, end.peakMb);
      workerKills += moment.workerKills;
      said.push(`--- start ${said.length}: ${end.signal ?? end.code}, killed: ${moment.victim}\n${end.err}`);
      if (end.signal === "SIGKILL" && moment.victim !== null) {
        if (moment.victim === "everything") killEverything(place);
        const folder = sessionFolder(place.home);
        before.push(folder === null ? Buffer.alloc(0) : bytesOf(journalFile(folder)));
        hasPrinted ||= isWhole(end.out);
        if (random.next() < 0.5) await allGone(place.home);
        continue;
      }
      if (end.code !== 0 && !(hasPrinted && isNothingLeft(end)))
        faults.push(`the program ended with ${end.signal ?? end.code}: ${end.err.slice(-2_000)}`);
      return await report(end, user);
    }
  } finally {
    await server.close();
    await user.stop().catch((error: Error) => faults.push(error.message));
    killEverything(place);
    writeFileSync(join(place.root, "said.txt"), said.join("\n"));
    if (faults.length === 0) rmSync(place.root, { recursive: true, force: true });
  }

  async function report(end: ProgramEnd, busy: BusyUser): Promise<CliCrashReport> {
    // What a user could not do is a fault like any other.
    const story = await busy.stop().catch((error: Error) => {
      faults.push(error.message);
      return NO_STORY;
    });
    await allGone(place.home);
    for (const pid of processesWith(place.home)) faults.push(`process ${pid} is left`);
    const brought = await agentFaults({ end, place, play, git, before, server, peakMb });
    faults.push(...brought.faults);
    faults.push(...userFaults(place.repository, story, git));
    const files = [SHARED, LONG, ...story.files.keys(), ...play.written.map(({ file }) => file)];
    // A socket that nobody listens at goes with the next session that runs; after a kill at the very end none did.
    const isSwept = !isNothingLeft(end);
    const remains = remainsIn(place, new Set(files), git);
    faults.push(...remains.filter((line) => isSwept || !line.startsWith("in the home is left: run/")));
    faults.push(...fsckFaults(place));
    return {
      ...{ seed, faults, kills: before.length, workerKills, requests: server.requests.length },
      ...{ summaries: summaries.count, lines: play.written.length, broughtIn: brought.broughtIn },
      ...{ commits: story.commits.length, unknown: countsOf(place).unknown, peakMb: Math.round(peakMb) },
      folder: place.root,
    };
  }
}

function placeOf(seed: number): Place {
  const root = realpathSync(mkdtempSync(join(tmpdir(), `troupe-cli-${seed}-`)));
  const [home, repository, temporary] = ["home", "work", "tmp"].map((name) => join(root, name));
  if (!home || !repository || !temporary) throw new Error("three names give three places");
  for (const folder of [home, repository, temporary]) mkdirSync(folder);
  const merge = seed % 2 === 0 ? "apply" : "commit";
  const settings = { troupe: { contextWindows: { [MODEL]: WINDOW } }, worktree: { merge } };
  mkdirSync(join(home, ".claude"));
  writeFileSync(join(home, ".claude", "settings.json"), JSON.stringify(settings));
  return { root, home, repository, temporary, log: join(root, "effects.log") };
}

function gitEnvironment({ home }: Place): Record<string, string> {
  return { PATH: process.env["PATH"] ?? "", HOME: join(home, ".."), GIT_CONFIG_NOSYSTEM: "1" };
}

function makeRepository(place: Place): (...args: string[]) => string {
  const { repository, log } = place;
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: repository, env: gitEnvironment(place), encoding: "utf8" }).trim();
  git("init", "-q", "-b", "main");
  git("config", "user.name", "A User");
  git("config", "user.email", "user@example.org");
  writeFileSync(join(repository, SHARED), sharedFile());
  writeFileSync(join(repository, CONTESTED), contestedFile());
  writeFileSync(join(repository, LONG), "all is quiet at sea tonight\n".repeat(150));
  writeFileSync(log, "");
  git("add", "-A");
  git("commit", "-q", "-m", "The beginning");
  return git;
}

function argumentsOf({ home }: Place): string[] {
  const mode = ["--permission-mode", "bypassPermissions", "--model", MODEL, "--output-format", "json"];
  return ["-p", ...(sessionFolder(home) !== null ? ["--continue"] : [`${cue("main")} Begin.`]), ...mode];
}

function serverOf(play: CliPlay, random: Seeded, summaries: { count: number }): Promise<MessagesServer> {
  return startMessagesServer(({ body, rawBody, n, path }) => {
    const tokens = Math.ceil(rawBody.length / 4);
    if (path.endsWith("/count_tokens"))
      return { status: 200, body: JSON.stringify({ input_tokens: tokens }) };
    const reply = nextCliReply(play, body, String(n));
    if (reply.text?.startsWith("Notes:")) summaries.count += 1;
    const slowly = random.next() < 0.3 ? { chunks: 3, chunkDelayMs: 3 } : {};
    return {
      ...reply,
      ...slowly,
      usage: { input_tokens: tokens, output_tokens: 40 },
      delayMs: random.between(0, 40),
    };
  });
}

/** The kill came after the result was printed. */
function isWhole(out: string): boolean {
  return out.startsWith("{") && out.endsWith("}\n");
}

function isNothingLeft({ code, err }: ProgramEnd): boolean {
  return code === 2 && /Nothing in session \w+ was cut off/.test(err);
}

interface Moment {
  readonly over: AbortController;
  victim: Victim | null;
  workerKills: number;
}

/** After so many requests, or so many milliseconds after the start; sometimes the git worker is killed before. */
function killLater(program: Program, place: Place, server: MessagesServer, random: Seeded): Moment {
  const over = new AbortController();
  const moment: Moment = { over, victim: null, workerKills: 0 };
  const { signal } = over;
  const requests = random.next() < 0.8 ? server.requests.length + random.between(1, 14) : 0;
  const ms = requests > 0 ? random.between(0, 120) : random.between(200, 2_500);
  const victim = random.next() < 0.8 ? "group" : "everything";
  const alsoWorker = random.next() < 0.25 ? random.between(0, 800) : null;
  const until = async () => {
    if (alsoWorker !== null) {
      await server.request(server.requests.length);
      await wait(alsoWorker, undefined, { signal });
      if (killGitWorker(place)) moment.workerKills += 1;
    }
    if (requests > 0) await server.request(requests - 1);
    await wait(ms, undefined, { signal });
    moment.victim = victim;
    if (victim === "everything") killEverything(place);
    program.kill();
  };
  until().catch(() => {});
  return moment;
}

function noKill(): Moment {
  return { over: new AbortController(), victim: null, workerKills: 0 };
}

async function allGone(home: string): Promise<void> {
  const until = performance.now() + 20_000;
  while (processesWith(home).length > 0 && performance.now() < until) await wait(10);
}

function fsckFaults(place: Place): string[] {
  try {
    const args = ["fsck", "--full", "--strict", "--no-dangling", "--no-progress"];
    execFileSync("git", args, { cwd: place.repository, env: gitEnvironment(place), stdio: "pipe" });
    return [];
  } catch (error) {
    return [`git fsck: ${error instanceof Error ? error.message : String(error)}`];
  }
}

function bytesOf(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
}
