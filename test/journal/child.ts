import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { SessionPlace } from "../../src/journal/paths.ts";

export type Mode = "forever" | "resume" | "once" | "note" | "full";

/** `fixtures/append.ts` in a process of its own, after `shell` (such as `umask 000`) was run in front of it. */
export function startAppending({ home, folder }: SessionPlace, mode: Mode, shell = ":"): ChildProcess {
  const script = fileURLToPath(new URL("./fixtures/append.ts", import.meta.url));
  const child = spawn(
    "/bin/sh",
    ["-c", `${shell}; exec "$0" "$@"`, process.execPath, script, home, folder, mode],
    { stdio: ["ignore", "pipe", "inherit"], env: {} },
  );
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  return child;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly lines: readonly string[];
}

/** Calls `onLines` with the number of lines so far, and resolves when the child is gone and all is read. */
export async function linesUntilEnd(child: ChildProcess, onLines?: (count: number) => void): Promise<Ended> {
  let text = "";
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
    onLines?.(text.split("\n").length - 1);
  });
  const [code, signal] = await once(child, "close");
  return { code, signal, lines: text.split("\n").slice(0, -1) };
}
