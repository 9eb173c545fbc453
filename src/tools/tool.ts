import type * as z from "zod/mini";
import type { Clock } from "../mailbox/clock.ts";
import type { ToolDefinition, ToolResultContent } from "../mailbox/conversation.ts";
import type { ActorId, CallId } from "../mailbox/ids.ts";
import type { Access, LastWriter } from "../mailbox/messages.ts";
import type {
  BackgroundAnswer,
  BackgroundRequest,
  CommandRequest,
  CommandResult,
  RunRequest,
  RunResult,
} from "../mailbox/runs.ts";
import type { PermissionLevel } from "../policy/asks.ts";
import type { ReadLedger } from "./read-ledger.ts";
import type { TodoList } from "./todo-list.ts";

/** An agent's thread of its own, or the process host. */
export type BootNeed = "thread" | "process";

/** A sentence that is said only where all these tools are offered (see `naming`). */
export interface NamesTools {
  readonly tools: readonly string[];
  readonly text: string;
}

/** One answer of a prompt: a text, or sentences of which some speak of other tools. */
export type Facet = string | readonly (string | NamesTools)[];

/** The six questions every tool prompt answers (A4.1); rendered to the description the model gets. */
export interface ToolPrompt {
  readonly what: Facet;
  readonly when: Facet;
  readonly whenNot: Facet;
  readonly how: Facet;
  readonly recover: Facet;
  readonly limits: Facet;
}

/** A tool that could not do what was asked. `message` is for the model: what was wrong and what to do next. */
export interface ToolFailure {
  readonly type: "tool-failure";
  readonly message: string;
}

export function failed(message: string): ToolFailure {
  return { type: "tool-failure", message };
}

/** What a call gets besides its input, wherever it runs. */
export interface CallContext {
  readonly call: CallId;
  readonly actor: ActorId;
  readonly cwd: string;
  /** Aborted when the agent is cancelled; a call then rejects with the signal's reason. */
  readonly signal: AbortSignal;
}

/** How a person wants files guarded (A22.8, A22.10). */
export interface FileRules {
  /** `relaxed`: a file that changed since it was read may be edited where old_string still stands there once. */
  readonly edit: "strict" | "relaxed";
  /** `read-first`: a file that is there is overwritten only by an agent that has read it as it is. */
  readonly write: "any" | "read-first";
}

/** Nothing is changed that was not seen; a file may be overwritten as a whole. */
export const FILE_RULES: FileRules = { edit: "strict", write: "any" };

/** What a call gets in the agent's own thread. */
export interface AgentCallContext extends CallContext {
  readonly root: string;
  readonly additionalDirs: readonly string[];
  readonly reads: ReadLedger;
  readonly todo: TodoList;
  /** Characters that one result may have in this agent's window; what is longer is cut. Absent: `RESULT_CHARS`. */
  readonly resultChars?: number;
  /** Absent: `FILE_RULES`. */
  readonly fileRules?: FileRules;
  /** Other agents of the session that were the last to write what this call writes. */
  readonly lastWriters: readonly LastWriter[];
  readonly clock: Clock;
  /** Tools that are only named to the model (default: none). */
  readonly deferred?: readonly ToolDefinition[];
  /** Which of these files, by absolute paths, may not be told of. Asked at most once by a call. */
  readonly hidden: (paths: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Runs a child process in the process host. Never rejects. */
  readonly run: (request: Omit<RunRequest, "owner">) => Promise<RunResult>;
  /** Runs a command in a shell; its whole output is in a file where it is long. */
  readonly command: (request: CommandRequest) => Promise<CommandResult>;
  /** Starts a command that runs beside the conversation until it ends, is stopped, or the agent ends. */
  readonly background: (request: BackgroundRequest) => Promise<BackgroundAnswer>;
  /** For the receipts; null where the exit code is not known. */
  readonly ran: (command: string, exitCode: number | null) => void;
  /** From the next call on. */
  readonly changeDirectory: (path: string) => void;
}

/** What of it Read needs. */
export type ReadContext = Pick<AgentCallContext, "cwd" | "reads" | "resultChars" | "signal">;

/**
 * A tool as a value (A3.34, A22.18). `Context` says where it runs: `AgentCallContext` in the agent's
 * thread, `CallContext` on the supervisor's side.
 */
export interface Tool<Input = never, Output = unknown, Context extends CallContext = CallContext> {
  readonly name: string;
  readonly aliases: readonly string[];
  /** The six facets, rendered for the tools an agent is offered; or a text as it is. */
  readonly description: string | ToolPrompt;
  readonly inputSchema: z.ZodMiniType<Input> | z.core.$ZodType<Input>;
  readonly permissionLevel: PermissionLevel;
  /** Whether several calls of one reply may run at the same time. */
  readonly parallel: boolean;
  /**
   * Whether a call may run again where the program died in the middle of it (default: calls that only read may). One
   * that may not comes back as “result unknown”.
   */
  readonly repeatable?: boolean;
  /** What a call cannot begin without, and takes longer to boot than a model takes to write the call. */
  readonly needs?: BootNeed;
  /** What a person sees while it runs: the argument that tells this call from another. */
  title(input: Input): string;
  accesses(input: Input, cwd: string): readonly Access[];
  /** Throws only on cancellation; anything else it throws becomes an `is_error` result. */
  call(input: Input, context: Context): Promise<Output | ToolFailure>;
  mapToolResultToToolResultBlockParam(output: Output): ToolResultContent;
  /** What hooks read of it (`tool_response`), with the fields that people's scripts look for (default: the result). */
  response?(output: Output, input: Input): Readonly<Record<string, unknown>>;
}
