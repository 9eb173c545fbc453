import { createInterface } from "node:readline";
import type { SupervisorEvent } from "../../events/event.ts";
import { oneAtATime } from "../../lib/queues.ts";
import { MAIN } from "../../mailbox/ids.ts";
import { paintFor } from "../../terminal/colour.ts";
import { answerRows, type Choices } from "../../terminal/dialogs/choice-form.ts";
import type { Outlet } from "../../terminal/output-stream.ts";
import { safeText } from "../../terminal/safe-text.ts";
import { createCallLines } from "../../terminal/transcript/call-lines.ts";
import { wrapText } from "../../terminal/wrap.ts";
import { createPlainProgress } from "../plain-progress.ts";
import type { CliIO } from "../process-io.ts";
import { createQuietKeys } from "./key-timing.ts";
import type { Dialog, Terminal, TerminalListeners } from "./terminal.ts";

/**
 * Creates a conversation that only prints (TERM=dumb, --plain): the system edits the line, and everything is
 * written once, in order.
 */
export function createPlainTerminal(io: CliIO, options: TerminalListeners): Terminal {
  const { clock, env, stdin, stdout } = io;
  const paint = paintFor(stdout, env);
  const quiet = createQuietKeys(clock);
  const over = new AbortController();
  const calls = createCallLines(paint, () => clock.now());
  /** Shown once it is no longer held back: each gives its text only then. */
  const heldBack: (() => string)[] = [];
  let inDialog = false;
  /** True if the conversation continues by itself: the user may be typing, so output arrives as a whole. */
  let byItself = false;
  let inEvent = false;
  let ends = "\n\n";
  let working = false;
  let answered: ((line: string | null) => void) | null = null;
  let unfinished = "";
  /** The turn of the reply shown last. */
  let lastTurn = 0;

  const write = (text: string): void => {
    if (text === "") return;
    ends = (ends + text).slice(-2);
    // The end of input reports a closed terminal.
    stdout.write(text).catch(() => {});
  };
  const put = (text: () => string): void => {
    if (inDialog || (byItself && inEvent)) heldBack.push(text);
    else write(text());
  };
  const line = (text: string): void => put(() => `${ends.endsWith("\n") ? "" : "\n"}${text}\n`);
  const gap = (): void => put(() => (ends.endsWith("\n\n") ? "" : ends.endsWith("\n") ? "\n" : "\n\n"));
  const letGo = (): void => {
    if (!inDialog && !byItself) for (const text of heldBack.splice(0)) write(text());
  };
  const outlet: Outlet = { ...stdout, write: async (text) => line(text.replace(/\n$/, "")) };
  const progress = createPlainProgress(outlet, clock, paint);

  const inTurn = oneAtATime();
  const columns = (): number => Math.max(8, stdout.size().columns - 1);
  const lines = createInterface({ input: stdin, terminal: false });
  lines.on("line", (typed) => {
    quiet.typed();
    // The user's Enter has ended the line on the screen.
    ends = "\n";
    if (answered) return answered(typed);
    const whole = unfinished + typed;
    if (/(?:^|[^\\])(?:\\\\)*\\$/.test(whole)) {
      unfinished = `${whole.slice(0, -1)}\n`;
      return;
    }
    unfinished = "";
    if (whole.trim() !== "") return options.onLine(whole);
    if (!working) write("> ");
  });
  lines.on("close", () => options.onEnd("left"));
  const onError = () => options.onEnd("gone");
  stdin.on("error", onError);

  /** Those that were shown last: an answer that is asked for again does not show them again. */
  let shownChoices: Choices | undefined;
  const question: Dialog["question"] = async (words, given, choices) => {
    const signal = AbortSignal.any([given, over.signal]);
    await quiet.quiet(signal);
    if (signal.aborted) return null;
    if (choices !== undefined && choices !== shownChoices)
      for (const row of answerRows(choices, { columns: columns(), paint }).flat()) write(`${row}\n`);
    shownChoices = choices;
    write(words);
    const typed = await new Promise<string | null>((resolve) => {
      answered = resolve;
      signal.addEventListener("abort", () => resolve(null), { once: true });
    });
    answered = null;
    if (typed === null) write("\n");
    return typed;
  };

  const say = ({ actor, turn, text }: Extract<SupervisorEvent, { type: "text" | "thinking" }>): void => {
    if (actor !== MAIN) return;
    if (turn !== lastTurn) gap();
    lastTurn = turn;
    const said = safeText(text);
    put(() => said);
  };
  const show = (event: SupervisorEvent): void => {
    if (event.type === "text" || (event.type === "thinking" && event.forUser)) say(event);
    if (event.type === "agent") calls.onEvent(event, columns());
    if (event.type === "call-begin" || event.type === "call-progress" || event.type === "call-end")
      if (event.actor === MAIN) for (const row of calls.onEvent(event, columns())) line(row);
    progress.onEvent(event);
  };

  return {
    paint,
    columns,
    replyRows: (text) => wrapText(safeText(text), columns()),
    ready: async () => {},
    workIn() {},
    vimMode: () => null,
    showBelow() {},
    // The system shows what is typed.
    echo() {},
    showQueued() {},
    // It has no Escape.
    giveBack: (lines) => line(`Not sent: ${safeText(lines.join("\n"))}`),
    print: line,
    gap,
    onEvent(event) {
      if (event.type === "woken") byItself = true;
      inEvent = true;
      show(event);
      inEvent = false;
      if (event.type !== "answered") return;
      byItself = false;
      letGo();
    },
    working() {
      working = true;
    },
    rest() {
      working = false;
    },
    idle() {
      gap();
      put(() => "> ");
    },
    dialog: (hold) =>
      inTurn(async () => {
        gap();
        inDialog = true;
        const print = (text: string) => write(`${ends.endsWith("\n") ? "" : "\n"}${text}\n`);
        try {
          return await hold({ print, question });
        } finally {
          inDialog = false;
          letGo();
        }
      }),
    close() {
      if (over.signal.aborted) return;
      over.abort();
      lines.removeAllListeners("close");
      lines.close();
      if (!ends.endsWith("\n")) write("\n");
      stdin.destroy();
    },
  };
}
