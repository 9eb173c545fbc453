// @module-tag long
import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../../src/lib/clock.ts";
import { processGroup } from "../../../src/processes/process-group.ts";
import { ownEnvironment } from "../../../src/worktrees/environment.ts";
import { pruneRepositories } from "../../../src/worktrees/runner/prune.ts";
import { RunnerRepositories } from "../../../src/worktrees/runner/repositories.ts";
import { repositoryWith } from "../../support/git-repository.ts";
import { unless } from "../../support/needs.ts";
import { smallDisk } from "../../support/small-disk.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { exportTree } from "../operations.ts";
import { filesBelow, travelWorld } from "./travel-world.ts";

test("what an earlier attempt left at the path is removed, after its processes were killed", async () => {
  const repository = await repositoryWith({ "a.txt": "1\n" });
  const world = travelWorld(repository);
  const tree = await world.create();
  const { commit, repository: id, lease } = await world.sendOut({ type: "tree", tree });
  const path = world.remote("one");
  const old = spawn("sh", ["-c", "trap '' TERM; sleep 100 & wait; sleep 100"], {
    ...{ cwd: path, detached: true, stdio: "ignore" },
  });
  const pid = old.pid ?? 0;
  onTestFinished(() => processGroup(pid, systemClock).kill());
  world.runner.trees.setOwner(path, pid);
  writeFileSync(join(path, "a.txt"), "of the old attempt\n");
  mkdirSync(join(path, "sealed", "deep"), { recursive: true });
  chmodSync(join(path, "sealed"), 0o500);
  await world.runner.trees.add({ repository: id, commit, path });
  // The end of the old attempt comes late.
  await world.runner.trees.remove(path, lease);
  expect(processGroup(pid, systemClock).running()).toEqual([]);
  expect(filesBelow(path)).toEqual({ "a.txt": "- 1\n" });
  expect(readdirSync(join(path, "..")).sort()).toEqual([".one", "one"]);
  expect(readdirSync(join(path, "..", ".one")).some((name) => name.startsWith("old-"))).toBe(false);
});

test.each([
  ["owner", "700"],
  ["all", "755"],
] as const)("the worktrees of a session are for %s to read", async (readers, mode) => {
  const repository = await repositoryWith({ "a.txt": "1\n" });
  const world = travelWorld(repository);
  const sent = await world.sendOut({ type: "tree", tree: await world.create() });
  const runner = new RunnerRepositories(join(world.folder, "of-readers"), world.ground, readers);
  await runner.receive(sent.repository, { commit: sent.commit, bundle: sent.bundle ?? "" });
  const path = join(world.folder, "trees", "of-readers", "one");
  const lease = await runner.trees.add({ repository: sent.repository, commit: sent.commit, path });
  expect((statSync(join(path, "..")).mode & 0o777).toString(8)).toBe(mode);
  await runner.trees.remove(path, lease);
});

test(
  "a directory of a session that another user has made first is refused, with what is in it",
  unless(process.getuid?.() === 0 ? null : "only root may give files away"),
  async () => {
    const repository = await repositoryWith({ "a.txt": "1\n" });
    const world = travelWorld(repository);
    const sent = await world.sendOut({ type: "tree", tree: await world.create() });
    const session = join(world.folder, "trees", "foreign");
    mkdirSync(session, { recursive: true });
    chownSync(session, 65_534, 65_534);
    const tree = { repository: sent.repository, commit: sent.commit, path: join(session, "one") };
    await expect(world.runner.trees.add(tree)).rejects.toThrow(`${session} belongs to another user (65534)`);
    expect(readdirSync(session)).toEqual([]);
  },
);

