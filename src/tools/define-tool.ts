import type { Access } from "../mailbox/calls.ts";
import type { ToolResultContent } from "../mailbox/conversation.ts";
import type { PermissionLevel } from "../policy/user-requests.ts";
import { bindTool, type SealedTool } from "./bind-tool.ts";
import type { CallContext, Tool, ToolFailure } from "./tool.ts";
import { moduleProblem } from "./tool-module.ts";

export { type CallContext, failed, type ToolFailure } from "./tool.ts";

/** A tool of a library user, closed over its input type. */
export interface CustomTool extends SealedTool<CallContext> {
  /** Imported by the agent's thread; absent: it runs on the caller's thread. */
  readonly module?: string;
  /** Milliseconds a call may take; absent: as long as the session's `toolMs` says. */
  readonly timeoutMs?: number;
  /** Its definition does not say where it runs. */
  readonly undeclared?: true;
}

/** What a library user writes, whether the tool runs in the agent's thread or on the caller's. */
interface ToolParts<Input, Output> {
  readonly name: string;
  /** What it does, when to use it and when not, how to write its input, how to recover from its errors. */
  readonly description: string;
  /** zod or zod/mini. */
  readonly inputSchema: Tool<Input, Output>["inputSchema"];
  readonly permissionLevel: PermissionLevel;
  /**
   * What it throws becomes an `is_error` result for the model. `context.signal` is aborted if the agent is cancelled
   * and at the deadline; the model is then told that the tool did not return, and the agent continues.
   */
  call(input: Input, context: CallContext): Promise<Output | ToolFailure>;
  /** Milliseconds a call may take (default: `limits.toolMs` of the session, 600,000). */
  readonly timeoutMs?: number;
  readonly aliases?: readonly string[];
  /** Whether calls of one reply may run at the same time (default true). */
  readonly parallel?: boolean;
  /** What the user sees while it runs (default: the name). */
  title?(input: Input): string;
  /** What it touches, for the gate (default: nothing). */
  accesses?(input: Input, cwd: string): readonly Access[];
  /** How the model sees the output (default: a string as it is, anything else as JSON). */
  mapToolResultToToolResultBlockParam?(output: Output): ToolResultContent;
}

/** `call` runs in the agent's thread, which imports the module for it. */
interface InAgentThread {
  /**
   * `import.meta.url` of the module that exports the tool. It has only the tool, not the program that opens
   * the session. Each agent imports it separately, with an empty `process.env`: variables of the module are not shared.
   * A call that computes too long, `process.exit` or a late throw ends its agent, and nothing else.
   */
  readonly module: string;
  readonly runsIn?: "agent";
}

/**
 * `call` runs on the thread that opened the session, for tools that need what only that thread has (a connection, a
 * cache, `process.env`). Nothing is between it and your program: while it computes, all agents, permission requests
 * and watches wait, and no deadline can interrupt it; `process.exit` ends the program; what it throws after it has
 * returned, or in a timer, is an uncaught exception of the program.
 */
interface OnCallerThread {
  readonly runsIn: "caller";
  readonly module?: never;
}

/** What `defineTool` takes. */
export type ToolSpec<Input, Output> = ToolParts<Input, Output> & (InAgentThread | OnCallerThread);

/**
 * A tool for `new Supervisor({ tools: [...] })`: offered to the main conversation and to every agent whose
 * definition allows it; validated, gated and journalled like the built-in ones (A3.35). It runs in the agent's thread,
 * or, with `runsIn: "caller"`, on the thread that opened the session; there `call` may use everything around it, and
 * can stop everything. Throws if `module` or `timeoutMs` cannot be used.
 */
export function defineTool<Input, Output>(spec: ToolSpec<Input, Output>): CustomTool {
  const { name, timeoutMs, module } = spec;
  if (timeoutMs !== undefined && !(timeoutMs > 0 && timeoutMs <= MAX_TIMEOUT_MS))
    throw new Error(`timeoutMs of ${name} is ${timeoutMs}; it must be a number from 1 to ${MAX_TIMEOUT_MS}.`);
  const problem = module === undefined ? null : moduleProblem(module, "tool");
  if (problem !== null) throw new Error(`module of ${name} ${problem}`);
  return {
    ...sealed(spec),
    ...(module === undefined ? {} : { module }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    // Of a definition that no compiler has checked.
    ...(module === undefined && spec.runsIn !== "caller" ? { undeclared: true as const } : {}),
  };
}

const MAX_TIMEOUT_MS = 24 * 60 * 60_000;

function sealed<Input, Output>(spec: ToolParts<Input, Output>): SealedTool<CallContext> {
  return bindTool<Input, Output, CallContext>({
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

/** Said when a session is opened with a definition from before tools had a place. */
export function undeclaredPlace(name: string): string {
  return `${name} does not say where it runs, so it runs on the thread of the program, where it can stop all agents. Export it from a module of its own with \`module: import.meta.url\`, or declare \`runsIn: "caller"\`.`;
}
