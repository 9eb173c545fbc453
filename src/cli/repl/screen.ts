import type { SupervisorEvent } from "../../events/event.ts";
import { type ActorId, MAIN } from "../../mailbox/ids.ts";
import { createCanvas } from "../../terminal/canvas/canvas.ts";
import { CLOCK_MS, TREE_MS } from "../../terminal/canvas/frames.ts";
import type { Paint } from "../../terminal/colour.ts";
import { cutToWidth } from "../../terminal/display-width.ts";
import type { Editor } from "../../terminal/input/editor.ts";
import { safeLine } from "../../terminal/safe-text.ts";
import { createCallLines } from "../../terminal/transcript/call-lines.ts";
import { wrapText } from "../../terminal/wrap.ts";
import { agentEndLine, commandEndLine } from "../agent-text.ts";
import { createLiveView } from "../live-tree.ts";
import type { CliIO } from "../process-io.ts";
import { pauseLine } from "../waits.ts";
import { createReplies } from "./reply-text.ts";

/** The line being typed, after its prompt. */
export interface Editing {
  readonly prompt: string;
  readonly editor: Pick<Editor, "rows">;
  /** What is below it may be shown: it is no question, and no menu is open. */
  readonly isPlain: boolean;
  /** It may take all rows: nothing else is shown. */
  readonly isQuestion?: boolean;
  /** Returns as many rows at most, to be shown right above it. */
  above?(rows: number): readonly string[];
}

/** What is kept of thoughts to show their newest line. */
const THOUGHT_CHARS = 2_000;
/** Lines of the user that wait, of which the newest are shown. */
const MOST_QUEUED = 3;
/** The painted rows leave two thirds of the terminal alone: more are torn when it is resized. */
const FEWEST_ROWS = 6;

export type Screen = ReturnType<typeof createScreen>;

