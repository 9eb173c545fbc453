// @module-tag long
import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import type { Worktree } from "../../../src/mailbox/worktree.ts";
import { RunnerRepositories } from "../../../src/worktrees/runner/repositories.ts";
import { repositoryWith, type TestRepository } from "../../support/git-repository.ts";
import { dropRemoteRefs, exportTree, importEdits } from "../operations.ts";
import { filesBelow, travelWorld } from "./travel-world.ts";

const AGENT = "refs/troupe/runners/session1/agent1";
const { signal } = new AbortController();

/** A checkout, a runner, and a bare repository that both reach. */
async function withRemote(files: Readonly<Record<string, string | Buffer>> = { "a.txt": "1\n" }) {
  const repository = await repositoryWith(files);
  const url = join(repository.folder, "..", "remote.git");
  await repository.must(["init", "-q", "--bare", url]);
  // Large files are of random bytes.
  await repository.must(["config", "--global", "core.compression", "0"]);
  const via = { url, refs: `${AGENT}/1` };
  const there = repository.git.at(url);
  const refs = async () =>
    (await there.run(["for-each-ref", "--format=%(refname)"])).out.split("\n").filter((ref) => ref !== "");
  const world = travelWorld(repository, via);
  /** Sends a worktree to the remote, from which no runner has fetched it yet. */
  const push = async (tree: Worktree) => {
    const request = { source: { type: "tree", tree }, have: [] as string[], into: world.blobs } as const;
    const sent = await exportTree({ ...request, remote: via }, world.ground);
    if (sent.type !== "exported") throw new Error(sent.reason);
    return sent;
  };
  return { repository, via, world, there, refs, push };
}

function hook(url: string, script: string): void {
  const file = join(url, "hooks", "pre-receive");
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
}

/** All that a refused request could have changed. */
async function stateOf({ folder, git }: TestRepository): Promise<unknown> {
  const { out } = await git.run(["count-objects", "-v"]);
  const { out: refs } = await git.run(["for-each-ref"]);
  return [out, refs, filesBelow(folder), readdirSync(join(folder, ".git", "troupe")).sort()];
}

const KEY = `-----BEGIN PRIVATE KEY-----\n${"MIIEvgIBADANBgkqhkiG9w0BAQ".repeat(4)}\n`;

test("the first copy of a repository travels through the remote, without secrets, and small edits do not", async () => {
  const { repository, via, world, there, refs } = await withRemote();
  repository.write({ "draft.txt": "not committed\n", "key.pem": KEY });
  const tree = await world.create();
  const sent = await world.sendOut({ type: "tree", tree });
  expect(sent).toMatchObject({ bundle: null, isPushed: true });
  expect(await refs()).toEqual([`${via.refs}/${sent.commit}`]);
  const { out } = await there.run(["ls-tree", "--name-only", sent.commit]);
  expect(out).toBe("a.txt\ndraft.txt\n");
  expect(filesBelow(world.remote("one"))).toEqual(filesBelow(tree.path));
  writeFileSync(join(world.remote("one"), "a.txt"), "2\n");
  const edits = await world.bringBack(tree, sent.commit);
  expect(edits).toMatchObject({ changed: [{ path: "a.txt", change: "modified" }] });
  expect(edits?.bundle).not.toBe(null);
  expect(await refs()).toHaveLength(1);
  // It has something of the repository now.
  expect(await world.sendOut({ type: "tree", tree })).toMatchObject({ isPushed: false });
});

