import type { Confined } from "../../mailbox/confined.ts";
import type { Twin } from "../engine/place.ts";

/** What the user set under `troupe.sandbox` and `sandbox`, checked. */
export interface SandboxSettings {
  /** `on`: commands run in a sandbox if there can be one; `required`: if there can be none, no command runs. */
  readonly mode: "off" | "on" | "required";
  /** A command that runs in an enforced sandbox needs no question; deny and ask rules still hold. */
  readonly autoAllow: boolean;
  /** Hosts that commands may reach, such as `packages.example.org` or `*.example.com`; without any there is no network. */
  readonly allowedDomains: readonly string[];
  /** Hosts that commands may not reach, whatever is allowed. */
  readonly deniedDomains: readonly string[];
  /** True if only the organisation's domains can be reached: a WebFetch of another one is refused. */
  readonly managedDomainsOnly: boolean;
  /** Paths and patterns that commands and file tools may not write, even in the workspace. `~/` is the home. */
  readonly denyWrite: readonly string[];
  /** Paths and patterns that commands, in addition to those with credentials, and file tools may not read. */
  readonly denyRead: readonly string[];
  /** Whether commands that only read run in a confinement of their own. */
  readonly readOnly: boolean;
}

/** Off, as in Claude Code: only the user knows what a build needs of a machine. */
export const defaultSandboxSettings: SandboxSettings = {
  mode: "off",
  autoAllow: false,
  allowedDomains: [],
  deniedDomains: [],
  managedDomainsOnly: false,
  denyWrite: [],
  denyRead: [],
  readOnly: true,
};

/**
 * The findings of the probe. `enforced`: everything forbidden was refused. `partial`: files and network are confined,
 * but something else is not. `unavailable`: no command runs in it.
 */
export interface SandboxReport {
  readonly state: "enforced" | "partial" | "unavailable";
  /** What is missing, and what to do about it. Empty if there is no problem. */
  readonly reason: string;
}

/** The part of the disk that a command may use. Set by the supervisor, never by a model. */
export interface SandboxPlace {
  /** Directories it may write in: the workspace, or an agent's worktree. */
  readonly writable: readonly string[];
  /** Readable directories below what is denied, such as the session's outputs. */
  readonly readable: readonly string[];
  /** Directories of a repository that git itself writes in, and the protected paths in them. */
  readonly git?: { readonly writable: readonly string[]; readonly held: readonly string[] };
  /** A worktree and its checkout: what is forbidden there is forbidden here. */
  readonly twin?: Twin;
}

/** A confinement for one command. */
export interface Prepared {
  readonly confined: Confined;
  /** Added to its environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Call once, when the command has ended: a sentence for its result, or null. */
  finish(): Promise<string | null>;
}

/** The full sandbox of a session. */
export interface Sandbox {
  /** The findings of the probe; never rejects. */
  readonly ready: Promise<SandboxReport>;
  /** Null until the probe has ended. */
  readonly report: SandboxReport | null;
  /** Describes the policy for a model (A4.6); empty if no command runs in a sandbox. */
  describe(place: SandboxPlace): string;
  /** Resolves to a sentence if the command cannot be confined; then it must not run. Never rejects. */
  prepare(place: SandboxPlace): Promise<Prepared | string>;
  /** Idempotent. Commands in the sandbox must have ended. */
  close(): Promise<void>;
}

export interface Described extends SandboxPlace {
  readonly home: string;
  readonly troupeHome: string;
  readonly temporary: string;
  readonly denyRead: readonly string[];
  readonly allowedDomains: readonly string[];
  readonly deniedDomains?: readonly string[];
  readonly denyWrite?: readonly string[];
  /** True if the model may ask to leave the sandbox. */
  readonly canLeave: boolean;
}

/**
 * Formats the policy for Bash's description (A4.6). It is the same in every session of a workspace, so that a request's
 * tools stay cached (A4.7): no session's directory, no home, no found files.
 */
export function describedPolicy(described: Described): string {
  const { writable, readable, git, home, troupeHome, temporary, denyRead, allowedDomains, canLeave } =
    described;
  const { deniedDomains = [], denyWrite = [] } = described;
  const [root] = writable;
  const shown = (path: string) =>
    path === root
      ? WORKSPACE
      : path === temporary
        ? "$TMPDIR"
        : path === troupeHome
          ? "Troupe's own directory"
          : path.startsWith(`${home}/`)
            ? `~${path.slice(home.length)}`
            : path;
  const inWorkspace = (path: string) =>
    root !== undefined && path.startsWith(`${root}/`)
      ? `${WORKSPACE}${path.slice(root.length)}`
      : shown(path);
  const files = {
    read: {
      denyOnly: [...new Set(denyRead.map(shown))],
      allowWithinDeny: readable.length === 0 ? [] : ["output of your own commands"],
    },
    write: {
      allowOnly: [
        ...new Set([...writable, temporary].map(shown)),
        ...(git === undefined ? [] : ["what git needs of the repository"]),
      ],
      denyWithinAllow: [...PROTECTED.map((name) => `${WORKSPACE}/${name}`), ...denyWrite.map(inWorkspace)],
    },
  };
  const leaving = canLeave
    ? "When a command fails only because of the sandbox, say so; dangerouslyDisableSandbox: true asks the user to let it run outside. Use it for such a command only."
    : "There is no way out of it: dangerouslyDisableSandbox is not honoured here.";
  const hosts = [...new Set(allowedDomains)];
  return [
    "Sandbox: every command runs in one. It may do what this policy says, and reads everything that is not denied:",
    JSON.stringify(files),
    hosts.length === 0
      ? "There is no network in it."
      : `Of the network it reaches only: ${hosts.join(", ")}${deniedDomains.length === 0 ? "" : `; not ${deniedDomains.join(", ")}`}.`,
    "For temporary files use $TMPDIR; /tmp cannot be written.",
    leaving,
  ].join("\n");
}

const WORKSPACE = "the workspace";

/** What matters to a model: it need not know each name. */
const PROTECTED = ".claude .mcp.json .git/hooks .git/config .bashrc .vscode .idea .husky .npmrc".split(" ");
