import { join } from "node:path";
import { digestOf } from "../digest.ts";
import type { Content, Files, Look } from "../files.ts";
import { LOST, lineOfLoss } from "../front-matter/lost-characters.ts";
import { importedPath, importsIn } from "./imports.ts";
import {
  isPathInside,
  type MemoryPlace,
  type MemoryScope,
  type MemorySearch,
  memoryPlaces,
  upwards,
} from "./places.ts";
import { ruleIn } from "./rule.ts";
import { rulePlaces } from "./rule-places.ts";

/** Bytes of one file: more is told of by its beginning. */
export const MEMORY_FILE_BYTES = 64 * 1024;
/** Imports of imports; so many files deep and no deeper. */
export const MEMORY_IMPORT_DEPTH = 5;
/** Files in all. */
export const MEMORY_FILES = 200;
/** Characters that a person does not see and a model reads: tags, and those that turn text around. */
const UNSEEN = /[\u{e0000}-\u{e007f}\u202a-\u202e\u2066-\u2069]/u;
/** Names of imports that are looked for, whether there are such files or not; of one file: more would be a list of files. */
const MOST_LOOKED_FOR = 500;
const MOST_IMPORTS = 100;

/** One file as it is told. */
export interface MemoryFile {
  readonly scope: MemoryScope;
  readonly path: string;
  /** The file that names it; null: it was looked for. */
  readonly importedBy: string | null;
  readonly text: string;
  /** Of the whole file. */
  readonly bytes: number;
  /** There is more of it than `text`. */
  readonly cut: boolean;
  readonly digest: string;
}

/** What all memory files say, in the order in which it is told. The same object as long as none has changed. */
export interface Memory {
  readonly files: readonly MemoryFile[];
  /** Rules for some files only: told where a conversation opens one of them. */
  readonly rules: readonly PathRule[];
  /** Sentences for the person: what was left out, and why. */
  readonly notes: readonly string[];
}

/** A file of `.claude/rules` that says what it is about. */
export interface PathRule {
  readonly file: MemoryFile;
  /** Patterns, from the folder `of`. */
  readonly paths: readonly string[];
  readonly of: string;
}

/** Looks at every file it knows each time it is asked, and reads only those that have changed. */
export function memoryReader(search: MemorySearch, files: Files): () => Memory {
  const project = projectOf(search.cwd, files);
  const own = memoryPlaces(search, project);
  let last: { readonly found: Gathered; readonly key: string; readonly trusted: boolean } | null = null;
  return () => {
    const trusted = search.trusted();
    const rules = rulePlaces(search, project);
    const key = rules.map(({ path }) => path).join("\0");
    if (last?.key === key && last.trusted === trusted && last.found.seen.isSame(files))
      return last.found.memory;
    const places = SCOPES.flatMap((scope) => [...own, ...rules].filter((place) => place.scope === scope));
    last = { found: gathered(places, { search, files, trusted, before: last?.found.seen }), key, trusted };
    return last.found.memory;
  };
}

const SCOPES: readonly MemoryScope[] = ["enterprise", "user", "project", "local"];

export interface Gathered {
  readonly memory: Memory;
  readonly seen: Seen;
}

export interface GatherSide {
  readonly search: MemorySearch;
  readonly files: Files;
  readonly trusted: boolean;
  /** What was read the time before. */
  readonly before: Seen | undefined;
}

/** What stands in these places, in their order. */
export function gathered(places: readonly MemoryPlace[], side: GatherSide): Gathered {
  const gathering = new Gathering(side);
  for (const place of places) gathering.visit(place.path, place, null, 0);
  const { memory, seen } = gathering;
  return { memory, seen };
}

/** The nearest folder with a repository in it, else the folder itself. */
export function projectOf(cwd: string, files: Files): string {
  return upwards(cwd).find((folder) => files.look(join(folder, ".git")).type !== "none") ?? cwd;
}

/** What was looked at, and what was read of it. */
class Seen {
  readonly #stamps = new Map<string, string>();
  readonly #contents = new Map<string, { readonly stamp: string; readonly content: Content }>();

  isSame(files: Files): boolean {
    for (const [path, stamp] of this.#stamps) if (stampOf(files.look(path)) !== stamp) return false;
    return true;
  }

  look(path: string, files: Files): Look {
    const look = files.look(path);
    this.#stamps.set(path, stampOf(look));
    return look;
  }

  /** As it was read before, where it is the same still. */
  read(path: string, stamp: string, files: Files, before: Seen | undefined): Content {
    const content = before?.known(path, stamp) ?? files.read(path, MEMORY_FILE_BYTES);
    this.#contents.set(path, { stamp, content });
    return content;
  }

  known(path: string, stamp: string): Content | undefined {
    const known = this.#contents.get(path);
    return known?.stamp === stamp ? known.content : undefined;
  }
}

function stampOf(look: Look): string {
  return look.type === "file" ? look.stamp : look.type === "none" ? "" : look.reason;
}

class Gathering {
  readonly seen = new Seen();
  readonly #search: MemorySearch;
  readonly #files: Files;
  readonly #trusted: boolean;
  readonly #before: Seen | undefined;
  readonly #owners: ReadonlySet<number | null>;
  /** Each file once, however often it is named and by which of its names. */
  readonly #visited = new Set<string>();
  readonly #found: MemoryFile[] = [];
  readonly #rules: PathRule[] = [];
  readonly #notes: string[] = [];
  #lookedFor = 0;

  constructor({ search, files, trusted, before }: GatherSide) {
    this.#search = search;
    this.#files = files;
    this.#trusted = trusted;
    this.#before = before;
    this.#owners = new Set([files.me, 0, null]);
  }

