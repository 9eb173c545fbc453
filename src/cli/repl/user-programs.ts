import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inTemporaryFolder } from "../../journal/temporary-folder.ts";
import { MAIN } from "../../mailbox/ids.ts";
import type { RunProcess } from "../../policy/hooks/hook-process.ts";
import { startProcesses } from "../../processes/client.ts";
import { runOnTerminal } from "../../processes/on-terminal.ts";
import { platformShell } from "../../processes/platform-shell.ts";
import type { Processes } from "../../processes/processes.ts";
import { safeText } from "../../terminal/safe-text.ts";
import { ripgrepPath } from "../../tools/grep/ripgrep.ts";
import type { CliIO } from "../process-io.ts";

interface UserRun {
  readonly output: string;
  /** Null if it had none: it was stopped, or never started. */
  readonly exitCode: number | null;
  readonly reason?: string;
}

/** Milliseconds for which a list of files is kept while a user types. */
const FRESH_MS = 10_000;
const MOST_FILES_BYTES = 8_000_000;
const MOST_OUTPUT_BYTES = 200_000;

export type UserPrograms = ReturnType<typeof createUserPrograms>;

/**
 * What a user runs in a conversation, apart from its agents: commands after `!`, and the list of files for `@`. The
 * process host starts with the first of them.
 */
export function createUserPrograms({ env, clock }: CliIO, cwd: () => string) {
  let processes: Processes | null = null;
  let count = 0;
  let listed: { readonly of: string; readonly at: number; readonly files: readonly string[] } | null = null;
  const host: RunProcess = (request, signal) => {
    processes ??= startProcesses({ env, clock });
    return processes.run(request, signal);
  };
  const run = (file: string, args: readonly string[], mostBytes: number, signal: AbortSignal) => {
    count += 1;
    const request = { id: `user ${count}`, owner: MAIN, file, args: [...args], cwd: cwd() };
    return host({ ...request, timeoutMs: null, maxOutputBytes: mostBytes }, signal);
  };
  return {
    /** Runs a process in the same host. */
    process: host,
    /** Paths of the project's files, relative and with `/`; what git ignores is left out. Rejects on abort. */
    async files(signal: AbortSignal): Promise<readonly string[]> {
      const of = cwd();
      if (listed?.of === of && clock.now() - listed.at < FRESH_MS) return listed.files;
      const args = ["--files", "--hidden", "--no-messages", "--null", "--glob", "!.git"];
      const { stdout } = await run(ripgrepPath() ?? "rg", args, MOST_FILES_BYTES, signal);
      signal.throwIfAborted();
      const files = stdout.split("\0").filter((path) => path !== "" && !/\p{Cc}/u.test(path));
      listed = { of, at: clock.now(), files };
      return files;
    },
    /** Runs a line of the shell, and returns what it printed. Never rejects. */
    async run(line: string, signal: AbortSignal): Promise<UserRun> {
      const shell = platformShell(process.platform, env);
      if (shell === null) return { output: "", exitCode: null, reason: "There is no bash here." };
      const args = shell.kind === "bash" ? ["-c", line] : shell.args(line);
      const ended = await run(shell.file, args, MOST_OUTPUT_BYTES, signal);
      const { stdout, stderr, exitCode, reason, truncated } = ended;
      const cut = truncated ? ["… it printed more, and was ended"] : [];
      const output = [stdout, stderr, ...cut]
        .map((text) => text.trimEnd())
        .filter(Boolean)
        .join("\n");
      return { output, exitCode, ...(reason === undefined ? {} : { reason }) };
    },
    /** Ends all of it; idempotent. */
    async close() {
      await processes?.close();
      processes = null;
    },
  };
}

/** Rows of the output that are shown, and characters of it that the model gets. */
const MOST_ROWS = 40;
const MOST_TOLD = 10_000;

/** What the user sees of a command, safe for a terminal, and what the model gets of it. */
export function runWords(
  command: string,
  { output, exitCode, reason }: UserRun,
): { shown: string; report: string } {
  const ended = exitCode === null ? (reason ?? "It was stopped.") : `exit code ${exitCode}`;
  const rows = output === "" ? [] : safeText(output).split("\n");
  const left = rows.length - MOST_ROWS;
  const shown = [
    ...(left > 0 ? [`… ${left} more lines`] : []),
    ...rows.slice(-MOST_ROWS),
    ...(exitCode === 0 && rows.length > 0 ? [] : [exitCode === 0 ? "It printed nothing." : ended]),
  ].join("\n");
  const cut = output.length > MOST_TOLD ? ` The end of its output` : " Its output";
  const printed = output === "" ? " It printed nothing." : `${cut}:\n${output.slice(-MOST_TOLD)}`;
  return { shown, report: `The user ran a command in a shell: ${command} (${ended}).${printed}` };
}

interface Where extends Pick<CliIO, "env" | "cwd"> {
  /** Ends the program. */
  readonly signal: AbortSignal;
}

/**
 * Opens a prompt in the user's own editor (`$VISUAL`, else `$EDITOR`), and returns what it has become. Throws a sentence
 * if that is not set, or if the editor fails.
 */
export async function editOutside(text: string, where: Where): Promise<string> {
  const command = where.env["VISUAL"] || where.env["EDITOR"];
  if (!command) throw new Error("Set VISUAL or EDITOR to your editor, such as vim, to open it with Ctrl-G.");
  return withFile(text, async (path) => {
    // The variable may have arguments: "code --wait".
    const why = await runOnTerminal("/bin/sh", ["-c", `${command} "$1"`, "sh", path], where);
    if (why !== null) throw new Error(`${command} failed, so the prompt stays as it was. ${why}`);
    return (await readFile(path, "utf8")).replace(/\n$/, "");
  });
}

/** Shows a text in the user's own pager (`$PAGER`, else `less`). Throws a sentence if that fails. */
export async function pageOutside(text: string, where: Where): Promise<void> {
  const command = where.env["PAGER"] || "less";
  await withFile(text, async (path) => {
    const why = await runOnTerminal("/bin/sh", ["-c", `${command} "$1"`, "sh", path], where);
    if (why !== null)
      throw new Error(`${why} Set PAGER to a program that shows a file, such as less or more.`);
  });
}

function withFile<T>(text: string, use: (path: string) => Promise<T>): Promise<T> {
  return inTemporaryFolder("text", async (folder) => {
    const path = join(folder, "text.md");
    await writeFile(path, text, { mode: 0o600 });
    return use(path);
  });
}
