import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { snapshotCheckout } from "../../../src/worktrees/checkout-snapshot.ts";
import { operations } from "../../../src/worktrees/operations.ts";
import { repositoryAt } from "../../../src/worktrees/repository.ts";
import type { TestRepository } from "../../support/git-repository.ts";
import { repositoryWith } from "../../support/git-repository.ts";
import { isLong, long } from "../../support/long.ts";
import { everyDayHosts, supervised } from "../../support/supervised.ts";
import { textsOf } from "../../support/texts-of.ts";
import { groundOf } from "../../support/worktree-ground.ts";
import { filesIn } from "../../worktrees/replay/on-disk.ts";
import { barrier, brokenIn, type ManyAgents, manyAgents } from "./many/many-agents.ts";
import { namesIn } from "./many/shared-files.ts";

const seeds = isLong ? [1, 2, 3, 4, 5, 6, 7, 8] : [1];
const cases = everyDayHosts.flatMap((host) => seeds.map((seed) => ({ host, seed })));
const LIMIT = 300_000;

test.each(cases)(
  `${long(20, 7)} agents, 30 % overlapping edits, a user who edits and stages: nothing is lost ($host, seed $seed; issue 6, D7, C13, C15)`,
  { tags: ["long"], timeout: LIMIT },
  async ({ host, seed }) => {
    const head = { at: "" };
    const many = await manyAgents(
      { host, seed, agents: long(20, 7), overlap: "tell", check: true, person: "works" },
      (repository) => {
        head.at = readFileSync(join(repository.folder, ".git/HEAD"), "utf8");
      },
    );
    const { repository, results, lost, broken, wentBack } = many;
    expect(lost).toEqual([]);
    expect(broken).toEqual([]);
    expect(readFileSync(join(repository.folder, ".git/HEAD"), "utf8")).toBe(head.at);
    expect((await repository.must(["rev-list", "--count", "HEAD"])).trim()).toBe("1");
    const outcomes = results.map(({ worktree }) => worktree?.outcome);
    for (const outcome of outcomes) expect(["merged", "conflict", "kept"]).toContain(outcome);
    // Else it would prove little.
    expect(outcomes.filter((outcome) => outcome === "merged").length).toBeGreaterThanOrEqual(long(10, 3));
    expect(wentBack).toBeGreaterThan(0);
    for (const { worktree } of results)
      if (worktree?.outcome === "conflict") expect(worktree.conflicts?.length).toBeGreaterThan(0);
    expect(notInTheCheckout(many, { besides: "data/7.json" })).toEqual([]);
    expect(await notRecoverable(many)).toEqual([]);
    await leavesOnlyWhatIsKept(many);
  },
);

test.each(cases)(
  "a user who never rests: every save of the user is there, and what was merged is in the checkout ($host, seed $seed; C13)",
  { tags: ["long"], timeout: LIMIT },
  async ({ host, seed }) => {
    const many = await manyAgents({
      ...{ host, seed: seed + 100, agents: long(20, 3), overlap: "tell" },
      ...{ check: false, person: "never rests" },
    });
    expect(many.lost).toEqual([]);
    expect(many.broken).toEqual([]);
    expect(notInTheCheckout(many, { besides: "data/7.json" })).toEqual([]);
    expect(await notRecoverable(many)).toEqual([]);
    await leavesOnlyWhatIsKept(many);
  },
);

test.each(cases)(
  "undo of all restores the first tree, though conflicts were settled in between ($host, seed $seed; issue 6, D7)",
  { tags: ["long"], timeout: LIMIT },
  async ({ host, seed }) => {
    const first = { files: new Map<string, string>(), tree: "" };
    const many = await manyAgents(
      { host, seed: seed + 200, agents: long(20, 4), overlap: "tell", check: false, person: "rests" },
      async (repository) => {
        first.files = filesIn(repository.folder);
        first.tree = await treeOf(repository);
      },
    );
    const { repository, results } = many;
    const index = readFileSync(join(repository.folder, ".git/index"));
    const merged = results.filter(({ worktree }) => worktree?.outcome === "merged");
    expect(merged.length).toBeGreaterThan(1);
    expect(filesIn(repository.folder)).not.toEqual(first.files);
    for (let at = 0; at < merged.length; at += 1)
      expect(await undo(repository)).toMatchObject({ type: "undone" });
    expect(await undo(repository)).toEqual({ type: "nothing" });
    expect(filesIn(repository.folder)).toEqual(first.files);
    expect(await treeOf(repository)).toBe(first.tree);
    expect(readFileSync(join(repository.folder, ".git/index"))).toEqual(index);
  },
);

