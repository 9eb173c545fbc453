import type { ProcessIdentity } from "../journal/process-identity.ts";
import type { Git } from "./git.ts";

/** What every operation stands on; handed in, so that tests have their own. */
export interface GitEnvironment {
  /** Of git. */
  readonly env: Readonly<Record<string, string>>;
  /** Milliseconds since 1970. */
  now(): number;
  /** A new name of letters and digits, never given before. */
  id(): string;
  /** Who holds locks: the keeper's own process. */
  readonly self: ProcessIdentity;
  isAlive(process: ProcessIdentity): boolean;
}

/** A checkout that trees can be made from, and edits brought back to. */
export interface Repository {
  /** The top folder of the checkout, as it really is. */
  readonly top: string;
  /** The common git folder, as it really is. */
  readonly common: string;
  /** Of this checkout: where its own index is. */
  readonly gitDir: string;
  /** Git, in `top`. */
  readonly git: Git;
  /** Null: no commit yet. */
  readonly head: string | null;
  /** Null: detached. */
  readonly branch: string | null;
}
