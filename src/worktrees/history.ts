import { hash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { listNames } from "../lib/on-disk.ts";
import type { Repository } from "./environment.ts";
import { type GitAnswer, parts } from "./git.ts";

/** The current state of a repository's refs and index. */
export interface RefState {
  /** Changes with any part of the state. */
  readonly digest: string;
  /** Commits named by other files than refs, such as FETCH_HEAD. */
  readonly named: readonly string[];
}

/** Larger histories are not read: a commit takes about 100 bytes of memory. */
const MOST_COMMITS = 200_000;
const MOST_PATHS = 300_000;
const MOST_BYTES = 64 * 1024 * 1024;
const MOST_REFS = 20_000;
/** Commits read by one `git log`. */
const BATCH = 1_000;

/** Replacement refs would show another history than the real one. */
const RAW = ["--no-replace-objects"];
const HEADER = /^\n?:(\d{6}) (\d{6}) [0-9a-f]+ [0-9a-f]+ [A-Z]\d*$/;
const GITLINK = "160000";

type Repo = Pick<Repository, "git" | "common" | "gitDir">;

/**
 * Reads what decides which commits are reachable, without a walk: refs, reflogs, heads of all worktrees, the index.
 * Throws, with half a sentence, if paths could be hidden from a walk over commits.
 */
export async function readRefState(
  { git, common, gitDir }: Repo,
  signal: AbortSignal | undefined,
): Promise<RefState> {
  const named = namedIn(common, gitDir);
  if (existsSync(join(common, "info/grafts"))) throw new Unknown("has grafts");
  const format = "--format=%(objectname) %(objecttype) %(*objecttype) %(refname)";
  const options = { signal, mostBytes: MOST_BYTES };
  const [refs, tips, promises] = await Promise.all([
    git.run(["for-each-ref", format], options),
    git.run(
      [...RAW, "rev-list", "--ignore-missing", "--no-walk=unsorted", "--all", "--reflog", ...named],
      options,
    ),
    git.run(["config", "--get-regexp", "^(extensions\\.partialclone|remote\\..*\\.promisor)$"], options),
  ]);
  if (promises.code !== 1) throw new Unknown("does not have all its objects here");
  for (const line of well(refs).split("\n").filter(Boolean)) {
    const [, type = "", peeled = "", name = ""] = line.split(" ");
    if (name.startsWith("refs/replace/")) throw new Unknown("replaces objects");
    if (type !== "commit" && peeled !== "commit")
      throw new Unknown(`has the ref ${name}, which is not a commit`);
  }
  const index = statSync(join(gitDir, "index"), { bigint: true, throwIfNoEntry: false });
  const stamp = index === undefined ? [] : [index.ino, index.size, index.mtimeNs, index.ctimeNs].map(String);
  const digest = hash("sha256", JSON.stringify([well(refs), well(tips), stamp]), "hex");
  return { digest, named };
}

/** Why the history of a repository cannot be read. */
export class Unknown extends Error {}

/** Every path that a repository's reachable commits and its index ever had. It only grows. */
export class History {
  readonly paths = new Set<string>();
  readonly #commits = new Set<string>();
  #bytes = 0;

  /** Reads the commits that are not known yet; keeps what was read if cut off. */
  async catchUp({ git }: Repo, { named }: RefState, signal: AbortSignal | undefined): Promise<void> {
    const options = { signal, mostBytes: MOST_BYTES };
    const listed = well(await git.run(["ls-files", "-s", "-z"], options));
    for (const entry of parts(listed)) {
      if (entry.startsWith(GITLINK)) throw new Unknown("has submodules");
      this.#add(entry.slice(entry.indexOf("\t") + 1));
    }
    const walk = [...RAW, "rev-list", "--ignore-missing", "--all", "--reflog", ...named];
    const all = well(await git.run(walk, options))
      .split("\n")
      .filter(Boolean);
    if (all.length > MOST_COMMITS) throw new Unknown(`has more than ${MOST_COMMITS} commits`);
    const fresh = all.filter((commit) => !this.#commits.has(commit));
    for (let at = 0; at < fresh.length; at += BATCH) {
      const batch = fresh.slice(at, at + BATCH);
      this.#read(well(await git.run([...LOG, ...batch], options)));
      for (const commit of batch) this.#commits.add(commit);
    }
  }

  #read(log: string): void {
    const words = parts(log);
    for (let at = 0; at < words.length; at += 2) {
      const [, before, after] = HEADER.exec(words[at] ?? "") ?? [];
      const path = words[at + 1];
      if (before === undefined || path === undefined)
        throw new Unknown("has a history that git shows otherwise");
      if (before === GITLINK || after === GITLINK) throw new Unknown("has submodules");
      this.#add(path);
    }
  }

  #add(path: string): void {
    if (this.paths.has(path)) return;
    this.paths.add(path);
    this.#bytes += path.length;
    if (this.paths.size > MOST_PATHS || this.#bytes > MOST_BYTES) throw new Unknown("has too many files");
  }
}

/** Lists every change of every commit against each of its parents; runs nothing that the repository names. */
const LOG = [
  ...RAW,
  ...[
    "log",
    "--no-walk=unsorted",
    "--root",
    "--diff-merges=separate",
    "--raw",
    "-z",
    "--no-renames",
    "--format=",
  ],
  ...["--no-show-signature", "--no-ext-diff", "--no-textconv", "--ignore-submodules=none", "--no-notes"],
  ...["--no-decorate", "--no-mailmap", "-O/dev/null"],
];

function well({ code, out, err }: GitAnswer): string {
  if (code !== 0) throw new Unknown(`cannot be read (${err})`);
  return out;
}

const OID = /\b[0-9a-f]{40}(?:[0-9a-f]{24})?\b/g;
/** HEAD, FETCH_HEAD, ORIG_HEAD, MERGE_AUTOSTASH. */
const PSEUDO_REF = /^[A-Z][A-Z_]*$/;
/** An unfinished operation can return to the commits in these directories. */
const OPERATIONS = ["rebase-merge", "rebase-apply", "sequencer"];

function namedIn(common: string, gitDir: string): readonly string[] {
  const trees = listNames(join(common, "worktrees")).map((name) => join(common, "worktrees", name));
  const files = [...new Set([common, gitDir, ...trees])].flatMap((dir) => [
    ...listNames(dir)
      .filter((name) => PSEUDO_REF.test(name))
      .map((name) => join(dir, name)),
    ...OPERATIONS.flatMap((inner) => listNames(join(dir, inner)).map((name) => join(dir, inner, name))),
  ]);
  const found = new Set(files.flatMap((file) => textOf(file).match(OID) ?? []));
  if (found.size > MOST_REFS) throw new Unknown("has more refs than are looked at");
  return [...found];
}

function textOf(file: string): string {
  const look = statSync(file, { throwIfNoEntry: false });
  if (look === undefined || !look.isFile()) return "";
  if (look.size > MOST_BYTES) throw new Unknown(`has a large ${file}`);
  try {
    return readFileSync(file, "latin1");
  } catch {
    throw new Unknown(`has a ${file} that cannot be read`);
  }
}
