import * as z from "zod/mini";
import type { Access } from "../mailbox/calls.ts";
import type { ToolDefinition } from "../mailbox/conversation.ts";
import type { CallResult } from "../mailbox/messages.ts";
import type { PermissionLevel } from "../policy/user-requests.ts";
import type { CallContext, CallPreview, Tool, ToolFailure, ToolPrompt } from "./tool.ts";

/** The result of a call that ran; `response`: what hooks get, if it is more than the model gets. */
export type ToolEnd = CallResult & { readonly response?: unknown };

/** A call with checked input. */
export interface ReadyCall<Context extends CallContext> {
  readonly type: "ready";
  readonly title: string;
  /** What the model says that it is for. */
  readonly description?: string;
  /** Why the call cannot succeed, for the model; null if nothing is known. */
  problem?(cwd: string): string | null;
  accesses(cwd: string): readonly Access[];
  /** What the user sees of it in addition to its input. */
  preview?(cwd: string): Promise<CallPreview>;
  call(context: Context): Promise<ToolEnd>;
}

/** `message` names the wrong fields for the model (A5.3). */
export interface InvalidCall {
  readonly type: "invalid";
  readonly message: string;
}

/** A tool with its input type closed over, so that tools of all inputs fit in one list without casts. */
export interface SealedTool<Context extends CallContext = CallContext> {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly permissionLevel: PermissionLevel;
  readonly parallel: boolean;
  readonly repeatable: boolean;
  readonly needsHost?: true;
  readonly description: string | ToolPrompt;
  readonly inputSchema: z.core.$ZodType;
  /** Sent to models in place of `inputSchema`: the schema of an MCP server or a library user. */
  readonly jsonSchema?: ToolDefinition["input_schema"];
  prepare(input: unknown): ReadyCall<Context> | InvalidCall;
}

export function bindTool<Input, Output, Context extends CallContext>(
  tool: Tool<Input, Output, Context>,
): SealedTool<Context> {
  return {
    name: tool.name,
    aliases: tool.aliases ?? [],
    permissionLevel: tool.permissionLevel,
    parallel: tool.parallel ?? true,
    repeatable: tool.repeatable ?? tool.permissionLevel === "read",
    ...(tool.needsHost ? { needsHost: true } : {}),
    get description() {
      return tool.description;
    },
    inputSchema: tool.inputSchema,
    prepare(raw) {
      const parsed = z.safeParse(tool.inputSchema, raw, { reportInput: true });
      if (!parsed.success) return { type: "invalid", message: inputErrors(tool.name, parsed.error) };
      const input = parsed.data;
      const intent = tool.intent?.(input);
      return {
        type: "ready",
        title: tool.title(input),
        ...(intent === undefined ? {} : { description: intent }),
        problem: (cwd) => tool.problem?.(input, cwd) ?? null,
        accesses: (cwd) => tool.accesses?.(input, cwd) ?? [],
        preview: async (cwd) => tool.preview?.(input, cwd) ?? {},
        async call(context) {
          const problem = tool.problem?.(input, context.cwd) ?? null;
          if (problem !== null) return { content: problem, isError: true };
          const output = await tool.call(input, context);
          if (isFailure(output)) return { content: output.message, isError: true };
          const content = tool.mapToolResultToToolResultBlockParam(output);
          const more = tool.response ? { response: tool.response(output, input) } : {};
          return { content, isError: false, ...more };
        },
      };
    },
  };
}

function isFailure(output: unknown): output is ToolFailure {
  return typeof output === "object" && output !== null && "type" in output && output.type === "tool-failure";
}

/** zod/mini has no message texts, which would cost every thread, so the sentence is built here. */
export function inputErrors(tool: string, error: z.core.$ZodError): string {
  const lines = error.issues.map((issue) => {
    const where = issue.path.length > 0 ? issue.path.join(".") : "input";
    return `- ${where}: ${expectation(issue)}`;
  });
  return `Invalid input for ${tool}:\n${lines.join("\n")}\nCorrect the input and call ${tool} again.`;
}

function expectation(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined
        ? `required, expected ${nameOf(issue.expected)}`
        : `expected ${nameOf(issue.expected)}, got ${kindOf(issue.input)}`;
    case "invalid_value":
      return `must be one of ${issue.values.map((v) => JSON.stringify(v)).join(", ")}`;
    case "unrecognized_keys":
      return `has no field ${issue.keys.map((k) => JSON.stringify(k)).join(", ")}`;
    case "too_small":
      return `must be at least ${issue.minimum}`;
    case "too_big":
      return `must be at most ${issue.maximum}`;
    default:
      return issue.message;
  }
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function nameOf(kind: string): string {
  return kind === "int" ? "a whole number" : kind;
}
