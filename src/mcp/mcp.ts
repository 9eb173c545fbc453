import type { Picture } from "../mailbox/conversation.ts";
import type { CallId } from "../mailbox/ids.ts";
import type { CallResult } from "../mailbox/messages.ts";
import type { McpServer } from "./server.ts";

/** The state of one server. Each `reason` is a sentence for the user. */
export type ServerState =
  /** `reason`: why it is started again; absent the first time. */
  | { readonly type: "starting"; readonly reason?: string | undefined }
  | { readonly type: "connected" }
  /** The user must sign in first: `Mcp.signIn`. */
  | { readonly type: "needs-auth"; readonly reason: string }
  | { readonly type: "failed"; readonly reason: string }
  | { readonly type: "stopped" };

export interface ServerStatus {
  readonly name: string;
  readonly slug: string;
  readonly file: string;
  readonly state: ServerState;
  /** Number of tools that may be called. */
  readonly tools: number;
  /** Tools that differ from what the session first saw: refused until `acceptChanges`. */
  readonly changed: readonly string[];
  /** The server's own text on how to use it, at most 2,048 characters. */
  readonly instructions?: string | undefined;
}

/** A tool as its server describes it. None of it is trusted. */
export interface ServerTool {
  /** The server's own name of it. */
  readonly tool: string;
  /** At most 2,048 characters. */
  readonly description: string;
  /** The server's own JSON Schema, unchanged. */
  readonly inputSchema: InputSchema;
  /** Of the name, the whole description and the schema. */
  readonly digest: string;
  /** The server says that the tool changes nothing. Only the order of calls depends on it. */
  readonly readOnly: boolean;
}

export interface McpTool extends ServerTool {
  /** `mcp__server__tool`. */
  readonly name: string;
  /** Of the server. */
  readonly slug: string;
}

/** A tool that differs from what the session first saw. */
export interface ChangedTool {
  readonly accepted: McpTool;
  readonly now: McpTool;
}

export interface InputSchema {
  readonly type: "object";
  readonly [keyword: string]: unknown;
}

export interface ServerResource {
  readonly uri: string;
  readonly name: string;
  readonly description?: string | undefined;
  readonly mimeType?: string | undefined;
}

export type McpResource = ServerResource & { readonly server: string };

export interface OfferedPrompt {
  readonly name: string;
  readonly description?: string | undefined;
  readonly arguments: readonly {
    readonly name: string;
    readonly description?: string | undefined;
    readonly required: boolean;
  }[];
}

export type McpPrompt = OfferedPrompt & { readonly server: string };

/** One message of a prompt. Content that is neither text nor an image is described in the text. */
export interface PromptMessage {
  readonly role: "user" | "assistant";
  readonly text: string;
  readonly pictures: readonly Picture[];
}

/** A value, or a sentence that says why it is missing. */
export type McpAnswer<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly message: string };

export interface ToolProgress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

export type McpEvent =
  | { readonly type: "state"; readonly server: string; readonly state: ServerState }
  /** Names as in `mcp__server__tool`. Changed tools are refused until the user accepts them. */
  | {
      readonly type: "tools";
      readonly server: string;
      readonly added: readonly string[];
      readonly removed: readonly string[];
      readonly changed: readonly string[];
    }
  | { readonly type: "resources" | "prompts"; readonly server: string }
  | (ToolProgress & {
      readonly type: "progress";
      readonly server: string;
      readonly tool: string;
      readonly call: CallId | null;
    });

/** A server's question to the user. The message and the JSON Schema are the server's own. */
export interface Elicitation {
  readonly server: string;
  readonly message: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

export type ElicitationAnswer =
  | {
      readonly action: "accept";
      readonly content: Readonly<Record<string, string | number | boolean | string[]>>;
    }
  | { readonly action: "decline" | "cancel" };

export interface McpAsk {
  /** Asks the user; a rejection counts as no. `signal` is aborted when the answer no longer matters. */
  elicit(question: Elicitation, signal: AbortSignal): Promise<ElicitationAnswer>;
}

/** True if the caller may use a server, by its slug. */
export type Among = (slug: string) => boolean;

/** Servers that are kept running for one holder, such as an agent. */
export interface Hold {
  /** Those that are held; a server whose slug another one has is not. */
  readonly slugs: readonly string[];
  /** Resolves when these servers have started or failed, or after `ms`. */
  ready(ms: number): Promise<void>;
  /** Stops those that have no other holder. */
  release(): void;
}

export interface McpCall {
  /** `mcp__server__tool`. */
  readonly name: string;
  readonly input: unknown;
  /** For `progress` events. */
  readonly call?: CallId;
}

/**
 * The MCP servers of a session: one connection to each, shared by all agents (C9). Rejects only if a signal is aborted;
 * any other failure is an answer.
 */
export interface Mcp {
  /** Resolves when every server has started or failed, or after `ms`. */
  ready(ms: number): Promise<void>;
  servers(): readonly ServerStatus[];
  /** In the order of servers, then of names, so that requests share a prefix. */
  tools(): readonly McpTool[];
  /** Ends after `McpLimits.longestCallMs` at the latest. */
  call(call: McpCall, signal: AbortSignal): Promise<CallResult>;
  /** Of one server, or of all that are connected. */
  listResources(
    server: string | undefined,
    signal: AbortSignal,
    among?: Among,
  ): Promise<McpAnswer<readonly McpResource[]>>;
  readResource(server: string, uri: string, signal: AbortSignal, among?: Among): Promise<CallResult>;
  listPrompts(server: string, signal: AbortSignal): Promise<McpAnswer<readonly McpPrompt[]>>;
  getPrompt(
    prompt: {
      readonly server: string;
      readonly name: string;
      readonly arguments: Readonly<Record<string, string>>;
    },
    signal: AbortSignal,
  ): Promise<McpAnswer<readonly PromptMessage[]>>;
  /** Returns the changed tools of a server, which are refused. */
  changes(server: string): readonly ChangedTool[];
  /** Accepts changes that the user has seen, and returns the names. A tool that changed again since then stays refused. */
  acceptChanges(server: string, shown: readonly ChangedTool[]): readonly string[];
  /**
   * Signs in at an HTTP server and connects it. `show` gets the address of the sign-in page, to be opened on this
   * machine. Ends after `McpLimits.signInMs` at the latest.
   */
  signIn(server: string, show: (url: string) => void, signal: AbortSignal): Promise<McpAnswer<null>>;
  /** Forgets a sign-in. False if there was none. */
  signOut(server: string, signal: AbortSignal): Promise<McpAnswer<boolean>>;
  /** Ends a server and starts it again; resolves when it has started or failed. */
  restart(server: string, signal: AbortSignal): Promise<McpAnswer<null>>;
  hold(servers: readonly McpServer[]): Hold;
  /** The returned function removes the listener. */
  onEvent(listener: (event: McpEvent) => void): () => void;
  /** Ends every server with all it started, then the broker. Idempotent. */
  close(): Promise<void>;
}
