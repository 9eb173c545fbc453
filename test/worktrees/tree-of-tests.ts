import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isAlive, processIdentity } from "../../src/journal/process-identity.ts";
import type { Worktree } from "../../src/mailbox/worktree.ts";
import type { GitEnvironment } from "../../src/worktrees/environment.ts";
import { gitIn } from "../../src/worktrees/git.ts";
import { baseRef, branchOf, treePath } from "../../src/worktrees/layout.ts";
import { realDisk } from "../../src/worktrees/merge/disk.ts";
import type { AnswerOf, Owner } from "../../src/worktrees/protocol.ts";
import { type TreeRecord, writeRecord } from "../../src/worktrees/tree-record.ts";
import { repositoryWith, type TestRepository } from "../support/git-repository.ts";
import { snapshotTree } from "./operations.ts";

export function groundOf(env: Readonly<Record<string, string>>): GitEnvironment {
  let last = 0;
  return {
    env,
    now: () => Date.now(),
    id: () => `${process.pid}n${last++}`,
    self: processIdentity(process.pid),
    isAlive,
    disk: realDisk,
  };
}

/** A process that has ended, for owners of what is left behind. */
export const DEAD: Owner = {
  session: "s1",
  actor: "1",
  process: { pid: 4_194_303, startedAt: "another boot 1" },
};

export interface TestTree {
  readonly repository: TestRepository;
  readonly ground: GitEnvironment;
  readonly common: string;
  readonly tree: Worktree;
  /** Absolute. */
  at(path: string): string;
  write(path: string, content: string | Buffer): void;
  /** In the tree; throws where it refuses. */
  must(args: readonly string[]): Promise<string>;
  snapshot(files?: readonly string[] | null): Promise<Extract<AnswerOf<"snapshot">, { type: "taken" }>>;
  /** Of a commit. */
  show(spec: string): Promise<string>;
}

/** A tree as `create` makes it, by git's own words. */
export async function treeIn(
  repository: TestRepository,
  name: string,
  more: Partial<TreeRecord> = {},
): Promise<TestTree> {
  const ground = groundOf(repository.env);
  const common = join(repository.folder, ".git");
  const path = treePath(repository.folder, name);
  const base = (await repository.must(["rev-parse", "HEAD"])).trim();
  const tree: Worktree = {
    name,
    path,
    branch: branchOf(name),
    checkout: repository.folder,
    base,
    head: base,
  };
  const owner: Owner = { session: "s1", actor: "1", process: ground.self };
  const record = { owner, tree, at: 1, made: true, maker: ground.self, linked: [], result: null, ...more };
  await writeRecord(common, name, record);
  const ignore = join(dirname(path), ".gitignore");
  if (!existsSync(ignore)) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(ignore, "*\n");
  }
  await repository.must(["update-ref", baseRef(name), base]);
  await repository.must(["worktree", "add", "-q", "-b", tree.branch, path, base]);
  return using(repository, tree);
}

export function using(repository: TestRepository, tree: Worktree): TestTree {
  const ground = groundOf(repository.env);
  const git = gitIn(tree.path, repository.env);
  const at = (file: string) => join(tree.path, file);
  return {
    ...{ repository, ground, tree, at, common: join(repository.folder, ".git") },
    write(file, content) {
      mkdirSync(dirname(at(file)), { recursive: true });
      writeFileSync(at(file), content);
    },
    async must(args) {
      const { code, out, err } = await git.run(args, { identity: "person" });
      if (code !== 0) throw new Error(`git ${args.join(" ")}: ${code} ${err}`);
      return out;
    },
    async snapshot(files = null) {
      const answer = await snapshotTree({ tree, files: files?.map(at) ?? null }, ground);
      if (answer.type !== "taken") throw new Error(answer.reason);
      return answer;
    },
    show: (spec) => repository.must(["show", spec]),
  };
}

export async function aTree(
  files: Readonly<Record<string, string | Buffer>> = { "a.txt": "one\n", "b/c.txt": "two\n" },
): Promise<TestTree> {
  return treeIn(await repositoryWith(files), "t1");
}
