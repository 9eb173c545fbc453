import type { ToolResultContent } from "../mailbox/conversation.ts";
import type { Access } from "../mailbox/messages.ts";
import { type SealedTool, seal } from "../tools/sealed.ts";
import type { CallContext, PermissionLevel, Tool, ToolFailure } from "../tools/tool.ts";

/** A tool of a library user, closed over its input type. */
export type CustomTool = SealedTool<CallContext>;

/** What a library user writes; everything but the first five has a default. */
export interface ToolSpec<Input, Output> {
  readonly name: string;
  /** What it does, when to use it and when not, how to write its input, how to recover from its errors. */
  readonly description: string;
  /** zod or zod/mini. */
  readonly inputSchema: Tool<Input, Output>["inputSchema"];
  readonly permissionLevel: PermissionLevel;
  /**
   * Runs on the thread that owns the supervisor, so keep it short or make it asynchronous. What it throws
   * becomes an `is_error` result for the model. `context.signal` is aborted when the agent is cancelled.
   */
  call(input: Input, context: CallContext): Promise<Output | ToolFailure>;
  readonly aliases?: readonly string[];
  /** Whether calls of one reply may run at the same time (default true). */
  readonly parallel?: boolean;
  /** What a person sees while it runs (default: the name). */
  title?(input: Input): string;
  /** What it touches, for the gate (default: nothing). */
  accesses?(input: Input, cwd: string): readonly Access[];
  /** How the model sees the output (default: a string as it is, anything else as JSON). */
  mapToolResultToToolResultBlockParam?(output: Output): ToolResultContent;
}

/**
 * A tool for `new Supervisor({ tools: [...] })`: offered to the main conversation and to every agent whose
 * definition allows it; validated, gated and journalled like the built-in ones (A3.35).
 */
export function defineTool<Input, Output>(spec: ToolSpec<Input, Output>): CustomTool {
  return seal<Input, Output, CallContext>({
    name: spec.name,
    aliases: spec.aliases ?? [],
    description: spec.description,
    inputSchema: spec.inputSchema,
    permissionLevel: spec.permissionLevel,
    parallel: spec.parallel ?? true,
    title: (input) => spec.title?.(input) ?? spec.name,
    accesses: (input, cwd) => spec.accesses?.(input, cwd) ?? [],
    call: (input, context) => spec.call(input, context),
    mapToolResultToToolResultBlockParam: (output) =>
      spec.mapToolResultToToolResultBlockParam?.(output) ??
      (typeof output === "string" ? output : (JSON.stringify(output) ?? "done")),
  });
}
