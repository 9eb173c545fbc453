import { type ActorId, MAIN } from "../mailbox/ids.ts";
import type { AgentView, SupervisorEvent } from "../supervisor/view.ts";
import { agentName } from "./agent-text.ts";
import { counted } from "./figures.ts";

export interface WakingLines {
  onEvent(event: SupervisorEvent): void;
  /** Prints a line; does nothing at first. */
  print(line: string): void;
}

/** Says when a conversation with background agents has answered and given its thread back, and when a result wakes it. */
export function wakingLines(): WakingLines {
  const running = new Set<ActorId>();
  let ended: AgentView[] = [];
  let wasIdle = false;

  const onMain = ({ state, hasThread }: AgentView): void => {
    const isIdle = state === "waiting" && !hasThread && running.size > 0;
    if (isIdle && !wasIdle) {
      lines.print(
        `The conversation has answered; ${counted(running.size, "agent")} in the background will wake it.`,
      );
      ended = [];
    } else if (wasIdle && !isIdle && state !== "waiting" && ended.length > 0) {
      const names = ended.map((view) => `“${agentName(view)}”`).join(" and ");
      lines.print(`${names} ${ended.length === 1 ? "has" : "have"} finished and woken the conversation.`);
      ended = [];
    }
    wasIdle = isIdle || (wasIdle && state === "waiting");
  };

  const lines: WakingLines = {
    onEvent(event) {
      if (event.type !== "agent") return;
      const { view } = event;
      if (view.id === MAIN) return onMain(view);
      if (!view.background) return;
      if (view.state !== "ended") running.add(view.id);
      else if (running.delete(view.id)) ended.push(view);
    },
    print() {},
  };
  return lines;
}
