// @module-tag long
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { worktreeDefaults } from "../../../src/features/isolation/worktree-settings.ts";
import { type WorktreeServiceParts, worktreeService } from "../../../src/features/worktree/index.ts";
import { ActorId, callId, MAIN } from "../../../src/mailbox/ids.ts";
import type { Location } from "../../../src/mailbox/worktree.ts";
import type { BaseRef, Owner } from "../../../src/worktrees/protocol.ts";
import { repositoryWith } from "../../support/git-repository.ts";
import { creationIn, groundOf, OWNER } from "../../support/worktree-ground.ts";
import {
  createTree,
  diffTree,
  inspect,
  listTrees,
  removeTree,
  restoreTree,
  snapshotTree,
} from "../../worktrees/operations.ts";

const MINE: Owner = { ...OWNER, actor: MAIN };

/** A conversation in a repository, and its service over real operations. */
async function conversation(
  change: Partial<WorktreeServiceParts> & { baseRef?: BaseRef; within?: string } = {},
) {
  const repository = await repositoryWith({ "a.txt": "a\n", "src/b.txt": "b\n" });
  const ground = groundOf(repository);
  const home = join(repository.folder, change.within ?? "");
  let place: Location = { root: home, cwd: home, tree: null };
  const parts: WorktreeServiceParts = {
    worktrees: {
      inspect: (request) => inspect(request, ground),
      create: (request, signal) => createTree(request, ground, signal),
      list: (request) => listTrees(request, ground),
      snapshot: (request) => snapshotTree(request, ground),
      diff: (request) => diffTree(request, ground),
      remove: (request) => removeTree(request, ground),
    },
    settings: { ...worktreeDefaults, baseRef: change.baseRef ?? "checkout" },
    where: () => place,
    home: () => home,
    move: (_, to) => {
      place = to;
    },
    ownerOf: () => MINE,
    newName: () => "found-1",
    foreignGit: () => null,
    workspace: [home],
    ...change,
  };
  const abort = new AbortController();
  const context = (actor = MAIN, cwd = place.cwd) => ({
    ...{ call: callId(actor, 1, 0), actor, cwd, signal: abort.signal },
  });
  /** As after a session was taken up again: only what is kept with the actor is known. */
  const service = () => worktreeService(parts);
  const first = service();
  return {
    ...{ repository, ground, home, parts, service, abort, context },
    where: () => place,
    stand: (cwd: string) => {
      place = { ...place, cwd };
    },
    enter: (wish: { name?: string; path?: string } = {}, by = first) =>
      by.enter(
        wish.path === undefined
          ? { type: "new", name: wish.name ?? null }
          : { type: "existing", path: wish.path },
        context(),
      ),
    exit: (action: "keep" | "remove", discard = false, by = first) => by.exit(action, discard, context()),
  };
}

