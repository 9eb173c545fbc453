import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Conflict, Worktree } from "../../../src/mailbox/worktree.ts";
import { snapshotCheckout } from "../../../src/worktrees/checkout-snapshot.ts";
import type { GitEnvironment } from "../../../src/worktrees/environment.ts";
import { type Git, parts } from "../../../src/worktrees/git.ts";
import { operations } from "../../../src/worktrees/operations.ts";
import type { Owner } from "../../../src/worktrees/protocol.ts";
import { repositoryAt } from "../../../src/worktrees/repository.ts";
import { mergeByGit } from "./merge-by-git.ts";
import { type HistoricMerge, must } from "./merges-in.ts";
import { differences, filesIn, rewrite, writeOut } from "./on-disk.ts";
import { different, Found, fine, leftOut, type Played, unnamed } from "./played.ts";

/** Where merges are played: a clone that is ours alone, and folders beside it. */
export interface Stage {
  readonly ground: GitEnvironment;
  readonly git: Git;
  readonly checkout: string;
  /** For fresh checkouts to compare with, and to write from. */
  readonly beside: string;
}

/**
 * The changes of both parents by two agents, each in a worktree from the merge base, brought back one after the other.
 * What git makes of the two commits is what must be in the checkout; undone, it is the merge base again.
 */
export async function playMerge(stage: Stage, merge: HistoricMerge, number: number): Promise<Played> {
  const play = new Play(stage, merge, number);
  try {
    return await play.run();
  } finally {
    await play.cleanUp();
  }
}

class Play {
  readonly #stage: Stage;
  readonly #merge: HistoricMerge;
  readonly #number: number;
  readonly #trees: Worktree[] = [];
  /** The names of the merges, in their order. */
  readonly #brought: string[] = [];
  #base: ReadonlyMap<string, string> = new Map();

  constructor(stage: Stage, merge: HistoricMerge, number: number) {
    this.#stage = stage;
    this.#merge = merge;
    this.#number = number;
  }

  async run(): Promise<Played> {
    try {
      return await this.#played();
    } catch (error) {
      if (error instanceof Found) return error.played;
      throw error;
    }
  }

  async #played(): Promise<Played> {
    const { base, ours, theirs, commit } = this.#merge;
    await this.#atBase();
    const one = await this.#agent(1, ours);
    const two = await this.#agent(2, theirs);
    await this.#bringBack(one, 1, await this.#changed(base, ours), "the first agent");
    await this.#mustBe(ours, "after the first agent");
    const expected = await mergeByGit(this.#stage.git, this.#merge);
    const deleted = await this.#changed(base, theirs);
    if (expected.type === "clean") {
      await this.#bringBack(two, 2, deleted, "the second agent");
      await this.#mustBe(expected.tree, "after both");
      await this.#undone();
      return { type: "clean" };
    }
    const conflicts = await this.#conflicts(two, deleted, expected.files, expected.told);
    await this.#mustBe(ours, "after a conflict");
    const settled = (await this.#whyNot(commit)) === null && (await this.#settled(two, conflicts, commit));
    await this.#undone();
    return { type: "conflict", settled };
  }

  async cleanUp(): Promise<void> {
    const { git, beside } = this.#stage;
    const { base, ours, theirs, commit } = this.#merge;
    for (const side of [base, ours, theirs, commit])
      for (const end of ["", ".index"]) rmSync(join(beside, side + end), { recursive: true, force: true });
    for (const tree of this.#trees) {
      await git.run(["worktree", "remove", "--force", "--force", tree.path]);
      await git.run(["branch", "-D", tree.branch]);
    }
    await must(git, ["clean", "-ffdxq"]);
  }

  async #atBase(): Promise<void> {
    const { git, checkout } = this.#stage;
    const { base, ours, theirs } = this.#merge;
    for (const side of [base, ours, theirs]) {
      const why = await this.#whyNot(side);
      if (why !== null) throw leftOut(why);
    }
    await must(git, ["checkout", "-q", "-f", "--detach", base]);
    await must(git, ["clean", "-ffdxq"]);
    this.#base = filesIn(checkout);
  }