test("an older attempt that comes late leaves a newer one its worktree and its processes", async () => {
  const repository = await repositoryWith({ "a.txt": "1\n" });
  const world = travelWorld(repository);
  const sent = await world.sendOut({ type: "tree", tree: await world.create() });
  const path = world.remote("two");
  const tree = { repository: sent.repository, commit: sent.commit, path };
  await world.runner.trees.add({ ...tree, attempt: 2 });
  const newer = spawn("sleep", ["300"], { cwd: path, detached: true, stdio: "ignore" });
  const group = processGroup(newer.pid ?? 0, systemClock);
  onTestFinished(() => group.kill());
  world.runner.trees.setOwner(path, newer.pid ?? 0);
  await expect(world.runner.trees.add({ ...tree, attempt: 1 })).rejects.toThrow(/A later attempt/);
  expect(group.running()).toEqual([newer.pid]);
  expect(filesBelow(path)).toEqual({ "a.txt": "- 1\n" });
});

test("an older attempt that ends on another runner of the machine leaves a newer one its worktree", async () => {
  const repository = await repositoryWith({ "a.txt": "1\n" });
  const world = travelWorld(repository);
  const sent = await world.sendOut({ type: "tree", tree: await world.create() });
  const other = new RunnerRepositories(join(world.folder, "clones of another home"), world.ground);
  await other.receive(sent.repository, { commit: sent.commit, bundle: sent.bundle ?? "" });
  for (let round = 0; round < 5; round += 1) {
    const path = world.remote(`round-${round}`);
    const tree = { repository: sent.repository, commit: sent.commit, path };
    const lease = await world.runner.trees.add({ ...tree, attempt: 1 });
    const older = spawn("sleep", ["300"], { cwd: path, detached: true, stdio: "ignore" });
    onTestFinished(() => processGroup(older.pid ?? 0, systemClock).kill());
    world.runner.trees.setOwner(path, older.pid ?? 0);
    // Both wait until the processes of the older one are gone.
    const removing = world.runner.trees.remove(path, lease);
    const newer = await other.trees.add({ ...tree, attempt: 2 });
    await removing;
    expect(filesBelow(path)).toEqual({ "a.txt": "- 1\n" });
    expect((await other.trees.snapshot(path)).notes).toEqual([]);
    await other.trees.remove(path, newer);
    expect(readdirSync(join(path, ".."))).not.toContain(`round-${round}`);
  }
});

test("a worktree that a reboot has removed is made again, and one that cannot be made leaves nothing", async () => {
  const repository = await repositoryWith({ "a.txt": "1\n" });
  const world = travelWorld(repository);
  const sent = await world.sendOut({ type: "tree", tree: await world.create() });
  const path = world.remote("one");
  rmSync(join(path, ".."), { recursive: true });
  const tree = { repository: sent.repository, commit: sent.commit, path };
  const lease = await world.runner.trees.add(tree);
  expect(filesBelow(path)).toEqual({ "a.txt": "- 1\n" });
  await world.runner.trees.remove(path, lease);
  await expect(world.runner.trees.add({ ...tree, commit: "1".repeat(40) })).rejects.toThrow(/could not/);
  expect(existsSync(join(path, ".."))).toBe(false);
});

test("agents that are started together bring the same bundle, and none is refused", async () => {
  const repository = await repositoryWith({ "a.txt": "1\n" });
  const world = travelWorld(repository);
  const source = { type: "tree", tree: await world.create() } as const;
  const sent = await exportTree({ source, have: [], into: world.blobs }, world.ground);
  if (sent.type !== "exported") throw new Error(sent.reason);
  const { repository: id, commit, bundle } = sent;
  const files = { commit, bundle: bundle ?? "" };
  await Promise.all(Array.from({ length: 12 }, () => world.runner.receive(id, files)));
  expect(await world.runner.have(id)).toEqual([commit]);
});

test("filters that the machine has for a file's attribute do not run on a runner", async () => {
  const repository = await repositoryWith({ ".gitattributes": "*.txt filter=evil\n", "a.txt": "1\n" });
  const world = travelWorld(repository);
  writeFileSync(
    join(world.folder, ".gitconfig"),
    '[filter "evil"]\n\tsmudge = echo ran\n\tclean = echo ran\n',
  );
  const ground = { ...world.ground, env: { ...world.ground.env, HOME: world.folder } };
  const runner = new RunnerRepositories(join(world.folder, "other"), ground);
  const tree = await world.create();
  const sent = await world.sendOut({ type: "tree", tree });
  await runner.receive(sent.repository, { commit: sent.commit, bundle: sent.bundle ?? "" });
  const path = world.remote("two");
  const lease = await runner.trees.add({ repository: sent.repository, commit: sent.commit, path });
  expect(filesBelow(path)).toEqual(filesBelow(repository.folder));
  writeFileSync(join(path, "a.txt"), "2\n");
  const edits = await runner.trees.exportSince(path, { base: sent.commit, into: world.blobs });
  expect(edits?.notes).toEqual([]);
  await runner.trees.remove(path, lease);
});

