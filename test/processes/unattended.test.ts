import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { runUnattended, type UnattendedRun } from "../../src/processes/unattended.ts";
import { temporaryFolder } from "../support/temporary.ts";

function run(script: string, more: Partial<UnattendedRun> = {}) {
  return runUnattended({
    ...{ command: "bash", args: ["-c", script], cwd: temporaryFolder(), signal: undefined },
    ...{ env: { PATH: process.env["PATH"] ?? "" }, quietMs: 60_000, mostMs: 60_000 },
    ...more,
  });
}

test("returns what a program has said, and has no terminal for it to ask at", async () => {
  const script = "cat; exec 3</dev/tty || echo no terminal; echo bad >&2; exit 3";
  const ended = await run(script);
  expect(ended).toMatchObject({ code: 3, out: "no terminal\n", problem: null });
  expect(ended.err).toMatch(/bad\n$/);
});

test("ends a silent program and everything that it started, even if they ignore SIGTERM", async () => {
  const pids = join(temporaryFolder(), "pids");
  const stubborn = `trap '' TERM; (trap '' TERM; sleep 600) & echo $! > ${pids}; sleep 600; sleep 600`;
  const { problem } = await run(stubborn, { quietMs: 300 });
  expect(problem).toBe("it has said nothing for 0.3 s");
  const left = await run(`kill -0 $(cat ${pids}) && cat /proc/$(cat ${pids})/stat | grep -v ' Z '`);
  expect(left.out).toBe("");
});

test("lets a program continue that says something, until its time is over", async () => {
  const { out, problem } = await run("for i in 1 2 3 4 5 6; do echo $i; sleep 0.2; done; sleep 600", {
    ...{ quietMs: 900, mostMs: 100_000 },
  });
  expect([out, problem]).toEqual(["1\n2\n3\n4\n5\n6\n", "it has said nothing for 0.9 s"]);
  const endless = await run("while true; do echo; sleep 0.05; done", { mostMs: 300 });
  expect(endless.problem).toBe("it has taken more than 0.3 s");
});

test("ends a program for a reason of the caller's, and one that is not wanted any longer", async () => {
  const file = join(temporaryFolder(), "begun");
  const findProblem = () => (existsSync(file) ? "it is too much" : null);
  expect((await run(`touch ${file}; sleep 600`, { findProblem })).problem).toBe("it is too much");
  const broken = () => {
    throw new Error("it cannot be looked for");
  };
  const failed = await run("sleep 600", { findProblem: broken });
  expect(failed.problem).toBe("it cannot be looked for");
  const over = new AbortController();
  const other = join(temporaryFolder(), "begun");
  const running = run(`touch ${other}; sleep 600`, { signal: over.signal });
  await vi.waitUntil(() => existsSync(other), { timeout: 10_000 });
  over.abort(new Error("not wanted"));
  await expect(running).rejects.toThrow("not wanted");
});

test("does not wait for what a program has left in the background, and leaves it alone", async () => {
  const pid = join(temporaryFolder(), "pid");
  expect(await run(`sleep 60 & echo $! > ${pid}; echo done`)).toMatchObject({ code: 0, out: "done\n" });
  expect((await run(`kill $(cat ${pid}) && echo lived`)).out).toBe("lived\n");
});

test("says so if a program cannot be started", async () => {
  expect(await run("", { command: "no-such-program" })).toMatchObject({
    ...{ code: null, problem: "spawn no-such-program ENOENT" },
  });
});