/** What is on the terminal: permanent lines, the reply as it is written, the agents, and the input line. */
export function createScreen({ stdout, clock, cwd }: CliIO, paint: Paint) {
  const canvas = createCanvas(stdout);
  let place = cwd;
  let rowsBelow: (columns: number) => readonly string[] = () => [];
  let queued: readonly string[] = [];
  const reply = createReplies({ paint, cwd: () => place });
  const live = createLiveView(() => clock.now());
  const calls = createCallLines(paint, () => clock.now());
  /** Permanent lines not painted yet. */
  let fresh: string[] = [];
  const heldBack: string[] = [];
  let held = false;
  let working = false;
  let lastIsEmpty = true;
  /** True if the last permanent line shows a call. */
  let afterCall = false;
  /** The end of what it thinks, until it answers. */
  let thought = "";
  /** Agents whose end was shown. */
  const finished = new Set<ActorId>();
  /** The turn of the reply shown last. */
  let lastTurn = 0;
  /** The turn whose reply is complete. */
  let saidTurn = -1;
  /** True if other lines were shown after the last rows of the reply being written. */
  let isInterrupted = false;

  // One column less: a character in the last one leaves some terminals in a half-broken line.
  const columns = (): number => Math.max(8, stdout.size().columns - 1);
  const put = (lines: readonly string[]): void => {
    if (lines.length === 0) return;
    (held ? heldBack : fresh).push(...lines);
    lastIsEmpty = lines.at(-1) === "";
  };
  const separate = (): void => {
    if (!lastIsEmpty) put([""]);
  };
  /** Returns rows of the reply, set apart from what is shown above them. */
  const setApart = (rows: readonly string[]): readonly string[] => {
    if (!isInterrupted || rows.length === 0) return rows;
    return [...(lastIsEmpty ? [] : [""]), ...(rows[0] === "" ? rows.slice(1) : rows)];
  };
  const putReply = (rows: readonly string[]): void => {
    put(setApart(rows));
    if (rows.length > 0) isInterrupted = false;
  };
  const endReply = (): void => {
    putReply(reply.end());
    isInterrupted = false;
  };
  /** Prepares for lines that are not of the reply. The block that is being written stays whole and follows them. */
  const interrupt = (): void => {
    if (working && lastTurn !== saidTurn) isInterrupted = true;
    else endReply();
  };
  const print = (text: string): void => {
    interrupt();
    put(text.split("\n"));
  };
  const warn = (text: string): void =>
    print(
      wrapText(text, columns())
        .map((row) => paint("yellow", row))
        .join("\n"),
    );
  const gap = (): void => {
    interrupt();
    separate();
  };
  /** What was done, apart from what was said. */
  const note = (...lines: readonly string[]): void => {
    if (lines.length === 0) return;
    if (!afterCall) separate();
    put(lines);
    afterCall = true;
  };
  const say = (piece: string, turn: number): void => {
    if (turn !== lastTurn) endReply();
    // Separates a reply from what precedes it, even if the calls in between were not allowed.
    if (turn !== lastTurn || (afterCall && reply.tail.length === 0)) separate();
    lastTurn = turn;
    afterCall = false;
    putReply(reply.add(piece, columns()));
  };
  /** The agents as they were drawn last; text that arrives more often does not draw them again. */
  let drawn: { readonly at: number; readonly key: string; readonly lines: readonly string[] } | null = null;
  const treeFor = (frame: { readonly columns: number; readonly rows: number; readonly paint: Paint }) => {
    const key = `${frame.columns} ${frame.rows}`;
    const now = clock.now();
    if (drawn?.key !== key || now - drawn.at >= TREE_MS)
      drawn = { at: now, key, lines: live.lines(now, frame) };
    return drawn.lines;
  };
  /** Returns the rows between the permanent lines and the input line. */
  const middle = (room: number): string[] => {
    if (held) return [];
    const tail = setApart(reply.tail);
    const now = clock.now();
    const running = calls.running({ columns: columns(), rows: Math.max(1, Math.floor(room / 2)), now });
    const thinking =
      working && thought !== "" ? [paint("dim", cutToWidth(thoughtLine(thought), columns()))] : [];
    const others = running.length + thinking.length + Math.min(queued.length, MOST_QUEUED);
    const forTree = Math.max(1, room - others - 1 - tail.length);
    const frame = { columns: columns(), rows: forTree, paint };
    const tree = working || live.busy() ? treeFor(frame) : [];
    const gapAbove = tree.length > 0 && (tail.length > 0 || !lastIsEmpty) ? [""] : [];
    const said = tail.slice(-Math.max(1, room - running.length - 1));
    const waiting = queued.slice(-MOST_QUEUED).map((line) => paint("dim", queuedRow(line, columns())));
    return [...said, ...thinking, ...running, ...gapAbove, ...tree, ...waiting];
  };

  return {
    columns,
    /** Returns a whole reply of a model as rows. */
    replyRows: (text: string): string[] => reply.rows(text, columns()),
    ready: reply.ready,
    workIn(cwd: string): void {
      place = cwd;
    },
    showBelow(rows: (columns: number) => readonly string[]): void {
      rowsBelow = rows;
    },
    showQueued(lines: readonly string[]): void {
      queued = lines;
    },
    print,
    gap,
    onEvent(event: SupervisorEvent) {
      live.onEvent(event);
      if ("actor" in event && event.actor === MAIN)
        thought =
          event.type === "thinking" && !event.forUser ? (thought + event.text).slice(-THOUGHT_CHARS) : "";
      switch (event.type) {
        case "call-begin":
        case "call-progress":
        case "call-end": {
          if (event.actor !== MAIN) return;
          const lines = calls.onEvent(event, columns());
          // The text before a call is complete.
          if (lines.length > 0) endReply();
          return note(...lines);
        }
        case "agent": {
          const { view } = event;
          calls.onEvent(event, columns());
          if (view.id === MAIN || view.state !== "ended") return void finished.delete(view.id);
          if (finished.has(view.id)) return;
          finished.add(view.id);
          interrupt();
          return note(agentEndLine(view, columns(), paint));
        }
        case "command": {
          const line = event.actor === MAIN ? commandEndLine(event, columns(), paint) : null;
          if (line === null) return;
          interrupt();
          return note(line);
        }
        case "text":
          if (event.actor === MAIN) say(event.text, event.turn);
          return;
        case "thinking":
          if (event.forUser && event.actor === MAIN) say(event.text, event.turn);
          return;
        case "paused":
          return warn(pauseLine(event, clock));
        case "warning":
          return warn(safeLine(event.message));
        case "waiting":
          // A reply that was cut off is written again from its start.
          if (event.actor !== MAIN || event.attempt === null || lastTurn === saidTurn) return;
          endReply();
          return separate();
        case "message":
          // The end of its text may still be under way.
          if (event.actor === MAIN && event.role === "assistant") saidTurn = event.turn;
          return;
        default:
          // The conversation shows the others itself.
          return;
      }
    },
    /** Sets whether the main conversation is working. */
    working(isWorking: boolean): void {
      working = isWorking;
      // Loads while the model is asked.
      if (isWorking) void reply.ready("");
      if (!isWorking) endReply();
    },
    isWorking: () => working,
    /** True if any actor is working. */
    isBusy: () => working || live.busy(),
    /**
     * Holds output back until it is released; output printed with `through` is shown anyway. A reply that the main
     * conversation still writes (`mayWrite`) stays open: its unfinished part comes afterwards.
     */
    hold(mayWrite: boolean): void {
      if (mayWrite) interrupt();
      else endReply();
      separate();
      held = true;
    },
    release(): void {
      if (!held) return;
      held = false;
      // Separates an answer from what it led to.
      fresh.push(...(heldBack[0] === "" ? [] : [""]), ...heldBack.splice(0));
      lastIsEmpty = fresh.at(-1) === "";
    },
    through(text: string): void {
      fresh.push(...text.split("\n"));
      lastIsEmpty = text.endsWith("\n") || text === "";
    },
    /**
     * Paints one frame; without an input line the cursor is left below everything. Returns the milliseconds until time
     * alone changes it, or null.
     */
    paint(editing: Editing | null): number | null {
      const size = stdout.size();
      const stay = fresh;
      fresh = [];
      if (editing === null) canvas.show([...stay, ...middle(1)], [""], { row: 0, column: 0 });
      else {
        const { isQuestion = false } = editing;
        const all = size.rows - 1;
        const share = Math.max(FEWEST_ROWS, Math.floor(size.rows / 3));
        const room = isQuestion ? all : Math.min(share, all);
        const most = Math.max(1, room - (isQuestion ? 0 : 3));
        const input = editing.editor.rows(editing.prompt, { columns: columns(), most });
        // A low terminal needs its rows for the prompt and what happens.
        const below = editing.isPlain && size.rows >= FEWEST_ROWS ? rowsBelow(columns()) : [];
        const used = input.rows.length + below.length;
        // What the user has opened has a share of its own, and one row is left for what happens.
        const list = editing.above?.(Math.min(share, all - used - 1)) ?? [];
        const left = isQuestion ? 0 : Math.max(0, Math.min(room, all - list.length) - used);
        const above = [...(left === 0 ? [] : middle(left).slice(-left)), ...list];
        const cursor = { ...input.cursor, row: input.cursor.row + above.length };
        canvas.show(stay, [...above, ...input.rows, ...below], cursor);
      }
      if (!working && !live.busy()) return null;
      return live.isNewer(drawn?.at ?? 0) ? TREE_MS : CLOCK_MS;
    },
    /** Draws everything again with the next frame. */
    redraw: canvas.invalidate,
  };
}

/** Its newest line, of which the end is being written. */
function thoughtLine(thought: string): string {
  const lines = thought.split("\n").filter((line) => line.trim() !== "");
  return `∴ ${safeLine(lines.at(-1) ?? "")}`;
}

function queuedRow(text: string, columns: number): string {
  const [first = "", ...others] = text.trim().split("\n");
  return cutToWidth(`waits › ${safeLine(first)}${others.length > 0 ? " …" : ""}`, columns);
}
