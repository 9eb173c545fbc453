import { createHash } from "node:crypto";
import { lstat, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import { counted } from "../../terminal/figures.ts";
import { type Git, parts } from "../../worktrees/git.ts";
import type { JobEnd } from "../jobs.ts";
import type { AgentRole, Roles } from "./roles.ts";
import { runGit } from "./scratch.ts";

/** A statement about the checkout, and whether it was found to be true. */
export interface Check {
  readonly says: string;
  readonly ok: boolean;
  /** What was found instead. */
  readonly found?: string;
}

/** All of a checkout that may not change unasked. Equal states are equal byte for byte. */
export interface CheckoutState {
  /** The commit, and the branch it is on. */
  readonly head: string;
  /** Every entry of the index, with its content's ID. */
  readonly index: string;
  /** By path: kind, mode and digest of each file that git knows or would add. */
  readonly files: ReadonlyMap<string, string>;
}

/** Reads the state as it would be without the edits of these agents. */
export async function readCheckout(
  git: Git,
  agents: readonly AgentRole[],
  signal?: AbortSignal,
): Promise<CheckoutState> {
  const commit = (await runGit(git, ["rev-parse", "HEAD"], signal)).trim();
  const branch = (await git.run(["symbolic-ref", "-q", "HEAD"])).out.trim();
  const index = await runGit(git, ["ls-files", "--stage", "-v", "-z"], signal);
  const listed = await runGit(git, ["ls-files", "--cached", "--others", "--exclude-standard", "-z"], signal);
  const files = new Map<string, string>();
  const created = agents.flatMap(({ creates }) => creates.map(({ path }) => path));
  for (const path of new Set([...parts(listed), ...created])) {
    signal?.throwIfAborted();
    const digest = await digestFile(join(git.folder, path), path, agents);
    if (digest !== null) files.set(path, digest);
  }
  return { head: `${commit} ${branch}`, index, files };
}

/** Returns null if there is no such file, or if an agent created it. */
async function digestFile(file: string, path: string, agents: readonly AgentRole[]): Promise<string | null> {
  const created = agents.flatMap(({ creates }) => creates).find((one) => one.path === path);
  const stats = await lstat(file).catch(() => null);
  if (stats === null) return created === undefined ? null : "its agent did not create it";
  if (stats.isSymbolicLink()) return `link to ${await readlink(file)}`;
  if (!stats.isFile()) return "not a file";
  // Each byte is one character.
  let text = await readFile(file, "latin1");
  if (created !== undefined) return text === created.text ? null : "not as its agent created it";
  for (const { line } of agents.flatMap(({ adds }) => adds.filter((one) => one.path === path))) {
    const whole = [`${line}\r\n`, `${line}\n`].find((one) => text.includes(one));
    if (whole === undefined || text.indexOf(line) !== text.lastIndexOf(line))
      return `does not have "${line}" once`;
    text = text.replace(whole, "");
  }
  const digest = createHash("sha256").update(text, "latin1").digest("hex");
  return `${(stats.mode & 0o111) === 0 ? "file" : "program"} ${digest}`;
}

/** Compares two states that must be equal. */
export function compareStates(begin: CheckoutState, now: CheckoutState): Check[] {
  const paths = [...new Set([...begin.files.keys(), ...now.files.keys()])];
  const changed = paths.filter((path) => begin.files.get(path) !== now.files.get(path));
  const [commit = "", branch = ""] = begin.head.split(" ");
  const name = branch === "" ? "detached" : branch.replace(/^refs\/heads\//, "");
  return [
    { says: `HEAD is still ${commit.slice(0, 10)} (${name})`, ok: begin.head === now.head },
    {
      says: `what is staged is unchanged: ${counted(parts(begin.index).length, "entry", "entries")} of the index`,
      ok: begin.index === now.index,
    },
    {
      says: `${counted(begin.files.size, "file")}, your new one among them, byte for byte as before, but for these agents' edits`,
      ok: changed.length === 0,
      ...(changed.length === 0 ? {} : { found: `different: ${changed.slice(0, 5).join(", ")}` }),
    },
  ];
}

/**
 * Whether two agents really wrote at the same position and the later one settled it: its worktree's new base has the
 * other's line, though it started without.
 */
export async function checkConflict(
  git: Git,
  { agents, contested }: Roles,
  ends: readonly JobEnd[],
): Promise<Check> {
  const rivals = agents.flatMap(({ adds }, at) => {
    const line = adds.find(({ path }) => path === contested)?.line;
    return line === undefined ? [] : [{ line, at }];
  });
  const settled: number[] = [];
  for (const { at } of rivals) {
    const worktree = ends[at]?.summary.worktree;
    if (worktree?.outcome !== "merged") continue;
    const { out } = await git.run(["cat-file", "blob", `${worktree.base}:${contested}`]);
    if (rivals.some((other) => other.at !== at && out.includes(other.line))) settled.push(at + 1);
  }
  const names = rivals.map(({ at }) => at + 1).join(" and ");
  const ok = settled.length === 1;
  return {
    says: `agents ${names} wrote at the same place of ${contested}, and agent ${ok ? settled[0] : "…"} settled the conflict`,
    ok,
    ...(ok ? {} : { found: `${settled.length} conflicts were settled` }),
  };
}
