import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type Clock, systemClock } from "../../src/lib/clock.ts";
import { MAIN } from "../../src/mailbox/ids.ts";
import { startChild } from "../../src/processes/child.ts";
import { signalGroup } from "../../src/processes/process-group.ts";
import { witness } from "./witness.ts";

/** Long timers fire when the test says so; short ones (looking at a group) in their own time. */
function steeredClock(): Clock & { skip(ms: number): void } {
  let skipped = 0;
  const held = new Map<() => void, number>();
  const now = () => performance.now() + skipped;
  return {
    now,
    date: systemClock.date,
    after(ms, call) {
      if (ms < 100) return systemClock.after(ms, call);
      held.set(call, now() + ms);
      return () => held.delete(call);
    },
    skip(ms) {
      skipped += ms;
      for (const [call, due] of held) if (due <= now()) call();
    },
  };
}

const sh = (script: string, timeoutMs = 60_000) => ({
  id: "r",
  owner: MAIN,
  file: "sh",
  args: ["-c", script],
  cwd: tmpdir(),
  timeoutMs,
  maxOutputBytes: 1_000_000,
});
const env = { PATH: process.env["PATH"] ?? "" };

test("a timeout ends a child that ignores TERM, and its grandchildren, and keeps what they said (fault 31)", async () => {
  const clock = steeredClock();
  const { path, ready, allGone } = witness();
  const script = `trap "" TERM; exec 3>"${path}"; echo before; sleep 1000 & echo ready >&3; sleep 1000; sleep 1000`;
  const child = startChild(sh(script, 5_000), env, clock);
  await ready;
  clock.skip(5_000);
  clock.skip(2_000);
  const result = await child.result;
  expect(result).toMatchObject({
    outcome: "timed-out",
    signal: "SIGKILL",
    exitCode: null,
    stdout: "before\n",
  });
  await allGone;
});

test("a child that answers TERM is not killed, and the timeout is still the outcome", async () => {
  const clock = steeredClock();
  const { path, ready } = witness();
  const script = `trap 'echo bye; exit 3' TERM; echo ready > "${path}"; while :; do sleep 0.01; done`;
  const child = startChild(sh(script, 5_000), env, clock);
  await ready;
  clock.skip(5_000);
  expect(await child.result).toMatchObject({ outcome: "timed-out", exitCode: 3, stdout: "bye\n" });
});

test("a child whose timeout is taken away ends by itself", async () => {
  const clock = steeredClock();
  const { path, ready } = witness();
  const dir = mkdtempSync(join(tmpdir(), "troupe-test-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const go = join(dir, "go");
  const script = `echo ready > "${path}"; while [ ! -e "${go}" ]; do sleep 0.01; done; exit 4`;
  const child = startChild(sh(script, 5_000), env, clock);
  await ready;
  child.untime();
  clock.skip(5_000);
  writeFileSync(go, "");
  expect(await child.result).toMatchObject({ outcome: "exited", exitCode: 4 });
});

test("a timeout longer than any timer does not expire immediately", async () => {
  const child = startChild(sh("echo fine", Number.MAX_SAFE_INTEGER), env, systemClock);
  expect(await child.result).toMatchObject({ outcome: "exited", stdout: "fine\n" });
});

test("what a child leaves behind in its group ends with it (A7.10)", async () => {
  const { path, allGone } = witness();
  const child = startChild(sh(`exec 3>"${path}"; sleep 1000 & echo out`), env, systemClock);
  const result = await child.result;
  expect(result).toMatchObject({ outcome: "exited", exitCode: 0, stdout: "out\n" });
  await allGone;
});

test("one that left the group and holds the pipe does not hold up the result (fault 34)", async () => {
  const clock = steeredClock();
  const { path, ready } = witness();
  // The pipe named by `path` ends it at last: setsid hides it from the group.
  const stray = `setsid sh -c 'echo $$ > "${path}"; exec sleep 1000' & echo out; while [ ! -e "${path}.go" ]; do sleep 0.01; done`;
  const child = startChild(sh(`${stray}`), env, clock);
  const pid = Number(await ready);
  const { writeFileSync } = await import("node:fs");
  writeFileSync(`${path}.go`, "");
  const skipping = setInterval(() => clock.skip(1_000), 5);
  const result = await child.result;
  clearInterval(skipping);
  expect(result).toMatchObject({ outcome: "exited", stdout: "out\n" });
  process.kill(pid, "SIGKILL");
});

test("a cancelled child says so, a later timeout does not rename it", async () => {
  const clock = steeredClock();
  const { path, ready, allGone } = witness();
  const child = startChild(sh(`exec 3>"${path}"; echo ready >&3; exec sleep 1000`, 5_000), env, clock);
  await ready;
  child.stop("cancelled");
  child.stop("timed-out");
  expect(await child.result).toMatchObject({ outcome: "cancelled", signal: "SIGTERM" });
  await allGone;
});

test("a flood is ended with KILL, without the grace that TERM gives", { timeout: 20_000 }, async () => {
  const path = join(mkdtempSync(join(tmpdir(), "troupe-flood-")), "out");
  // No grace period is ever over on this clock.
  const clock: Clock = { ...systemClock, now: () => 0 };
  // Should nobody end it, it ends at 100 MB.
  const script = `trap "" TERM; ulimit -f 200000; while :; do echo ${"x".repeat(1_000)}; done`;
  const flood = { ...sh(script), maxOutputBytes: 100_000 };
  const output = { path, keepOverBytes: 0, report: false };
  const { result: ended, pid = 0 } = startChild({ ...flood, output }, env, clock);
  onTestFinished(() => {
    if (pid > 0) signalGroup(pid, "SIGKILL");
    rmSync(dirname(path), { recursive: true });
  });
  const result = await ended;
  expect(result).toMatchObject({ outcome: "signalled", signal: "SIGKILL", truncated: true });
  expect(statSync(path).size).toBe(100_000);
});
