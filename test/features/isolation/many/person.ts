import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Seeded } from "../../../faults/seeded.ts";
import type { TestRepository } from "../../../support/git-repository.ts";
import { namesIn, pathOf, withName } from "./shared-files.ts";

/** Files that only the person works on, and in what state they are at the beginning. */
export const PERSONS_FILES: Readonly<Record<string, string>> = {
  "mine/tracked.txt": "tracked\n",
  "mine/staged.txt": "to be staged\n",
  "notes.txt": "notes\n",
};

/** A file of the agents in which the person has an entry, too. */
const SHARED = { path: pathOf(7), entry: "entry 7" };

/**
 * Somebody who edits and stages while agents work: in place, and by writing beside and renaming. Knows every byte that
 * must be there, and says where it is not.
 */
export class Person {
  readonly #repository: TestRepository;
  readonly #random: Seeded;
  readonly #files = new Map<string, string | null>();
  /** As `git ls-files --stage` shows it. */
  #index = "";
  #saves = 0;
  #touchedShared = false;
  #staging: Promise<void> = Promise.resolve();
  readonly lost: string[] = [];

  constructor(repository: TestRepository, random: Seeded) {
    this.#repository = repository;
    this.#random = random;
  }

  /** Work that is not committed, some of it staged. */
  async begins(): Promise<void> {
    for (const path of Object.keys(PERSONS_FILES)) this.#save(path, `${path} is being changed\n`, "in place");
    this.#save("mine/new.txt", "not known to git\n", "in place");
    await this.#repository.must(["add", "mine/staged.txt"]);
    this.#save("mine/staged.txt", "changed once more since it was staged\n", "in place");
    this.#index = await this.#staged();
  }

  /** One thing of those that people do. */
  acts(): void {
    this.looks();
    this.#saves += 1;
    const how = this.#random.pick(["in place", "by rename"] as const);
    const path = this.#random.pick([
      ...Object.keys(PERSONS_FILES),
      "mine/new.txt",
      "mine/other.txt",
      SHARED.path,
    ]);
    if (path === SHARED.path) {
      const now = readFileSync(join(this.#repository.folder, path), "utf8");
      this.#write(path, withName(now, SHARED.entry, "person"), how);
    } else if (path === "mine/other.txt" && this.#files.get(path) != null) {
      rmSync(join(this.#repository.folder, path));
      this.#files.set(path, null);
    } else
      this.#save(path, `${path}, save ${this.#saves}\n${"x".repeat(this.#random.between(0, 3000))}\n`, how);
  }

  /** Also stages something, which takes git a moment; one after the other. */
  stages(): Promise<void> {
    this.#staging = this.#staging.then(() => this.#stage());
    return this.#staging;
  }

  async #stage(): Promise<void> {
    if (this.#index !== (await this.#staged())) this.lost.push("the index was changed");
    await this.#repository.must(["add", this.#random.pick(Object.keys(PERSONS_FILES))]);
    this.#index = await this.#staged();
  }

  /** Whether everything is as it was left. */
  looks(): void {
    for (const [path, wanted] of this.#files) {
      const file = join(this.#repository.folder, path);
      const found = existsSync(file) ? readFileSync(file, "utf8") : null;
      if (found !== wanted)
        this.lost.push(`${path} is ${found?.slice(0, 40)}, was left as ${wanted?.slice(0, 40)}`);
    }
  }

  async ends(): Promise<readonly string[]> {
    this.looks();
    if (this.#index !== (await this.#staged())) this.lost.push("the index is another");
    const shared = readFileSync(join(this.#repository.folder, SHARED.path), "utf8");
    if (this.#touchedShared && !namesIn(shared, SHARED.entry).includes("person"))
      this.lost.push("the person's entry in a file of all is gone");
    return this.lost;
  }

  #save(path: string, text: string, how: "in place" | "by rename"): void {
    this.#files.set(path, text);
    this.#write(path, text, how);
  }

  #write(path: string, text: string, how: "in place" | "by rename"): void {
    if (path === SHARED.path) this.#touchedShared = true;
    const file = join(this.#repository.folder, path);
    if (how === "in place") writeFileSync(file, text);
    else {
      writeFileSync(`${file}.saving`, text);
      renameSync(`${file}.saving`, file);
    }
  }

  #staged(): Promise<string> {
    return this.#repository.must(["ls-files", "--stage", "-z"]);
  }
}
