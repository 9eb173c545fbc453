import { execFile, execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { vi } from "vitest";
import { main } from "../../src/cli/main.ts";
import type { JournalRecord } from "../../src/journal/session-events.ts";
import { type Clock, systemClock } from "../../src/lib/clock.ts";
import { FakeIO } from "../cli/fake-io.ts";
import { bundledProgram } from "../support/bundled-entries.ts";
import { type RecordedRequest, type ServedReply, startMessagesServer } from "../support/messages-server.ts";
import type { Place, Run, Session, Turn } from "./session.ts";

export interface Ran {
  readonly command: string;
  readonly out: string;
  readonly err: string;
  /** The exit code; of a run of the library null. */
  readonly code: number | null;
}

export interface Played {
  readonly place: Place;
  readonly runs: readonly Ran[];
  /** By the words of the script that answered them. */
  readonly requests: ReadonlyMap<string, readonly RecordedRequest[]>;
  /** Of each session, oldest first. */
  readonly journals: readonly (readonly JournalRecord[])[];
  /** Files of the project that are new, changed or gone (null) since the session was laid out. */
  readonly changed: Readonly<Record<string, string | null>>;
}

const SOURCE = join(import.meta.dirname, "../../src/cli/run-sources.ts");
const SERVER = join(import.meta.dirname, "../mcp/servers/good.ts");

/** Time passes, but limits of the command line that only a busy machine breaks do not. */
const patientClock: Clock = {
  ...systemClock,
  after: (ms, call) => systemClock.after(ms * 10, call),
};

/** Plays a session in folders of its own: through the command line, in this process. */
export async function play(session: Session): Promise<Played> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "golden-")));
  const { replies = {} } = session;
  const requests = new Map<string, RecordedRequest[]>();
  for (const words of [...Object.keys(replies), "main"]) requests.set(words, []);
  const server = await startMessagesServer(async (request) => {
    const page = session.pages?.[request.path];
    if (page !== undefined) return page;
    const said = userWords(request);
    const key = Object.keys(replies).find((words) => words !== "main" && said.includes(words)) ?? "main";
    const asked = requests.get(key) ?? [];
    asked.push(request);
    const scripted = replies[key]?.[asked.length - 1] ?? "ok";
    const turn = typeof scripted === "function" ? scripted(request, place) : scripted;
    if (typeof turn === "object" && "late" in turn)
      await vi.waitUntil(() => (requests.get("main")?.length ?? 0) >= (turn.late ?? 0), { timeout: 50_000 });
    return JSON.parse(located(JSON.stringify(served(turn, `${key}_${asked.length}`)), place));
  });
  const [project, home] = [join(root, "project"), join(root, "home")];
  const key = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: "sk-test-golden" };
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, ...(session.offline ? {} : key) };
  const place: Place = { project, home, url: server.url, server: await bundledProgram(SERVER), env };
  try {
    layOut(session, place);
    const before = filesIn(project);
    const runs: Ran[] = [];
    for (const run of session.run) runs.push(await perform(run, place));
    const changed = changes(before, filesIn(project));
    return { place, runs, requests, journals: journalsIn(home).map(recordsIn), changed };
  } finally {
    await server.close();
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  }
}

function located(text: string, { project, home, url, server }: Place): string {
  const known: Record<string, string> = { $P: project, $H: home, $URL: url, $SERVER: server };
  return text.replaceAll(/\$(?:P|H|URL|SERVER)\b/g, (name) => known[name] ?? name);
}

/** The first message and the last, as far as they are text: a fork is told its task in the last one. */
function userWords({ body }: RecordedRequest): string {
  return [body.messages[0], body.messages.at(-1)]
    .filter((message) => message !== undefined)
    .flatMap(({ content }) => (typeof content === "string" ? [{ type: "text", text: content }] : content))
    .map((block) => (block.type === "text" ? String((block as { text?: unknown }).text) : ""))
    .join("\n");
}

