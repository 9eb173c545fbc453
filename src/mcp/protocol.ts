import type { CallResult } from "../mailbox/messages.ts";
import { unchecked } from "../mailbox/rpc/table.ts";
import type {
  Elicitation,
  ElicitationAnswer,
  OfferedPrompt,
  PromptMessage,
  ServerResource,
  ServerState,
  ServerTool,
  SignedOut,
  ToolProgress,
} from "./mcp.ts";
import type { McpLimits, McpServer } from "./server.ts";

// Both sides are our own code; what a server sends is checked in the broker, before it comes here.

interface OfServer {
  readonly slug: string;
}

/** `life` counts the starts of a server: a notice about an earlier one is ignored. */
export interface OfLife extends OfServer {
  readonly life: number;
}

export interface BrokerSettings {
  /** Of every stdio server, before what its own entry adds. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly roots: readonly string[];
  readonly signIns: string;
  readonly limits: McpLimits;
  readonly elicits: boolean;
  readonly version: string;
}

export interface StateNotice extends OfLife {
  readonly state: ServerState;
  readonly instructions?: string | undefined;
}

export const BROKER_NOTICES = {
  begin: unchecked<BrokerSettings>(),
  /** Ends the server that has this slug first. */
  start: unchecked<{ readonly server: McpServer; readonly life: number }>(),
  stop: unchecked<OfServer>(),
} as const;

/** What the session asks of one server. `output`: the file for a long result, or null. */
export const BROKER_REQUESTS = {
  callTool: {
    request: unchecked<
      OfServer & {
        readonly tool: string;
        readonly input: Readonly<Record<string, unknown>>;
        readonly output: string | null;
      }
    >(),
    response: unchecked<CallResult>(),
    event: unchecked<ToolProgress>(),
  },
  readResource: {
    request: unchecked<OfServer & { readonly uri: string; readonly output: string | null }>(),
    response: unchecked<CallResult>(),
  },
  listResources: { request: unchecked<OfServer>(), response: unchecked<readonly ServerResource[]>() },
  listPrompts: { request: unchecked<OfServer>(), response: unchecked<readonly OfferedPrompt[]>() },
  getPrompt: {
    request: unchecked<
      OfServer & { readonly name: string; readonly arguments: Readonly<Record<string, string>> }
    >(),
    response: unchecked<readonly PromptMessage[]>(),
  },
  signIn: { request: unchecked<OfServer>(), response: unchecked<null>() },
  signOut: { request: unchecked<OfServer>(), response: unchecked<SignedOut>() },
} as const;

export const SESSION_NOTICES = {
  state: unchecked<StateNotice>(),
  tools: unchecked<OfLife & { readonly tools: readonly ServerTool[] }>(),
  changed: unchecked<OfLife & { readonly what: "resources" | "prompts" }>(),
  /** Sent as soon as a server's process starts or ends, so that the session can end its group if the broker dies. */
  process: unchecked<{ readonly pid: number; readonly running: boolean }>(),
  warning: unchecked<{ readonly message: string }>(),
} as const;

/** What the broker asks the user, through the session. */
export const SESSION_REQUESTS = {
  /** Undefined if the user cannot answer, which counts as no. */
  elicit: {
    request: unchecked<OfServer & Pick<Elicitation, "message" | "schema">>(),
    response: unchecked<ElicitationAnswer | undefined>(),
  },
  /** Shows a page; false if no user is there. */
  browser: { request: unchecked<OfServer & { readonly url: string }>(), response: unchecked<boolean>() },
} as const;