describe("EnterWorktree", () => {
  test("makes a branch and a folder, and the conversation is in there (A16.1)", {
    tags: ["long"],
  }, async () => {
    const { repository, enter, where } = await conversation();
    repository.write({ "a.txt": "changed\n", "new.txt": "new\n" });
    const path = join(repository.folder, ".claude/worktrees/one");
    expect(await enter({ name: "one" })).toEqual({
      ...{ type: "entered", path, branch: "worktree-one", cwd: path, isNew: true, notes: [] },
    });
    expect(where()).toMatchObject({
      root: path,
      cwd: path,
      tree: { name: "one", checkout: repository.folder },
    });
    expect(await repository.must(["branch", "--list", "worktree-one", "--format=%(refname:short)"])).toBe(
      "worktree-one\n",
    );
    expect(readFileSync(join(path, "a.txt"), "utf8")).toBe("changed\n");
    expect(readFileSync(join(path, "new.txt"), "utf8")).toBe("new\n");
  });

  test("begins from what the setting says: HEAD, with commits that were pushed nowhere (A16.1)", async () => {
    const { repository, enter } = await conversation({ baseRef: "head" });
    repository.write({ "a.txt": "committed\n" });
    const head = await repository.commit("Not pushed");
    repository.write({ "a.txt": "not committed\n" });
    const entered = await enter();
    const path = join(repository.folder, ".claude/worktrees/found-1");
    expect(entered).toMatchObject({ type: "entered", path, branch: "worktree-found-1" });
    expect(readFileSync(join(path, "a.txt"), "utf8")).toBe("committed\n");
    expect((await repository.must(["rev-parse", "worktree-found-1"])).trim()).toBe(head);
  });

  test("continues in the same part of the repository, and leaving returns to where it was (A16.3)", async () => {
    const { repository, enter, exit, where, stand } = await conversation({ within: "src" });
    const inSrc = join(repository.folder, ".claude/worktrees/one/src");
    const deeper = join(repository.folder, "src/deeper");
    mkdirSync(deeper);
    stand(deeper);
    expect(await enter({ name: "one" })).toMatchObject({ cwd: inSrc });
    expect(await exit("keep")).toMatchObject({ type: "left", cwd: deeper });
    expect(where()).toEqual({ root: join(repository.folder, "src"), cwd: deeper, tree: null });
  });

  test("a path must be one that git lists; those there are, are named (A16.2)", {
    tags: ["long"],
  }, async () => {
    const { repository, ground, enter, where } = await conversation();
    await createTree(creationIn(repository.folder, { name: "other" }), ground);
    const other = join(repository.folder, ".claude/worktrees/other");
    const missing = join(repository.folder, "src");
    expect(await enter({ path: "src" })).toEqual({
      ...{ type: "refused" },
      reason: `${missing} is no worktree of this repository, as git worktree list has it. There are: ${other}.`,
    });
    expect(await enter({ path: repository.folder })).toMatchObject({ type: "refused" });
    expect(where().root).toBe(repository.folder);
    expect(await enter({ path: ".claude/worktrees/other/" })).toMatchObject({
      ...{ type: "entered", path: other, branch: "worktree-other", isNew: false },
    });
    expect(where().tree).toMatchObject({ name: "other", path: other });
  });

  test("makes one directory of a name with segments, and refuses a second name for it (A22.35)", async () => {
    const { repository, enter, exit } = await conversation();
    const path = join(repository.folder, ".claude/worktrees/feat-foo.bar_1");
    expect(await enter({ name: "feat/foo.bar_1" })).toMatchObject({
      ...{ type: "entered", path, branch: "worktree-feat-foo.bar_1" },
    });
    await exit("keep");
    expect(await enter({ name: "feat-foo.bar_1" })).toMatchObject({
      reason: `${path} is there already; choose another name.`,
    });
    expect(await enter({ name: ".a/-b/..c." })).toMatchObject({ branch: "worktree-_a--b-_.c_" });
  });

  test("one at a time; a name that is taken, an agent, and no repository are refused, and nothing moves", {
    tags: ["long"],
  }, async () => {
    const { repository, ground, enter, where, service, context } = await conversation();
    await createTree(creationIn(repository.folder, { name: "taken" }), ground);
    expect(await enter({ name: "taken" })).toMatchObject({ type: "refused" });
    const agent = ActorId.parse("agent1");
    expect(await service().enter({ type: "new", name: null }, context(agent))).toMatchObject({
      reason: expect.stringContaining("Only the main conversation"),
    });
    expect(where().root).toBe(repository.folder);
    await enter({ name: "one" });
    // Also by a service that has forgotten it: the session was taken up again.
    expect(await enter({ name: "two" }, service())).toMatchObject({
      reason: expect.stringContaining("only in one at a time. Call ExitWorktree first."),
    });
  });

  test("a directory whose git settings are not agreed to, and one that is not a repository, have none", async () => {
    const odd = await conversation({ foreignGit: () => "git would run a filter of this directory" });
    expect(await odd.enter()).toMatchObject({
      reason: expect.stringContaining("the user has not agreed to that"),
    });
    const none = await conversation({ where: () => ({ root: "/", cwd: "/", tree: null }), home: () => "/" });
    expect(await none.enter()).toMatchObject({ type: "refused" });
  });

  test("stays where it is if stopped during the call", async () => {
    const { enter, abort, where, home } = await conversation();
    abort.abort(new Error("stopped"));
    await expect(enter({ name: "one" })).rejects.toThrow("stopped");
    expect(where().root).toBe(home);
  });
});

