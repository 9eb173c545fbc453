import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inTemporaryFolder } from "../../journal/temporary-folder.ts";
import { runOnTerminal } from "../../processes/on-terminal.ts";
import type { CliIO } from "../io.ts";

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