test("files over the limit travel through the remote in both directions", { timeout: 240_000 }, async () => {
  const { world, via, refs } = await withRemote();
  const tree = await world.create();
  const first = await world.sendOut({ type: "tree", tree });
  const large = randomBytes(66 * 1024 * 1024);
  writeFileSync(join(world.remote("one"), "large"), large);
  const edits = await world.bringBack(tree, first.commit);
  expect(edits).toMatchObject({ bundle: null, changed: [{ path: "large", change: "added" }] });
  expect(await refs()).toContain(`${via.refs}/${edits?.commit}`);
  expect(filesBelow(tree.path)["large"]).toBe(`- ${large.toString("latin1")}`);
  // Out, to one that has the repository and not this.
  const into = join(world.folder, "into");
  const source = { type: "tree" as const, tree };
  const sent = await exportTree({ source, have: [first.commit], into, remote: via }, world.ground);
  expect(sent).toMatchObject({ bundle: null, isPushed: true });
  expect(readdirSync(into)).toEqual([]);
  const other = new RunnerRepositories(join(world.folder, "other"), world.ground);
  if (sent.type !== "exported") throw new Error(sent.reason);
  const { commit, repository: id } = sent;
  await other.fetch(id, { commit, remote: via, signal });
  const path = world.remote("two");
  const lease = await other.trees.add({ repository: id, commit, path });
  expect(filesBelow(path)).toEqual(filesBelow(tree.path));
  await other.trees.remove(path, lease);
});

test("a remote that refuses pushes is a sentence with its reason, and changes nothing", async () => {
  const { repository, via, world, refs } = await withRemote();
  const tree = await world.create();
  await world.sendOut({ type: "checkout", folder: repository.folder });
  hook(via.url, "echo no room for this >&2; exit 1");
  const request = {
    source: { type: "tree", tree },
    have: [] as string[],
    into: world.blobs,
    remote: via,
  } as const;
  repository.write({ "a.txt": "2\n" });
  await exportTree({ ...request, remote: { ...via, refs: `${AGENT}/2` } }, world.ground);
  const before = await stateOf(repository);
  const answer = await exportTree({ ...request, remote: { ...via, refs: `${AGENT}/3` } }, world.ground);
  expect(answer).toMatchObject({
    type: "refused",
    reason: expect.stringMatching(
      /^The files of the agent could not be pushed to \S+ \(troupe\.runners\.remote\) on \S+: git says: pre-receive hook declined\. Check that git on \S+ may push refs below refs\/troupe\/ there without a question \(git ls-remote \S+\), then try again\.$/,
    ),
  });
  expect(await stateOf(repository)).toEqual(before);
  expect(await refs()).toHaveLength(1);
});

test("a remote that hangs is left when its attempt is over", async () => {
  const { via, world, refs } = await withRemote();
  const tree = await world.create();
  const pid = join(world.folder, "pid");
  hook(via.url, `trap '' TERM; echo $$ > ${pid}; sleep 600; sleep 600`);
  const over = new AbortController();
  const request = {
    source: { type: "tree", tree },
    have: [] as string[],
    into: world.blobs,
    remote: via,
  } as const;
  const sending = exportTree(request, world.ground, over.signal);
  await vi.waitUntil(() => existsSync(pid), { timeout: 10_000 });
  over.abort(new Error("over"));
  await expect(sending).rejects.toThrow("over");
  expect(await refs()).toEqual([]);
});

