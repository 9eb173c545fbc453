import type { HookEvent } from "../../mailbox/hook-events.ts";
import type { Scope } from "../../settings/rules.ts";

/** A command that a person's settings run at an event (A5.12). */
export interface Hook {
  readonly event: HookEvent;
  /** What it is for: the name of a tool, for some events of a kind (see `HookRunner`). */
  readonly matches: (name: string) => boolean;
  readonly command: string;
  readonly timeoutMs: number;
  /** Where it decides, its failing is a no (A22.21). */
  readonly failClosed: boolean;
  readonly scope: Scope;
  /** The settings file it stands in. */
  readonly file: string;
  /** It runs for agents of this type alone. */
  readonly agentType?: string;
}

/** By event, in the order in which they are configured. An event without hooks is not in it. */
export type Hooks = ReadonlyMap<HookEvent, readonly Hook[]>;

const SHOWN_CHARS = 60;

/** A hook as a person recognises it. */
export function nameOf({ event, command, file }: Hook): string {
  const line = command.trim().replace(/\s+/g, " ");
  const shown = line.length > SHOWN_CHARS ? `${line.slice(0, SHOWN_CHARS)}…` : line;
  return `The ${event} hook "${shown}" (${file})`;
}
