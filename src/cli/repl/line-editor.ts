import { createInterface } from "node:readline";
import { Readable, Writable } from "node:stream";
import { BREAK, type Key } from "./key-parser.ts";

/**
 * A line being edited. node:readline does the editing (keys, history, undo, completion) but draws nothing: the screen
 * draws the line with everything else.
 */
export interface LineEditor {
  /** Its line breaks are `BREAK`. */
  readonly text: string;
  /** In UTF-16 units of `text`. */
  readonly cursor: number;
  type(typed: Key): void;
  clear(): void;
  /** Stops all events; idempotent. */
  close(): void;
}

export interface LineEditorOptions {
  /** Newest first; line breaks become `BREAK`. Absent: no history. */
  readonly history?: readonly string[];
  /** Words that Tab completes at the start of a line, read each time. */
  readonly completions?: () => readonly string[];
  /** Receives real line breaks. */
  onLine(text: string): void;
  onInterrupt(): void;
  /** Ctrl-D on an empty line; the editor is closed. */
  onEnd(): void;
}

/** Entries that the arrow keys reach. */
const HISTORY_SIZE = 1000;

export function createLineEditor(options: LineEditorOptions): LineEditor {
  const { history, completions = () => [], onLine, onInterrupt, onEnd } = options;
  const input = new Readable({ read() {} });
  const editor = createInterface({
    input,
    output: new Writable({ write: (_chunk, _encoding, done) => done() }),
    terminal: true,
    prompt: "",
    history: (history ?? []).map((line) => line.replaceAll("\n", BREAK)),
    historySize: history ? HISTORY_SIZE : 0,
    removeHistoryDuplicates: true,
    completer: (line: string) => [
      line.includes(" ") ? [] : completions().filter((word) => line !== "" && word.startsWith(line)),
      line,
    ],
  });
  let closed = false;
  // A continued line is not an entry of its own.
  editor.on("history", (lines) => void (goesOn(lines[0] ?? "") && lines.shift()));
  editor.on("line", (line) => {
    if (goesOn(line)) editor.write(line.slice(0, -1) + BREAK);
    else onLine(line.replaceAll(BREAK, "\n"));
  });
  editor.on("SIGINT", onInterrupt);
  // Its default would suspend the process with the terminal in raw mode.
  editor.on("SIGTSTP", () => {});
  editor.on("close", () => {
    if (!closed) onEnd();
    closed = true;
  });
  return {
    get text() {
      return editor.line;
    },
    get cursor() {
      return editor.cursor;
    },
    type({ type, text }) {
      if (closed) return;
      if (type === "keys") input.push(text);
      else editor.write(text);
    },
    clear() {
      editor.write(null, { ctrl: true, name: "e" });
      editor.write(null, { ctrl: true, name: "u" });
    },
    close() {
      if (closed) return;
      closed = true;
      editor.close();
      input.destroy();
    },
  };
}

/** True if a backslash before Enter breaks the line; two are a backslash. */
function goesOn(line: string): boolean {
  return /(?:^|[^\\])(?:\\\\)*\\$/.test(line);
}
