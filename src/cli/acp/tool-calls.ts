import type { Diff, ToolCall, ToolCallContent, ToolKind } from "@agentclientprotocol/sdk";
import * as z from "zod/mini";
import type { CallBeginEvent } from "../../events/call.ts";
import type { FileDiff } from "../../lib/file-diff.ts";
import { Todo } from "../../mailbox/messages.ts";
import { visibleDense } from "../../terminal/safe-text.ts";

const KINDS: Readonly<Record<string, ToolKind>> = {
  ...{ Read: "read", TaskOutput: "read" },
  ...{ Edit: "edit", Write: "edit", NotebookEdit: "edit" },
  ...{ Grep: "search", Glob: "search", WebSearch: "search", LSP: "search", ToolSearch: "search" },
  ...{ Bash: "execute", WebFetch: "fetch" },
  ...{ Agent: "think", Workflow: "think", Skill: "think", TodoWrite: "think" },
  ...{ TaskCreate: "think", TaskUpdate: "think", TaskGet: "read", TaskList: "read" },
  ...{ EnterPlanMode: "switch_mode", ExitPlanMode: "switch_mode" },
};

const Located = z.object({
  file_path: z.optional(z.string()),
  notebook_path: z.optional(z.string()),
  path: z.optional(z.string()),
  offset: z.optional(z.number()),
});
const Edited = z.object({ file_path: z.string(), old_string: z.string(), new_string: z.string() });
const Written = z.object({ content: z.string() });
const Todos = z.object({ todos: z.array(Todo) });

export type ShownCall = Pick<CallBeginEvent, "tool" | "input" | "title">;

/** Two agents may have calls with the same ID of the provider. */
export function toolCallId(actor: string, toolUse: string): string {
  return `${actor}/${toolUse}`;
}

/** Returns how a client shows a call: in a word, what it touches, and what an edit changes. */
export function showCall({ tool, input, title }: ShownCall): Omit<ToolCall, "toolCallId"> {
  const { data: at = {} } = Located.safeParse(input);
  const path = at.file_path ?? at.notebook_path ?? at.path;
  const diff = diffOf(tool, input);
  return {
    title: visibleDense(title === "" || title === tool ? tool : `${tool}: ${title}`),
    kind: KINDS[tool] ?? "other",
    rawInput: input,
    ...(path?.startsWith("/") ? { locations: [{ path, ...(at.offset ? { line: at.offset } : {}) }] } : {}),
    ...(diff === null ? {} : { content: [{ type: "diff", ...diff }] }),
  };
}

/** Of the part that an Edit replaces. What a Write replaces is not in its input. */
function diffOf(tool: string, input: unknown): Diff | null {
  if (tool !== "Edit") return null;
  const { data } = Edited.safeParse(input);
  return data ? { path: data.file_path, oldText: data.old_string, newText: data.new_string } : null;
}

/** Returns what a call changes in a file, as it was found: each changed part with its surroundings. Empty if none can be shown. */
export function diffContent({ path, isNew, hunks }: FileDiff, input: unknown): ToolCallContent[] {
  const { data } = Written.safeParse(input);
  if (isNew && data) return [{ type: "diff", path, oldText: null, newText: data.content }];
  return hunks.map(({ lines }) => ({ type: "diff", path, ...sidesOf(lines) }));
}

/** Returns the texts before and after a part of a unified diff. */
function sidesOf(lines: readonly string[]): { oldText: string; newText: string } {
  const sides = { oldText: "", newText: "" };
  let last = " ";
  for (const line of lines) {
    const isNote = line.startsWith("\\");
    if (!isNote) last = line.slice(0, 1);
    for (const [side, other] of [
      ["oldText", "+"],
      ["newText", "-"],
    ] as const) {
      if (last === other) continue;
      // The note says that the line above it is the last one, and has no end.
      sides[side] = isNote ? sides[side].slice(0, -1) : `${sides[side]}${line.slice(1)}\n`;
    }
  }
  return sides;
}

/** Returns the todo list that a call writes; null if it writes none. */
export function writtenTodos({ tool, input }: Pick<ShownCall, "tool" | "input">): readonly Todo[] | null {
  return (tool === "TodoWrite" && Todos.safeParse(input).data?.todos) || null;
}

export function textContent(text: string): ToolCallContent {
  return { type: "content", content: { type: "text", text } };
}
