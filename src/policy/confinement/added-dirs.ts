import { resolve } from "node:path";

/** The directories that a session adds to its own. A client may open and close some while agents work. */
export class AddedDirs {
  readonly #known: Set<string>;
  #now: readonly string[];
  #isChanged = false;

  constructor(dirs: readonly string[]) {
    this.#now = dirs;
    this.#known = new Set(dirs);
  }

  get now(): readonly string[] {
    return this.#now;
  }

  replace(dirs: readonly string[]): void {
    this.#now = dirs.map((dir) => resolve(dir));
    this.#isChanged = true;
    for (const dir of this.#now) this.#known.add(dir);
  }

  /** Returns what an actor's directories are by now: without those that were removed since it started, with the new ones. */
  of(dirs: readonly string[]): readonly string[] {
    if (!this.#isChanged) return dirs;
    const kept = dirs.filter((dir) => !this.#known.has(dir) || this.#now.includes(dir));
    return [...new Set([...kept, ...this.#now])];
  }
}
