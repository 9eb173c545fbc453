import type * as z from "zod/mini";
import type { Clock } from "../lib/clock.ts";
import type { FileDiff } from "../lib/file-diff.ts";
import type { Access, LastWriter } from "../mailbox/calls.ts";
import type { ToolDefinition, ToolResultContent } from "../mailbox/conversation.ts";
import type { ActorId, CallId } from "../mailbox/ids.ts";
import type { CommandLimits } from "../mailbox/messages.ts";
import type {
  BackgroundAnswer,
  BackgroundRequest,
  CommandRequest,
  CommandResult,
  RunRequest,
  RunResult,
} from "../mailbox/runs.ts";
import type { AskDetail, PermissionLevel } from "../policy/user-requests.ts";
import type { ReadLedger } from "./read-ledger.ts";
import type { TodoList } from "./todo-list.ts";

/** A sentence for agents that have all these tools (see `naming`). */
export interface NamesTools {
  readonly tools: readonly string[];
  readonly text: string;
}

/** One part of a prompt: a text, or sentences of which some name other tools. */
export type Facet = string | readonly (string | NamesTools)[];

/** The six parts of every tool prompt (A4.1), rendered to the description for the model. */
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

/** Returns an expected failure of a tool: the model reads the message, and the call counts as failed. */
export function failed(message: string): ToolFailure {
  return { type: "tool-failure", message };
}

/** What a call gets in addition to its input, wherever it runs. */
export interface CallContext {
  readonly call: CallId;
  readonly actor: ActorId;
  readonly cwd: string;
  /** Aborted when the agent is cancelled; a call then rejects with the signal's reason. */
  readonly signal: AbortSignal;
}

/** How settings guard files (A22.8, A22.10). */
export interface FileRules {
  /** `relaxed`: a file that changed since it was read may be edited if old_string still occurs exactly once. */
  readonly edit: "strict" | "relaxed";
  /** `read-first`: only an agent that has read a file as it is may overwrite it. */
  readonly write: "any" | "read-first";
}

/** Only seen files are edited; any file may be overwritten as a whole. */
export const FILE_RULES: FileRules = { edit: "strict", write: "any" };

