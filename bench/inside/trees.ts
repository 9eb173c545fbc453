import { execFile } from "node:child_process";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { isAlive, processIdentity } from "../../src/journal/process-identity.ts";
import { randomIds } from "../../src/mailbox/ids.ts";
import type { Worktree } from "../../src/mailbox/worktree.ts";
import { createTree } from "../../src/worktrees/create.ts";
import type { GitEnvironment } from "../../src/worktrees/environment.ts";
import { baseRef, snapshotRef, treeRecordFolder } from "../../src/worktrees/layout.ts";
import { applyMerge } from "../../src/worktrees/merge/apply.ts";
import { realDisk } from "../../src/worktrees/merge/disk.ts";
import { mergeTree } from "../../src/worktrees/merge/merge-tree.ts";
import { prepareMerge } from "../../src/worktrees/merge/prepare.ts";
import { undoMerge } from "../../src/worktrees/merge/undo.ts";
import type { BaseRef, Owner } from "../../src/worktrees/protocol.ts";
import { repositoryAt } from "../../src/worktrees/repository.ts";
import { copyIndex } from "../../src/worktrees/side-index.ts";
import { snapshotTree } from "../../src/worktrees/tree-snapshot.ts";
import { cpuMs } from "../cpu.ts";
import { answer, given } from "../own-process.ts";
import { makeRepository } from "../repository.ts";
import { interleaved } from "../samples.ts";

export interface TreesTask {
  /** An empty folder; on which device is what is measured. */
  readonly folder: string;
  /** How often each is done: making a tree, and the rest. */
  readonly rounds: { readonly making: number; readonly working: number };
  /** Trees that are made at once. */
  readonly agents: number;
}

export type Measured =
  | ("fromHead" | "ofClean" | "ofEdited" | "bare")
  | ("named" | "bareNamed" | "all" | "bareAll")
  | ("check" | "mergeTree" | "prepare" | "statuses")
  | ("apply" | "copying" | "manyOurs" | "manyBare");

export interface TreesRun {
  readonly files: number;
  /** Milliseconds of one each. */
  readonly making: Readonly<Record<"fromHead" | "ofClean" | "ofEdited" | "bare", readonly number[]>>;
  readonly keeping: Readonly<Record<"named" | "bareNamed" | "all" | "bareAll", readonly number[]>>;
  readonly checking: Readonly<Record<"check" | "mergeTree" | "prepare" | "statuses", readonly number[]>>;
  readonly bringing: Readonly<Record<"apply" | "copying", readonly number[]>>;
  /** Processor time of all of each; 0 where the system does not tell. */
  readonly cpuMs: Readonly<Partial<Record<Measured, number>>>;
  readonly atOnce: Readonly<Record<"ours" | "bare", { readonly ms: number; readonly mib: number }>>;
}

const CHANGED = 100;

const { folder, rounds, agents } = given<TreesTask>();
const env = { PATH: process.env["PATH"] ?? "", HOME: folder, GIT_CONFIG_NOSYSTEM: "1" };
const ids = randomIds();
const ground: GitEnvironment = {
  ...{ env, now: () => Date.now(), id: () => ids.session() },
  ...{ self: processIdentity(process.pid), isAlive, disk: realDisk },
};
const owner: Owner = { session: "bench", actor: "1", process: ground.self };
const run = promisify(execFile);
const clean = join(folder, "clean");
const edited = join(folder, "edited");
const IDENTITY = ["-c", "user.name=Bench", "-c", "user.email=bench@localhost"];

const cpu = new Map<Measured, number>();

await answer(await measured());

async function measured(): Promise<TreesRun> {
  const { files } = await aRepository(clean);
  await aRepository(edited);
  for (let at = 0; at < 10; at += 1) writeFileSync(file(edited, at), `export const edited = ${at};\n`);
  writeFileSync(join(edited, "new.ts"), "export {};\n");
  return {
    files,
    making: await making(),
    keeping: await keeping(),
    ...(await merging()),
    atOnce: await manyAtOnce(),
    cpuMs: Object.fromEntries(cpu),
  };
}

/** As of this moment a look at the index needs no look into the files. */
async function aRepository(at: string): Promise<{ files: number }> {
  const { files } = makeRepository(at);
  rmSync(join(at, ".git"), { recursive: true });
  await git(at, "init", "-q", "-b", "main");
  await git(at, "add", "-A");
  await git(at, ...IDENTITY, "commit", "-q", "-m", "All");
  const second = 1_000 - (Date.now() % 1_000) + 20;
  await new Promise((resolve) => setTimeout(resolve, second));
  await git(at, "update-index", "-q", "--refresh", "--force-write-index");
  return { files };
}

