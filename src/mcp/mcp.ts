import type { Picture } from "../mailbox/conversation.ts";
import type { CallId } from "../mailbox/ids.ts";
import type { CallResult } from "../mailbox/messages.ts";
import type { McpServer } from "./server.ts";

/** How it stands with one server. Every `reason` is a sentence for the person. */
export type ServerState =
  /** `reason`: why it is started again; absent the first time. */
  | { readonly type: "starting"; readonly reason?: string | undefined }
  | { readonly type: "connected" }
  /** It wants somebody to sign in first: `Mcp.signIn`. */
  | { readonly type: "needs-auth"; readonly reason: string }
  | { readonly type: "failed"; readonly reason: string }
  | { readonly type: "stopped" };

export interface ServerStatus {
  readonly name: string;
  readonly slug: string;
  readonly file: string;
  readonly state: ServerState;
  /** How many tools it offers that may be called. */
  readonly tools: number;
  /** Tools that are not what they were when the session first saw them: refused until `acceptChanges`. */
  readonly changed: readonly string[];
  /** What the server says of its use; its own words, at most 2,048 characters. */
  readonly instructions?: string | undefined;
}

/** A tool as a server describes it; nothing of it is to be believed. */
export interface McpTool {
  /** `mcp__server__tool`. */
  readonly name: string;
  /** The server's own name of it. */
  readonly tool: string;
  /** Of the server. */
  readonly slug: string;
  /** At most 2,048 characters. */
  readonly description: string;
  /** The server's own JSON Schema, as it came. */
  readonly inputSchema: InputSchema;
  /** Over name, description and schema, uncut. */
  readonly digest: string;
  /** The server says that it changes nothing: good enough to run several at once, for nothing else. */
  readonly readOnly: boolean;
}

/** A tool that is not what the session first saw. */
export interface ChangedTool {
  readonly accepted: McpTool;
  readonly now: McpTool;
}

export interface InputSchema {
  readonly type: "object";
  readonly [keyword: string]: unknown;
}

export interface McpResource {
  readonly server: string;
  readonly uri: string;
  readonly name: string;
  readonly description?: string | undefined;
  readonly mimeType?: string | undefined;
}

export interface McpPrompt {
  readonly server: string;
  readonly name: string;
  readonly description?: string | undefined;
  readonly arguments: readonly {
    readonly name: string;
    readonly description?: string | undefined;
    readonly required: boolean;
  }[];
}

/** One message of a filled-in prompt; what is neither text nor a picture is described. */
export interface PromptMessage {
  readonly role: "user" | "assistant";
  readonly text: string;
  readonly pictures: readonly Picture[];
}

/** What went well, or one sentence why it did not. */
export type Answered<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly message: string };

export type McpEvent =
  | { readonly type: "state"; readonly server: string; readonly state: ServerState }
  /** Names as in `mcp__server__tool`. What changed is refused until somebody accepts it. */
  | {
      readonly type: "tools";
      readonly server: string;
      readonly added: readonly string[];
      readonly removed: readonly string[];
      readonly changed: readonly string[];
    }
  | { readonly type: "resources"; readonly server: string }
  | { readonly type: "prompts"; readonly server: string }
  | {
      readonly type: "progress";
      readonly server: string;
      readonly tool: string;
      readonly call: CallId | null;
      readonly progress: number;
      readonly total?: number | undefined;
      readonly message?: string | undefined;
    };

/** A question of a server to the person: its words and its JSON Schema are the server's own. */
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

/** The person, as far as servers need one. A rejection counts as no. */
export interface McpAsk {
  /** `signal` is aborted when the answer no longer matters. */
  elicit(question: Elicitation, signal: AbortSignal): Promise<ElicitationAnswer>;
}

/** Whether a server, by its slug, is there for somebody. */
export type Among = (slug: string) => boolean;

/** A server that somebody besides the session needs, such as an agent's definition. */
export interface Hold {
  /** Those that are held; one whose name another has is not. */
  readonly slugs: readonly string[];
  /** Resolves when these servers have started or failed, or after `ms`. */
  ready(ms: number): Promise<void>;
  /** Stops each of them that nobody holds any more. */
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
 * The MCP servers of a session: one connection to each, shared by all agents (C9). Nothing here rejects but for an
 * aborted signal; what goes wrong is an answer that says so.
 */
export interface Mcp {
  /** Resolves when every server has started or failed, or after `ms`. */
  ready(ms: number): Promise<void>;
  servers(): readonly ServerStatus[];
  /** In the order of servers, then of names, so that requests share a prefix. */
  tools(): readonly McpTool[];
  /** Ends with an answer or the signal, at the latest after `McpLimits.longestCallMs`. */
  call(call: McpCall, signal: AbortSignal): Promise<CallResult>;
  /** Of one server, or of all that are connected; `among`: the others are not there for whoever asks. */
  listResources(
    server: string | undefined,
    signal: AbortSignal,
    among?: Among,
  ): Promise<Answered<readonly McpResource[]>>;
  readResource(server: string, uri: string, signal: AbortSignal, among?: Among): Promise<CallResult>;
  /** Of one server. Waits for one that is just starting, as `call` does. */
  listPrompts(server: string, signal: AbortSignal): Promise<Answered<readonly McpPrompt[]>>;
  getPrompt(
    prompt: {
      readonly server: string;
      readonly name: string;
      readonly arguments: Readonly<Record<string, string>>;
    },
    signal: AbortSignal,
  ): Promise<Answered<readonly PromptMessage[]>>;
  /** What of a server's tools has changed and is refused; its words are its own. */
  changes(server: string): readonly ChangedTool[];
  /** The person has seen this: tools that are still so count as they are now. Their names. */
  acceptChanges(server: string, shown: readonly ChangedTool[]): readonly string[];
  /**
   * Signs in at an HTTP server that asks for it; then it is connected. `show` is given the address of the page where
   * the person does so, on this machine. Ends at the latest after `McpLimits.signInMs`.
   */
  signIn(server: string, show: (url: string) => void, signal: AbortSignal): Promise<Answered<null>>;
  /** Forgets a sign-in. False: there was none. */
  signOut(server: string, signal: AbortSignal): Promise<Answered<boolean>>;
  /** Ends a server and starts it again, whatever state it is in; resolves when it has started or failed. */
  restart(server: string, signal: AbortSignal): Promise<Answered<null>>;
  hold(servers: readonly McpServer[]): Hold;
  /** The returned function ends the listening. */
  onEvent(listener: (event: McpEvent) => void): () => void;
  /** Ends every server with all it started, then the broker. Idempotent. */
  close(): Promise<void>;
}
