/** What the person set under `troupe.sandbox`, checked. */
export interface SandboxSettings {
  /** `on`: commands run in a sandbox where there can be one; `required`: where there can be none, none runs. */
  readonly mode: "off" | "on" | "required";
  /** A command that runs in an enforced sandbox needs no question; deny and ask rules still hold. */
  readonly autoAllow: boolean;
  /** Hosts that commands may reach, such as `packages.example.org` or `*.example.com`; none: there is no network. */
  readonly allowedDomains: readonly string[];
  /** Paths that commands may not read, besides those with credentials in them. `~/` is the home. */
  readonly denyRead: readonly string[];
}

/** Off, as people know it of Claude Code: what a build needs of a machine only its person knows. */
export const defaultSandboxSettings: SandboxSettings = {
  mode: "off",
  autoAllow: false,
  allowedDomains: [],
  denyRead: [],
};

/**
 * What the probe found. `enforced`: all that was forbidden was refused. `partial`: files and network are held, but
 * something else is not. `unavailable`: nothing runs in it.
 */
export interface SandboxReport {
  readonly state: "enforced" | "partial" | "unavailable";
  /** One sentence or two: what is not held or missing, and what to do about it. Empty where all is well. */
  readonly reason: string;
}

/** A program and its arguments, started without a shell. */
export interface Program {
  readonly file: string;
  readonly args: readonly string[];
}

/** Which part of the disk belongs to a command. Both are told by the supervisor, never taken from a model. */
export interface SandboxPlace {
  /** Folders it may write in: the workspace, or an agent's worktree. */
  readonly writable: readonly string[];
  /** Folders below what is denied that it may read all the same, such as the session's outputs. */
  readonly readable: readonly string[];
  /** Folders of a repository that git itself writes in, and what in them is held; other names are not kept from them. */
  readonly git?: { readonly writable: readonly string[]; readonly held: readonly string[] };
}

/** What to start instead. */
export interface Wrapped {
  readonly type: "wrapped";
  readonly program: Program;
  /** Added to its environment. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * To be called when it has ended or was never started. Resolves, and never rejects, when what its mounts left in
   * the work tree is gone, or is left for the others that still run.
   */
  done(): Promise<void>;
}

/** Nothing may be started; `reason` is a sentence for whoever asked. */
export interface NotWrapped {
  readonly type: "not-wrapped";
  readonly reason: string;
}

/** The one sandbox of a session, with a thread of its own; owned by whoever opened it. */
export interface Sandbox {
  /** What the probe found, once it is known; never rejects. */
  readonly ready: Promise<SandboxReport>;
  /** Null until it is known. */
  readonly report: SandboxReport | null;
  /** The policy as a model is told it (A4.6); empty where no command runs in a sandbox. */
  describe(place: SandboxPlace): string;
  /** Never rejects, and never answers with the program as it was. */
  wrap(program: Program, place: SandboxPlace, signal?: AbortSignal): Promise<Wrapped | NotWrapped>;
  /** Idempotent. What still runs in the sandbox must have ended. */
  close(): Promise<void>;
}
