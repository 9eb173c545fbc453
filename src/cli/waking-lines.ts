import { type ActorId, MAIN } from "../mailbox/ids.ts";
import type { AgentView, SupervisorEvent } from "../supervisor/view.ts";
import { agentName } from "./agent-text.ts";
import { counted } from "./figures.ts";

export interface WakingLines {
  onEvent(event: SupervisorEvent): void;
  /** Who is told; nobody at first. */
  tell(line: string): void;
}

/**
 * The life of a conversation whose agents work in the background, one line for each turn of it: it has answered and
 * its thread is given back; a result has woken it.
 */
export function wakingLines(): WakingLines {
  const running = new Set<ActorId>();
  let ended: AgentView[] = [];
  let rests = false;

  const onMain = ({ state, hasThread }: AgentView): void => {
    const restsNow = state === "waiting" && !hasThread && running.size > 0;
    if (restsNow && !rests) {
      lines.tell(
        `The conversation has answered; ${counted(running.size, "agent")} in the background will wake it.`,
      );
      ended = [];
    } else if (rests && !restsNow && state !== "waiting" && ended.length > 0) {
      const names = ended.map((view) => `“${agentName(view)}”`).join(" and ");
      lines.tell(`${names} ${ended.length === 1 ? "has" : "have"} finished and woken the conversation.`);
      ended = [];
    }
    rests = restsNow || (rests && state === "waiting");
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
    tell() {},
  };
  return lines;
}
