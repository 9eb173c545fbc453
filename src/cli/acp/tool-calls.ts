import type { Diff, PlanEntry, ToolCall, ToolCallContent, ToolKind } from "@agentclientprotocol/sdk";
import * as z from "zod/mini";
import type { CallBeginEvent } from "../../events/call.ts";
import { visibleDense } from "../../terminal/visible-text.ts";

const KINDS: Readonly<Record<string, ToolKind>> = {
  ...{ Read: "read", TaskOutput: "read" },
  ...{ Edit: "edit", Write: "edit", NotebookEdit: "edit" },
  ...{ Grep: "search", Glob: "search", WebSearch: "search", LSP: "search", ToolSearch: "search" },
  ...{ Bash: "execute", WebFetch: "fetch" },
  ...{ Agent: "think", Workflow: "think", Skill: "think", TodoWrite: "think" },
  ...{ EnterPlanMode: "switch_mode", ExitPlanMode: "switch_mode" },
};

const Located = z.object({
  file_path: z.optional(z.string()),
  notebook_path: z.optional(z.string()),
  path: z.optional(z.string()),
  offset: z.optional(z.number()),
});
const Edited = z.object({ file_path: z.string(), old_string: z.string(), new_string: z.string() });
const Written = z.object({ file_path: z.string(), content: z.string() });
const Todos = z.object({
  todos: z.array(z.object({ content: z.string(), status: z.enum(["pending", "in_progress", "completed"]) })),
});

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

/** Of the replaced part, or of a whole new text. */
function diffOf(tool: string, input: unknown): Diff | null {
  if (tool === "Edit") {
    const { data } = Edited.safeParse(input);
    return data ? { path: data.file_path, oldText: data.old_string, newText: data.new_string } : null;
  }
  if (tool !== "Write") return null;
  const { data } = Written.safeParse(input);
  return data ? { path: data.file_path, oldText: null, newText: data.content } : null;
}

/** Returns the entries of a todo list; null if the call writes none. */
export function todoEntries({ tool, input }: Pick<ShownCall, "tool" | "input">): PlanEntry[] | null {
  if (tool !== "TodoWrite") return null;
  const { data } = Todos.safeParse(input);
  return data?.todos.map(({ content, status }) => ({ content, status, priority: "medium" })) ?? null;
}

export function textContent(text: string): ToolCallContent {
  return { type: "content", content: { type: "text", text } };
}
