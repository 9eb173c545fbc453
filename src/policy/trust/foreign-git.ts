import { hash } from "node:crypto";
import { accessSync, constants } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { readRegularFile } from "../../lib/files.ts";
import { canonicalJson } from "../../lib/json.ts";
import { listNames } from "../../lib/on-disk.ts";
import { expandHome } from "../../lib/paths.ts";
import { printable } from "../../lib/text.ts";
import { type GitSetting, gitLinksIn, gitSettingsIn } from "./git-files.ts";
import { type GitRepository, readRepository, repositoriesAbout } from "./git-repository.ts";
import type { Grant } from "./grants.ts";

/** Keys whose value git runs, or uses to find programs. The middle of a three-part key is arbitrary. */
const RUN: ReadonlySet<string> = new Set(
  (
    "core.fsmonitor core.hookspath core.sshcommand core.pager core.editor core.askpass core.gitproxy " +
    "core.alternaterefscommand sequence.editor interactive.difffilter gpg.program diff.external " +
    "diff.*.command diff.*.textconv filter.*.clean filter.*.smudge filter.*.process merge.*.driver " +
    "difftool.*.cmd difftool.*.path mergetool.*.cmd mergetool.*.path guitool.*.cmd browser.*.cmd " +
    "browser.*.path man.*.cmd man.*.path trailer.*.command trailer.*.cmd tar.*.command gpg.*.program " +
    "gpg.*.defaultkeycommand remote.*.uploadpack remote.*.receivepack remote.*.vcs pager.* " +
    "lfs.customtransfer.*.path lfs.extension.*.clean lfs.extension.*.smudge"
  ).split(" "),
);

/** For these keys, a plain yes or no is a switch and not a command. */
const SWITCHES: ReadonlySet<string> = new Set(["core.fsmonitor", "pager.*"]);

const BOOLEAN = /^(?:true|false|yes|no|on|off|\d+|)$/i;

/** What git LFS writes into every repository that uses it: the program that the user has installed. */
const LFS = /^filter\.lfs\.(?:clean|smudge|process)=git-lfs (?:clean -- %f|smudge -- %f|filter-process)$/;

/** True if git would run something that this setting names. */
function runsCommand({ key, value }: GitSetting): boolean {
  const kind = kindOf(key);
  // A custom transport is a command line in place of an address.
  if (/^ext::/.test(value) || /(?:^|\.)ext::/.test(key)) return true;
  switch (kind) {
    case "alias.*":
      return /^\s*[!-]/.test(value);
    case "credential.helper":
    case "credential.*.helper":
      return /^\s*!|[/\\]/.test(value);
    case "submodule.*.update":
      return value.startsWith("!");
    case "protocol.*.allow":
    case "protocol.allow":
      return value !== "never";
    default:
      if (LFS.test(`${key}=${value}`)) return false;
      return RUN.has(kind) && !(BOOLEAN.test(value) && (SWITCHES.has(kind) || value === ""));
  }
}

/** Returns the file that this setting includes into the configuration, or null. */
function includedBy({ key, value }: GitSetting): string | null {
  return key === "include.path" || kindOf(key) === "includeif.*.path" ? value : null;
}

/** Returns the key without its custom names. */
function kindOf(key: string): string {
  const first = key.indexOf(".");
  const last = key.lastIndexOf(".");
  const [section, name] = [key.slice(0, first), key.slice(last + 1)];
  if (section === "lfs") return key.replace(/^(lfs\.(?:customtransfer|extension))\..*\./, "$1.*.");
  if (section === "pager" || section === "alias") return `${section}.*`;
  return first === last ? key : `${section}.*.${name}`;
}

/** Half a million files. */
const MOST_INDEX_BYTES = 64 * 1_048_576;

/** The limit of nested repositories to read. */
const MOST_REPOSITORIES = 256;

/** The limit of files that include one another; no repository has as many. */
const MOST_FILES = 32;

/** Hooks that git runs even if it only reads; the others belong to commands that always ask. */
const READING_HOOKS = ["post-index-change"];

/**
 * Returns what git would run for the repository of this directory, as trust grants (issue 4, point 2; faults, section
 * 7). Reads plain data, never runs git. Empty without a repository, and for an ordinary one.
 */
export function gitGrants(folder: string): readonly Grant[] {
  const grants: Grant[] = [];
  const seen = new Set<string>();
  // It grows during the loop: a repository can contain others.
  const pending = [...repositoriesAbout(folder)];
  for (const repository of pending) {
    if (seen.has(repository.own)) continue;
    seen.add(repository.own);
    const reading = new Reading(repository, folder);
    reading.all(seen.size < MOST_REPOSITORIES);
    grants.push(...reading.grants);
    pending.push(...reading.within);
  }
  return [...new Map(grants.map((grant) => [grant.digest, grant])).values()];
}