test("prunes clones that were not used for long or are too much, but none with a worktree", async () => {
  const repository = await repositoryWith({ "a.txt": "1\n" });
  const world = travelWorld(repository);
  const tree = await world.create();
  const sent = await world.sendOut({ type: "tree", tree });
  const clones = join(world.folder, "clones");
  const clone = join(clones, `${sent.repository}.git`);
  const old = Date.now() / 1_000 - 15 * 24 * 60 * 60;
  utimesSync(join(clone, "HEAD"), old, old);
  const unfinished = join(clone, "objects", "pack", "tmp_objects");
  mkdirSync(unfinished);
  utimesSync(unfinished, old, old);
  expect(await world.runner.prune()).toEqual([]);
  expect(existsSync(unfinished)).toBe(false);
  await world.runner.trees.remove(world.remote("one"), sent.lease);
  expect(await world.runner.prune()).toEqual([sent.repository]);
  expect(existsSync(clone)).toBe(false);
  expect(await world.runner.have(sent.repository)).toEqual([]);
  // As if it had never been there.
  const again = await world.sendOut({ type: "tree", tree });
  const recent = Date.now() / 1_000 - 2 * 60 * 60;
  utimesSync(join(clone, "HEAD"), recent, recent);
  await world.runner.trees.remove(world.remote("one"), again.lease);
  expect(await world.runner.prune()).toEqual([]);
  // One that cannot be looked at keeps no other.
  const broken = join(clones, "0broken.git");
  mkdirSync(broken);
  for (const name of ["HEAD", "borrowers"]) writeFileSync(join(broken, name), "");
  utimesSync(join(broken, "HEAD"), old, old);
  await expect(world.runner.prune({ maxBytes: 10, maxAgeDays: 14 })).rejects.toThrow("borrowers");
  expect(existsSync(clone)).toBe(false);
});

test("a runner on which sessions always rely on some clone looks again later instead of waiting without end", async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "one.git"));
  writeFileSync(join(folder, "one.git", "HEAD"), "");
  utimesSync(join(folder, "one.git", "HEAD"), 1, 1);
  let now = Date.now();
  const ground = { ...ownEnvironment(process.env), now: () => (now += 40_000) };
  const limits = { maxBytes: 10, maxAgeDays: 14 };
  expect(await pruneRepositories(folder, limits, () => true, ground)).toEqual([]);
  expect(await pruneRepositories(folder, limits, () => false, ground)).toEqual(["one"]);
});

test("a clone that was named to a session stays until what builds on it has come", async () => {
  const repository = await repositoryWith({ "a.txt": "1\n" });
  const world = travelWorld(repository);
  const tree = await world.create();
  const sent = await world.sendOut({ type: "tree", tree });
  await world.runner.trees.remove(world.remote("one"), sent.lease);
  const clone = join(world.folder, "clones", `${sent.repository}.git`);
  const old = Date.now() / 1_000 - 15 * 24 * 60 * 60;
  utimesSync(join(clone, "HEAD"), old, old);
  const path = world.remote("two");
  let pruning: Promise<string[]> | null = null;
  await world.runner.relying(async () => {
    const have = await world.runner.newest();
    expect(have).toEqual([sent.commit]);
    pruning = world.runner.prune();
    writeFileSync(join(tree.path, "a.txt"), "2\n");
    const more = await exportTree({ source: { type: "tree", tree }, have, into: world.blobs }, world.ground);
    if (more.type !== "exported") throw new Error(more.reason);
    await new Promise<void>((resolve) => systemClock.after(300, resolve));
    await world.runner.receive(more.repository, { commit: more.commit, bundle: more.bundle ?? "" });
    const lease = await world.runner.trees.add({ repository: more.repository, commit: more.commit, path });
    onTestFinished(() => world.runner.trees.remove(path, lease));
  });
  expect(await pruning).toEqual([]);
  expect(filesBelow(path)).toEqual({ "a.txt": "- 2\n" });
});

