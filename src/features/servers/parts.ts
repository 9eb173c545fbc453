import type { AgentDefinition } from "../../context/agents/definition.ts";
import type { Outputs } from "../../journal/outputs.ts";
import type { Clock } from "../../lib/clock.ts";
import type { McpServer, McpServerEntry } from "../../mcp/server.ts";
import type { UserRequestBroker } from "../../policy/user-request-broker.ts";
import type { UserHandler } from "../../policy/user-requests.ts";
import type { Actors } from "../../supervisor/actors.ts";
import type { Toolbox } from "../../tools/toolbox.ts";

export interface ServersOptions {
  /** By name, as in `.mcp.json`, or parsed already; shared by all agents. A faulty one gives a warning. */
  readonly mcpServers?: Readonly<Record<string, McpServerEntry>> | readonly McpServer[];
  /** Names of known servers that are not started, each with the reason as a clause, for agents that name one. */
  readonly serversLeftOut?: Readonly<Record<string, string>>;
  /** The tool that answers instead of the user: not offered to models. Prompts and spawns reject without it. */
  readonly permissionPromptTool?: string;
}

export interface ServersParts {
  readonly options: ServersOptions & {
    readonly person?: UserHandler;
    readonly env?: Readonly<Record<string, string>>;
  };
  /** The working directories that servers are sent, the session's own first. */
  readonly folders: readonly string[];
  readonly home: string;
  readonly startMs: number;
  /** Characters that one result may have in the window of the session's model. */
  readonly resultChars: number;
  readonly clock: Clock;
  readonly outputs: Pick<Outputs, "next">;
  readonly toolbox: Pick<Toolbox, "serve" | "select" | "originOf" | "known">;
  readonly broker: Pick<UserRequestBroker, "question">;
  readonly actors: Pick<Actors, "find" | "all" | "notify">;
  /** Returns the current agent types, in order of precedence. */
  kinds(): readonly AgentDefinition[];
  kind(type: string): AgentDefinition | undefined;
  /** True if a rule forbids all tools of such names. */
  isOff(names: readonly string[]): boolean;
  readonly onWarning: (message: string) => void;
}
