import type { AgentView } from "../../events/event.ts";
import { type ActorId, MAIN } from "../../mailbox/ids.ts";
import type { Todo } from "../../mailbox/messages.ts";
import type { SettingsReader } from "../../policy/trust/trust.ts";
import type { SupervisorHandle } from "../../session/supervisor-handle.ts";
import type { StopScope } from "../../supervisor/lifecycle.ts";
import type { Context } from "../command.ts";
import type { CliIO } from "../process-io.ts";

/** What the conversation needs of a session. */
export type ReplSession = Pick<
  SupervisorHandle,
  | "session"
  | "folder"
  | "prompt"
  | "send"
  | "unsend"
  | "watch"
  | "toBackground"
  | "todos"
  | "tree"
  | "tasks"
  | "cancel"
  | "compact"
  | "resume"
  | "unfinished"
  | "resumeUnfinished"
  | "usage"
  | "describe"
  | "detach"
  | "close"
  | "mcpServers"
  | "serversLeftOut"
  | "mcp"
  | "mode"
  | "setMode"
  | "models"
  | "rules"
  | "skills"
>;

/** Where a conversation's settings and memory files are. */
export interface OwnFiles {
  readonly io: CliIO;
  /** The directory of the conversation. */
  readonly cwd: string;
  /** The directory whose settings apply. */
  readonly root: string;
  /** Includes what this run was given about the directory, such as that it is trusted. */
  readonly reader: Pick<SettingsReader, "read">;
  /** Runs another command of `troupe`. */
  readonly run?: Context["run"];
}

/** What a user sees of the session's agents in the terminal, and does with them there. */
export interface AgentActions {
  /** Every agent but the main conversation, in spawn order. */
  views(): readonly AgentView[];
  /** Moves what the main conversation waits for to the background; returns how much that is. */
  toBackground(): number;
  /** The main conversation's own list of steps. */
  todos(): readonly Todo[];
  /** Whether the text of an agent is shown as it is written. */
  watch(agent: ActorId, on: boolean): void;
  /** Its answer is shown when it ends. */
  message(agent: AgentView, text: string): void;
  /** `foreground`: without agents that it started in the background. */
  stop(agent: ActorId, scope: StopScope): void;
}

const STOPPED = "The user stopped it.";

export function agentActions(
  session: () => ReplSession | undefined,
  goOnWith: (agent: AgentView, text: string, session: ReplSession) => void,
): AgentActions {
  return {
    views: () =>
      session()
        ?.tree()
        .filter(({ id }) => id !== MAIN) ?? [],
    toBackground: () => session()?.toBackground(MAIN) ?? 0,
    todos: () => session()?.todos(MAIN) ?? [],
    watch: (agent, on) => session()?.watch(agent, on),
    message(agent, text) {
      const held = session();
      if (held) goOnWith(agent, text, held);
    },
    stop: (agent, scope) => session()?.cancel(agent, STOPPED, scope),
  };
}
