// @module-tag long
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { ActorId, MAIN } from "../../src/mailbox/ids.ts";
import type { RunRequest } from "../../src/mailbox/runs.ts";
import { type ProcessesOptions, startProcesses } from "../../src/processes/client.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { onLinux } from "../support/needs.ts";
import { witness } from "./witness.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((processes) => processes.close()));
});

function start(env: Record<string, string | undefined> = {}, more: Partial<ProcessesOptions> = {}) {
  const processes = startProcesses({ env: { PATH: process.env["PATH"], ...env }, ...more });
  open.push(processes);
  return processes;
}

const cwd = realpathSync(mkdtempSync(join(tmpdir(), "troupe-processes-")));

function request(file: string, args: string[], more: Partial<RunRequest> = {}): RunRequest {
  return { id: "r1", owner: MAIN, file, args, cwd, timeoutMs: 60_000, maxOutputBytes: 1_000_000, ...more };
}

const sh = (script: string, more?: Partial<RunRequest>) => request("sh", ["-c", script], more);

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test("a run brings output, complaints and exit code, in the directory asked for, with the asker's id", async () => {
  const result = await start().run(sh("pwd; echo no >&2; exit 7"));
  expect(result).toMatchObject({
    id: "r1",
    outcome: "exited",
    exitCode: 7,
    signal: null,
    stdout: `${cwd}\n`,
    stderr: "no\n",
    truncated: false,
  });
});

