import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/**
 * A named pipe that processes under test hold open. The kernel closes its end when the last of them dies, so
 * `allGone` is an event, not a guess; no pid is looked at that could have been given away again.
 */
export interface Witness {
  readonly path: string;
  /** Something was written: the process is where the test wants it. */
  readonly ready: Promise<string>;
  readonly allGone: Promise<void>;
  /** To be polled where it is the promise: a wait that never ends is no failed assertion. */
  isGone(): boolean;
}

export function witness(): Witness {
  const path = join(mkdtempSync(join(tmpdir(), "troupe-witness-")), "pipe");
  execFileSync("mkfifo", [path]);
  const reader = spawn("cat", [path], { stdio: ["ignore", "pipe", "ignore"] });
  onTestFinished(() => void reader.kill());
  const ready = once(reader.stdout, "data").then(([chunk]) => String(chunk).trim());
  const allGone = once(reader, "close").then(() => {});
  return { path, ready, allGone, isGone: () => reader.exitCode !== null };
}