class Reading {
  readonly #repository: GitRepository;
  readonly #folder: string;
  readonly #seen = new Set<string>();
  readonly grants: Grant[] = [];
  /** Repositories that git looks into when it looks at this one. */
  readonly within: GitRepository[] = [];
  #tree: string;
  #idBytes = 20;

  constructor(repository: GitRepository, folder: string) {
    this.#folder = folder;
    this.#repository = repository;
    this.#tree = repository.tree;
  }

  all(goesOn: boolean): void {
    const { own, common } = this.#repository;
    this.#config(join(common, "config"));
    this.#config(join(own, "config.worktree"));
    for (const hook of READING_HOOKS) this.#hook(join(common, "hooks", hook));
    for (const index of indexesIn(own)) this.#index(index, goesOn);
  }

  #config(file: string): void {
    if (this.#seen.has(file)) return;
    this.#seen.add(file);
    if (this.#seen.size > MOST_FILES) {
      this.#grant("read more files as its configuration than are looked through", file);
      return;
    }
    const read = contentOf(file);
    if (read === null) return;
    const settings = read === "unreadable" ? null : gitSettingsIn(read.text);
    if (settings === null) {
      this.#grant(`run what ${this.#name(file)} says, which could not be looked through`, [file, read]);
      return;
    }
    for (const setting of settings) {
      const { key, value } = setting;
      if (key === "core.worktree") this.#tree = resolve(this.#repository.own, value);
      if (key === "extensions.objectformat") this.#idBytes = value.toLowerCase() === "sha256" ? 32 : 20;
      const where = `${printable(key)} in ${this.#name(file)}`;
      if (runsCommand(setting)) this.#grant(`run "${printable(value)}" (${where})`, [file, key, value]);
      const included = includedBy(setting);
      if (included === null) continue;
      const path = resolve(dirname(file), expandHome(included, homedir()));
      this.#grant(`read "${printable(included)}" as its configuration, too (${where})`, [
        file,
        key,
        value,
        contentOf(path),
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
    this.#grant(`run the hook ${this.#name(file)}`, [file, contentOf(file)]);
  }

  #index(file: string, goesOn: boolean): void {
    const read = readRegularFile(file, MOST_INDEX_BYTES);
    if (read.type === "absent") return;
    const links = read.type === "unreadable" ? null : gitLinksIn(read.bytes, this.#idBytes);
    const inner = links?.map((path) => readRepository(join(this.#tree, path, ".git"))) ?? [];
    const found = inner.filter((repository) => repository !== null);
    if (links === null) this.#grant(`go by ${this.#name(file)}, which could not be looked through`, file);
    else if (goesOn) this.within.push(...found);
    else if (found.length > 0) this.#grant("look into more repositories than are looked through", file);
  }

  /** Returns a file as the user knows it. */
  #name(file: string): string {
    const below = relative(this.#folder, file);
    return printable(below.startsWith("..") ? file : below);
  }

  #grant(what: string, identity: unknown): void {
    const digest = hash("sha256", canonicalJson(["git", identity]));
    this.grants.push({ words: `let git ${what}`, digest, group: "runs", git: true });
  }
}

/** Returns the index files of a repository; an index may be split in two. */
function indexesIn(own: string): readonly string[] {
  const names = listNames(own).filter((name) => name === "index" || name.startsWith("sharedindex."));
  return names.map((name) => join(own, name));
}

/** Returns the part of a digest that a file contributes; null if the file does not exist. */
function contentOf(file: string): { readonly text: string } | "unreadable" | null {
  const read = readRegularFile(file);
  if (read.type === "absent") return null;
  return read.type === "unreadable" ? "unreadable" : { text: read.bytes.toString() };
}

/** Returns why a command that runs git needs a question, or null if git runs nothing that needs agreement. */
export function foreignGitClause(fresh: readonly Grant[], ofThisFolder: boolean): string | null {
  const [first] = fresh;
  if (first === undefined) return null;
  const more = fresh.length === 1 ? "" : ` (and ${fresh.length - 1} more of the kind)`;
  const how = ofThisFolder
    ? "--trust agrees to it for one run"
    : "look at that repository, then allow the command by a rule if you want it";
  return `it would ${first.words}${more}, which the user has not agreed to; ${how}`;
}
