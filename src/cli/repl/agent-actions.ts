import type { AgentView } from "../../events/event.ts";
import { type ActorId, MAIN } from "../../mailbox/ids.ts";
import type { Todo } from "../../mailbox/messages.ts";
import type { SupervisorHandle } from "../../session/supervisor-handle.ts";
import type { StopScope } from "../../supervisor/lifecycle.ts";

export type AgentActions = ReturnType<typeof agentActions>;

const STOPPED = "The user stopped it.";

/** What a user sees of the session's agents in the terminal, and does with them there. */
export function agentActions(
  session: () => SupervisorHandle | undefined,
  goOnWith: (agent: AgentView, text: string, session: SupervisorHandle) => void,
) {
  return {
    /** Every agent but the main conversation, in spawn order. */
    views: (): readonly AgentView[] =>
      session()
        ?.tree()
        .filter(({ id }) => id !== MAIN) ?? [],
    /** Moves what the main conversation waits for to the background; returns how much that is. */
    toBackground: (): number => session()?.toBackground(MAIN) ?? 0,
    /** The main conversation's own list of steps. */
    todos: (): readonly Todo[] => session()?.todos(MAIN) ?? [],
    /** Whether the text of an agent is shown as it is written. */
    watch: (agent: ActorId, on: boolean): void => session()?.watch(agent, on),
    /** Its answer is shown when it ends. */
    message(agent: AgentView, text: string): void {
      const held = session();
      if (held) goOnWith(agent, text, held);
    },
    /** `foreground`: without agents that it started in the background. */
    stop: (agent: ActorId, scope: StopScope): void => session()?.cancel(agent, STOPPED, scope),
  };
}