  /** Why no agent can come to these files, in words; null: it can. */
  async #whyNot(side: string): Promise<string | null> {
    const { git, checkout, beside } = this.#stage;
    const folder = join(beside, side);
    const gitDir = join(checkout, ".git");
    await writeOut(git, gitDir, side, folder);
    const there = git.at(folder);
    const options = { index: `${folder}.index`, gitDir };
    const listed = parts((await there.run(["ls-files", "-z"], options)).out);
    if (listed.some((path) => path.includes("\uFFFD"))) return "names that are not UTF-8";
    // What is ignored stays in the tree of an agent: it is nobody's edit.
    const ignored = await there.run(["ls-files", "-z", "-ci", "--exclude-standard"], options);
    const added = new Set(await this.#changed(this.#merge.base, side, "A"));
    if (parts(ignored.out).some((path) => added.has(path))) return "an ignored file is added";
    await there.run(["add", "--renormalize", "."], options);
    const again = (await there.run(["write-tree"], options)).out.trim();
    const tree = (await must(git, ["rev-parse", `${side}^{tree}`])).trim();
    return again === tree ? null : "other line ends than its attributes ask for";
  }

  async #agent(which: number, side: string): Promise<Worktree> {
    const { ground, checkout, beside } = this.#stage;
    const owner = this.#owner(which);
    const name = `r${this.#number}-${which}`;
    const made = await operations.create(
      { folder: checkout, name, owner, baseRef: "checkout", dependencies: [] },
      ground,
    );
    const { tree } = fine(made, "the tree was not made");
    this.#trees.push(tree);
    rewrite(tree.path, join(beside, side), await this.#changed(this.#merge.base, side));
    return tree;
  }

  async #bringBack(tree: Worktree, which: number, deleted: string[], who: string): Promise<void> {
    const { ground } = this.#stage;
    const prepared = await operations.prepare({ tree, deleted, forCheck: false }, ground);
    const { type } = fine(prepared, `${who} was refused`);
    if (type === "empty") return this.#removed(tree);
    if (prepared.type === "conflict") throw this.#unwanted(who, prepared.conflicts);
    if (prepared.type === "clean" && prepared.strange.length > 0)
      throw different(`deletions that were said to be nobody's: ${prepared.strange.join(", ")}`);
    const applied = await operations.apply(
      {
        ...{ tree, expects: null, hold: [], commit: null },
        ...{ owner: this.#owner(which), title: `${who} of ${this.#merge.commit}` },
      },
      ground,
    );
    fine(applied, `${who} was not applied`);
    if (applied.type === "conflict") throw this.#unwanted(who, applied.conflicts);
    if (applied.type !== "merged") throw different(`${who}: ${applied.type}`);
    // Where the checkout had all of it there is nothing to undo.
    if (prepared.type === "clean" && prepared.paths.length > 0) this.#brought.push(applied.merge);
    await this.#removed(tree);
  }

  async #removed(tree: Worktree): Promise<void> {
    fine(await operations.remove({ tree }, this.#stage.ground), "the tree was not removed");
  }

  /** Names that are one on other disks are ours to refuse; git here does not. */
  #unwanted(who: string, conflicts: readonly Conflict[]): Found {
    const kinds = new Set(conflicts.map(({ kind }) => kind));
    if (kinds.size === 1 && kinds.has("case")) return leftOut("names that differ in case only");
    return different(
      `${who} does not fit: ${conflicts.map(({ path, kind }) => `${path} (${kind})`).join(", ")}`,
    );
  }