test("a child gets no descriptor that was open above us", onLinux, async () => {
  const program = `
      import { startProcesses } from ${JSON.stringify(new URL("../../src/processes/client.ts", import.meta.url).href)};
      const processes = startProcesses({ env: { PATH: process.env.PATH } });
      const list = { file: "sh", args: ["-c", "ls /proc/$$/fd"], cwd: "/", timeoutMs: 60_000, maxOutputBytes: 1_000 };
      const { stdout } = await processes.run({ id: "r", owner: "main", ...list });
      await processes.close();
      console.log(stdout.trim().split("\\n").join(" "));`;
  // Up to the first gap after 15 Node marks what it was started with itself.
  const script = 'exec 5</dev/null 30</dev/null 97</dev/null; exec "$0" --input-type=module -e "$1"';
  const shell = spawn("bash", ["-c", script, process.execPath, program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  shell.stdout.setEncoding("utf8").on("data", (text) => (said += text));
  await once(shell, "close");
  expect(said.trim()).toBe("0 1 2");
});

test("all of a large output arrives", async () => {
  const result = await start().run(sh("seq 1 200000", { maxOutputBytes: 10_000_000 }));
  expect(result.stdout.split("\n")).toHaveLength(200_001);
  expect(result.truncated).toBe(false);
});

test("arguments are no shell's to read, and stdin is at its end", async () => {
  const processes = start();
  const echoed = await processes.run(request("printf", ["%s|", "$HOME; echo x", "*", "a b"]));
  expect(echoed.stdout).toBe("$HOME; echo x|*|a b|");
  expect(await processes.run(request("cat", []))).toMatchObject({
    outcome: "exited",
    exitCode: 0,
    stdout: "",
  });
});

test("a child ended by a signal names it", async () => {
  const result = await start().run(sh("kill -KILL $$"));
  expect(result).toMatchObject({ outcome: "signalled", signal: "SIGKILL", exitCode: null });
});

test("output over the limit ends the child, and what is kept ends with a whole character", async () => {
  const result = await start().run(sh("while :; do printf 'abc€'; done", { maxOutputBytes: 1_000 }));
  expect(result).toMatchObject({ truncated: true, outcome: "signalled" });
  // 166 times 6 bytes are 996, then "abc" and one byte of the next sign.
  expect(result.stdout).toBe(`${"abc€".repeat(166)}abc`);
});

test("complaints are bounded as well, without ending the child", async () => {
  const result = await start().run(sh("seq 1 100000 >&2; echo done"));
  expect(result).toMatchObject({ outcome: "exited", stdout: "done\n", truncated: false });
  expect(result.stderr.length).toBe(64 * 1024);
});

test("what cannot be started is a result with a sentence, never a rejection", async () => {
  const processes = start();
  const noProgram = await processes.run(request("no-such-program", []));
  expect(noProgram).toMatchObject({
    outcome: "not-started",
    exitCode: null,
    reason: "no-such-program could not be started: there is no such program.",
  });
  const noFolder = await processes.run(sh("pwd", { cwd: join(cwd, "gone") }));
  expect(noFolder.outcome).toBe("not-started");
  expect(noFolder.reason).toContain(`the directory ${join(cwd, "gone")} does not exist`);

  const plain = join(cwd, "plain.txt");
  writeFileSync(plain, "text");
  chmodSync(plain, 0o600);
  const notExecutable = await processes.run(request(plain, []));
  expect(notExecutable.outcome).toBe("not-started");
  expect(notExecutable.reason).toContain("may not be executed");

  const nul = await processes.run(request("echo", ["a\0b"]));
  expect(nul.outcome).toBe("not-started");
  expect(nul.reason).toMatch(/^echo could not be started: .+\.$/s);
});

test("with too many open files a run is not started and says so, and the host goes on", {
  tags: ["long"],
}, async () => {
  const program = `
    import { startProcesses } from ${JSON.stringify(new URL("../../src/processes/client.ts", import.meta.url))};
    const processes = startProcesses({ env: process.env });
    const request = (id, script) => ({ id, owner: "main", file: "sh", args: ["-c", script], cwd: "/", timeoutMs: 60000, maxOutputBytes: 1000 });
    const stop = new AbortController();
    const runs = Array.from({ length: 40 }, (_, n) => processes.run(request("r" + n, "exec sleep 1000"), stop.signal));
    const refused = await Promise.any(runs);
    stop.abort();
    await Promise.all(runs);
    const after = await processes.run(request("after", "echo still here"));
    await processes.close();
    console.log(JSON.stringify({ refused, after }));`;
  const child = spawn("sh", [
    "-c",
    'ulimit -n 64; exec "$0" --input-type=module -e "$1"',
    process.execPath,
    program,
  ]);
  let out = "";
  child.stdout.on("data", (chunk) => {
    out += chunk;
  });
  await once(child, "close");
  const { refused, after } = JSON.parse(out);
  expect(refused.outcome).toBe("not-started");
  expect(refused.reason).toContain("too many files are open");
  expect(after).toMatchObject({ outcome: "exited", stdout: "still here\n" });
});

test("a run that was cancelled before it began never begins", async () => {
  const result = await start().run(sh("touch never"), AbortSignal.abort());
  expect(result.outcome).toBe("cancelled");
  expect((await start().run(request("ls", []))).stdout).not.toContain("never");
});

test("a timeout is measured in the host", async () => {
  const result = await start().run(sh("echo begun; exec sleep 1000", { timeoutMs: 50 }));
  expect(result).toMatchObject({ outcome: "timed-out", signal: "SIGTERM" });
});

test("stopping an owner ends all it started and nothing of another's", async () => {
  const processes = start();
  const mine = [witness(), witness()];
  const theirs = witness();
  const owner = ActorId.parse("agent1");
  const hold = (path: string) => `exec 3>"${path}"; echo ready >&3; exec sleep 1000`;
  const runs = mine.map(({ path }, n) => processes.run(sh(hold(path), { id: `m${n}`, owner })));
  const other = new AbortController();
  const kept = processes.run(sh(hold(theirs.path)), other.signal);
  await Promise.all([...mine, theirs].map(({ ready }) => ready));

  await processes.stopOwner(owner);
  await Promise.all(mine.map(({ allGone }) => allGone));
  expect((await Promise.all(runs)).map(({ outcome }) => outcome)).toEqual(["cancelled", "cancelled"]);

  // Only now, by our own hand, does the other one end.
  const first = await Promise.race([kept.then(() => "ended"), Promise.resolve("still running")]);
  expect(first).toBe("still running");
  other.abort();
  expect((await kept).outcome).toBe("cancelled");
});

test("when the host is killed, its runs end as unknown, their processes with them, and the next run works", async () => {
  const processes = start();
  const { path, ready, allGone } = witness();
  const run = processes.run(sh(`exec 3>"${path}"; echo $PPID >&3; exec sleep 1000`));
  const host = Number(await ready);
  process.kill(host, "SIGKILL");
  const result = await run;
  expect(result).toMatchObject({ id: "r1", outcome: "unknown", exitCode: null });
  expect(result.reason).toContain("SIGKILL");
  await allGone;
  expect(await processes.run(sh("echo again"))).toMatchObject({ outcome: "exited", stdout: "again\n" });
});

test("a host that dies again and again is left alone: said once, runs end with a sentence, and later it works (D2)", {
  tags: ["long"],
}, async () => {
  const clock = new FakeClock();
  const said: string[] = [];
  const processes = start({}, { clock, onGivenUp: (sentence) => said.push(sentence) });
  // The first start is none of the three restarts.
  for (let death = 0; death < 4; death++) {
    const result = await processes.run(sh("kill -KILL $PPID; exec sleep 1000"));
    expect(result).toMatchObject({ id: "r1", outcome: "unknown" });
    expect(said).toEqual([]);
  }
  processes.warm();
  const refused = await Promise.all([1, 2].map((n) => processes.run(sh("echo no", { id: `n${n}` }))));
  for (const result of refused) {
    expect(result).toMatchObject({ outcome: "not-started", stdout: "" });
    expect(result.reason).toContain(
      "sh was not started. The process host died more than 3 times within 60 s",
    );
  }
  expect(said).toHaveLength(1);
  expect(said[0]).toMatch(/no command, search or hook can run\.$/);
  await clock.advance(60_000);
  expect(await processes.run(sh("echo again"))).toMatchObject({ outcome: "exited", stdout: "again\n" });
  expect(said).toHaveLength(1);
});

test("a host that hangs is missed: its runs end as unknown, their processes with them, and the next run works (D2)", async () => {
  const clock = new FakeClock();
  const processes = start({}, { clock });
  const { path, ready, allGone } = witness();
  const limited = processes.run(
    sh(`exec 3>"${path}"; echo $PPID >&3; exec sleep 1000`, { timeoutMs: 60_000 }),
  );
  const endless = processes.run(sh("exec sleep 1000", { id: "r2", timeoutMs: null }));
  const host = Number(await ready);
  process.kill(host, "SIGSTOP");
  await clock.advance(79_999);
  expect(isAlive(host)).toBe(true);
  await clock.advance(1);
  expect((await limited).outcome).toBe("unknown");
  expect((await endless).outcome).toBe("unknown");
  await allGone;
  expect(clock.pending).toBe(0);
  expect(await processes.run(sh("echo again"))).toMatchObject({ outcome: "exited", stdout: "again\n" });
});

test("stopping an owner also ends if the host dies", async () => {
  const processes = start();
  const { path, ready, allGone } = witness();
  const run = processes.run(sh(`trap "" TERM; exec 3>"${path}"; echo $PPID >&3; sleep 1000; sleep 1000`));
  const host = Number(await ready);
  // Its answer comes after the word that the first one was started: the client knows whom to end.
  await processes.run(sh("true", { id: "r2" }));
  const stopped = processes.stopOwner(MAIN);
  process.kill(host, "SIGKILL");
  await stopped;
  expect((await run).outcome).toBe("unknown");
  await allGone;
});

test("closing ends everything, twice as well as once, and nothing starts afterwards", async () => {
  const processes = start();
  const { path, ready, allGone } = witness();
  const run = processes.run(sh(`exec 3>"${path}"; echo $PPID >&3; exec sleep 1000`));
  const host = Number(await ready);
  await Promise.all([processes.close(), processes.close()]);
  await allGone;
  expect((await run).outcome).toBe("cancelled");
  expect(isAlive(host)).toBe(false);
  const late = await processes.run(sh("echo late"));
  expect(late).toMatchObject({ outcome: "not-started", stdout: "" });
  expect(late.reason).toContain("closing");
});

test("no key reaches a child, whichever way it is handed in; its owner's name does", async () => {
  const processes = start({
    ANTHROPIC_API_KEY: "secret-1",
    ANTHROPIC_AUTH_TOKEN: "secret-2",
    CLAUDE_CODE_OAUTH_TOKEN: "secret-3",
    ANTHROPIC_CUSTOM_HEADERS: "authorization: secret-4",
    NO_COLOR: "1",
  });
  const owner = ActorId.parse("agent7");
  const env = { ANTHROPIC_API_KEY: "secret-5", EXTRA: "yes" };
  const { stdout } = await processes.run(request("env", [], { owner, env }));
  const seen = Object.fromEntries(stdout.split("\n").map((line) => line.split("=", 2)));
  expect(seen).toMatchObject({ TROUPE_OWNER: "agent7", EXTRA: "yes", NO_COLOR: "1" });
  expect(stdout).not.toMatch(/secret-/);
  // Nor by looking at the host, the child's parent.
  const { stdout: host } = await processes.run(sh("cat /proc/$PPID/environ 2>/dev/null"));
  expect(host).not.toMatch(/secret-/);
});

test("a session that is killed with SIGKILL leaves no process behind", async () => {
  const { path, ready, allGone } = witness();
  const script = `exec 3>"${path}"; sleep 1000 & echo ready >&3; wait`;
  const session = spawn(process.execPath, ["--input-type=module", "-e", programThat(script, "await run;")]);
  await ready;
  session.kill("SIGKILL");
  await allGone;
});

test("a closed session holds no handle: its program ends by itself", async () => {
  const program = programThat("echo hello", "await run; await processes.close(); console.log('closed');");
  const session = spawn(process.execPath, ["--input-type=module", "-e", program]);
  const [code] = await once(session, "close");
  expect(code).toBe(0);
});

function programThat(script: string, then: string): string {
  const client = JSON.stringify(new URL("../../src/processes/client.ts", import.meta.url));
  return `import { startProcesses } from ${client};
    const processes = startProcesses({ env: process.env });
    const run = processes.run(${JSON.stringify(sh(script))});
    ${then}`;
}
