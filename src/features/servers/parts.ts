import type { AgentDefinition } from "../../actors/definitions/definition.ts";
import type { Clock } from "../../mailbox/clock.ts";
import type { McpServer, McpServerEntry } from "../../mcp/server.ts";
import type { UserHandler } from "../../policy/asks.ts";
import type { UserRequestBroker } from "../../policy/user-request-broker.ts";
import type { Actors } from "../../supervisor/actors.ts";
import type { Outputs } from "../../supervisor/outputs.ts";
import type { Toolbox } from "../../supervisor/toolbox.ts";

export interface ServersOptions {
  /**
   * MCP servers by name, as in `.mcp.json`, or read already; shared by all agents, as `mcp__server__tool`. One that
   * cannot be used is a warning.
   */
  readonly mcpServers?: Readonly<Record<string, McpServerEntry>> | readonly McpServer[];
  /** Servers that are known and are not started, by name, each with the reason: a clause, for agents that name one. */
  readonly serversLeftOut?: Readonly<Record<string, string>>;
  /**
   * The tool of one of them, by its whole name, that answers in the user's place. No model is offered it. Prompts
   * and spawns reject if there is no such tool.
   */
  readonly permissionPromptTool?: string;
}

/** What the MCP servers of a session are made of, and what they reach of it. */
export interface ServersParts {
  readonly options: ServersOptions & {
    readonly person?: UserHandler;
    readonly env?: Readonly<Record<string, string>>;
  };
  /** What servers are told of the folders that are worked in, the session's own first. */
  readonly folders: readonly string[];
  readonly home: string;
  /** Milliseconds that the first request waits. */
  readonly startMs: number;
  /** Characters that one result may have in the window of the session's model. */
  readonly resultChars: number;
  readonly clock: Clock;
  readonly outputs: Pick<Outputs, "next">;
  readonly toolbox: Pick<Toolbox, "serve" | "select" | "originOf">;
  readonly broker: Pick<UserRequestBroker, "question">;
  readonly actors: Pick<Actors, "find" | "all" | "notify">;
  /** The kinds of agents as they are now, those that count first in front. */
  kinds(): readonly AgentDefinition[];
  /** The one of this name. */
  kind(type: string): AgentDefinition | undefined;
  /** A rule forbids all tools of such names. */
  isOff(names: readonly string[]): boolean;
  readonly onWarning: (message: string) => void;
}