  get memory(): Memory {
    return { files: withoutCopies(this.#found), rules: this.#rules, notes: this.#notes };
  }

  /** False: there is nothing under this path. */
  visit(path: string, place: MemoryPlace, importedBy: string | null, depth: number): boolean {
    const look = this.seen.look(path, this.#files);
    if (look.type === "none") return false;
    if (look.type === "unusable") return this.#leaveOut(path, look.reason);
    if (this.#visited.has(look.identity)) return true;
    this.#visited.add(look.identity);
    if (place.above && !this.#owners.has(look.owner))
      return this.#leaveOut(path, "was left out: it lies above the project and belongs to another user");
    if (this.#found.length + this.#rules.length >= MEMORY_FILES)
      return this.#leaveOut(path, `was left out: there are ${MEMORY_FILES} memory files already`);
    const content = this.seen.read(path, look.stamp, this.#files, this.#before);
    if (content.type === "unusable") return this.#leaveOut(path, content.reason);
    if (this.#search.denied(content.real))
      return this.#leaveOut(path, "was left out, because a rule forbids to read it");
    if (!this.#mayReach(content.real, place))
      return this.#leaveOut(
        path,
        `was left out: it leads out of the project to ${content.real}; --trust agrees to that for one run`,
      );
    const lost = lineOfLoss(content.text);
    if (lost !== null) this.#notes.push(`${path}:${lost} ${LOST}`);
    const own = { scope: place.scope, path, importedBy };
    if (place.ruleOf !== undefined && importedBy === null) {
      const { text, paths } = ruleIn(content.text);
      if (paths !== null) return this.#keep({ ...content, text }, own, { paths, of: place.ruleOf });
      this.#take({ ...content, text }, own);
    } else this.#take(content, own);
    this.#follow(content.text, path, place, depth);
    return true;
  }

  /** A rule for some files: it counts where one of them is opened. */
  #keep(
    content: Extract<Content, { type: "text" }>,
    own: Pick<MemoryFile, "scope" | "path" | "importedBy">,
    about: Pick<PathRule, "paths" | "of">,
  ): true {
    const file = this.#file(content, own);
    if (file !== null) this.#rules.push({ file, ...about });
    return true;
  }

  #take(
    content: Extract<Content, { type: "text" }>,
    own: Pick<MemoryFile, "scope" | "path" | "importedBy">,
  ): void {
    const file = this.#file(content, own);
    if (file !== null) this.#found.push(file);
  }

  /** As it is told; null: there is nothing in it. */
  #file(
    { text: whole, bytes }: Extract<Content, { type: "text" }>,
    own: Pick<MemoryFile, "scope" | "path" | "importedBy">,
  ): MemoryFile | null {
    const cut = bytes > MEMORY_FILE_BYTES;
    const text = (cut ? wholeLines(whole) : whole).trim();
    if (text === "") return null;
    if (cut)
      this.#notes.push(
        `${own.path} has ${bytes} bytes, of which only the first ${MEMORY_FILE_BYTES} are told to agents; make it shorter.`,
      );
    if (UNSEEN.test(text))
      this.#notes.push(
        `${own.path} has characters in it that are not shown, which a model reads; look at it with a program that shows them before you rely on it.`,
      );
    return { ...own, text, bytes, cut, digest: digestOf(text) };
  }

  #follow(text: string, path: string, place: MemoryPlace, depth: number): void {
    const named = importsIn(text, MOST_IMPORTS + 1);
    if (named.length === 0) return;
    if (depth >= MEMORY_IMPORT_DEPTH) {
      this.#notes.push(
        `The imports of ${path} are not followed, because it is itself imported ${depth} files deep.`,
      );
      return;
    }
    const imports = named.slice(0, MOST_IMPORTS);
    if (imports.length < named.length)
      this.#notes.push(
        `${path} names more than ${MOST_IMPORTS} files with an @; the others are not looked for.`,
      );
    for (const spellings of imports) {
      // A name that is no file is text: most words with an @ are.
      for (const spelling of spellings) {
        if (!this.#mayLook(path)) return;
        const target = importedPath(spelling, path, this.#search.homedir);
        if (this.visit(target, { ...place, above: false }, path, depth + 1)) break;
      }
    }
  }

  /** Said once where it may not. */
  #mayLook(path: string): boolean {
    this.#lookedFor += 1;
    if (this.#lookedFor === MOST_LOOKED_FOR + 1)
      this.#notes.push(
        `The memory files name more than ${MOST_LOOKED_FOR} others with an @; from ${path} on they are not looked for.`,
      );
    return this.#lookedFor <= MOST_LOOKED_FOR;
  }

  /** A repository's files may not bring in what lies outside of it: it could be a secret. Notes of the person's may. */
  #mayReach(real: string, { reach, scope }: MemoryPlace): boolean {
    if (this.#trusted || scope === "enterprise" || scope === "user") return true;
    const { homedir, home } = this.#search;
    const isIn = (folder: string) => isPathInside(real, this.#files.real(folder));
    return isIn(reach) || (real.endsWith(".md") && [join(homedir, ".claude"), home].some(isIn));
  }

  #leaveOut(path: string, reason: string): true {
    this.#notes.push(`The memory file ${path} ${reason}.`);
    return true;
  }
}

/** A copy tells nothing: the nearest of those that say the same stays. */
function withoutCopies(files: readonly MemoryFile[]): MemoryFile[] {
  const last = new Map(files.map((file) => [file.digest, file]));
  return files.filter((file) => last.get(file.digest) === file);
}

function wholeLines(text: string): string {
  const end = text.lastIndexOf("\n");
  return end === -1 ? text : text.slice(0, end);
}
