import type { AgentView } from "../../events/event.ts";
import { JournalEvents } from "../../features/events/journal-events.ts";
import { lockHolder } from "../../journal/numbered-lock.ts";
import { troupeHome } from "../../journal/paths.ts";
import type { JournalRecord } from "../../journal/session-events.ts";
import { listSessions, type SessionEntry } from "../../journal/sessions.ts";
import type { Clock } from "../../lib/clock.ts";
import { totalTokens } from "../../mailbox/conversation.ts";
import type { ActorId } from "../../mailbox/ids.ts";
import { settingsReader } from "../../policy/trust/trust.ts";
import { createCanvas } from "../../terminal/canvas/canvas.ts";
import { CLOCK_MS, createFrames, TREE_MS } from "../../terminal/canvas/frames.ts";
import { takeKeys } from "../../terminal/canvas/modes.ts";
import { isPlain, paintFor } from "../../terminal/colour.ts";
import { cutToWidth } from "../../terminal/display-width.ts";
import { counted, dollars, shortCount, shortDate, shortTime } from "../../terminal/figures.ts";
import { createKeyReader, isKey } from "../../terminal/input/keys.ts";
import { safeLine } from "../../terminal/safe-text.ts";
import { agentFigures } from "../agent-text.ts";
import { settingsSource } from "../directories.ts";
import { exitCodes } from "../exit-codes.ts";
import { waitingIn } from "../inbox/entries.ts";
import { renderTree, type TreeFrame } from "../live-tree.ts";
import type { CliIO } from "../process-io.ts";
import { sessionNamed } from "../session-list.ts";
import { followJournal } from "./follow-journal.ts";
import { SessionView } from "./session-view.ts";

export interface TopRequest {
  readonly id: string | undefined;
  readonly json: boolean;
  readonly once: boolean;
}

/** Shows the agents of a running session, as its journal tells of them. */
export async function watchSession({ id, json, once }: TopRequest, io: CliIO): Promise<number> {
  const found = await findRunning(id, io);
  if (found.type === "none") {
    await io.stderr.write(found.lines.map((line) => `${line}\n`).join(""));
    return found.code;
  }
  const { session } = found;
  const { settings } = await settingsReader(settingsSource(io, session.cwd), false).read();
  const view = new SessionView();
  const events = new JournalEvents(settings.budgets.prices);
  const lookForQuestions = () => view.setAskers(askersIn(session, io.clock));
  const onRecord = (record: JournalRecord): void => {
    if (record.event.type === "session") view.startedAt = record.at;
    for (const event of events.of(record)) view.apply(event);
  };
  if (!json && !once && io.stdout.isTTY && !isPlain(io.env))
    return watchOnTerminal(session, { view, onRecord, lookForQuestions }, io);
  const paint = paintFor(io.stdout, io.env);
  return followJournal(session, io, {
    onRecord,
    async onUpToDate() {
      lookForQuestions();
      const agents = view.takeChanged();
      if (!json) {
        const size = { columns: PRINTED_COLUMNS, rows: view.agents.length + 2, paint };
        await io.stdout.write(`${topLines(session, view, io.clock, size).join("\n")}\n`);
        return "stop";
      }
      if (agents.length > 0 || once)
        await io.stdout.write(`${JSON.stringify(asJson(session, view, agents, io.clock))}\n`);
      return once ? "stop" : undefined;
    },
  });
}

/** A line in a file or a pipe may be this long. */
const PRINTED_COLUMNS = 140;

function asJson(
  session: SessionEntry,
  view: SessionView,
  agents: readonly AgentView[],
  clock: Clock,
): object {
  const { cwd, model, startedAt, costUsd } = view;
  const pid = lockHolder(session.folder)?.pid ?? null;
  return { session: session.id, cwd, model, pid, startedAt, now: Date.parse(clock.date()), costUsd, agents };
}

/** The agents that wait for the user's answer: questions are no part of the journal. */
function askersIn(session: SessionEntry, clock: Clock): ReadonlySet<ActorId> {
  const open = waitingIn(session, Date.parse(clock.date()));
  return new Set(
    open.flatMap(({ request }) =>
      request.type === "paused" ? [] : request.askers.flatMap(({ actor }) => actor ?? []),
    ),
  );
}

type Running =
  | { readonly type: "found"; readonly session: SessionEntry }
  /** Lines for the user, and the exit code. */
  | { readonly type: "none"; readonly lines: readonly string[]; readonly code: number };

/**
 * Returns the running session whose ID begins with `id`; without one the only one of this directory, else the only one
 * of all. Throws a `UsageError` for an ID that no session has.
 */
