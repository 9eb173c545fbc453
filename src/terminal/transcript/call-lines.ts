import type { CallBeginEvent, CallEndEvent, CallEvent } from "../../events/call.ts";
import type { SupervisorEvent } from "../../events/event.ts";
import type { CallId } from "../../mailbox/ids.ts";
import type { Paint } from "../colour.ts";
import { type CompareWords, createWords, diffCount, diffRows } from "../diff.ts";
import { cutToWidth } from "../display-width.ts";
import { counted, shortTime } from "../figures.ts";
import { safeLine, safeText } from "../safe-text.ts";

/** Where running calls are drawn, and when. */
export interface CallsRoom {
  readonly columns: number;
  readonly rows: number;
  readonly now: number;
}

interface Running {
  readonly begin: CallBeginEvent;
  readonly startedAt: number;
  readonly tail: readonly string[];
}

/** Lines of output that stay: a success shows its beginning, a failure its end. */
const KEPT = { ok: 3, failed: 10 };
const DIFF = { most: 8, context: 1, wraps: false };
/** A quick command shows no time. */
const SLOW_MS = 1_000;

export type CallLines = ReturnType<typeof createCallLines>;

/**
 * What calls look like on a terminal: a line while they run, and lines that stay once they have ended. `isPast`: the
 * calls are of an earlier process, with which what ran in its background has ended.
 */
export function createCallLines(paint: Paint, now: () => number, isPast = false) {
  const open = new Map<CallId, Running>();
  /** Open calls that started an agent. */
  const started = new Set<CallId>();
  const words = createWords();
  return {
    /** Returns the lines that stay. A call whose agent has a line of its own has none. */
    onEvent(event: CallEvent | Extract<SupervisorEvent, { type: "agent" }>, columns: number): string[] {
      switch (event.type) {
        case "agent":
          if (event.view.call !== null && open.has(event.view.call)) started.add(event.view.call);
          return [];
        case "call-begin":
          // Done before the file is written.
          if (EDITS.has(event.tool)) void words.load();
          open.set(event.call, { begin: event, startedAt: now(), tail: [] });
          return [];
        case "call-progress": {
          const running = open.get(event.call);
          if (running) open.set(event.call, { ...running, tail: event.tail.split("\n") });
          return [];
        }
        case "call-end": {
          const running = open.get(event.call);
          open.delete(event.call);
          if (started.delete(event.call)) return [];
          return running === undefined
            ? []
            : endLines(running.begin, event, { columns, paint, isPast, ...words });
        }
        default:
          return event satisfies never;
      }
    },
    /** Returns rows for the calls that run now, the newest last; at most `rows`. */
    running({ columns, rows, now: at }: CallsRoom): string[] {
      const calls = [...open.values()].filter(({ begin }) => !AGENTS.has(begin.tool));
      const shown = calls.slice(-rows);
      // What runs counts more than what it prints.
      let room = rows - shown.length;
      const tails = shown.toReversed().map(({ tail }) => {
        const lines = room === 0 ? [] : tail.slice(-room);
        room -= lines.length;
        return lines;
      });
      return shown.flatMap(({ begin, startedAt }, index) => [
        runningLine(begin, at - startedAt, columns, paint),
        ...(tails[shown.length - 1 - index] ?? []).map((line) =>
          paint("dim", cutToWidth(`  ${safeLine(line)}`, columns)),
        ),
      ]);
    },
  };
}

/** The tree of agents shows these. */
const AGENTS: ReadonlySet<string> = new Set(["Agent", "Workflow"]);
const EDITS: ReadonlySet<string> = new Set(["Edit", "Write", "NotebookEdit"]);

interface Frame {
  readonly columns: number;
  readonly paint: Paint;
  readonly isPast: boolean;
  readonly compare: CompareWords;
}

function runningLine(begin: CallBeginEvent, ms: number, columns: number, paint: Paint): string {
  const time = ms < SLOW_MS || columns < 30 ? "" : `  ${shortTime(ms)}`;
  return `${paint("cyan", "●")} ${cutToWidth(callLine(begin), columns - 2 - time.length)}${paint("dim", time)}`;
}

