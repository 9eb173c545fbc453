import { spawn } from "node:child_process";
import { once } from "node:events";
import { errorMessage } from "../lib/errors.ts";

/**
 * Runs a program that has the terminal to itself, such as an editor, and resolves to why it failed, or null. It ends by
 * itself: a user who works in it must not be stopped.
 */
export async function runOnTerminal(
  file: string,
  args: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> },
): Promise<string | null> {
  const child = spawn(file, args, { cwd, env, stdio: "inherit" });
  try {
    const [code, signal] = await once(child, "close");
    return code === 0 ? null : `${file} ended with ${code === null ? signal : `exit code ${code}`}.`;
  } catch (error) {
    return `${file} could not be started: ${errorMessage(error)}.`;
  }
}