async function git(cwd: string, ...args: string[]): Promise<string> {
  return withIndex(cwd, undefined, args);
}

/** As a program starts git that has nothing else to see to. */
async function withIndex(cwd: string, index: string | undefined, args: string[]): Promise<string> {
  const { stdout } = await run("git", args, {
    cwd,
    env: index === undefined ? env : { ...env, GIT_INDEX_FILE: index },
    maxBuffer: 1 << 28,
  });
  return stdout.trim();
}

function file(top: string, at: number): string {
  const [one, two, three] = [at % 20, Math.floor(at / 20) % 20, Math.floor(at / 400) % 50];
  return join(top, `packages/package-${one}/src/part-${two}/module-${three}.ts`);
}

/** Milliseconds that passed; what of processor time it took, with that of its git, is added up. */
async function timed(of: Measured, act: () => Promise<unknown>): Promise<number> {
  const cpuBefore = cpuMs([process.pid]) ?? 0;
  const began = performance.now();
  await act();
  const ms = performance.now() - began;
  cpu.set(of, (cpu.get(of) ?? 0) + (cpuMs([process.pid]) ?? 0) - cpuBefore);
  return ms;
}

// ---- making trees ----------------------------------------------------------------------------------

function making(): Promise<TreesRun["making"]> {
  return interleaved(rounds.making, {
    fromHead: () => made("fromHead", clean, "head"),
    ofClean: () => made("ofClean", clean, "checkout"),
    ofEdited: () => made("ofEdited", edited, "checkout"),
    bare: async () => {
      const at = join(folder, ids.session());
      const ms = await timed("bare", () => bareTree(at));
      await git(clean, "worktree", "remove", "--force", at);
      return ms;
    },
  });
}

async function made(of: Measured, top: string, from: BaseRef): Promise<number> {
  const made: Worktree[] = [];
  const ms = await timed(of, async () => made.push(await treeOf(top, from)));
  for (const tree of made) await forget(tree);
  return ms;
}

async function treeOf(top: string, from: BaseRef): Promise<Worktree> {
  const name = `t${ids.session().toLowerCase()}`;
  const made = await createTree({ folder: top, name, owner, baseRef: from, dependencies: [] }, ground);
  return made.tree;
}

async function bareTree(at: string): Promise<void> {
  await git(clean, "worktree", "add", "-q", "-b", `b${ids.session()}`, at, "HEAD");
}

/** Without the care that is taken of somebody's edits. */
async function forget({ checkout, path, branch, name }: Worktree): Promise<void> {
  await git(checkout, "worktree", "remove", "--force", path);
  await git(checkout, "branch", "-q", "-D", branch);
  await git(checkout, "update-ref", "-d", baseRef(name));
  await git(checkout, "update-ref", "-d", snapshotRef(name));
  await rm(treeRecordFolder(join(checkout, ".git"), name), { recursive: true, force: true });
}

// ---- keeping edits ---------------------------------------------------------------------------------

async function keeping(): Promise<TreesRun["keeping"]> {
  const tree = await treeOf(clean, "head");
  await snapshot(tree, null);
  const bare = await bareKeeper();
  let written = 0;
  const write = (top: string) => {
    written += 1;
    const path = file(top, written);
    writeFileSync(path, `export const written = ${written};\n`);
    return path;
  };
  const found = await interleaved(rounds.working, {
    named: () => {
      const path = write(tree.path);
      return timed("named", () => snapshot(tree, [path]));
    },
    bareNamed: () => {
      const path = write(bare.top);
      return timed("bareNamed", () => bare.snapshot("--", path));
    },
    all: () => {
      write(tree.path);
      return timed("all", () => snapshot(tree, null));
    },
    bareAll: () => {
      write(bare.top);
      return timed("bareAll", () => bare.snapshot("-A"));
    },
  });
  await forget(tree);
  await git(clean, "worktree", "remove", "--force", bare.top);
  return found;
}

async function snapshot(tree: Worktree, files: string[] | null): Promise<void> {
  await snapshotTree({ tree, files }, ground);
}

