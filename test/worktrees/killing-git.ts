import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Worktree } from "../../src/mailbox/worktree.ts";
import { bundledProgram } from "../support/bundled-entries.ts";
import type { KilledOp } from "./killed-op.ts";

/**
 * Where who asked is killed: `before` git does anything, `after` it has, `orphan`: git goes on alone meanwhile, `torn`:
 * git is killed too, wherever it was; `disk`: not by git, but before a step of a merge to the disk.
 */
export type How = "before" | "after" | "orphan" | "torn" | "disk";

/** Two that run at once may both be the one, and the second finds nobody to kill: to say so to a dead reader would end it. */
const WRAPPER = `#!/bin/sh
n=$(( $(cat "$KILL_COUNT" 2>/dev/null || echo 0) + 1 ))
echo $n > "$KILL_COUNT"
[ "$n" = "$KILL_AT" ] || exec "$KILL_GIT" "$@"
case "$KILL_HOW" in
  before) kill -9 $PPID 2>/dev/null; exit 1;;
  after) "$KILL_GIT" "$@"; kill -9 $PPID 2>/dev/null; exit 1;;
  orphan) touch "$KILL_COUNT.alone"; kill -9 $PPID 2>/dev/null; "$KILL_GIT" "$@"; rm -f "$KILL_COUNT.alone"; exit 1;;
  torn) "$KILL_GIT" "$@" & kill -9 $PPID 2>/dev/null; kill -9 $! 2>/dev/null; exit 1;;
esac
`;

/** Does an operation in a process that the `at`th git of it kills (kill -9). Resolves when that process is gone: whether it was killed. */
export function killedAt(
  folder: string,
  env: Readonly<Record<string, string>>,
  op: KilledOp,
  tree: Worktree,
  at: number,
  how: How,
): Promise<boolean> {
  return killedProgram(
    { folder, env, at: how === "disk" ? 0 : at, how },
    join(import.meta.dirname, "killed-op.ts"),
    (killing) => [op, JSON.stringify(tree), JSON.stringify(killing), how === "disk" ? String(at) : ""],
  );
}

export interface Killing {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly at: number;
  readonly how: How;
}

/** The same for a program of a test's own, which starts git with the environment that its arguments have. */
export async function killedProgram(
  { folder, env, at, how }: Killing,
  program: string,
  argumentsOf: (env: Readonly<Record<string, string>>) => readonly string[],
): Promise<boolean> {
  mkdirSync(folder, { recursive: true });
  const git = execFileSync("sh", ["-c", "command -v git"], { env, encoding: "utf8" }).trim();
  // Once: git of one that was killed may just be starting from it (ETXTBSY).
  if (!existsSync(join(folder, "git"))) writeFileSync(join(folder, "git"), WRAPPER, { mode: 0o755 });
  const count = join(folder, "count");
  rmSync(count, { force: true });
  const killing = {
    ...{ ...env, PATH: `${folder}:${env["PATH"] ?? ""}`, KILL_GIT: git },
    ...{ KILL_COUNT: count, KILL_AT: String(at), KILL_HOW: how },
  };
  const script = await bundledProgram(program);
  const child = spawn(process.execPath, [script, ...argumentsOf(killing)], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let err = "";
  child.stderr.on("data", (data: Buffer) => {
    err += data.toString();
  });
  const signal = await new Promise((resolve) => child.on("close", (_code, by) => resolve(by)));
  // It may have had fewer commands than that; a rejection is a bug.
  if (signal !== "SIGKILL" && child.exitCode !== 0) throw new Error(err);
  return signal === "SIGKILL";
}

/** Git that was left alone has come to its end. */
export async function orphansAreGone(folder: string): Promise<void> {
  while (existsSync(join(folder, "count.alone"))) await pause(5);
}
