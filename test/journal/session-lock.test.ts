import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { lockHolder } from "../../src/journal/numbered-lock.ts";
import { type SessionPlace, sessionPaths } from "../../src/journal/paths.ts";
import { isAlive, type ProcessIdentity, processIdentity } from "../../src/journal/process-identity.ts";
import { lockSession } from "../../src/journal/session-lock.ts";
import { long } from "../support/long.ts";
import { SESSION } from "./samples.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const ME = processIdentity(process.pid);

/** A process that has ended; nobody else gets its number while this test runs. */
const DEAD: ProcessIdentity = { pid: spawnSync(process.execPath, ["-v"]).pid, startedAt: "x" };

async function newPlace(): Promise<SessionPlace> {
  return sessionPaths(await temporaryFolder(), "/w", SESSION);
}

function startLocking({ home, folder }: SessionPlace, ...mode: readonly string[]): ChildProcess {
  const script = fileURLToPath(new URL("./fixtures/lock.ts", import.meta.url));
  const child = spawn(process.execPath, [script, home, folder, ...mode], {
    stdio: ["pipe", "pipe", "inherit"],
    env: {},
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** Asks a process to try; answers what came of it. */
async function asking(place: SessionPlace) {
  const child = startLocking(place, "asked");
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error("no pipes");
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  const next = async () => String((await lines.next()).value);
  expect(await next()).toBe("ready");
  const ask = (what: "try" | "back" = "try") => {
    stdin.write(`${what}\n`);
    return next();
  };
  return { child, ask };
}

test("a session is one process's: a second is refused with who has it, until it is given back (fault 46)", async () => {
  const place = await newPlace();
  const lock = lockSession(place, ME);
  expect(lock).toEqual({ type: "locked", release: expect.any(Function) });
  expect(lockHolder(place.folder)).toEqual(ME);
  const { child, ask } = await asking(place);
  expect(await ask()).toBe(`held ${process.pid}`);
  expect(lockSession(place, ME)).toEqual({
    type: "held",
    by: ME,
    reason: expect.stringMatching(
      /^The session is open in another process \(pid \d+\) since \d{4}-\d\d-\d\d \d\d:\d\d UTC; end it there, or resume a copy of the session\. .*lock\.1\.$/,
    ),
  });
  if (lock.type === "locked") lock.release();
  expect(lockHolder(place.folder)).toBeNull();
  expect(await ask()).toBe("locked ");
  // A second giving back is nothing to the new holder.
  if (lock.type === "locked") lock.release();
  expect(lockHolder(place.folder)?.pid).toBe(child.pid);
});

test("takes over the lock of a killed process and says so, even before it is reaped (fault 46)", async () => {
  const place = await newPlace();
  const { child, ask } = await asking(place);
  expect(await ask()).toBe("locked ");
  expect(lockSession(place, ME).type).toBe("held");
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(lockHolder(place.folder)).toBeNull();
  expect(lockSession(place, ME)).toEqual({
    type: "locked",
    release: expect.any(Function),
    note: `The session was last open in a process (pid ${child.pid}) that ended without closing it.`,
  });
  expect(readdirSync(place.folder)).toEqual(["lock.2"]);
});

test("another process with the same number is not the one that locked", async ({ skip }) => {
  if (ME.startedAt === null) return skip("only Linux says when a process was started");
  const place = await newPlace();
  const before = { ...ME, startedAt: "another boot 17" };
  expect(lockSession(place, before).type).toBe("locked");
  expect(lockSession(place, ME)).toMatchObject({
    type: "locked",
    note: expect.stringContaining(`${ME.pid}`),
  });
  expect(isAlive({ ...ME, startedAt: null })).toBe(true);
  expect(isAlive(DEAD)).toBe(false);
});

test("a zombie is a process that is gone", async ({ skip }) => {
  if (ME.startedAt === null) return skip("only Linux says which processes are zombies");
  // Its parent, a shell that has become a sleep, never reaps it.
  const parent = spawn("/bin/sh", ["-c", "sleep 0.01 & echo $!; exec sleep 60"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void parent.kill("SIGKILL"));
  const [line] = await once(parent.stdout, "data");
  const pid = Number(String(line));
  const identity = processIdentity(pid);
  const isZombie = () => / Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  await expect.poll(isZombie).toBe(true);
  expect(processIdentity(pid)).toEqual(identity);
  expect(isAlive(identity)).toBe(false);
});

test("of many processes that find one stale lock exactly one gets it (fault 46)", {
  tags: ["long"],
}, async () => {
  const place = await newPlace();
  const processes = await Promise.all(Array.from({ length: 4 }, () => asking(place)));
  for (let round = 0; round < 25; round += 1) {
    expect(lockSession(place, DEAD).type).toBe("locked");
    const answers = await Promise.all(processes.map(({ ask }) => ask()));
    const winners = processes.filter((_, index) => answers[index]?.startsWith("locked"));
    expect(winners).toHaveLength(1);
    const winner = winners[0]?.child.pid;
    expect(answers.filter((answer) => answer === `held ${winner}`)).toHaveLength(3);
    expect(answers.filter((answer) => answer.includes(`(pid ${DEAD.pid})`))).toHaveLength(1);
    expect(lockHolder(place.folder)?.pid).toBe(winner);
    await Promise.all(processes.map(({ ask }) => ask("back")));
    expect(lockHolder(place.folder)).toBeNull();
  }
});

test.each(["", "no-links"])(
  "whatever another process does between two steps, two never have the lock (J7, W1) %s",
  {
    tags: ["long"],
  },
  async (disk) => {
    const script = fileURLToPath(new URL("./fixtures/lock-interleaving.ts", import.meta.url));
    const home = await temporaryFolder();
    const text = execFileSync(process.execPath, [script, home, disk], { encoding: "utf8", env: {} });
    const { schedules, both, first, second } = JSON.parse(text);
    expect(schedules).toBeGreaterThan(50);
    expect([both, first > 0, second > 0]).toEqual([0, true, true]);
  },
);

const TIMES = long(150, 40);

test("processes that lock, give back and leave it behind as fast as they can are each alone with it", {
  tags: ["long"],
  timeout: 60_000,
}, async () => {
  const place = await newPlace();
  await mkdir(place.folder, { recursive: true });
  const children = Array.from({ length: 4 }, () => startLocking(place, "race", `${TIMES}`, `${DEAD.pid}`));
  const ends = children.map(async (child) => {
    let text = "";
    child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
    const [code] = await once(child, "close");
    return { code, text };
  });
  const good = { code: 0, text: `had it ${TIMES} times\n` };
  expect(await Promise.all(ends)).toEqual([good, good, good, good]);
  expect(readdirSync(place.folder)).toHaveLength(1);
});

test("a new session's folder is made and the lock is private", async () => {
  const place = await newPlace();
  lockSession(place, ME);
  const modeOf = (path: string) => (lstatSync(path).mode & 0o777).toString(8);
  expect(modeOf(place.folder)).toBe("700");
  expect(modeOf(join(place.folder, "lock.1"))).toBe("600");
});

test.each(["", "{", '{"pid":0,"startedAt":null}', '{"pid":"x"}', "null"])(
  "a lock with %j in it has no owner",
  async (content) => {
    const place = await newPlace();
    await mkdir(place.folder, { recursive: true });
    await writeFile(join(place.folder, "lock.7"), content);
    expect(lockHolder(place.folder)).toBeNull();
    expect(lockSession(place, ME)).toEqual({ type: "locked", release: expect.any(Function) });
    expect(readdirSync(place.folder)).toEqual(["lock.8"]);
  },
);

test("a directory that cannot be locked is one sentence", async () => {
  const place = await newPlace();
  await mkdir(dirname(place.folder), { recursive: true });
  await symlink("/tmp", place.folder);
  expect(() => lockSession(place, ME)).toThrow(/is a link or a file where Troupe needs a directory/);
  expect(lockHolder(join(place.home, "absent"))).toBeNull();
});