describe("ExitWorktree", () => {
  test("keep leaves everything on the disk, also after the session was resumed (A16.3)", {
    tags: ["long"],
  }, async () => {
    const { repository, enter, exit, where, service, home } = await conversation();
    await enter({ name: "one" });
    const path = join(repository.folder, ".claude/worktrees/one");
    writeFileSync(join(path, "a.txt"), "mine\n");
    expect(await exit("keep", false, service())).toEqual({
      ...{ type: "left", cwd: home, branch: "worktree-one", path, removed: null },
    });
    expect(where()).toEqual({ root: home, cwd: home, tree: null });
    expect(readFileSync(join(path, "a.txt"), "utf8")).toBe("mine\n");
    expect(readFileSync(join(repository.folder, "a.txt"), "utf8")).toBe("a\n");
  });

  test("remove is refused with the files that are nowhere else; with discard_changes it goes, and can be put back (A16.3)", {
    tags: ["long"],
  }, async () => {
    const { repository, ground, enter, exit, where, home } = await conversation();
    await enter({ name: "one" });
    const path = join(repository.folder, ".claude/worktrees/one");
    writeFileSync(join(path, "a.txt"), "mine\n");
    writeFileSync(join(path, "own b.txt"), "own\n");
    writeFileSync(join(path, "own.txt"), "own\n");
    renameSync(join(path, "src/b.txt"), join(path, "src/c d.txt"));
    expect(await exit("remove")).toEqual({
      ...{ type: "unsaved", files: ["a.txt", "own b.txt", "own.txt", "src/c d.txt"] },
    });
    expect(where().root).toBe(path);
    expect(await exit("remove", true)).toMatchObject({ type: "left", cwd: home, path, removed: "one" });
    expect([existsSync(path), where().root]).toEqual([false, home]);
    expect(await restoreTree({ folder: home, name: "one" }, ground)).toMatchObject({ type: "restored" });
    expect(readFileSync(join(path, "own.txt"), "utf8")).toBe("own\n");
  });

  test("remove of one without edits needs nothing more", { tags: ["long"] }, async () => {
    const { repository, enter, exit } = await conversation();
    await enter({ name: "one" });
    expect(await exit("remove")).toMatchObject({ type: "left", removed: "one" });
    expect(await repository.must(["branch", "--list", "worktree-one"])).toBe("");
  });

  test("one that another program made, with our tools or with git, can only be kept (A16.2)", {
    tags: ["long"],
  }, async () => {
    const workspace: string[] = [];
    const { repository, ground, enter, exit, where } = await conversation({ workspace });
    await createTree(creationIn(repository.folder, { name: "other" }), ground);
    const byHand = `${repository.folder}-by-hand`;
    await repository.must(["worktree", "add", "-q", byHand]);
    const elsewhere = await enter({ path: byHand });
    expect(elsewhere).toMatchObject({ type: "refused", reason: expect.stringContaining("outside") });
    workspace.push(byHand);
    for (const path of [join(repository.folder, ".claude/worktrees/other"), byHand]) {
      expect(await enter({ path })).toMatchObject({ type: "entered" });
      expect(await exit("remove", true)).toMatchObject({
        reason: expect.stringContaining("was not made by this conversation"),
      });
      expect(where().root).toBe(path);
      expect(await exit("keep")).toMatchObject({ type: "left", path });
      expect(existsSync(path)).toBe(true);
    }
  });

  test("outside of one there is nothing to leave; an agent leaves none", async () => {
    const { exit, service, context } = await conversation();
    expect(await exit("keep")).toMatchObject({ reason: expect.stringContaining("nothing to leave") });
    expect(await service().exit("keep", false, context(ActorId.parse("agent1")))).toMatchObject({
      reason: expect.stringContaining("Only the main conversation"),
    });
  });
});
