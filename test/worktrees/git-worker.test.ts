// @module-tag long
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test, vi } from "vitest";
import { lockHolder, takeLock } from "../../src/journal/numbered-lock.ts";
import { isAlive, processIdentity } from "../../src/journal/process-identity.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { removeHalfMade } from "../../src/worktrees/discard.ts";
import { startGitWorker } from "../../src/worktrees/git-worker.ts";
import { treePath, treeRecordFolder } from "../../src/worktrees/layout.ts";
import { repositoryAt } from "../../src/worktrees/repository.ts";
import { readRecord } from "../../src/worktrees/tree-record.ts";
import { bundledProgram } from "../support/bundled-entries.ts";
import { repositoryWith, type TestRepository } from "../support/git-repository.ts";
import { processesWith } from "../support/left-behind.ts";
import { creationIn, groundOf } from "../support/worktree-ground.ts";

const SOON = { timeout: 50_000, interval: 10 };

function keeperFor(person: TestRepository) {
  const warnings: string[] = [];
  const keeper = startGitWorker({
    env: person.env,
    clock: systemClock,
    onWarning: (said) => warnings.push(said),
  });
  onTestFinished(() => keeper.close());
  return { keeper, warnings };
}

/** Everything that runs for this repository: its home is nobody else's. */
function running(person: TestRepository): number[] {
  return processesWith(`HOME=${dirname(person.folder)}`).map(Number);
}

function keepers(person: TestRepository): number[] {
  // Its source, or the bundle of it that tests start.
  return running(person).filter((pid) => /keeper-process|worktree-keeper/.test(commandOf(pid)));
}

function killKeeper(person: TestRepository): void {
  const [pid] = keepers(person);
  // 0 would be everybody, this test included.
  if (pid === undefined) throw new Error("no keeper runs");
  process.kill(pid, "SIGKILL");
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    // Gone since.
    return "";
  }
}

/** Its files are written until somebody ends that; resolves when they are being written. */
async function withSlowFiles() {
  const person = await repositoryWith({ "a.txt": "1\n", ".gitattributes": "*.txt filter=slow\n" });
  const started = join(dirname(person.folder), "started");
  await person.must(["config", "filter.slow.smudge", `touch ${started}; exec sleep 60`]);
  return { person, writing: () => vi.waitUntil(() => existsSync(started), SOON) };
}

async function expectNothingLeft(person: TestRepository) {
  expect(existsSync(treePath(person.folder, "one"))).toBe(false);
  expect(existsSync(treeRecordFolder(join(person.folder, ".git"), "one"))).toBe(false);
  expect(await person.must(["for-each-ref", "refs/troupe", "refs/heads/worktree-*"])).toBe("");
}

test("starts with the first request, serves many in parallel, and ends with close()", async () => {
  const person = await repositoryWith({ "a.txt": "1\n" });
  const { keeper, warnings } = keeperFor(person);
  expect(keepers(person)).toEqual([]);
  const answers = await Promise.all([
    keeper.inspect({ folder: person.folder }),
    keeper.create(creationIn(person.folder, { baseRef: "head" })),
    keeper.inspect({ folder: dirname(person.folder) }),
  ]);
  expect(answers.map(({ type }) => type)).toEqual(["repository", "created", "refused"]);
  expect(keepers(person)).toHaveLength(1);
  await keeper.close();
  expect(running(person)).toEqual([]);
  expect(await keeper.inspect({ folder: person.folder })).toMatchObject({
    type: "refused",
    reason: expect.stringContaining("closing"),
  });
  expect(warnings).toEqual([]);
});

test("never started, it has nothing to close", async () => {
  const person = await repositoryWith({ "a.txt": "1\n" });
  const { keeper } = keeperFor(person);
  await Promise.all([keeper.close(), keeper.close()]);
  expect(keepers(person)).toEqual([]);
});

test("close() waits for what is under way", async () => {
  const person = await repositoryWith({ "a.txt": "1\n" });
  const { keeper } = keeperFor(person);
  const creating = keeper.create(creationIn(person.folder, { baseRef: "head" }));
  await keeper.close();
  expect((await creating).type).toBe("created");
});

test("a signal reaches the running operation, which is undone before it rejects", async () => {
  const { person, writing } = await withSlowFiles();
  const { keeper } = keeperFor(person);
  const abort = new AbortController();
  const creating = keeper.create(creationIn(person.folder, { baseRef: "head" }), abort.signal);
  const ended = expect(creating).rejects.toThrow("enough");
  await writing();
  abort.abort(new Error("enough"));
  await ended;
  await expectNothingLeft(person);
  await expect(
    keeper.create(creationIn(person.folder), AbortSignal.abort(new Error("early"))),
  ).rejects.toThrow("early");
});

/** The first time that its files are written takes until somebody ends that. */
async function withSlowFirstFiles() {
  const person = await repositoryWith({ "a.txt": "1\n", ".gitattributes": "*.txt filter=slow\n" });
  const started = join(dirname(person.folder), "started");
  await person.must([
    "config",
    "filter.slow.smudge",
    `mkdir ${started} 2>/dev/null && exec sleep 60; exec cat`,
  ]);
  return { person, writing: () => vi.waitUntil(() => existsSync(started), SOON) };
}

