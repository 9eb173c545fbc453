import { isPathInside } from "../../lib/paths.ts";
import { digestOf } from "../facts.ts";
import type { Content, FileLook, Files } from "../files.ts";
import { unreadableCharacters } from "../markdown/read-markdown.ts";
import { importedPath, importsIn } from "../references.ts";
import {
  findRules,
  type MemoryPath,
  type MemoryScope,
  type MemorySearch,
  memoryPaths,
  parseMemoryRule,
  projectOf,
} from "./memory-paths.ts";

/** Bytes of one file; of a longer one only the beginning is shown. */
export const MAX_MEMORY_FILE_BYTES = 64 * 1024;
/** Imports of imports. */
export const MAX_MEMORY_IMPORT_DEPTH = 5;
/** Files in all. */
export const MAX_MEMORY_FILES = 200;
/** Names of imports that are looked for, whether they exist or not, and those of one file. */
const MAX_LOOKUPS = 500;
const MAX_IMPORTS = 100;
/** Characters that users do not see and models read: tags, and those that turn text around. */
const INVISIBLE = /[\u{e0000}-\u{e007f}\u202a-\u202e\u2066-\u2069]/u;

/** One file as agents see it. */
export interface MemoryFile {
  readonly scope: MemoryScope;
  readonly path: string;
  /** The file that imports it; null if it was looked for. */
  readonly importedBy: string | null;
  readonly text: string;
  /** Of the whole file. */
  readonly bytes: number;
  /** The file has more than `text`. */
  readonly cut: boolean;
  readonly digest: string;
}

/** What all memory files say, in the order in which agents see it. The same object as long as none has changed. */
export interface Memory {
  readonly files: readonly MemoryFile[];
  /** Rules for some files only: shown when a conversation opens one of them. */
  readonly rules: readonly MemoryRule[];
  /** Sentences for the user: what was left out, and why. */
  readonly notes: readonly string[];
}

/** A file of `.claude/rules` that says which files it is about. */
export interface MemoryRule {
  readonly file: MemoryFile;
  /** The files that it imports and that are shown with it, without those that are memory anyway. */
  readonly imports: readonly MemoryFile[];
  /** Patterns, from the directory `of`. */
  readonly paths: readonly string[];
  readonly of: string;
}

/** Returns a reader that looks at every known file at each call, and reads only those that have changed. */
export function memoryReader(search: MemorySearch, files: Files): () => Memory {
  const project = projectOf(search.cwd, files);
  const own = memoryPaths(search, project);
  const gather = memoryGatherer(search, files);
  return () => {
    const rules = findRules(search, project, files);
    const paths = SCOPES.flatMap((scope) => [...own, ...rules.paths].filter((one) => one.scope === scope));
    return gather(paths, rules.notes);
  };
}

const SCOPES: readonly MemoryScope[] = ["enterprise", "user", "project", "local"];

/** Returns a function that reads these files in their order; it returns the same object while nothing has changed. */
export function memoryGatherer(
  search: MemorySearch,
  files: Files,
): (paths: readonly MemoryPath[], notes?: readonly string[]) => Memory {
  let last: { readonly key: string; readonly seen: Seen; readonly memory: Memory } | null = null;
  return (paths, notes = []) => {
    const key = JSON.stringify([search.trusted(), notes, paths.map(({ path }) => path)]);
    if (last?.key === key && last.seen.isUnchanged(files)) return last.memory;
    const gathering = new Gathering(search, files, last?.seen);
    for (const path of paths) gathering.visit(path.path, path, null, 0);
    last = { key, seen: gathering.seen, memory: gathering.memory(notes) };
    return last.memory;
  };
}

/** The files that were looked at, and what was read of them. */
class Seen {
  readonly #stamps = new Map<string, string>();
  readonly #contents = new Map<string, { readonly stamp: string; readonly content: Content }>();

  isUnchanged(files: Files): boolean {
    return [...this.#stamps].every(([path, stamp]) => stampOf(files.look(path)) === stamp);
  }

  look(path: string, files: Files): FileLook {
    const look = files.look(path);
    this.#stamps.set(path, stampOf(look));
    return look;
  }

  read(path: string, stamp: string, files: Files, before: Seen | undefined): Content {
    const known = before === undefined ? undefined : before.#contents.get(path);
    const content = known?.stamp === stamp ? known.content : files.read(path, MAX_MEMORY_FILE_BYTES);
    this.#contents.set(path, { stamp, content });
    return content;
  }
}

function stampOf(look: FileLook): string {
  return look.type === "file" ? look.stamp : look.type === "none" ? "" : look.reason;
}

type TextContent = Extract<Content, { type: "text" }>;
type Origin = Pick<MemoryFile, "scope" | "path" | "importedBy">;

class Gathering {
  readonly seen = new Seen();
  readonly #search: MemorySearch;
  readonly #files: Files;
  readonly #before: Seen | undefined;
  readonly #owners: ReadonlySet<number | null>;
  /** Each file once, under whichever of its names. */
  #visited = new Set<string>();
  #found: MemoryFile[] = [];
  readonly #rules: (MemoryRule & { readonly place: MemoryPath })[] = [];
  #count = 0;
  readonly #notes: string[] = [];
  #lookups = 0;

  constructor(search: MemorySearch, files: Files, before: Seen | undefined) {
    this.#search = search;
    this.#files = files;
    this.#before = before;
    this.#owners = new Set([files.me, 0, null]);
  }