  async #conflicts(
    tree: Worktree,
    deleted: string[],
    wanted: ReadonlySet<string>,
    told: string,
  ): Promise<readonly Conflict[]> {
    const prepared = await operations.prepare({ tree, deleted, forCheck: false }, this.#stage.ground);
    fine(prepared, "the conflict was refused");
    if (prepared.type !== "conflict")
      throw different(`git has a conflict in ${[...wanted].join(", ")}, we have none`);
    const named = new Set(prepared.conflicts.map(({ path }) => unnamed(path)));
    const missed = [...wanted].filter((path) => !named.has(path));
    const invented = [...named].filter((path) => !wanted.has(path) && !told.includes(path));
    if (missed.length + invented.length > 0)
      throw different(
        `conflicts not named: ${missed.join(", ") || "none"}; named for nothing: ${invented.join(", ") || "none"}`,
      );
    return prepared.conflicts;
  }

  /** The owner of the conflict writes what the history has. False: the history has marks in it, or is what was there. */
  async #settled(tree: Worktree, conflicts: readonly Conflict[], commit: string): Promise<boolean> {
    const { ground, beside, checkout } = this.#stage;
    const rebased = await operations.rebase({ tree }, ground);
    const { tree: based, conflicts: again } = fine(rebased, "the conflict could not go back to its owner");
    const names = (all: readonly Conflict[]) =>
      all
        .map(({ path }) => unnamed(path))
        .toSorted()
        .join(", ");
    if (names(again) !== names(conflicts))
      throw different(`the conflict is in ${names(conflicts)}, and goes back as one in ${names(again)}`);
    const from = join(beside, commit);
    const paths = new Set([...filesIn(based.path).keys(), ...filesIn(from).keys()]);
    rewrite(
      based.path,
      from,
      [...paths].filter((path) => !path.endsWith("/")),
    );
    const deleted = [...filesIn(checkout).keys()];
    await this.#bringBack(based, 2, deleted, "the owner of the conflict");
    await this.#mustBe(commit, "after the conflict was settled");
    return true;
  }

  /** On disk, and as git finds it. */
  async #mustBe(treeish: string, when: string): Promise<void> {
    const { git, checkout, beside } = this.#stage;
    const wanted = join(beside, "wanted");
    await writeOut(git, join(checkout, ".git"), treeish, wanted);
    const [files, base] = [filesIn(wanted), this.#base];
    const found = filesIn(checkout);
    // A file that no side has changed stays as it is, also where new attributes would write it another way.
    const kept = new Set(await this.#changed(this.#merge.base, treeish));
    for (const [path, what] of base) if (!kept.has(path) && files.has(path)) files.set(path, what);
    const other = differences(found, files);
    if (other.length > 0) throw different(...other.map((one) => `${when}: ${one}`));
    const snapshot = await this.#snapshot();
    const changed = parts(await must(git, ["diff-tree", "-r", "-z", "--name-only", treeish, snapshot]));
    const odd = await this.#notIgnored(changed);
    if (odd.length > 0) throw different(`${when}: git finds others in the checkout: ${odd.join(", ")}`);
  }

  /** What became ignored by the merge itself is on the disk all the same, and no more in a snapshot. */
  async #notIgnored(paths: readonly string[]): Promise<readonly string[]> {
    if (paths.length === 0) return [];
    const { out } = await this.#stage.git.run(["check-ignore", "-z", "--no-index", "--", ...paths]);
    const ignored = new Set(parts(out));
    return paths.filter((path) => !ignored.has(path));
  }

  async #undone(): Promise<void> {
    const { ground, checkout } = this.#stage;
    for (const which of this.#brought.toReversed()) {
      const undone = await operations.undo({ folder: checkout, which, force: false }, ground);
      if (undone.type !== "undone") throw different(`it was not undone: ${JSON.stringify(undone)}`);
    }
    const other = differences(filesIn(checkout), this.#base);
    if (other.length > 0) throw different(...other.map((one) => `undone: ${one}`));
  }

  async #snapshot(): Promise<string> {
    const { ground, checkout } = this.#stage;
    const repo = await repositoryAt(checkout, ground);
    return (await snapshotCheckout(repo, [], ground)).tree;
  }

  async #changed(from: string, to: string, filter = ""): Promise<string[]> {
    const only = filter === "" ? [] : [`--diff-filter=${filter}`];
    const args = ["diff-tree", "-r", "-z", "--no-renames", "--name-only", ...only, from, to];
    return parts(await must(this.#stage.git, args));
  }

  #owner(which: number): Owner {
    return { session: "replay", actor: `r${this.#number}-${which}`, process: this.#stage.ground.self };
  }
}
