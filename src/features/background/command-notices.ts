import { commandId } from "../../journal/session-state.ts";
import type { CommandOutput } from "../../mailbox/runs.ts";
import { type Notice, taskBlock } from "../../supervisor/notices.ts";
import { MAX_MONITOR_CHARS, MAX_MONITOR_LINES } from "../../tools/background.ts";
import { endOf, plainText } from "../../tools/command-output.ts";

/** Characters of an ended command's output in its notice, and of what a script returned, which is its result. */
const END_CHARS = 2_000;
const SCRIPT_CHARS = 20_000;

export interface CommandEnded {
  readonly task: string;
  readonly title: string;
  readonly status: "completed" | "failed" | "killed";
  /** How it ended, as a sentence. */
  readonly ending: string;
  readonly isScript?: boolean;
  readonly output: CommandOutput;
}

/** Builds the notice that a background command or a script has ended. */
export function endNotice({ task, title, status, ending, isScript = false, output }: CommandEnded): Notice {
  const said = plainText(output.tail ?? output.head).trimEnd();
  const text = isScript ? startOf(said) : endOf(said, END_CHARS);
  const summary = `${isScript ? "Script" : "Background command"} "${title}": ${ending}`;
  return {
    ...{ title, ids: [commandId(task)] },
    text: taskBlock({ task, status, summary, path: output.path, text }),
  };
}

function startOf(text: string): string {
  if (text.length <= SCRIPT_CHARS) return text;
  const cut = text.slice(0, SCRIPT_CHARS).toWellFormed();
  return `${cut}\n[Cut after ${SCRIPT_CHARS} of ${text.length} characters; the whole is in the output file.]`;
}

export interface CommandLines {
  readonly task: string;
  readonly title: string;
  readonly path: string;
  readonly lines: readonly string[];
  /** True if there were more lines. */
  readonly more: boolean;
}

interface LinesNotice extends Notice {
  readonly of: CommandLines;
}

/** Builds the notice of a command's new lines; all that its owner has not read share one notice. */
export function linesNotice(given: CommandLines): LinesNotice {
  // Bounded here, so that a flood is not kept either.
  const of = bounded(given);
  const { task, title, path, more } = of;
  const lines = [...of.lines, ...(more ? ["(more lines than these: they are in the output file)"] : [])];
  const summary = `Background command "${title}" wrote new lines.`;
  return {
    ...{ title, of, key: `lines of ${task}` },
    text: taskBlock({ task, status: "running", summary, path, text: lines.join("\n") }),
    mergeAfter: (earlier) =>
      "of" in earlier ? linesNotice(joined(earlier as LinesNotice, of)) : linesNotice(of),
  };
}

function joined({ of: earlier }: LinesNotice, later: CommandLines): CommandLines {
  return { ...later, lines: [...earlier.lines, ...later.lines], more: earlier.more || later.more };
}

function bounded(of: CommandLines): CommandLines {
  let chars = 0;
  const lines = of.lines
    .map(plainText)
    .slice(0, MAX_MONITOR_LINES)
    .filter((line) => {
      chars += line.length + 1;
      return chars <= MAX_MONITOR_CHARS;
    });
  return { ...of, lines, more: of.more || lines.length < of.lines.length };
}
