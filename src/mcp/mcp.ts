import type { Picture } from "../mailbox/conversation.ts";
import type { CallId } from "../mailbox/ids.ts";

/** The state of one server. Each `reason` is a sentence for the user. */
export type ServerState =
  /** `reason`: why it is started again; absent the first time. */
  | { readonly type: "starting"; readonly reason?: string | undefined }
  | { readonly type: "connected" }
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
  readonly description: string;
  /** The server's own JSON Schema, unchanged. */
  readonly inputSchema: InputSchema;
  /** Of the name, the whole description and the schema. */
  readonly digest: string;
  /** The server says that the tool changes nothing. Only the order of calls depends on it. */
  readonly readOnly: boolean;
}

/** How a sign-out ended. */
export interface SignedOut {
  readonly wasSignedIn: boolean;
  /** A sentence with the reason why the server still accepts the tokens; null if it does not, or there were none. */
  readonly stillValid: string | null;
}

export interface McpTool extends ServerTool {
  readonly name: string;
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

export interface McpCall {
  readonly name: string;
  readonly input: unknown;
  readonly call?: CallId;
}
