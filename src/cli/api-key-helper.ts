import { MAIN } from "../mailbox/ids.ts";
import type { RunResult } from "../mailbox/runs.ts";
import type { SourcedText } from "../settings/read-settings.ts";

/** Runs a shell command to its end; never rejects. */
export type RunCommand = (command: string, cwd: string, timeoutMs: number) => Promise<RunResult>;

/** Milliseconds for a helper: it may ask a password manager, and that may ask the user. */
const HELPER_MS = 30_000;

const MOST_BYTES = 65_536;

/**
 * Returns the key that an `apiKeyHelper` prints. One of the user's own settings runs in their home: what is in the
 * session's directory could change what it does. Throws if it gives no key.
 */
export async function keyFromHelper(
  helper: SourcedText,
  dirs: { readonly homedir: string; readonly root: string },
  run: RunCommand,
): Promise<string> {
  const isProjects = helper.scope === "project" || helper.scope === "local";
  const result = await run(helper.text, isProjects ? dirs.root : dirs.homedir, HELPER_MS);
  const problem = problemOf(result);
  if (problem === null) return result.stdout.trim();
  throw new Error(`The apiKeyHelper of ${helper.file} ${problem}; correct it, or set ANTHROPIC_API_KEY.`);
}

function problemOf({ outcome, exitCode, signal, reason, stdout, stderr }: RunResult): string | null {
  if (outcome === "timed-out") return `did not end within ${HELPER_MS / 1000} s`;
  if (outcome !== "exited") return `did not run to its end (${reason ?? signal ?? outcome})`;
  const [error = ""] = stderr.trim().split("\n");
  if (exitCode !== 0)
    return `ended with exit code ${exitCode}${error === "" ? "" : ` (${error.slice(0, 200)})`}`;
  if (stdout.trim() === "") return "printed no key";
  return /^[!-~]+$/.test(stdout.trim())
    ? null
    : "printed something that is not a key: it contains a space or a line break";
}

/** Returns a runner on a process host of its own, which is closed when the command has ended. */
export function hostedRunner(env: Readonly<Record<string, string | undefined>>): RunCommand {
  return async (command, cwd, timeoutMs) => {
    const { startProcesses } = await import("../processes/client.ts");
    const { platformShell } = await import("../processes/platform-shell.ts");
    const shell = platformShell(process.platform, env);
    if (shell === null) throw new Error("There is no bash to run the apiKeyHelper with; install one.");
    const processes = startProcesses({ env });
    try {
      return await processes.run({
        ...{ id: "apiKeyHelper", owner: MAIN, file: shell.file, args: shell.args(command) },
        ...{ cwd, timeoutMs, maxOutputBytes: MOST_BYTES },
      });
    } finally {
      await processes.close();
    }
  };
}
