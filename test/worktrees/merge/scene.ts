import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Worktree } from "../../../src/mailbox/worktree.ts";
import type { GitEnvironment } from "../../../src/worktrees/environment.ts";
import type { Disk } from "../../../src/worktrees/merge/disk.ts";
import type { GitRequest } from "../../../src/worktrees/protocol.ts";
import type { TestRepository } from "../../support/git-repository.ts";
import { applyMerge, createTree, prepareMerge, rebaseTree, settleTree, undoMerge } from "../operations.ts";
import { groundOf } from "../tree-of-tests.ts";

export type Files = Readonly<Record<string, string | Buffer | { link: string } | null>>;

export function put(folder: string, files: Files): void {
  for (const [path, content] of Object.entries(files)) {
    const file = join(folder, path);
    rmSync(file, { recursive: true, force: true });
    if (content === null) continue;
    mkdirSync(dirname(file), { recursive: true });
    if (typeof content === "string" || Buffer.isBuffer(content)) writeFileSync(file, content);
    else symlinkSync(content.link, file);
  }
}

/** All bytes of a checkout, with rights and times; without git's own and ours. */
export function picture(folder: string, { times = true } = {}, at = ""): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(join(folder, at))) {
    const path = join(at, name);
    if (path === ".git" || path === ".claude") continue;
    const stat = lstatSync(join(folder, path), { bigint: true });
    const mode = stat.mode.toString(8);
    if (stat.isDirectory()) {
      found[`${path}/`] = mode;
      Object.assign(found, picture(folder, { times }, path));
    } else if (stat.isSymbolicLink()) found[path] = `-> ${readlinkSync(join(folder, path))}`;
    else {
      const bytes = readFileSync(join(folder, path), "latin1");
      found[path] = `${mode} ${times ? stat.mtimeNs : ""} ${bytes}`;
    }
  }
  return found;
}

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
