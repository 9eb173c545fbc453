import { statSync } from "node:fs";
import { posix } from "node:path";

export interface Shell {
  readonly kind: "bash" | "powershell";
  readonly file: string;
  /** Arguments that make it run the command, without any start-up file. */
  args(command: string): string[];
}

/**
 * The shell that commands run in, by one rule for all of them (A7.6). It is always a bash where there is one,
 * whatever a person's own shell is: the language that rules are checked in must be the one that is run, and
 * neither zsh nor fish is. `$SHELL` is taken where it names a bash (the one in macOS is of 2007), but not in
 * WSL from a Windows drive. On Windows it is PowerShell. Null: there is none.
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

/** A PATH may lead to a bash anywhere, but never by a relative entry: the folder could be a repository's. */
function candidates(env: Readonly<Record<string, string | undefined>>): string[] {
  const own = env["SHELL"] ?? "";
  const found = (env["PATH"] ?? "").split(":").map((folder) => posix.join(folder, "bash"));
  return [...(posix.basename(own) === "bash" ? [own] : []), "/bin/bash", "/usr/bin/bash", ...found];
}

function isRegularFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

/**
 * Where the shell stands at its end is reported on descriptor 3, after a NUL. It is moved out of the way first
 * (3 to 9 are for scripts, 10 and up to 63 are bash's own), and the trap is lost, with nothing but the report,
 * to a command that sets a trap on EXIT of its own. `eval`, so that an `exit`, a syntax error or `set -e` in the
 * command still comes to the trap; it reads the same language as `-c`.
 */
const REPORTING = [
  // A process that may have few files open has no descriptor 97.
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

/** The folder in a shell's report; null where it says none. */
export function folderIn(report: string): string | null {
  const start = report.lastIndexOf("\0");
  const folder = start < 0 ? "" : report.slice(start + 1).replace(/\n$/, "");
  return posix.isAbsolute(folder) ? folder : null;
}
