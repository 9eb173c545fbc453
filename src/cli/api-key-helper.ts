import { MAIN } from "../mailbox/ids.ts";
import type { RunResult } from "../mailbox/runs.ts";
import type { SourcedText } from "../settings/read-settings.ts";

/** Runs a shell command to its end; never rejects. */
export type RunCommand = (command: string, cwd: string, timeoutMs: number) => Promise<RunResult>;

/** Milliseconds a helper has: it may ask a password manager, and that one a person. */
const HELPER_MS = 30_000;
const MOST_BYTES = 65_536;

/**
 * The key that an `apiKeyHelper` prints. A person's own runs in their home, never in the folder of the session:
 * what is in there could change what it does. Throws, with a sentence, where no key comes of it.
 */
export async function keyFromHelper(
  helper: SourcedText,
  folders: { readonly homedir: string; readonly root: string },
  run: RunCommand,
): Promise<string> {
  const cwd = helper.scope === "project" || helper.scope === "local" ? folders.root : folders.homedir;
  const result = await run(helper.text, cwd, HELPER_MS);
  const failed = (why: string) =>
    new Error(`The apiKeyHelper of ${helper.file} ${why}; correct it, or set ANTHROPIC_API_KEY.`);
  if (result.outcome === "timed-out") throw failed(`did not end within ${HELPER_MS / 1000} s`);
  if (result.outcome !== "exited" || result.exitCode !== 0) throw failed(howItEnded(result));
  const key = result.stdout.trim();
  if (key === "") throw failed("printed no key");
  if (!/^[!-~]+$/.test(key))
    throw failed("printed something that is no key (it has a space or a line break in it)");
  return key;
}

/** A runner on a process host of its own, which is gone when the command has ended. */
export function hostedRunner(env: Readonly<Record<string, string | undefined>>): RunCommand {
  return async (command, cwd, timeoutMs) => {
    const [{ startProcesses }, { platformShell }] = await Promise.all([
      import("../processes/client.ts"),
      import("../processes/platform-shell.ts"),
    ]);
    const shell = platformShell(process.platform, env);
    if (shell === null) throw new Error("There is no bash to run the apiKeyHelper with; install one.");
    const processes = startProcesses({ env });
    try {
      return await processes.run({
        id: "apiKeyHelper",
        owner: MAIN,
        file: shell.file,
        args: shell.args(command),
        cwd,
        timeoutMs,
        maxOutputBytes: MOST_BYTES,
      });
    } finally {
      await processes.close();
    }
  };
}

function howItEnded({ outcome, exitCode, signal, reason, stderr }: RunResult): string {
  if (outcome === "exited") {
    const said = stderr.trim().split("\n")[0] ?? "";
    return `ended with exit code ${exitCode}${said ? ` (${said.slice(0, 200)})` : ""}`;
  }
  return `did not run to its end (${reason ?? signal ?? outcome})`;
}
