import { statSync } from "node:fs";
import { posix } from "node:path";

export interface Shell {
  readonly kind: "bash" | "powershell";
  readonly file: string;
  /** Returns the arguments that make it run the command without a start-up file. */
  args(command: string): string[];
}

/**
 * Returns the shell of all commands (A7.6), or null. Always bash if there is one, whatever the user's own shell is:
 * rules are checked in the language that runs, and neither zsh nor fish is that. Uses `$SHELL` if it names a bash (the
 * one in macOS is of 2007), but not in WSL from a Windows drive. On Windows it is PowerShell.
 */
export function platformShell(
  platform: NodeJS.Platform,
  env: Readonly<Record<string, string | undefined>>,
  isFile: (path: string) => boolean = isRegularFile,
): Shell | null {
  if (platform === "win32") {
    return { kind: "powershell", file: "powershell.exe", args: powershellArgs };
  }
  const isWsl = env["WSL_DISTRO_NAME"] !== undefined || env["WSL_INTEROP"] !== undefined;
  const file = candidates(env)
    .filter((path) => posix.isAbsolute(path))
    .filter((path) => !(isWsl && path.startsWith("/mnt/")))
    .find(isFile);
  return file === undefined ? null : { kind: "bash", file, args: bashArgs };
}

/** A PATH may lead to a bash anywhere, but never by a relative entry: the directory could be a repository's. */
function candidates(env: Readonly<Record<string, string | undefined>>): string[] {
  const own = env["SHELL"] ?? "";
  const found = (env["PATH"] ?? "").split(":").map((folder) => posix.join(folder, "bash"));
  return [...(posix.basename(own) === "bash" ? [own] : []), "/bin/bash", "/usr/bin/bash", ...found];
}

function isRegularFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

/**
 * Reports the shell's last directory on descriptor 3, after a NUL. It is moved out of the way first (3 to 9 are for
 * scripts, 10 and up to 63 are bash's own), and a command that sets its own trap on EXIT loses only the report. `eval`,
 * so that the trap runs even after an `exit`, a syntax error or `set -e` in the command; it reads the same language as
 * `-c`.
 */
const REPORTING = [
  // A process with a low limit of open files has no descriptor 97.
  `if { exec 97>&3; } 2>/dev/null; then ${reportOn(97)}; else exec 9>&3; ${reportOn(9)}; fi`,
  "exec 3>&-",
  "__troupe_command=$1",
  "shift",
  'eval "$__troupe_command"',
].join("; ");

function reportOn(descriptor: number): string {
  return `trap '{ set +x; builtin printf "\\0"; builtin pwd -P; } 2>/dev/null >&${descriptor}' EXIT`;
}

function bashArgs(command: string): string[] {
  return ["--noprofile", "--norc", "-c", REPORTING, "bash", command];
}

function powershellArgs(command: string): string[] {
  return ["-NoLogo", "-NoProfile", "-NonInteractive", "-Command", command];
}

export function folderIn(report: string): string | null {
  const start = report.lastIndexOf("\0");
  const folder = start < 0 ? "" : report.slice(start + 1).replace(/\n$/, "");
  return posix.isAbsolute(folder) ? folder : null;
}