/** The four commands that a snapshot cannot do without, on an index that takes the last one's place at the end. */
async function bareKeeper() {
  const top = join(folder, "bare");
  await bareTree(top);
  const kept = join(folder, "kept-index");
  const index = join(folder, "next-index");
  copyIndex(join(await git(top, "rev-parse", "--absolute-git-dir"), "index"), kept);
  let last = await git(top, "rev-parse", "HEAD");
  return {
    top,
    async snapshot(...what: string[]) {
      copyIndex(kept, index);
      await withIndex(top, index, ["add", ...what]);
      const root = await withIndex(top, index, ["write-tree"]);
      const next = await git(top, ...IDENTITY, "commit-tree", root, "-p", last, "-m", "Snapshot");
      await git(top, "update-ref", "refs/bare/kept", next);
      last = next;
      renameSync(index, kept);
    },
  };
}

// ---- bringing edits back ---------------------------------------------------------------------------

async function merging(): Promise<Pick<TreesRun, "checking" | "bringing">> {
  const repo = await repositoryAt(edited, ground);
  const tree = await treeOf(edited, "checkout");
  let written = 0;
  const paths = Array.from({ length: CHANGED }, (_, at) => file("", 100 + at));
  const write = () => {
    written += 1;
    for (const path of paths) {
      const before = readFileSync(join(edited, path), "utf8");
      writeFileSync(join(tree.path, path), `${before}export const written = ${written};\n`);
    }
  };
  write();
  await snapshot(tree, null);
  const commit = (of: string, words: string) =>
    git(edited, ...IDENTITY, "commit-tree", `${of}^{tree}`, "-p", tree.base, "-m", words);
  const theirs = await commit(snapshotRef(tree.name), "The agent's");
  const ours = await commit(tree.base, "The person's");
  const checking = await interleaved(rounds.working, {
    check: () => timed("check", () => mergeTree(repo.git, ours, theirs)),
    mergeTree: () => timed("mergeTree", () => git(edited, "merge-tree", "--write-tree", ours, theirs)),
    prepare: () => timed("prepare", () => prepared(tree)),
    statuses: () =>
      timed("statuses", async () => {
        await git(edited, "status", "--porcelain");
        await git(tree.path, "status", "--porcelain");
        await git(edited, "merge-tree", "--write-tree", ours, theirs);
      }),
  });
  const bringing = await interleaved(rounds.working, {
    apply: async () => {
      write();
      const { checkout } = await prepared(tree);
      const request = { tree, expects: checkout, hold: [], commit: null, owner, title: "Bench" };
      const ms = await timed("apply", async () => {
        const applied = await applyMerge(request, ground);
        if (applied.type !== "merged" || applied.files !== CHANGED) throw new Error(JSON.stringify(applied));
      });
      const undone = await undoMerge({ folder: edited, which: null, force: false }, ground);
      if (undone.type !== "undone") throw new Error(JSON.stringify(undone));
      return ms;
    },
    copying: () =>
      timed("copying", async () => {
        await git(edited, "status", "--porcelain");
        for (const path of paths) await cp(join(tree.path, path), join(folder, "copied", path));
        await git(edited, "status", "--porcelain");
      }),
  });
  await forget(tree);
  return { checking, bringing };
}

async function prepared(tree: Worktree): Promise<{ checkout: string }> {
  const found = await prepareMerge({ tree, deleted: [], forCheck: false }, ground);
  if (found.type !== "clean" || found.files !== CHANGED) throw new Error(JSON.stringify(found));
  return found;
}

// ---- many at once ----------------------------------------------------------------------------------

async function manyAtOnce(): Promise<TreesRun["atOnce"]> {
  const bareTops = Array.from({ length: agents }, (_, at) => join(folder, `many-${at}`));
  const before = await blocks();
  // One after the other: git's own, side by side, read each other's half-written files.
  const bareMs = await timed("manyBare", async () => {
    for (const top of bareTops) await bareTree(top);
  });
  const bare = { ms: bareMs, mib: (await blocks()) - before };
  for (const top of bareTops) await git(clean, "worktree", "remove", "--force", top);
  const empty = await blocks();
  const trees: Worktree[] = [];
  const ms = await timed("manyOurs", async () => {
    trees.push(...(await Promise.all(bareTops.map(() => treeOf(clean, "checkout")))));
  });
  const ours = { ms, mib: (await blocks()) - empty };
  for (const tree of trees) await forget(tree);
  return { ours, bare };
}

/** MiB that the folder takes on its device. */
async function blocks(): Promise<number> {
  const { stdout } = await run("du", ["-sk", folder]);
  return Number.parseInt(stdout, 10) / 1024;
}
