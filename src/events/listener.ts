import { errorMessage } from "../lib/errors.ts";
import type { SupervisorEvent } from "./event.ts";

export type OnEvent = (event: SupervisorEvent) => void;

/**
 * Events come in the middle of an actor's life, so what a user's listener throws must end no agent and no
 * process. The first time it is said as a warning of Node's; the listener goes on being called.
 */
export function listener(onEvent: OnEvent = () => {}): OnEvent {
  let hasWarned = false;
  return (event) => {
    try {
      onEvent(event);
    } catch (error) {
      if (hasWarned) return;
      hasWarned = true;
      const message = errorMessage(error);
      process.emitWarning(`The listener onEvent threw (${message}); correct it, events may be missing.`);
    }
  };
}
