import { isHookEvent, noHookEvent } from "../mailbox/hook-events.ts";
import type { JsonObject } from "./json.ts";
import { isKnownElsewhere } from "./known-elsewhere.ts";

/** The hooks of events that there are: nobody is asked about others, and they never run. */
export function withoutUnknownEvents(hooks: JsonObject): {
  readonly hooks: JsonObject;
  /** What is wrong with each other key. */
  readonly unknown: readonly { readonly event: string; readonly message: string }[];
} {
  const entries = Object.entries(hooks);
  const others = entries.map(([event]) => event).filter((event) => !isHookEvent(event));
  return {
    hooks: Object.fromEntries(entries.filter(([event]) => isHookEvent(event))),
    unknown: others
      .filter((event) => !isKnownElsewhere(["hooks", event]))
      .map((event) => ({ event, message: noHookEvent(event) })),
  };
}