async function findRunning(id: string | undefined, io: CliIO): Promise<Running> {
  const home = troupeHome(io.env, io.homedir);
  const running = (await listSessions(home)).sessions.filter(({ state }) => state === "running");
  const here = running.filter(({ cwd }) => cwd === io.cwd);
  const meant =
    id !== undefined
      ? running.filter((session) => session.id.startsWith(id))
      : here.length > 0
        ? here
        : running;
  const [session, second] = meant;
  if (session !== undefined && (second === undefined || session.id === id)) return { type: "found", session };
  if (session !== undefined) {
    const lines = meant.map(
      ({ id, startedAt, cwd, folder }) =>
        `  ${id}  ${shortDate(startedAt)}  pid ${lockHolder(folder)?.pid ?? "?"}  ${safeLine(cwd)}`,
    );
    return {
      type: "none",
      lines: ["More than one session is running; say which: troupe top ID", ...lines],
      code: exitCodes.usage,
    };
  }
  let line = "No session is running; troupe sessions list shows what was done before.";
  if (id !== undefined) {
    const { id: whole } = await sessionNamed(id, home);
    line = `Session ${whole} is not running; troupe sessions show ${whole} shows what it did.`;
  }
  return { type: "none", lines: [line], code: exitCodes.notDone };
}

/** Shows the agents until the user leaves or the session ends. The last state stays on the terminal. */
async function watchOnTerminal(
  session: SessionEntry,
  {
    view,
    onRecord,
    lookForQuestions,
  }: { readonly view: SessionView; onRecord(record: JournalRecord): void; lookForQuestions(): void },
  io: CliIO,
): Promise<number> {
  const { stdout, stdin, stdinIsTTY, clock } = io;
  const paint = paintFor(stdout, io.env);
  const canvas = createCanvas(stdout);
  const lines = (): string[] => {
    // One column less: a character in the last one leaves some terminals in a half-broken line.
    const { columns, rows } = stdout.size();
    const size = { columns: Math.max(1, columns - 1), rows: Math.max(1, rows - 1), paint };
    return topLines(session, view, clock, size);
  };
  const frames = createFrames(clock, TREE_MS, () => {
    const painted = lines();
    canvas.show([], [...painted, ""], { row: painted.length, column: 0 });
    return CLOCK_MS;
  });
  const left = Promise.withResolvers<number>();
  const keys = createKeyReader((key) => {
    if (LEAVING.some((name) => isKey(key, name))) left.resolve(exitCodes.done);
  });
  const onKeys = (chunk: Buffer | string): void => keys.take(chunk);
  const onGone = (): void => left.resolve(exitCodes.hungUp);
  const restoreKeys = stdinIsTTY ? takeKeys(io) : () => {};
  if (stdinIsTTY) stdin.on("data", onKeys).once("end", onGone).once("close", onGone).on("error", onGone);
  const forgetResize = stdout.onResize(frames.resized);
  const code = await followJournal(session, io, {
    onRecord,
    onUpToDate() {
      lookForQuestions();
      frames.soon();
      return undefined;
    },
    onEnd() {
      frames.stop();
      canvas.show(lines(), [""], { row: 0, column: 0 });
    },
    stop: left.promise,
  });
  forgetResize();
  keys.close();
  restoreKeys();
  if (stdinIsTTY) {
    // The listener for errors stays: a terminal that goes away now must not end the process otherwise.
    stdin.off("data", onKeys).off("end", onGone).off("close", onGone);
    stdin.destroy();
  }
  return code;
}

/** q, Ctrl-C, Ctrl-D: in raw mode they raise no signal. */
const LEAVING = ["q", "shift+q", "ctrl+c", "ctrl+d"] as const;

/** Returns what is shown of a session: its head line, totals, and the agents. Never more than the frame has room for. */
export function topLines(
  { id, folder }: SessionEntry,
  view: SessionView,
  clock: Clock,
  frame: TreeFrame,
): string[] {
  const { columns, rows, paint } = frame;
  const now = Date.parse(clock.date());
  const pid = lockHolder(folder)?.pid;
  const title = [
    `Session ${id}`,
    safeLine(view.cwd),
    safeLine(view.model),
    ...(pid === undefined ? [] : [`pid ${pid}`]),
  ];
  const head = [
    paint("bold", cutToWidth(title.join("  "), columns)),
    paint("dim", cutToWidth(totalsLine(view, now), columns)),
  ].slice(0, Math.max(0, rows - 1));
  const figures = (agent: AgentView) =>
    agent.model === view.model
      ? agentFigures(agent, now)
      : `${safeLine(agent.model)} · ${agentFigures(agent, now)}`;
  return [...head, ...renderTree(view.agents, now, { ...frame, rows: rows - head.length, figures })];
}

function totalsLine({ agents, costUsd, startedAt }: SessionView, now: number): string {
  const states = agents.map(({ state, summary }) =>
    state !== "ended" ? state : summary?.status === "done" ? "done" : "ended otherwise",
  );
  const counts = ["running", "waiting", "queued", "done", "ended otherwise"].flatMap((state) => {
    const count = states.filter((other) => other === state).length;
    return count > 0 ? [`${count} ${state}`] : [];
  });
  const tokens = agents.reduce((sum, { usage }) => sum + totalTokens(usage), 0);
  return [
    counted(agents.length, "agent"),
    `${shortCount(tokens)} tokens`,
    ...(costUsd > 0 ? [dollars(costUsd)] : []),
    `up ${shortTime(now - Date.parse(startedAt))}`,
    ...(counts.length > 0 ? [counts.join(", ")] : []),
    ...(agents.some(({ activity }) => activity.type === "asking") ? ["to answer: troupe inbox"] : []),
  ].join(" · ");
}