test("a remote that is emptied in between is a sentence, and the next attempt gets its files", async () => {
  const { repository, via, world, push } = await withRemote();
  const tree = await world.create();
  const { commit, repository: id } = await push(tree);
  rmSync(via.url, { recursive: true });
  const fetch = () => world.runner.fetch(id, { commit, remote: via, signal });
  await expect(fetch()).rejects.toThrow(/does not appear to be a git repository\. Check that git/);
  await repository.must(["init", "-q", "--bare", via.url]);
  await expect(fetch()).rejects.toThrow(/git says: couldn't find remote ref refs\/troupe\/runners/);
  await world.sendOut({ type: "tree", tree });
  expect(filesBelow(world.remote("one"))).toEqual({ "a.txt": "- 1\n" });
});

test("what a lying runner has pushed is refused, and changes nothing", async () => {
  const { repository, via, world, there } = await withRemote();
  const tree = await world.create();
  const { commit } = await world.sendOut({ type: "tree", tree });
  const clone = repository.git.at(world.remote("one"));
  const path = world.remote("one");
  symlinkSync("/etc/passwd", join(path, "away"));
  writeFileSync(join(path, "b.txt"), "b\n");
  await clone.run(["add", "-A", "--", "away", "b.txt"]);
  await clone.run(["commit", "-q", "-m", "x"]);
  const evil = (await clone.run(["rev-parse", "HEAD"])).out.trim();
  const other = "1".repeat(40);
  const push = (name: string) => clone.run(["push", "-q", via.url, `${evil}:${via.refs}/${name}`]);
  await push(evil);
  await push(other);
  const before = await stateOf(repository);
  const take = async (announced: string) => {
    const answer = await importEdits({ tree, commit: announced, remote: via }, world.ground);
    return answer.type === "refused" ? answer.reason : answer.type;
  };
  expect(await take(other)).toBe(
    `The files of the agent were not taken: ${via.refs}/${other} of ${via.url} is ${evil}, and not the commit that was announced.`,
  );
  expect(await take(evil)).toMatch(/"away" is a symbolic link out of the worktree/);
  expect(await take("2".repeat(40))).toMatch(/couldn't find remote ref/);
  for (const name of ["--upload-pack=touch x", "../../heads/main", commit.slice(1), ""])
    expect(await take(name)).toMatch(/is not the ID of a commit/);
  expect(await stateOf(repository)).toEqual(before);
  expect((await there.run(["cat-file", "-t", evil])).out).toBe("commit\n");
});

test("no protocol runs that proves nothing, or runs a program", async () => {
  const { world } = await withRemote();
  const tree = await world.create();
  const made = join(world.folder, "made");
  for (const url of [`ext::sh -c "touch ${made}"`, "http://localhost:1/x", "git://localhost:1/x", "-x"]) {
    const remote = { url, refs: `${AGENT}/1` };
    const source = { type: "tree", tree } as const;
    const request = { source, have: [], into: world.blobs, remote };
    const answer = await exportTree(request, world.ground);
    expect(answer, url).toMatchObject({
      type: "refused",
      reason: expect.stringMatching(/transport '\w+' not allowed|strange pathname '-x' blocked/),
    });
  }
  expect(existsSync(made)).toBe(false);
});

test("refs of an agent are deleted up to an attempt, and those of others stay", async () => {
  const { repository, via, there, refs, world } = await withRemote();
  const commit = await repository.commit("x");
  const others = ["session1/agent10/1", "session1/agent1/3", "session2/agent1/1"];
  for (const place of ["session1/agent1/1", "session1/agent1/2", ...others])
    await repository.must(["push", "-q", via.url, `${commit}:refs/troupe/runners/${place}/${commit}`]);
  await repository.must(["push", "-q", via.url, `${commit}:refs/heads/main`]);
  const request = { folder: repository.folder, url: via.url, agent: AGENT, attempt: 2 };
  for (const _ of [1, 2]) await dropRemoteRefs(request, world.ground);
  const left = others.map((place) => `refs/troupe/runners/${place}/${commit}`);
  expect(await refs()).toEqual(["refs/heads/main", ...left].sort());
  expect((await there.run(["fsck", "--connectivity-only"])).code).toBe(0);
});

test("agents that want the same commit at the same time fetch it once", async () => {
  const { via, world, push } = await withRemote();
  const tree = await world.create();
  const { commit, repository: id } = await push(tree);
  const fetches = Array.from({ length: 8 }, () => world.runner.fetch(id, { commit, remote: via, signal }));
  await Promise.all(fetches);
  // A fetch that was killed.
  const ref = join(world.folder, "clones", `${id}.git`, "refs", "troupe", "received", commit);
  rmSync(ref);
  writeFileSync(`${ref}.lock`, "");
  await world.runner.fetch(id, { commit, remote: via, signal });
  rmSync(via.url, { recursive: true });
  await world.runner.fetch(id, { commit, remote: via, signal });
  expect(await world.runner.have(id)).toEqual([commit]);
});
