import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect } from "vitest";
import { treeRecordFolder } from "../../src/worktrees/layout.ts";
import { isBeingRemoved } from "../../src/worktrees/tree-record.ts";
import { end } from "./interleaved-end.ts";
import { type Game, type Ledger, owe, sceneOf, whatIsThePersons } from "./interleaved-scene.ts";
import { type Step, step } from "./interleaved-steps.ts";
import { killedAt } from "./killing-git.ts";
import { mergeStep } from "./merge-steps.ts";
import { removeTree, restoreTree, snapshotTree, sweep } from "./operations.ts";
import { PersonsCheckout } from "./persons-checkout.ts";
import { DEAD, type TestTree, treeIn } from "./tree-of-tests.ts";

export interface Played {
  readonly interleavings: number;
  /** Operations that were killed where they were to be. */
  readonly killed: number;
  readonly merged: number;
  readonly undone: number;
}

/** In one repository, one after the other; what is wrong after any of them throws, with its steps. */
export async function playInterleavings(howMany: number, seed: number): Promise<Played> {
  const scene = await sceneOf();
  const all = fc.sample(fc.array(step, { minLength: 5, maxLength: 14 }), { numRuns: howMany, seed });
  let killed = 0;
  for (const [at, steps] of all.entries()) {
    const { persons, git } = await scene.beginAnew();
    const t = await treeIn(scene.repository, `t${at}`, { owner: DEAD });
    const ledger: Ledger = { owed: new Set(), onDisk: new Map(), writes: 0, killed: 0 };
    const one: Game = { t, ledger, persons, wrapper: scene.wrapper, git };
    let now: Step | null = null;
    try {
      for (now of steps) {
        await play(now, one);
        expect(persons.wrong()).toEqual([]);
      }
      now = null;
      await end(one);
    } catch (error) {
      const where = `interleaving ${at} of seed ${seed}, at ${JSON.stringify(now)}`;
      throw new Error(`${where}: ${JSON.stringify(steps)}`, { cause: error });
    }
    killed += ledger.killed;
  }
  const states = PersonsCheckout.of(scene.repository).merges.map(({ state }) => state);
  const undone = states.filter((state) => state === "undone").length;
  const merged = states.filter((state) => state === "merged").length + undone;
  return { interleavings: all.length, killed, merged, undone };
}

async function play(one: Step, game: Game): Promise<void> {
  const { t, ledger, persons, wrapper } = game;
  // Nobody is at work in what a death left half-removed or half-restored, nor while a check looks at merged files.
  const isShown = existsSync(join(treeRecordFolder(t.common, t.tree.name), "shown.json"));
  const stands = existsSync(t.at(".git")) && !isBeingRemoved(t.common, t.tree.name) && !isShown;
  switch (one.do) {
    case "write":
      if (stands) write(t, one.path, ledger);
      return;
    case "write-ignored": {
      if (!stands) return;
      const content = write(t, one.path, ledger);
      // A look while its removal was cut off is refused: nothing was promised then.
      if (await saw(t, [t.at(one.path)])) ledger.owed.add(content);
      ledger.onDisk.delete(one.path);
      return;
    }
    case "delete":
      if (!stands) return;
      rmSync(t.at(one.path), { force: true });
      ledger.onDisk.delete(one.path);
      return;
    case "commit":
    case "commit and reset":
    case "stage":
      if (stands) inTree(t, one.do, ledger);
      return;
    case "snapshot":
      if (stands && (await saw(t, null))) owe(ledger);
      return;
    case "gc":
      await t.repository.must(["gc", "-q", "--prune=now"]);
      return;
    case "remove":
      if ((await removeTree({ tree: t.tree }, t.ground)).type === "done") owe(ledger);
      return;
    case "sweep":
      expect((await sweep({ folder: t.repository.folder }, t.ground)).type).toBe("swept");
      return;
    case "restore":
      await restoreTree({ folder: t.repository.folder, name: t.tree.name }, t.ground);
      return;
    case "person":
      if (one.what === "write") persons.write(one.path);
      if (one.what === "delete") persons.delete(one.path);
      if (one.what === "stage") await persons.stage(one.path);
      game.git = await whatIsThePersons(t.repository);
      return;
    case "prepare":
    case "check":
    case "apply":
    case "undo": {
      const said = await mergeStep(one.do, t.tree, { ...t.ground, id: newId });
      if (stands && SNAPSHOTTED.includes(said)) owe(ledger);
      return;
    }
    case "kill":
      if (await killedAt(wrapper, t.repository.env, one.op, t.tree, one.at, one.how)) ledger.killed += 1;
      return;
    default:
      one satisfies never;
  }
}

/** Answers to `prepare` and `apply` that say that all in the tree was looked at. */
const SNAPSHOTTED = ["clean", "conflict", "empty", "merged"];

function newId(): string {
  return randomUUID().replaceAll("-", "");
}

/** Contents are never the same twice, so that each is a blob of its own. */
function write(t: TestTree, path: string, ledger: Ledger): string {
  ledger.writes += 1;
  const content = `${t.tree.name} ${ledger.writes} ${path}\n`;
  mkdirSync(dirname(t.at(path)), { recursive: true });
  writeFileSync(t.at(path), content);
  ledger.onDisk.set(path, content);
  return content;
}

async function saw(t: TestTree, files: string[] | null): Promise<boolean> {
  return (await snapshotTree({ tree: t.tree, files }, t.ground)).type === "taken";
}

/** The agent's own git; it may find the tree in whatever state a death left it in. */
function inTree(t: TestTree, what: "commit" | "commit and reset" | "stage", ledger: Ledger): void {
  const git = (...args: string[]) => {
    try {
      execFileSync("git", args, { cwd: t.tree.path, env: t.repository.env, stdio: "ignore" });
      return true;
    } catch {
      return false;
    }
  };
  if (!git("add", "-A") || what === "stage") return;
  if (!git("commit", "-qm", "The agent's")) return;
  for (const content of ledger.onDisk.values()) ledger.owed.add(content);
  if (what === "commit and reset" && git("reset", "-q", "--hard", "HEAD^")) ledger.onDisk.clear();
}
