// @module-tag long
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { onLinux } from "../support/needs.ts";
import { watchStandStill } from "./cli-crash/stand-still.ts";

function standingStill() {
  const root = mkdtempSync(join(tmpdir(), "troupe-still-"));
  const script = 'setInterval(() => {}, 1e6); console.log("ready")';
  const reports = ["--report-on-signal", `--report-directory=${root}`];
  const child = spawn(process.execPath, [...reports, "-e", script], { stdio: ["ignore", "pipe", "ignore"] });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await once(child, "close");
    rmSync(root, { recursive: true });
  });
  return { root, child };
}

test(
  "a start that stands still tells its threads, its files and what keeps its event loop (issue 15, 28)",
  onLinux,
  async () => {
    const { root, child } = standingStill();
    await once(child.stdout, "data");
    const { signal } = new AbortController();
    const evidence = await watchStandStill(child.pid, { root, ms: 0, signal });
    expect(evidence).toMatch(new RegExp(`^thread ${child.pid} .*wchan`, "m"));
    expect(evidence).toMatch(/^fd 0: \/dev\/null$/m);
    expect(evidence).toMatch(/"type": "timer"/);
  },
);

test("a start that is over in time tells nothing (issue 15, 28)", async () => {
  const over = new AbortController();
  const stood = watchStandStill(process.pid, { root: tmpdir(), ms: 1e6, signal: over.signal });
  over.abort();
  expect(await stood).toBeNull();
});