test.each(cases)(
  "where files are leased the second waits: no conflict at all, and every edit that was made is in the checkout ($host, seed $seed; D8)",
  { tags: ["long"], timeout: LIMIT },
  async ({ host, seed }) => {
    const many = await manyAgents({
      ...{ host, seed: seed + 300, agents: long(20, 4), overlap: "wait" },
      ...{ check: false, person: "rests" },
    });
    expect(many.results.map(({ worktree }) => worktree?.outcome)).not.toContain("conflict");
    expect(many.wentBack).toBe(0);
    // Who waits for one that waits for it is told to do without that file.
    expect(notInTheCheckout(many).toSorted()).toEqual(many.wentWithout.toSorted());
    expect(brokenIn(many.repository)).toEqual([]);
  },
);

test.each(everyDayHosts)(
  "two agents that write to the same file are both told before either ends (%s; D8)",
  { tags: ["long"] },
  async (host) => {
    const repository = await repositoryWith({ "a.txt": "one\n" });
    const both = barrier(2);
    const told = new Set<string>();
    const order: string[] = [];
    const looks = new Map<string, number>();
    const { supervisor } = supervised(
      host,
      async (request) => {
        const said = textsOf(request);
        const root = /Working directory: (.+)/.exec(request.system.join("\n"))?.[1] ?? "";
        const file_path = join(root, "a.txt");
        if (said.includes("changing the same file as you") && !told.has(request.actor)) {
          told.add(request.actor);
          order.push("told");
        }
        const look = (looks.get(request.actor) ?? 0) + 1;
        looks.set(request.actor, look);
        if (look === 1) {
          await both();
          return { calls: [{ name: "Write", input: { file_path, content: `${request.actor}\n` } }] };
        }
        if (told.size === 2 || look > 200) {
          order.push("ends");
          return { text: "Done." };
        }
        return { calls: [{ name: "Read", input: { file_path, offset: look } }] };
      },
      { cwd: repository.folder, permissionMode: "acceptEdits", worktree: { merge: "keep" } },
    );
    const spawn = (name: string) =>
      supervisor.spawn({
        ...{ type: "general-purpose", description: `task ${name}`, prompt: name },
        isolation: "worktree",
      });
    await Promise.all([spawn("one"), spawn("two")]);
    expect(order).toEqual(["told", "told", "ends", "ends"]);
  },
);

/** Edits of merged agents that the checkout lacks; `besides`: a file that the person writes, too. */
function notInTheCheckout({ repository, results, edits }: ManyAgents, { besides = "" } = {}): string[] {
  return results.flatMap(({ name, worktree }, at) => {
    if (worktree?.outcome !== "merged") return [];
    return (edits[at] ?? []).flatMap(({ path, entry }) => {
      const text = readFileSync(join(repository.folder, path), "utf8");
      return path === besides || namesIn(text, entry).includes(name) ? [] : [`${name}: ${path} ${entry}`];
    });
  });
}

/** Whole files that agents wrote and that no ref holds. */
async function notRecoverable({ repository, written }: ManyAgents): Promise<string[]> {
  const listed = await repository.must(["rev-list", "--objects", "--glob=refs/troupe/*"]);
  const objects = new Set(listed.split("\n").map((line) => line.slice(0, 40)));
  const blob = (text: string) =>
    createHash("sha1")
      .update(`blob ${Buffer.byteLength(text)}\0${text}`)
      .digest("hex");
  return written.filter((text) => !objects.has(blob(text)));
}

async function leavesOnlyWhatIsKept({ repository, results }: ManyAgents): Promise<void> {
  const kept = results.flatMap(({ worktree }) => worktree?.path ?? []);
  for (const path of kept) expect(existsSync(path)).toBe(true);
  const trees = (await repository.must(["worktree", "list", "--porcelain"])).match(/^worktree /gm) ?? [];
  expect(trees.length).toBe(kept.length + 1);
  const branches = (await repository.must(["branch", "--list", "worktree-*"])).split("\n").filter(Boolean);
  expect(branches.length).toBe(kept.length);
}

function undo({ folder, env }: TestRepository) {
  return operations.undo({ folder, which: null, force: false }, groundOf({ env }));
}

async function treeOf({ folder, env }: TestRepository): Promise<string> {
  const ground = groundOf({ env });
  const repo = await repositoryAt(folder, ground);
  const taken = await snapshotCheckout(repo, [], ground);
  return taken.tree;
}
