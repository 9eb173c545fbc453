import type { Remembered } from "../../../src/features/receipts/evidence.ts";
import { noUsage, type ToolUseBlock } from "../../../src/mailbox/conversation.ts";
import type { ReadEntry, Turn } from "../../../src/mailbox/messages.ts";
import { files, ROOT } from "./project.ts";

/** One call that was made, what it came to, and what the runtime kept of it. */
export interface Step {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly result: string;
  readonly isError?: boolean;
  readonly reads?: readonly Pick<ReadEntry, "path" | "lines">[];
  readonly ran?: { readonly command: string; readonly exitCode: number | null };
}

export interface Given {
  readonly prompt?: string;
  readonly root?: string;
  /** Of a fork: what was said and done before it began. */
  readonly before?: readonly Step[];
  readonly system?: readonly string[];
  /** News that came while it worked. */
  readonly heard?: readonly string[];
}

/** A record of an agent that has taken these steps, one a turn. */
export function staged(steps: readonly Step[], given: Given = {}): Remembered {
  const { prompt = "Find out.", root = ROOT, before = [], system = [], heard = [] } = given;
  const inherited = before.flatMap((step, at) => messagesOf(step, `before${at}`));
  return {
    system: [...system],
    root,
    heard: [],
    messages: [...inherited, { role: "user", content: prompt }],
    turns: steps.map((step, at): Turn => {
      const { tool, reads = [], ran } = step;
      return {
        turn: at + 1,
        heard: at === steps.length - 1 ? heard.map((text) => ({ text, notice: true })) : [],
        messages: messagesOf(step, `call${at}`),
        cwd: root,
        reads: reads.map((read) => ({ size: 1, mtimeMs: 1, inode: 1, digest: "d", ...read })),
        usage: noUsage,
        receipts: { tools: { [tool]: 1 }, files: [], commands: ran ? [ran] : [] },
      };
    }),
  };
}

function messagesOf({ tool, input, result, isError = false }: Step, id: string): Turn["messages"] {
  const call: ToolUseBlock = { type: "tool_use", id, name: tool, input, caller: { type: "direct" } };
  return [
    { role: "assistant", content: [call] },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: id, content: result, ...(isError ? { is_error: true } : {}) },
      ],
    },
  ];
}

/** Read, as it shows lines; all of them, or `count` from `from` on. */
export function read(path: string, from = 1, count = Number.POSITIVE_INFINITY, root = ROOT): Step {
  const all = linesOf(path);
  const shown = all.slice(from - 1, Math.min(all.length, from - 1 + count));
  return {
    tool: "Read",
    input: { file_path: `${root}/${path}`, ...(from === 1 ? {} : { offset: from }) },
    result: shown.map((line, at) => `${from + at}\t${line}`).join("\n"),
    reads: [{ path: `${root}/${path}`, lines: { from, count: shown.length } }],
  };
}

export function noFile(path: string): Step {
  const file_path = `${ROOT}/${path}`;
  return { tool: "Read", input: { file_path }, result: `There is no file ${file_path}.`, isError: true };
}

/** Grep over the project, with lines. */
export function grep(pattern: string, under = ""): Step {
  const rows = Object.keys(files)
    .filter((path) => path.startsWith(under))
    .flatMap((path) =>
      linesOf(path).flatMap((line, at) =>
        new RegExp(pattern).test(line) ? [`${path}:${at + 1}:${line}`] : [],
      ),
    );
  return {
    tool: "Grep",
    input: { pattern, output_mode: "content" },
    result: rows.join("\n") || "No matches found",
  };
}

/** Grep for names alone. */
export function grepFiles(pattern: string): Step {
  const rows = Object.keys(files).filter((path) => new RegExp(pattern, "m").test(files[path] ?? ""));
  return { tool: "Grep", input: { pattern }, result: rows.join("\n") || "No matches found" };
}

export function glob(pattern: string, paths: readonly string[]): Step {
  return { tool: "Glob", input: { pattern }, result: paths.join("\n") || "No files found" };
}

export function bash(command: string, exitCode: number, output = ""): Step {
  const result = exitCode === 0 ? output : `${output}\nExit code ${exitCode}`;
  return { tool: "Bash", input: { command }, result, ran: { command, exitCode } };
}

export function write(path: string, content: string): Step {
  const file = `${ROOT}/${path}`;
  return {
    tool: "Write",
    input: { file_path: file, content },
    result: `Wrote ${path}.`,
    reads: [{ path: file }],
  };
}

export function edit(path: string, old_string: string, new_string: string): Step {
  const file = `${ROOT}/${path}`;
  const input = { file_path: file, old_string, new_string };
  return { tool: "Edit", input, result: `Edited ${path}.`, reads: [{ path: file }] };
}

export function agent(prompt: string, report: string): Step {
  return {
    tool: "Agent",
    input: { description: "part", prompt },
    result: `[Agent a1 (Explore) ended: done.]\n${report}`,
  };
}

export function server(tool: string, input: Readonly<Record<string, unknown>>, result: string): Step {
  return { tool, input, result };
}

function linesOf(path: string): string[] {
  const text = files[path];
  if (text === undefined) throw new Error(`The staged project has no ${path}.`);
  return text.split("\n");
}
