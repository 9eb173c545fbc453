import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Worktree } from "../../../src/mailbox/worktree.ts";
import type { GitEnvironment } from "../../../src/worktrees/environment.ts";
import type { Disk } from "../../../src/worktrees/merge/disk.ts";
import type { GitRequest } from "../../../src/worktrees/protocol.ts";
import type { TestRepository } from "../../support/git-repository.ts";
import { applyMerge, createTree, prepareMerge, rebaseTree, settleTree, undoMerge } from "../operations.ts";
import { groundOf } from "../tree-of-tests.ts";
import { type Files, put } from "./files.ts";

export { type Files, picture, put } from "./files.ts";

/** What is the person's in the git folder: index bytes, HEAD, branches, stash, config, hooks. */
export async function persons(repository: TestRepository): Promise<unknown> {
  const git = (name: string) => readFileSync(join(repository.folder, ".git", name), "latin1");
  const refs = await repository.must(["for-each-ref", "--format=%(refname) %(objectname)"]);
  return {
    index: git("index"),
    head: git("HEAD"),
    config: git("config"),
    hooks: readdirSync(join(repository.folder, ".git", "hooks")),
    refs: refs.split("\n").filter((ref) => !/^refs\/(troupe|heads\/worktree-)/.test(ref)),
    status: await repository.must(["status", "--porcelain=v2", "-z"]),
  };
}

export interface Agent {
  readonly tree: Worktree;
  write(files: Files): void;
  prepare(more?: Partial<GitRequest<"prepare">>): ReturnType<typeof prepareMerge>;
  apply(more?: Partial<GitRequest<"apply">>, disk?: Disk): ReturnType<typeof applyMerge>;
  settle(): ReturnType<typeof settleTree>;
  rebase(): ReturnType<typeof rebaseTree>;
  /** The same agent after its tree was rebased. */
  from(tree: Worktree): Agent;
}

/** Its ids are those of no other one. */
export function groundFor(repository: TestRepository, name: string): GitEnvironment {
  let last = 0;
  return { ...groundOf(repository.env), id: () => `${name}x${last++}` };
}

export async function agentIn(
  repository: TestRepository,
  name = "a1",
  ground: GitEnvironment = groundFor(repository, name),
): Promise<Agent> {
  const owner = { session: "s1", actor: `actor-${name}`, process: ground.self };
  const made = await createTree(
    { folder: repository.folder, name, owner, baseRef: "checkout", dependencies: [] },
    ground,
  );
  if (made.type !== "created") throw new Error(made.reason);
  const of = (tree: Worktree): Agent => ({
    tree,
    write: (files) => put(tree.path, files),
    prepare: (more) => prepareMerge({ tree, deleted: [], forCheck: false, ...more }, ground),
    apply: (more, disk) =>
      applyMerge(
        { tree, expects: null, hold: [], commit: null, owner, title: `Work of ${name}`, ...more },
        disk === undefined ? ground : { ...ground, disk },
      ),
    settle: () => settleTree({ tree }, ground),
    rebase: () => rebaseTree({ tree }, ground),
    from: of,
  });
  return of(made.tree);
}

export function undo(
  repository: TestRepository,
  more: Partial<GitRequest<"undo">> = {},
  disk?: Disk,
): ReturnType<typeof undoMerge> {
  return undoMerge(
    { folder: repository.folder, which: null, force: false, ...more },
    { ...groundOf(repository.env), ...(disk === undefined ? {} : { disk }) },
  );
}
