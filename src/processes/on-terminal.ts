import { spawn } from "node:child_process";
import { once } from "node:events";
import { errorMessage } from "../lib/errors.ts";

interface TerminalProgram {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

/**
 * Runs a program that has the terminal to itself, such as an editor, and resolves to why it failed, or null. On abort it
 * gets SIGTERM and is not waited for: an editor saves what it has, and Troupe ends.
 */
export async function runOnTerminal(
  file: string,
  args: readonly string[],
  { signal, ...where }: TerminalProgram,
): Promise<string | null> {
  const child = spawn(file, args, { ...where, signal, stdio: "inherit" });
  signal.addEventListener("abort", () => child.unref(), { once: true });
  try {
    const [code, signal] = await once(child, "close");
    return code === 0 ? null : `${file} ended with ${code === null ? signal : `exit code ${code}`}.`;
  } catch (error) {
    return `${file} could not be started: ${errorMessage(error)}.`;
  }
}