  memory(notes: readonly string[]): Memory {
    const files = this.#found;
    const rules = this.#rules.map((rule) => this.#withImports(rule));
    return { files: withoutCopies(files), rules, notes: [...notes, ...this.#notes] };
  }

  /** Last, because what is memory anyway is not shown with a rule again. */
  #withImports({ place, ...rule }: MemoryRule & { readonly place: MemoryPath }): MemoryRule {
    const visited = this.#visited;
    this.#visited = new Set(visited);
    this.#found = [];
    this.#follow(rule.file.text, rule.file.path, place, 0);
    this.#visited = visited;
    return this.#found.length === 0 ? rule : { ...rule, imports: this.#found };
  }

  /** Returns false if there is nothing under this path. */
  visit(path: string, place: MemoryPath, importedBy: string | null, depth: number): boolean {
    const look = this.seen.look(path, this.#files);
    if (look.type === "none") return false;
    if (look.type === "unusable") return this.#leaveOut(path, look.reason);
    if (this.#visited.has(look.identity)) return true;
    this.#visited.add(look.identity);
    if (place.above && !this.#owners.has(look.owner))
      return this.#leaveOut(path, "was left out: it is above the project and belongs to another user");
    if (this.#count >= MAX_MEMORY_FILES)
      return this.#leaveOut(path, `was left out: there are ${MAX_MEMORY_FILES} memory files already`);
    const content = this.seen.read(path, look.stamp, this.#files, this.#before);
    if (content.type === "unusable") return this.#leaveOut(path, content.reason);
    if (this.#search.denied(content.real))
      return this.#leaveOut(path, "was left out, because a rule forbids reading it");
    if (!this.#mayReach(content.real, place))
      return this.#leaveOut(
        path,
        `was left out: it leads out of the project to ${content.real}; --trust allows it for this run`,
      );
    const damage = unreadableCharacters(content.text);
    if (damage !== null) this.#notes.push(`${path}:${damage.line} ${damage.message}`);
    const origin = { scope: place.scope, path, importedBy };
    const rule = place.ruleOf !== undefined && importedBy === null ? parseMemoryRule(content.text) : null;
    if (rule?.problem !== undefined) this.#notes.push(`${path} ${rule.problem}.`);
    const file = this.#fileOf(rule === null ? content : { ...content, text: rule.text }, origin);
    if (file !== null) this.#count += 1;
    if (rule !== null && rule.paths !== null) {
      if (file !== null)
        this.#rules.push({ file, imports: [], paths: rule.paths, of: place.ruleOf ?? "", place });
      return true;
    }
    if (file !== null) this.#found.push(file);
    this.#follow(content.text, path, place, depth);
    return true;
  }

  /** Returns the file as agents see it; null if it is empty. */
  #fileOf({ text: whole, bytes }: TextContent, origin: Origin): MemoryFile | null {
    const cut = bytes > MAX_MEMORY_FILE_BYTES;
    const text = (cut ? whole.replace(/\n[^\n]*$/, "") : whole).trim();
    if (text === "") return null;
    if (cut)
      this.#notes.push(
        `${origin.path} has ${bytes} bytes, of which agents see only the first ${MAX_MEMORY_FILE_BYTES}; make it shorter.`,
      );
    if (INVISIBLE.test(text))
      this.#notes.push(
        `${origin.path} has invisible characters, which a model reads; look at it with a program that shows them before you rely on it.`,
      );
    return { ...origin, text, bytes, cut, digest: digestOf(text) };
  }

  #follow(text: string, path: string, place: MemoryPath, depth: number): void {
    const named = importsIn(text, MAX_IMPORTS + 1);
    if (named.length === 0) return;
    if (depth >= MAX_MEMORY_IMPORT_DEPTH) {
      this.#notes.push(
        `The imports of ${path} are not followed, because it is itself imported ${depth} files deep.`,
      );
      return;
    }
    if (named.length > MAX_IMPORTS)
      this.#notes.push(
        `${path} names more than ${MAX_IMPORTS} files with an @; the others are not looked for.`,
      );
    for (const spellings of named.slice(0, MAX_IMPORTS)) {
      // A name that is not a file is text: most words with an @ are.
      for (const spelling of spellings) {
        if (!this.#mayLook(path)) return;
        const target = importedPath(spelling, path, this.#search.homedir);
        if (this.visit(target, { ...place, above: false }, path, depth + 1)) break;
      }
    }
  }

  #mayLook(path: string): boolean {
    this.#lookups += 1;
    if (this.#lookups === MAX_LOOKUPS + 1)
      this.#notes.push(
        `The memory files name more than ${MAX_LOOKUPS} others with an @; from ${path} on they are not looked for.`,
      );
    return this.#lookups <= MAX_LOOKUPS;
  }

  /** A repository's files may import nothing from outside, which could be a secret; notes of the user they may. */
  #mayReach(real: string, { reach, scope }: MemoryPath): boolean {
    const { trusted, claudeDir, home } = this.#search;
    if (trusted() || scope === "enterprise" || scope === "user") return true;
    const isIn = (dir: string) => isPathInside(real, this.#files.real(dir));
    return isIn(reach) || (real.endsWith(".md") && [claudeDir, home].some(isIn));
  }

  #leaveOut(path: string, reason: string): true {
    this.#notes.push(`The memory file ${path} ${reason}.`);
    return true;
  }
}

/** Of files that say the same, the nearest stays. */
function withoutCopies(files: readonly MemoryFile[]): MemoryFile[] {
  const last = new Map(files.map((file) => [file.digest, file]));
  return files.filter((file) => last.get(file.digest) === file);
}
