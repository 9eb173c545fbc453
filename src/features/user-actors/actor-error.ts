/**
 * Why a message was not taken or has no reply. `unknown`: there is no such actor. `invalid`: the message does not fit.
 * `full`: too many wait. `late`: no reply within the deadline; it may still be handled. `crashed`: its handler threw, took
 * too long or ended its thread. `ended`: the actor was stopped or has failed. `not-recorded`: the journal cannot be
 * written. `cancelled`, `closed`: by the caller's signal, with the session.
 */
export type ActorErrorKind =
  | "unknown"
  | "invalid"
  | "full"
  | "late"
  | "crashed"
  | "ended"
  | "not-recorded"
  | "cancelled"
  | "closed";

/** What starting, telling and asking an actor reject with. */
export class ActorError extends Error {
  override readonly name = "ActorError";
  readonly kind: ActorErrorKind;

  constructor(kind: ActorErrorKind, message: string) {
    super(message);
    this.kind = kind;
  }
}