/** `$ npm test`, `Read src/a.ts`; a tool without a title is shown by its name. */
export function callLine({ tool, title, input }: Pick<CallBeginEvent, "tool" | "title" | "input">): string {
  if (tool !== "Bash") return safeLine(title === tool ? tool : `${tool} ${title}`);
  const command = typeof input === "object" && input !== null ? Reflect.get(input, "command") : title;
  const [first = "", ...others] = safeText(String(command)).trim().split("\n");
  return `$ ${first}${others.length > 0 ? ` … +${counted(others.length, "line")}` : ""}`;
}

function endLines(begin: CallBeginEvent, end: CallEndEvent, frame: Frame): string[] {
  const { columns, paint, isPast } = frame;
  const title = callLine(begin);
  const line = (mark: string, note: string): string => {
    // In a narrow terminal the title counts more.
    const words = note === "" || columns - note.length < 20 ? "" : `  ${note}`;
    return `${mark} ${cutToWidth(title, columns - 2 - words.length)}${paint("dim", words)}`;
  };
  switch (end.outcome) {
    case "denied":
      return [
        line(paint("yellow", "⊘"), ""),
        paint("yellow", cutToWidth(`  not allowed: ${safeLine(end.reason ?? "")}`, columns)),
      ];
    case "invalid":
    case "error":
      return [line(paint("red", "✗"), noteOf(begin, end)), ...outputRows(end, KEPT.failed, columns, paint)];
    case "stopped":
      return [line(paint("yellow", "⊘"), "stopped")];
    case "ok": {
      if (AGENTS.has(begin.tool)) return [];
      // It had not ended.
      if (begin.tool === "Bash" && end.exitCode === undefined)
        return [
          line(
            paint("cyan", "●"),
            isPast ? "ran in the background" : "runs in the background; /tasks shows it",
          ),
        ];
      const failed = end.exitCode !== undefined && end.exitCode !== 0;
      const mark = failed ? paint("red", "✗") : paint("green", "✓");
      const shows =
        begin.tool === "Bash" ? outputRows(end, failed ? KEPT.failed : KEPT.ok, columns, paint) : [];
      const changes = end.diff === undefined ? [] : diffRows(end.diff, { ...frame, ...DIFF });
      return [line(mark, noteOf(begin, end)), ...changes, ...shows];
    }
    default:
      return end.outcome satisfies never;
  }
}

/** `exit 1 · 4.2 s`, `120 lines`. */
function noteOf({ tool }: CallBeginEvent, end: CallEndEvent): string {
  const { diff, exitCode, lines, durationMs, outcome } = end;
  const count = outcome === "ok" ? COUNTED[tool] : undefined;
  return [
    ...(diff === undefined ? [] : [diffCount(diff)]),
    ...(count === undefined ? [] : [counted(lines, count)]),
    ...(exitCode === undefined || exitCode === 0
      ? []
      : [exitCode === null ? "no exit code" : `exit ${exitCode}`]),
    ...(durationMs < SLOW_MS ? [] : [shortTime(durationMs)]),
  ].join(" · ");
}

const COUNTED: Readonly<Record<string, string>> = { Read: "line", Grep: "line", Glob: "file" };

/** The first lines, or the last ones of what failed, and how many more there are. */
function outputRows(
  { head, lines, exitCode, outcome }: CallEndEvent,
  most: number,
  columns: number,
  paint: Paint,
): string[] {
  const known = safeText(head)
    .split("\n")
    .filter((row) => row.trim() !== "");
  const showsEnd = outcome !== "ok" || (exitCode !== undefined && exitCode !== 0);
  const shown = known.length <= most ? known : showsEnd ? known.slice(-most) : known.slice(0, most);
  const more = Math.max(0, lines - shown.length);
  const rows = shown.map((row) => paint("dim", cutToWidth(`  ${row.replaceAll("\t", "  ")}`, columns)));
  if (more === 0) return rows;
  const rest = paint("dim", cutToWidth(`  … ${counted(more, "more line")}`, columns));
  return showsEnd && lines <= known.length ? [rest, ...rows] : [...rows, rest];
}
