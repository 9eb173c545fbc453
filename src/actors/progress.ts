import type { Clock } from "../mailbox/clock.ts";
import type { Mailbox } from "../mailbox/mailbox.ts";
import type { FromAgent, ToAgent } from "../mailbox/messages.ts";
import type { ModelEvent } from "../model/client.ts";
import type { AgentConversation } from "./agent-state.ts";

/** At most 20 progress messages a second: they are for users. */
const INTERVAL_MS = 50;

/** Reports to the supervisor where the agent is. Nothing depends on these messages. */
export function reporter(mail: Mailbox<ToAgent, FromAgent>, clock: Clock) {
  let pending: FromAgent | undefined;
  let withdraw: (() => void) | undefined;
  let turn = 0;
  const flush = () => {
    withdraw = undefined;
    if (pending === undefined) return;
    mail.send(pending);
    pending = undefined;
    withdraw = clock.after(INTERVAL_MS, flush);
  };
  return {
    progress(state: AgentConversation) {
      turn = state.turns;
      pending = { type: "progress", turn: state.turns, usage: state.usage, text: state.said.slice(-2000) };
      if (withdraw === undefined) flush();
    },
    modelEvent(event: ModelEvent) {
      switch (event.type) {
        case "text":
          return void mail.send({ type: "text", text: event.text, turn });
        case "call-begins":
          return void mail.send({ type: "call-begins", tool: event.tool });
        case "waiting":
          return; // the gateway tells the supervisor itself, for all agents
        default:
          event satisfies never;
      }
    },
    end() {
      withdraw?.();
    },
  };
}
