import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { errorMessage } from "../../src/lib/errors.ts";
import type { Git } from "../../src/worktrees/git.ts";
import { writeOut } from "../../test/worktrees/replay/on-disk.ts";
import type { Checkout, HomeAdapter, IsolatedCopy } from "./adapter.ts";
import { type Entries, readEntries, readGitEntries } from "./entries.ts";
import { type Evidence, judge, type Verdict } from "./judge.ts";
import { addWorktree } from "./plain-git.ts";

/** A case, set up for one tool. */
export interface Case {
  readonly name: string;
  readonly checkout: Checkout;
  /** What is the user's on the disk: the checkout, or a directory that contains it. */
  readonly users: string;
  /** Changes the copy. */
  edit(copy: string): unknown;
  /** What the user does while the agent works. */
  meanwhile?(): unknown;
  /** Starts a program of the user that writes while the edits come home. */
  startWriting?(): Promise<{ stop(): Promise<Written> }>;
  /** By path below `users`. */
  findMerged(before: Entries, edits: Evidence["edits"]): Promise<Evidence["merged"]> | Evidence["merged"];
}

/** What the user's program has made of its file, without the agent's edit and with it. */
interface Written {
  readonly path: string;
  readonly without: string;
  readonly merged: string;
}

/** One agent of one tool, from the start of its copy to the verdict on what came home. */
export async function play(tool: HomeAdapter, one: Case): Promise<Verdict> {
  const { name, checkout, users } = one;
  mkdirSync(checkout.spare, { recursive: true });
  const prefix = users === checkout.dir ? "" : checkout.dir.slice(users.length + 1).concat("/");
  const untouched = await readUsers(one, null);
  const copy = await (tool.isolate?.(checkout) ?? addWorktree(checkout));
  const branch = "type" in copy ? null : copy.branch;
  const isolated = await readUsers(one, branch);
  const edits = "type" in copy ? new Map<string, string | null>() : await editCopy(one, copy, prefix);
  await one.meanwhile?.();
  const before = new Map(await readUsers(one, branch));
  // What making the copy changed counts as if it had happened afterwards.
  for (const [path, entry] of untouched) if (isolated.get(path) !== entry) before.set(path, entry);
  const merged = await one.findMerged(before, edits);
  const mergedNow = merged === null ? null : new Map(merged);
  const writing = await one.startWriting?.();
  const outcome = "type" in copy ? copy : await bring(tool, checkout, copy);
  const written = await writing?.stop();
  if (written !== undefined) {
    before.set(written.path, written.without);
    mergedNow?.set(written.path, written.merged);
  }
  return judge({
    ...{ name, before, edits, outcome, merged: mergedNow },
    after: await readUsers(one, branch, before),
    branch: await readBranch(checkout, outcome, prefix),
  });
}

async function readUsers({ checkout, users }: Case, branch: string | null, before?: Entries) {
  return new Map([...readEntries(users), ...(await readGitEntries(checkout.git, branch, before))]);
}

async function editCopy(one: Case, { dir }: IsolatedCopy, prefix: string): Promise<Evidence["edits"]> {
  const before = readEntries(dir);
  await one.edit(dir);
  const after = readEntries(dir);
  const paths = new Set([...before.keys(), ...after.keys()]);
  const changed = [...paths].filter((path) => !path.endsWith("/") && before.get(path) !== after.get(path));
  return new Map(changed.map((path) => [prefix + path, after.get(path) ?? null]));
}

async function bring(
  tool: HomeAdapter,
  checkout: Checkout,
  copy: IsolatedCopy,
): Promise<Evidence["outcome"]> {
  try {
    return await tool.bring(checkout, copy);
  } catch (error) {
    return { type: "failed", why: errorMessage(error) };
  }
}

/** What the branch that the user is told has, as git writes it into a checkout; null if none is told. */
async function readBranch(
  { git, spare }: Checkout,
  outcome: Evidence["outcome"],
  prefix: string,
): Promise<Entries | null> {
  if (outcome.type !== "kept" || outcome.branch === null) return null;
  const files = await readTree(git, spare, outcome.branch);
  return new Map([...files].map(([path, entry]) => [prefix + path, entry]));
}

/** The files of a commit or tree, as git writes them into a checkout. */
export async function readTree(git: Git, spare: string, treeish: string): Promise<Entries> {
  const dir = join(spare, "written-out");
  await writeOut(git, join(git.folder, ".git"), treeish, dir);
  return readEntries(dir);
}