const disk = smallDisk();
test("says that the disk is full", unless(disk.why), async () => {
  const noise = Buffer.from(Array.from({ length: 300_000 }, (_, at) => Math.sin(at) * 1e9));
  const repository = await repositoryWith({ "a.bin": noise });
  const world = travelWorld(repository);
  const tree = await world.create();
  const sent = await world.sendOut({ type: "tree", tree });
  const clones = join(disk.mountIn(world.folder, "200k"), "clones");
  const runner = new RunnerRepositories(clones, world.ground);
  const files = { commit: sent.commit, bundle: sent.bundle ?? "" };
  await expect(runner.receive(sent.repository, files)).rejects.toThrow(/ENOSPC/);
});

test("settings, hooks, excludes, branches and stashes of one agent are no other's, at the same time or later", async () => {
  const repository = await repositoryWith({ "a.txt": "1\n" });
  const world = travelWorld(repository);
  const sent = await world.sendOut({ type: "tree", tree: await world.create() });
  const source = { repository: sent.repository, commit: sent.commit };
  const beside = world.remote("beside");
  await world.runner.trees.add({ ...source, path: beside });
  const spoil = [
    "git config core.fileMode false && git config core.autocrlf true && git config core.hooksPath /nowhere",
    'git config filter.x.clean "touch ran; cat" && git config user.email evil@x',
    'common="$(git rev-parse --git-common-dir)"; mkdir -p "$common/info" && echo "*.new" > "$common/info/exclude"',
    "git checkout -q -b fix-1 && git tag t && echo 2 > a.txt && git stash -q",
  ].join("\n");
  const identity = {
    GIT_AUTHOR_NAME: "A",
    GIT_AUTHOR_EMAIL: "a@x",
    GIT_COMMITTER_NAME: "A",
    GIT_COMMITTER_EMAIL: "a@x",
  };
  execFileSync("sh", ["-ec", spoil], { cwd: world.remote("one"), env: { ...process.env, ...identity } });
  const later = world.remote("later");
  await world.runner.trees.add({ ...source, path: later });
  for (const path of [beside, later]) {
    const git = (...args: string[]) => execFileSync("git", args, { cwd: path, encoding: "utf8" }).trim();
    expect(git("config", "--local", "--list")).not.toMatch(/filemode=false|autocrlf|hookspath|filter|evil/);
    expect(git("for-each-ref", "refs/heads", "refs/tags", "refs/stash")).toBe("");
    writeFileSync(join(path, "b.new"), "new\r\n");
    expect(git("status", "--porcelain")).toBe("?? b.new");
  }
  await world.runner.trees.remove(world.remote("one"), sent.lease);
  expect(await world.runner.prune()).toEqual([]);
});

test("nothing is left of a worktree that is removed while its edits are exported", async () => {
  const repository = await repositoryWith({ "a.txt": "1\n" });
  const world = travelWorld(repository);
  const sent = await world.sendOut({ type: "tree", tree: await world.create() });
  const { signal } = new AbortController();
  for (let ms = 0; ms < 60; ms += 3) {
    const path = world.remote(`at-${ms}`);
    const { repository: id, commit } = sent;
    const lease = await world.runner.trees.add({ repository: id, commit, path });
    for (let n = 0; n < 20; n += 1) writeFileSync(join(path, `${n}.txt`), `${n}\n`);
    const exporting = world.runner.trees
      .exportSince(path, { base: commit, into: world.blobs, remote: undefined, signal })
      .catch(() => {});
    await new Promise<void>((resolve) => systemClock.after(ms, resolve));
    await world.runner.trees.remove(path, lease);
    await exporting;
    expect(readdirSync(join(path, "..")).filter((name) => name.includes("at-"))).toEqual([]);
  }
});
