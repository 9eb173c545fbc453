import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryWith, type TestRepository } from "../support/git-repository.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { PersonsCheckout } from "./persons-checkout.ts";
import type { TestTree } from "./tree-of-tests.ts";

/** What the agent has written, as the promise sees it. */
export interface Ledger {
  /** Contents that must be recoverable for ever: a snapshot answered for them, or a commit has them. */
  readonly owed: Set<string>;
  /** Contents in files that nothing was answered for; they must be there, or in a ref. */
  readonly onDisk: Map<string, string>;
  writes: number;
  killed: number;
}

/** What is in files was answered for. */
export function owe({ owed, onDisk }: Ledger): void {
  for (const content of onDisk.values()) owed.add(content);
}

/** What is played with. */
export interface Game {
  readonly t: TestTree;
  readonly ledger: Ledger;
  readonly persons: PersonsCheckout;
  readonly wrapper: string;
  /** What is the person's in the git folder. */
  git: unknown;
}

const PERSONS_FILES = {
  "p.txt": "and changed again\n",
  "untracked.txt": "u\n",
  "mine/of own.txt": "the person's\n",
};

/** A repository with things of the person's in it, and a way back to what it was. */
export async function sceneOf() {
  const files = { ".gitignore": ".env\nbuild/\n", "a.txt": "1\n", "b/c.txt": "2\n" };
  const repository = await repositoryWith({ ...files, "p.txt": "3\n", "mine/of own.txt": "4\n" });
  repository.write({ "p.txt": "stashed\n" });
  await repository.must(["stash", "-q"], { identity: "person" });
  await repository.must(["tag", "v1"]);
  repository.write({ "p.txt": "staged by the person\n" });
  await repository.must(["add", "p.txt"]);
  // Else a gc takes what is staged while something else is.
  const root = (await repository.must(["write-tree"])).trim();
  await repository.must(["tag", "staged", (await repository.must(["commit-tree", root, "-m", "S"])).trim()]);
  const index = join(repository.folder, ".git", "index");
  const staged = readFileSync(index);
  const beginAnew = async () => {
    for (const name of readdirSync(repository.folder))
      if (name !== ".git") rmSync(join(repository.folder, name), { recursive: true });
    repository.write({ ...files, ...PERSONS_FILES });
    writeFileSync(index, staged);
    return { persons: PersonsCheckout.of(repository), git: await whatIsThePersons(repository) };
  };
  return { repository, wrapper: temporaryFolder(), beginAnew };
}

export async function whatIsThePersons(repository: TestRepository) {
  const file = (name: string) => readFileSync(join(repository.folder, ".git", name), "base64");
  const refs = await repository.must(["for-each-ref", "--format=%(refname) %(objectname)"]);
  return {
    refs: refs.split("\n").filter((line) => !/^refs\/(troupe|heads\/worktree-)/.test(line)),
    ...{ config: file("config"), index: file("index"), head: file("HEAD") },
  };
}
