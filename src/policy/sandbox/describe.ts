import type { SandboxPlace } from "./sandbox.ts";

export interface Described extends SandboxPlace {
  readonly temporary: string;
  readonly denyRead: readonly string[];
  readonly allowedDomains: readonly string[];
  /** Whether the model may ask for a way out. */
  readonly canLeave: boolean;
}

/**
 * The policy as Bash's description tells it (A4.6): what is told is what holds, but without the list of files that
 * were found in the workspace, which differs from command to command.
 */
export function describedPolicy({
  writable,
  readable,
  git,
  temporary,
  denyRead,
  allowedDomains,
  canLeave,
}: Described): string {
  const shown = (paths: readonly string[]) => [
    ...new Set(paths.map((path) => withTemporary(path, temporary))),
  ];
  const policy = {
    read: { denyOnly: shown(denyRead), allowWithinDeny: shown(readable) },
    write: {
      allowOnly: shown([...writable, ...(git?.writable ?? []), temporary]),
      denyWithinAllow: shown(writable).flatMap(protectedIn),
    },
    network: { allowedHosts: [...new Set(allowedDomains)] },
  };
  const leaving = canLeave
    ? "When a command fails only because of the sandbox, say so; dangerouslyDisableSandbox: true asks the person to let it run outside. Use it for such a command and no other, and never on your own account."
    : "There is no way out of it: dangerouslyDisableSandbox is not honoured here.";
  const { network, ...files } = policy;
  const hosts = network.allowedHosts;
  return [
    "Sandbox: every command runs in one. It may do what this policy says, and reads everything that is not denied:",
    JSON.stringify(files),
    hosts.length === 0
      ? "There is no network in it."
      : `Of the network it reaches only: ${hosts.join(", ")}.`,
    "For temporary files use $TMPDIR; /tmp cannot be written.",
    leaving,
  ].join("\n");
}

function withTemporary(path: string, temporary: string): string {
  return path === temporary ? "$TMPDIR" : path;
}

/** What matters to a model: it need not know each name. */
function protectedIn(folder: string): string[] {
  return [
    ".claude",
    ".mcp.json",
    ".git/hooks",
    ".git/config",
    ".bashrc",
    ".vscode",
    ".idea",
    ".husky",
    ".npmrc",
  ].map((name) => `${folder}/${name}`);
}
