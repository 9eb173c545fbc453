import type { SupervisorEvent } from "../supervisor/view.ts";

/** What a person sees on standard error while agents work. */
export interface Progress {
  onEvent(event: SupervisorEvent): void;
  /** One line that stays. */
  note(line: string): void;
  /** Nothing more is painted; idempotent. Notes still come through. */
  stop(): void;
}
