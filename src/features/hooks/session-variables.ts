import { readFileSync } from "node:fs";
import { MAIN } from "../../mailbox/ids.ts";
import type { RunProcess } from "../../policy/hooks/hook-process.ts";
import { platformShell } from "../../processes/platform-shell.ts";

/** Prints the environment before and after the file, each entry with a NUL, with one more NUL between them. */
const COMPARE = [
  "__troupe_env=$(command -v env) || exit 127",
  '"$__troupe_env" -0',
  'printf "\\0"',
  "set -a",
  '. "$1" >/dev/null 2>&1',
  'exec "$__troupe_env" -0',
].join("; ");
/**
 * What each shell has of its own; the home, since rules are compared with paths in it; and what makes a command that only reads
 * run another program.
 */
const LEFT_OUT: ReadonlySet<string> = new Set([
  ...["_", "SHLVL", "PWD", "OLDPWD", "HOME"],
  ...["XDG_CONFIG_HOME", "GIT_EXTERNAL_DIFF", "RIPGREP_CONFIG_PATH"],
]);
const TIMEOUT_MS = 10_000;
const MAX_BYTES = 1_048_576;

/** Returns the variables that a file of shell lines sets or changes, exported or not. Rejects with a sentence if it cannot. */
export async function readSessionVariables(
  path: string,
  cwd: string,
  run: RunProcess,
): Promise<Readonly<Record<string, string>>> {
  if (readFileSync(path, "utf8").trim() === "") return {};
  const shell = platformShell(process.platform, process.env);
  if (shell?.kind !== "bash") throw new Error("there is no bash here");
  const args = ["--noprofile", "--norc", "-c", COMPARE, "bash", path];
  const { stdout, outcome, exitCode } = await run({
    ...{ id: "session-variables", owner: MAIN, file: shell.file, args, cwd },
    ...{ timeoutMs: TIMEOUT_MS, maxOutputBytes: MAX_BYTES },
  });
  const end = stdout.indexOf("\0\0");
  if (outcome !== "exited" || exitCode !== 0 || end < 0 || stdout.length <= end + 2)
    throw new Error(`it ${outcome === "exited" ? `ended with exit code ${exitCode}` : `was ${outcome}`}`);
  const before = new Set(stdout.slice(0, end).split("\0"));
  const changed = stdout
    .slice(end + 2)
    .split("\0")
    .filter((entry) => entry !== "" && !before.has(entry))
    .map((entry) => [entry.slice(0, entry.indexOf("=")), entry.slice(entry.indexOf("=") + 1)] as const);
  return Object.fromEntries(changed.filter(([name]) => !LEFT_OUT.has(name)));
}
