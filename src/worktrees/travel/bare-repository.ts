import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { GitEnvironment } from "../environment.ts";
import { type Git, gitIn } from "../git.ts";
import { ourFolder } from "../layout.ts";

export interface BareRepository {
  /** A commit of it, which says how long its object names are. */
  readonly like: string;
  /** A common git directory whose objects it reads as well. */
  readonly borrows?: string;
  /** Full names of refs, and their commits. */
  readonly refs?: Readonly<Record<string, string>>;
}

/** Writes an empty repository without working files: no template, no hook, no setting of the user's. */
export function makeBareRepository(path: string, { like, borrows, refs = {} }: BareRepository): void {
  for (const folder of ["objects/info", "objects/pack", "refs/heads"])
    mkdirSync(join(path, folder), { recursive: true });
  const isLong = like.length === 64;
  const config = [
    "[core]",
    `\trepositoryformatversion = ${isLong ? 1 : 0}`,
    "\tbare = true",
    // The commits of an agent are known by the reflog of its worktree.
    "\tlogAllRefUpdates = true",
    "[gc]",
    "\tauto = 0",
    ...(isLong ? ["[extensions]", "\tobjectFormat = sha256"] : []),
  ];
  writeFileSync(join(path, "config"), `${config.join("\n")}\n`);
  if (borrows !== undefined)
    writeFileSync(join(path, "objects", "info", "alternates"), `${join(borrows, "objects")}\n`);
  for (const [ref, commit] of Object.entries(refs)) {
    mkdirSync(join(path, dirname(ref)), { recursive: true });
    writeFileSync(join(path, ref), `${commit}\n`);
  }
  // Last: without HEAD git takes it for no repository.
  writeFileSync(join(path, "HEAD"), "ref: refs/heads/none\n");
}

/** Adds a worktree without files to a repository that has none, as `git worktree add --detach --no-checkout` does. */
export function addWorktree(common: string, path: string, head: string): void {
  const gitDir = join(common, "worktrees", basename(path));
  mkdirSync(join(gitDir, "logs"), { recursive: true });
  mkdirSync(path, { recursive: true });
  const files = { commondir: "../..", gitdir: join(path, ".git"), HEAD: head };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(gitDir, name), `${text}\n`);
  // From now on git logs what HEAD was.
  writeFileSync(join(gitDir, "logs", "HEAD"), "");
  writeFileSync(join(path, ".git"), `gitdir: ${gitDir}\n`);
}

/**
 * Runs work in a temporary repository that reads the objects of another one and has its own refs: neither shows in the
 * other. A sweep removes what a killed process left.
 */
export async function inBorrowing<T>(
  common: string,
  { like, refs }: Omit<BareRepository, "borrows">,
  ground: GitEnvironment,
  work: (git: Git, path: string) => Promise<T>,
): Promise<T> {
  const path = join(ourFolder(common), `travel-${ground.self.pid}-${ground.id()}`);
  try {
    makeBareRepository(path, { like, borrows: common, ...(refs === undefined ? {} : { refs }) });
    return await work(bareGit(path, ground), path);
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
}

/** Returns git on a repository without working files, whatever the user's settings say of those. */
export function bareGit(path: string, ground: Pick<GitEnvironment, "env">): Git {
  const git = gitIn(path, ground.env);
  return { ...git, run: (args, options) => git.run(args, { ...options, gitDir: path }) };
}
