import type { BoundsGround } from "./bounds.ts";
import type { Program, SandboxPlace } from "./sandbox.ts";

/** What the sandbox's thread is started with. */
export interface ThreadData {
  readonly platform: NodeJS.Platform;
  readonly ground: BoundsGround;
  /** The bash that stands between the layers of the sandbox; none of it is the command's. */
  readonly shell: string;
  /** The sandbox's own, with everything below. */
  readonly folder: string;
  /** A folder with nothing in it that no command can write. */
  readonly empty: string;
  /** Null where the system has a sandbox of its own. */
  readonly bwrap: string | null;
  /** Null: hosts cannot be allowed. */
  readonly socat: string | null;
  /** Starts socat so that it ends with this thread. */
  readonly relay: string | null;
  /** Takes all rights of root away from a command. Null where this user has none. */
  readonly setpriv: string | null;
  readonly allowedDomains: readonly string[];
  /** Where is noted what mounts leave behind, for the next session to take away; private. */
  readonly leftovers: string;
}

export type ToThread =
  /** `weaker`: without a /proc of its own, for a container that lets nobody mount one. */
  | {
      readonly type: "wrap";
      readonly ticket: number;
      readonly program: Program;
      readonly place: SandboxPlace;
      readonly weaker: boolean;
    }
  /** A program that was wrapped has ended. */
  | { readonly type: "done"; readonly ticket: number }
  | { readonly type: "close" };

export type FromThread =
  | { readonly type: "wrapped"; readonly ticket: number; readonly program: Program }
  | { readonly type: "failed"; readonly ticket: number; readonly reason: string }
  | { readonly type: "tidied"; readonly ticket: number }
  | { readonly type: "closed" };