function served(turn: Turn, id: string): ServedReply {
  if (typeof turn === "string") return { text: turn };
  if (!("map" in turn)) return turn;
  const named = (index: number) => `toolu_${id}_${index}`.replaceAll(/\W/g, "_");
  return { calls: turn.map(([name, input], index) => ({ name, input, id: named(index) })) };
}

function layOut({ files = {}, home = {}, settings, git }: Session, place: Place): void {
  const own = settings === undefined ? {} : { ".claude/settings.json": JSON.stringify(settings) };
  for (const [folder, texts] of [
    [place.project, files] as const,
    [place.home, { ...home, ...own }] as const,
  ]) {
    mkdirSync(folder, { recursive: true });
    for (const [path, text] of Object.entries(texts)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), located(text, place));
    }
  }
  const steps = ["init -q -b main", "config user.name A", "config user.email a@b.org", "add -A"];
  for (const step of git ? [...steps, "commit -q --allow-empty -m Beginning"] : [])
    execFileSync("git", step.split(" "), { cwd: place.project });
}

async function perform(run: Session["run"][number], place: Place): Promise<Ran> {
  if (typeof run === "function") {
    const told = JSON.stringify(await run(place), null, 1);
    return { command: "(library)", out: `${told}\n`, err: "", code: null };
  }
  const { argv, stdin, env = {} }: Run = typeof run === "string" ? { argv: run } : run;
  const words = typeof argv === "string" ? split(argv) : argv;
  const args = words.map((word) => withNames(located(word, place), place));
  const command = args.join(" ");
  if (typeof run === "object" && run.apart) {
    const options = { cwd: place.project, env: { ...place.env, ...env }, encoding: "utf8" } as const;
    const running = promisify(execFile)(process.execPath, [SOURCE, ...args], options);
    running.child.stdin?.end();
    const child = await running.catch((error) => error);
    return { command, out: child.stdout, err: child.stderr, code: child.code ?? 0 };
  }
  const fake = new FakeIO({
    ...{ cwd: place.project, homedir: place.home, env: { ...place.env, ...env } },
    ...(stdin === undefined ? {} : { stdin }),
  });
  const io = Object.assign(fake, { clock: patientClock });
  const code = await main(args, io);
  return { command, out: io.out.text, err: io.err.text, code };
}

function split(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, double, single, bare]) =>
    String(double ?? single ?? bare),
  );
}

/** `{session}`: the newest one; `{agent}`: its first agent. */
function withNames(word: string, { home }: Place): string {
  if (!/\{(session|agent)\}/.test(word)) return word;
  const records = recordsIn(journalsIn(home).at(-1) ?? "");
  const [first] = records;
  const id = first?.event.type === "session" ? first.event.id : "none";
  const agents = records.flatMap(({ event }) => (event.type === "spawn" ? [event.spec.id] : []));
  return word
    .replaceAll("{session}", id)
    .replaceAll("{agent}", agents.find((one) => one !== "main") ?? "none");
}

function journalsIn(home: string): string[] {
  const all = listed(join(home, ".troupe/projects")).filter((path) => path.endsWith("journal.jsonl"));
  const begun = (path: string) => recordsIn(path)[0]?.at ?? "";
  return all.sort((a, b) => begun(a).localeCompare(begun(b)));
}

function recordsIn(journal: string): JournalRecord[] {
  if (!existsSync(journal)) return [];
  const lines = readFileSync(journal, "utf8").split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line) as JournalRecord);
}

function listed(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return lstatSync(path).isDirectory() ? (name === ".git" ? [] : listed(path)) : [path];
  });
}

function filesIn(folder: string): Record<string, string> {
  const files = listed(folder).filter((path) => lstatSync(path).isFile());
  return Object.fromEntries(files.map((path) => [path.slice(folder.length + 1), readFileSync(path, "utf8")]));
}

function changes(before: Record<string, string>, after: Record<string, string>): Played["changed"] {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return Object.fromEntries(
    paths.filter((path) => before[path] !== after[path]).map((path) => [path, after[path] ?? null]),
  );
}