/** What a call gets that runs in a leased thread. */
export interface ThreadCallContext extends CallContext {
  readonly root: string;
  readonly additionalDirs: readonly string[];
  readonly reads: ReadLedger;
  /** Characters of one result in this agent's window (default `RESULT_CHARS`). */
  readonly resultChars?: number;
  /** Default: `FILE_RULES`. */
  readonly fileRules?: FileRules;
  /** Other agents of the session that last wrote what this call writes. */
  readonly lastWriters: readonly LastWriter[];
  readonly clock: Clock;
  /** Returns which of these files, by absolute paths, the agent may not see. A call asks at most once. */
  readonly hidden: (paths: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Runs a child process in the process host. Never rejects. */
  readonly run: (request: Omit<RunRequest, "owner">) => Promise<RunResult>;
}

/** What a call of an agent's own tool gets. */
export interface AgentCallContext extends ThreadCallContext {
  readonly todo: TodoList;
  /** Tools whose schemas are not in the request (default: none). */
  readonly deferred?: readonly ToolDefinition[];
  /** Of commands in the foreground; absent for the defaults. */
  readonly commandLimits?: CommandLimits;
  /** Runs a command in a shell; long output is in a file. */
  readonly command: (request: CommandRequest) => Promise<CommandResult>;
  /** Starts a background command, which runs until it ends, is stopped, or the agent ends. */
  readonly background: (request: BackgroundRequest) => Promise<BackgroundAnswer>;
  /** For the receipts; null if the exit code is not known. */
  readonly ran: (command: string, exitCode: number | null) => void;
  /** From the next call on. */
  readonly changeDirectory: (path: string) => void;
}

/** What the user sees of a call in addition to its input. `details` change how often a yes counts: only for this call. */
export interface CallPreview {
  readonly details?: readonly AskDetail[];
  readonly diff?: FileDiff;
}

/** What Read needs. */
export type ReadContext = Pick<ThreadCallContext, "cwd" | "reads" | "resultChars" | "signal">;

/**
 * A tool as a value (A3.34, A22.18). `Context` says what its calls need: `ThreadCallContext` those
 * that run in a leased thread, `AgentCallContext` other tools of an agent, `CallContext` those of the session.
 */
export interface Tool<Input = never, Output = unknown, Context extends CallContext = CallContext> {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** The six parts, rendered for the tools an agent has, or a text as it is. */
  readonly description: string | ToolPrompt;
  readonly inputSchema: z.core.$ZodType<Input>;
  readonly permissionLevel: PermissionLevel;
  /** Whether several calls of one reply may run at the same time (default true). */
  readonly parallel?: boolean;
  /**
   * Whether a call may run again if the program died in the middle of it (default: calls that only read may). Otherwise
   * its result is “result unknown”.
   */
  readonly repeatable?: boolean;
  /** A call needs the process host, which takes long to start. */
  readonly needsHost?: true;
  /** What the user sees while it runs: the argument that distinguishes this call. */
  title(input: Input): string;
  /** What the model says that the call is for. */
  intent?(input: Input): string | undefined;
  /** What is wrong with the input beyond its schema: the model gets it before the user is asked about the call (default: nothing). */
  problem?(input: Input, cwd: string): string | null;
  /** What a call touches, for the gate (default: nothing). */
  accesses?(input: Input, cwd: string): readonly Access[];
  /** What the user sees before they decide, in addition to the input (default: nothing). Must not reject. */
  preview?(input: Input, cwd: string): Promise<CallPreview>;
  /** Throws only on cancellation; anything else it throws becomes an `is_error` result. */
  call(input: Input, context: Context): Promise<Output | ToolFailure>;
  mapToolResultToToolResultBlockParam(output: Output): ToolResultContent;
  /** What hooks get (`tool_response`), with the fields that scripts look for (default: the result). */
  response?(output: Output, input: Input): Readonly<Record<string, unknown>>;
}

/** The tools an agent is given. */
export interface Offered {
  has(tool: string): boolean;
}

/** For lists and documents, which are for no particular agent. */
export const everyTool: Offered = { has: () => true };

/**
 * A sentence that names other tools, which are the interpolations. It is left out if the agent does not have one of them,
 * so that no prompt sends a model to a tool it does not have (A4.2).
 */
export function naming(text: TemplateStringsArray, ...tools: readonly string[]): NamesTools {
  return { tools, text: String.raw({ raw: text }, ...tools) };
}

/** Returns the description for the model: all six parts, each with a heading (A4.1). */
export function renderPrompt(prompt: ToolPrompt, offered: Offered = everyTool): string {
  const text = (facet: Facet) => facetText(facet, offered);
  return [
    text(prompt.what),
    `When to use it: ${text(prompt.when)}`,
    `When not to: ${text(prompt.whenNot)}`,
    `Arguments: ${text(prompt.how)}`,
    `When it fails: ${text(prompt.recover)}`,
    `Limits: ${text(prompt.limits)}`,
  ].join("\n\n");
}

/** Joins sentences; one that begins with `- ` gets its own line. */
export function facetText(facet: Facet, offered: Offered): string {
  if (typeof facet === "string") return facet;
  const parts = facet
    .filter((part) => typeof part === "string" || part.tools.every((tool) => offered.has(tool)))
    .map((part) => (typeof part === "string" ? part : part.text));
  const isLine = (part: string | undefined) => part?.startsWith("- ") ?? false;
  return parts.map((part, at) => `${gap(at, isLine(parts[at - 1]) || isLine(part))}${part}`).join("");
}

function gap(at: number, isNewLine: boolean): string {
  if (at === 0) return "";
  return isNewLine ? "\n" : " ";
}

/**
 * Characters of one result if the window is not known: about 50,000 tokens. An agent's own limit is
 * `ThreadCallContext.resultChars`.
 */
export const RESULT_CHARS = 200_000;

/** What an image counts in a result, in characters. */
export const IMAGE_CHARS = 5_600;

/** Outside of ASCII a character is often a token, and counts as many characters as a token has in English. */
const WIDE_CHARS = 3.5;

/** Returns what a text counts in a result, in characters of English. */
export function charsOf(text: string): number {
  let chars = text.length;
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 0x7f) chars += WIDE_CHARS - 1;
  return chars;
}
