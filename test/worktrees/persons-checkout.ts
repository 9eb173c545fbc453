import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  type MergeStory,
  mergeStateOf,
  mergesOf,
  openMerge,
} from "../../src/worktrees/merge/merge-journal.ts";
import type { TestRepository } from "../support/git-repository.ts";

/**
 * The person's files, as they must be: as the person left them, or as a merge, or an undo, that came to its end made
 * them. What came to its end is read from the journal; that it is what git makes of it is proved elsewhere.
 */
export class PersonsCheckout {
  readonly #repository: TestRepository;
  readonly #common: string;
  /** Digests of contents, by path. */
  readonly #files = new Map<string, string>();
  /** Written while a merge was cut off: whatever becomes of that, these stay. */
  readonly #since = new Map<string, string>();
  readonly #seen = new Map<string, MergeStory["state"]>();
  #writes = 0;

  private constructor(repository: TestRepository) {
    this.#repository = repository;
    this.#common = join(repository.folder, ".git");
    for (const [path, digest] of picture(repository.folder)) this.#files.set(path, digest);
    for (const { start, state } of this.#stories()) this.#seen.set(start.merge, state);
  }

  /** As it is now is as the person left it. */
  static of(repository: TestRepository): PersonsCheckout {
    return new PersonsCheckout(repository);
  }

  get isCutOff(): boolean {
    return openMerge(this.#common) !== null;
  }

  /** A content that nobody has written before. */
  write(path: string): void {
    this.#writes += 1;
    const content = `The person's ${this.#repository.folder} ${Math.random()} ${this.#writes}\n`;
    const file = join(this.#repository.folder, path);
    // A cut off merge may have put a folder's content aside.
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    (this.isCutOff ? this.#since : this.#files).set(path, digestOf(content));
  }

  /** Not while a merge is cut off: what it put aside would come back. */
  delete(path: string): void {
    if (this.isCutOff) return;
    rmSync(join(this.#repository.folder, path), { force: true });
    this.#files.delete(path);
  }

  /** Of files only, whatever a merge has left half done. */
  async stage(path: string): Promise<void> {
    if (existsSync(join(this.#repository.folder, path))) await this.#repository.must(["add", path]);
  }

  /** What is not as it must be; nothing is asked while a merge is cut off. */
  wrong(): string[] {
    if (this.isCutOff) return [];
    // The oldest first.
    for (const story of this.#stories().reverse()) this.#follow(story);
    for (const [path, digest] of this.#since) this.#files.set(path, digest);
    this.#since.clear();
    const now = picture(this.#repository.folder);
    const paths = new Set([...now.keys(), ...this.#files.keys()]);
    return [...paths].filter((path) => now.get(path) !== this.#files.get(path));
  }

  /** Merges that are in the checkout, and those that were undone. */
  get merges(): { readonly merge: string; readonly state: MergeStory["state"] }[] {
    return this.#stories().map(({ start, state }) => ({ merge: start.merge, state }));
  }

  #follow({ start, state }: MergeStory): void {
    const before = this.#seen.get(start.merge);
    this.#seen.set(start.merge, state);
    const isIn = state === "merged";
    const wasIn = before === "merged";
    if (isIn === wasIn) return;
    for (const move of start.exchange.moves) {
      const to = isIn ? move.after : move.before;
      if (to === null) this.#files.delete(move.path);
      else this.#files.set(move.path, to.digest);
    }
  }

  #stories(): MergeStory[] {
    return mergesOf(this.#common).flatMap((merge) => mergeStateOf(this.#common, merge) ?? []);
  }
}

function picture(top: string, at = ""): Map<string, string> {
  const found = new Map<string, string>();
  for (const entry of readdirSync(join(top, at), { withFileTypes: true })) {
    const path = at === "" ? entry.name : `${at}/${entry.name}`;
    if (path === ".git" || path === ".claude") continue;
    if (entry.isDirectory()) for (const [name, digest] of picture(top, path)) found.set(name, digest);
    else found.set(path, digestOf(readFileSync(join(top, path))));
  }
  return found;
}

function digestOf(content: string | Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}
