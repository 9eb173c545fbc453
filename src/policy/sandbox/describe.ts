import type { SandboxPlace } from "./sandbox.ts";

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
  const policy = {
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
    network: { allowedHosts: [...new Set(allowedDomains)] },
  };
  const leaving = canLeave
    ? "When a command fails only because of the sandbox, say so; dangerouslyDisableSandbox: true asks the user to let it run outside. Use it for such a command only."
    : "There is no way out of it: dangerouslyDisableSandbox is not honoured here.";
  const { network, ...files } = policy;
  const hosts = network.allowedHosts;
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
