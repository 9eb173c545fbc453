import { createHash } from "node:crypto";
import { accessSync, constants } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { canonicalJson } from "../settings/json.ts";
import { shown } from "../settings/shown.ts";
import { includedBy, runsCommand } from "./git-commands.ts";
import { gitSettingsIn } from "./git-config-text.ts";
import { type GitRepository, repositoriesAbout } from "./git-repository.ts";
import type { Grant } from "./grants.ts";
import { readPlainly } from "./read-plainly.ts";

/** Files that include one another; no repository has as many. */
const MOST_FILES = 32;
/** Hooks that git runs even where it only reads; the others come with commands that nobody may run unasked. */
const READING_HOOKS = ["post-index-change"];

/**
 * What git would run for the repository about this folder, each as a thing that trusting it would grant (issue 4,
 * point 2; faults, section 7). Read as plain data: git itself is not run. Empty where there is no repository,
 * and for an ordinary one.
 */
export function gitGrants(folder: string): readonly Grant[] {
  const grants = repositoriesAbout(folder).flatMap((repository) => new Reading(repository).grants());
  return [...new Map(grants.map((grant) => [grant.digest, grant])).values()];
}

class Reading {
  readonly #repository: GitRepository;
  readonly #seen = new Set<string>();
  readonly #grants: Grant[] = [];

  constructor(repository: GitRepository) {
    this.#repository = repository;
  }

  grants(): readonly Grant[] {
    const { own, common } = this.#repository;
    this.#config(join(common, "config"));
    this.#config(join(own, "config.worktree"));
    for (const hook of READING_HOOKS) this.#hook(join(common, "hooks", hook));
    return this.#grants;
  }

  #config(file: string): void {
    if (this.#seen.has(file)) return;
    this.#seen.add(file);
    if (this.#seen.size > MOST_FILES) {
      this.#grant("read more files as its configuration than are looked through", file);
      return;
    }
    const read = readPlainly(file);
    if (read === null) return;
    const settings = read === "unreadable" ? null : gitSettingsIn(read.text);
    if (settings === null) {
      this.#grant(`run what ${nameOf(file)} says, which could not be looked through`, [file, read]);
      return;
    }
    for (const setting of settings) {
      const { key, value } = setting;
      const where = `${shown(key)} in ${nameOf(file)}`;
      if (runsCommand(setting)) this.#grant(`run "${shown(value)}" (${where})`, [file, key, value]);
      const included = includedBy(setting);
      if (included === null) continue;
      const path = resolve(dirname(file), included.replace(/^~(?=\/)/, homedir()));
      this.#grant(`read "${shown(included)}" as its configuration, too (${where})`, [
        file,
        key,
        value,
        readPlainly(path),
      ]);
      this.#config(path);
    }
  }

  #hook(file: string): void {
    try {
      accessSync(file, constants.X_OK);
    } catch {
      return;
    }
    this.#grant(`run the hook ${nameOf(file)}`, [file, readPlainly(file)]);
  }

  #grant(what: string, identity: unknown): void {
    const digest = createHash("sha256")
      .update(canonicalJson(["git", identity]))
      .digest("hex");
    this.#grants.push({ words: `let git ${what}`, digest });
  }
}

/** A file as a person finds it: its name with its folder's. */
function nameOf(file: string): string {
  return shown(join(basename(dirname(file)), basename(file)));
}
