import type { AgentDefinition } from "../../actors/definitions/definition.ts";
import type { Clock } from "../../mailbox/clock.ts";
import type { UserRequestBroker } from "../../policy/user-request-broker.ts";
import type { SupervisorOptions } from "../../session/options.ts";
import type { Outputs } from "../../supervisor/outputs.ts";
import type { Toolbox } from "../../supervisor/toolbox.ts";
import type { Actors } from "../background/background-service.ts";

/** What the MCP servers of a session are made of, and what they reach of it. */
export interface ServersParts {
  readonly options: Pick<
    SupervisorOptions,
    "mcpServers" | "serversLeftOut" | "permissionPromptTool" | "person" | "env"
  >;
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
  readonly actors: Pick<Actors, "find" | "all" | "tell">;
  /** The kinds of agents as they are now, those that count first in front. */
  kinds(): readonly AgentDefinition[];
  /** The one of this name. */
  kind(type: string): AgentDefinition | undefined;
  /** A rule forbids all tools of such names. */
  isOff(names: readonly string[]): boolean;
  readonly onWarning: (message: string) => void;
}
