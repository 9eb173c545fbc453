import type { Confined } from "../../mailbox/confined.ts";

/** What the user set under `troupe.sandbox` and `sandbox`, checked. */
export interface SandboxSettings {
  /** `on`: commands run in a sandbox if there can be one; `required`: if there can be none, no command runs. */
  readonly mode: "off" | "on" | "required";
  /** A command that runs in an enforced sandbox needs no question; deny and ask rules still hold. */
  readonly autoAllow: boolean;
  /** Hosts that commands may reach, such as `packages.example.org` or `*.example.com`; without any there is no network. */
  readonly allowedDomains: readonly string[];
  /** Paths that commands may not read, in addition to those with credentials. `~/` is the home. */
  readonly denyRead: readonly string[];
  /** Whether commands that only read run in a confinement of their own. */
  readonly readOnly: boolean;
}

/** Off, as in Claude Code: what a build needs of a machine only its user knows. */
export const defaultSandboxSettings: SandboxSettings = {
  mode: "off",
  autoAllow: false,
  allowedDomains: [],
  denyRead: [],
  readOnly: true,
};

/**
 * What the probe found. `enforced`: all that was forbidden was refused. `partial`: files and network are held, but
 * something else is not. `unavailable`: nothing runs in it.
 */
export interface SandboxReport {
  readonly state: "enforced" | "partial" | "unavailable";
  /** What is not held or missing, and what to do about it. Empty if all is well. */
  readonly reason: string;
}

/** The part of the disk that a command may use. The supervisor tells it; it is never taken from a model. */
export interface SandboxPlace {
  /** Directories it may write in: the workspace, or an agent's worktree. */
  readonly writable: readonly string[];
  /** Directories below what is denied that it may read all the same, such as the session's outputs. */
  readonly readable: readonly string[];
  /** Directories of a repository that git itself writes in, and what in them is held. */
  readonly git?: { readonly writable: readonly string[]; readonly held: readonly string[] };
}

/** A confinement for one command. */
export interface Prepared {
  readonly confined: Confined;
  /** Added to its environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Call once, when the command has ended: a sentence for its result, or null. */
  finish(): string | null;
}

/** The full sandbox of a session. */
export interface Sandbox {
  /** What the probe found; never rejects. */
  readonly ready: Promise<SandboxReport>;
  /** Null until it is known. */
  readonly report: SandboxReport | null;
  /** Describes the policy for a model (A4.6); empty if no command runs in a sandbox. */
  describe(place: SandboxPlace): string;
  /** A sentence if the command cannot be confined; then it must not run. Never rejects. */
  prepare(place: SandboxPlace): Promise<Prepared | string>;
  /** Idempotent. What still runs in the sandbox must have ended. */
  close(): Promise<void>;
}