test("kill -9 of the keeper: what comes to the same if it is done twice is asked again, of another keeper (issue 15, 28)", {
  tags: ["long"],
}, async () => {
  const { person, writing } = await withSlowFirstFiles();
  const { keeper, warnings } = keeperFor(person);
  const claiming = keeper.claim(creationIn(person.folder, { baseRef: "head" }));
  await writing();
  killKeeper(person);
  expect(await claiming).toMatchObject({ type: "claimed", how: "created-again" });
  expect(readFileSync(join(treePath(person.folder, "one"), "a.txt"), "utf8")).toBe("1\n");
  expect(warnings).toHaveLength(1);
  expect(keepers(person)).toHaveLength(1);
});

test("a request that ends each keeper is refused with a sentence", { tags: ["long"] }, async () => {
  const person = await repositoryWith({ "a.txt": "1\n", ".gitattributes": "*.txt filter=deadly\n" });
  // The filter's git is the keeper's child.
  await person.must(["config", "filter.deadly.smudge", "kill -9 $(ps -o ppid= -p $PPID); cat"]);
  const { keeper, warnings } = keeperFor(person);
  const answer = await keeper.claim(creationIn(person.folder, { baseRef: "head" }));
  expect(answer).toMatchObject({ type: "refused", died: true });
  expect(warnings).toHaveLength(3);
});

test("kill -9 of the keeper: what may not be done twice is refused in a sentence, and the next request has another keeper", async () => {
  const { person, writing } = await withSlowFiles();
  const { keeper, warnings } = keeperFor(person);
  const creating = keeper.create(creationIn(person.folder, { baseRef: "head" }));
  await writing();
  killKeeper(person);
  expect(await creating).toMatchObject({
    ...{ type: "refused", died: true },
    reason: expect.stringMatching(/git worker died/),
  });
  expect(warnings).toEqual([expect.stringMatching(/git worker died \(SIGKILL\)/)]);
  // The git that it had started goes, too.
  await vi.waitUntil(() => running(person).length === 0, SOON);
  const common = join(person.folder, ".git");
  expect(await readRecord(common, "one")).toMatchObject({ made: false });
  const repo = await repositoryAt(person.folder, groundOf(person));
  expect(await removeHalfMade(repo, groundOf(person))).toEqual(["one"]);
  await expectNothingLeft(person);
  expect((await keeper.inspect({ folder: person.folder })).type).toBe("repository");
});

test("one that dies again and again is left alone, with a sentence", async () => {
  const person = await repositoryWith({ "a.txt": "1\n" });
  const { keeper, warnings } = keeperFor(person);
  for (let life = 1; life <= 4; life += 1) {
    expect((await keeper.inspect({ folder: person.folder })).type).toBe("repository");
    killKeeper(person);
    await vi.waitUntil(() => warnings.length === life, SOON);
  }
  expect(await keeper.inspect({ folder: person.folder })).toMatchObject({
    type: "refused",
    reason: expect.stringMatching(/died more than 3 times/),
  });
});

test("kill -9 of the session: the git worker discards what it was making, and ends", async () => {
  const { person, writing } = await withSlowFiles();
  const session = await sessionThat("create", person);
  await writing();
  session.kill("SIGKILL");
  await vi.waitUntil(() => running(person).length === 0, SOON);
  await expectNothingLeft(person);
});

test("kill -9 of the session: what still waits for the repository's lock is not begun", async () => {
  const person = await repositoryWith({ "a.txt": "1\n" });
  const folder = join(person.folder, ".git", "troupe");
  mkdirSync(folder);
  const lock = takeLock(folder, processIdentity(process.pid), isAlive);
  if (lock.type !== "taken") throw new Error("the lock is held");
  onTestFinished(() => lock.release());
  const session = await sessionThat("sweep", person);
  if (session.stdout === null) throw new Error("no output");
  // It is answered in parallel to what waits, and was asked after it.
  for await (const said of session.stdout) if (String(said) === "repository\n") break;
  session.kill("SIGKILL");
  await vi.waitUntil(() => running(person).length === 0, SOON);
  expect(lockHolder(folder, isAlive)).toMatchObject({ pid: process.pid });
});

test("an idle keeper keeps no session up, and goes with it", async () => {
  const person = await repositoryWith({ "a.txt": "1\n" });
  const session = await sessionThat("inspect", person);
  if (session.stdout === null) throw new Error("no output");
  const code = new Promise((resolve) => session.once("exit", resolve));
  expect(await text(session.stdout)).toBe("repository\n");
  expect(await code).toBe(0);
  await vi.waitUntil(() => running(person).length === 0, SOON);
});

async function sessionThat(what: string, person: TestRepository): Promise<ChildProcess> {
  const file = await bundledProgram(join(import.meta.dirname, "keeper-user.ts"));
  const child = spawn(process.execPath, [file, what, person.folder], {
    env: { ...person.env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}
