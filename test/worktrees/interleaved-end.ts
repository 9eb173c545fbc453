import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Worktree } from "../../src/mailbox/worktree.ts";
import { mergeRef, ourFolder, treeRecordFolder, treesFolder } from "../../src/worktrees/layout.ts";
import { type Game, owe, whatIsThePersons } from "./interleaved-scene.ts";
import { orphansAreGone } from "./killing-git.ts";
import { removeTree, sweep } from "./operations.ts";

/** All is cleaned up and collected: what must be there is there, and nothing else. */
export async function end(game: Game): Promise<void> {
  const { t, ledger, persons, wrapper } = game;
  await orphansAreGone(wrapper);
  const { folder } = t.repository;
  // Locks of a killed git are judged by their age.
  const later = { ...t.ground, now: () => Date.now() + 601_000 };
  expect((await sweep({ folder }, later)).type).toBe("swept");
  expect(persons.isCutOff).toBe(false);
  if (existsSync(t.tree.path)) {
    expect(await removeTree({ tree: t.tree }, t.ground)).toEqual({ type: "done" });
  }
  // What was in files when they went.
  owe(ledger);
  await t.repository.must(["gc", "-q", "--prune=now"]);
  expect(missing(t.tree, ledger.owed)).toEqual([]);
  expect((await t.repository.must(["fsck", "--connectivity-only"])).trim()).not.toMatch(
    /missing|broken|error/,
  );
  expect(persons.wrong()).toEqual([]);
  expect(await whatIsThePersons(t.repository)).toEqual(game.git);
  await nothingIsStale(game);
}

/** No tree, branch, lock, index, folder or ref of what is over; what undo and restore need is there. */
async function nothingIsStale({ t, persons }: Game): Promise<void> {
  const { folder } = t.repository;
  expect((await t.repository.must(["worktree", "list", "--porcelain"])).match(/^worktree /gm)).toHaveLength(
    1,
  );
  expect(await t.repository.must(["branch", "--list", "worktree-*"])).toBe("");
  expect(existsSync(treesFolder(folder))).toBe(false);
  expect(existsSync(join(t.common, "index.lock"))).toBe(false);
  const trees = readdirSync(join(ourFolder(t.common), "trees"));
  expect(trees.filter((name) => name.startsWith(`${t.tree.name}-`))).toEqual([]);
  const bases = ["for-each-ref", `refs/troupe/bases/${t.tree.name}-*`];
  expect(await t.repository.must(bases)).toBe("");
  const record = treeRecordFolder(t.common, t.tree.name);
  expect(existsSync(record) ? readdirSync(record) : []).toEqual(existsSync(record) ? ["owner.json"] : []);
  // The last lock stays, as one that is free.
  const ours = readdirSync(ourFolder(t.common));
  expect(ours.filter((name) => !/^(trees|lock\.\d+|merges|merge-order)$/.test(name))).toEqual([]);
  const kept = persons.merges.filter(({ state }) => state === "merged" || state === "undone");
  const merges = join(ourFolder(t.common), "merges");
  const folders = existsSync(merges) ? readdirSync(merges) : [];
  expect(folders.sort()).toEqual(kept.map(({ merge }) => merge).sort());
  for (const { merge, state } of kept) {
    const names = readdirSync(join(merges, merge)).filter((name) => !/^undo-\d+$/.test(name));
    expect(names.sort()).toEqual(state === "merged" ? ["aside", "journal.jsonl"] : ["journal.jsonl"]);
  }
  const refs = await t.repository.must(["for-each-ref", "--format=%(refname)", "refs/troupe/merges"]);
  const wanted = kept.flatMap(({ merge }) => [mergeRef(merge, "after"), mergeRef(merge, "before")]);
  expect(refs.split("\n").filter(Boolean).sort()).toEqual(wanted.sort());
}

/** By their names, all in one question. */
function missing({ checkout }: Worktree, contents: ReadonlySet<string>): string[] {
  const named = new Map([...contents].map((content) => [blobId(content), content]));
  const said = execFileSync("git", ["cat-file", "--batch-check"], {
    cwd: checkout,
    input: [...named.keys()].join("\n"),
    encoding: "utf8",
  });
  const lost = [...said.matchAll(/^(\S+) missing$/gm)].map(([, id = ""]) => named.get(id) ?? "");
  return lost.filter((content) => content !== "");
}

function blobId(content: string): string {
  return createHash("sha1")
    .update(`blob ${Buffer.byteLength(content)}\0${content}`)
    .digest("hex");
}
