import type { Dirent } from "node:fs";
import { basename, dirname } from "node:path";
import { isPathInside } from "../../lib/paths.ts";
import type { FileLook, Files } from "../files.ts";
import type { FileProblem } from "./fields.ts";

/** A directory in which Markdown files are looked for. */
export interface MarkdownDir {
  readonly dir: string;
  /** `tree`: each `.md` file below it. `directories`: the file SKILL.md of each directory in it. `file`: it is the file. */
  readonly layout: "tree" | "directories" | "file";
  /** Links may lead no further than this directory; null means anywhere. */
  readonly reach: string | null;
  /** True if `reach` is the marketplace of a plug-in: no trust extends it. */
  readonly isOfMarketplace?: boolean;
}

export interface MarkdownFile<Dir extends MarkdownDir> {
  readonly path: string;
  /** Its path without links. */
  readonly real: string;
  /** Its name below `of`, without `.md`: of the directories and of the file, or of the skill's directory. */
  readonly names: readonly string[];
  readonly of: Dir;
  readonly look: Exclude<FileLook, { type: "none" }>;
}

export interface FoundMarkdown<Dir extends MarkdownDir> {
  readonly files: readonly MarkdownFile<Dir>[];
  /** Entries of a `directories` layout that have no SKILL.md. */
  readonly strays: readonly { readonly of: Dir; readonly entry: Dirent }[];
  readonly problems: readonly FileProblem[];
}

const MAX_FILES = 2_000;
/** Entries of all directories; a link can lead into a whole disk. */
const MAX_ENTRIES = 20_000;
const MAX_DEPTH = 8;

/**
 * Finds Markdown files in an ordered list of directories, each file once, in the same order everywhere. Hidden entries
 * and `node_modules` are skipped. Whatever is there (links in a circle, pipes, thousands of files), it ends soon.
 */
export function findMarkdown<Dir extends MarkdownDir>(
  dirs: readonly Dir[],
  files: Files,
): FoundMarkdown<Dir> {
  const found = new Map<string, MarkdownFile<Dir>>();
  const strays: { of: Dir; entry: Dirent }[] = [];
  const problems: FileProblem[] = [];
  let entries = 0;

  function report(file: string, message: string): void {
    problems.push({ file, line: null, message });
  }

  function search(of: Dir): void {
    const reach = of.reach === null ? null : files.real(of.reach);
    const visited = new Set<string>();

    function mayFollow(path: string, real: string): boolean {
      if (reach === null || isPathInside(real, reach)) return true;
      report(
        path,
        of.isOfMarketplace
          ? `was left out: it leads out of its marketplace to ${real}.`
          : `was left out: it leads out of the project to ${real}; --trust allows it for this run.`,
      );
      return false;
    }

    function add(path: string, straight: string, names: readonly string[]): boolean {
      const look = files.look(path);
      if (look.type === "none") return false;
      // To resolve each path would take longer than all the rest.
      const real = look.type === "file" && look.isLink ? files.real(path) : straight;
      if (mayFollow(path, real) && !found.has(real)) found.set(real, { path, real, names, of, look });
      return true;
    }

    function visit(dir: string, above: readonly string[]): void {
      const inside = visibleEntries(dir, files);
      if (inside.length === 0) return;
      const real = files.real(dir);
      if (visited.has(real)) return;
      visited.add(real);
      if (above.length === 0 && !mayFollow(dir, real)) return;
      for (const entry of inside) {
        entries += 1;
        if (found.size >= MAX_FILES || entries > MAX_ENTRIES) return;
        const path = `${dir}/${entry.name}`;
        const straight = entry.isSymbolicLink() ? files.real(path) : `${real}/${entry.name}`;
        if (of.layout === "directories") {
          const isSkill =
            !entry.isFile() &&
            SKILL_FILES.some((name) => add(`${path}/${name}`, `${straight}/${name}`, [entry.name]));
          if (!isSkill) strays.push({ of, entry });
        } else if (/\.md$/i.test(entry.name) && !entry.isDirectory() && !isLinkedDir(entry, path, files))
          add(path, straight, [...above, entry.name.slice(0, -3)]);
        else if (!entry.isFile() && mayFollow(path, straight)) {
          if (above.length < MAX_DEPTH) visit(path, [...above, entry.name]);
          else report(path, `is more than ${MAX_DEPTH} directories deep, so it was not read.`);
        }
      }
    }
    if (of.layout === "file") add(of.dir, files.real(of.dir), [nameOf(of.dir)]);
    else visit(of.dir, []);
    const problem = of.layout === "file" ? null : dirProblem(files.look(of.dir));
    if (problem !== null) report(of.dir, `${problem}, so nothing is read from it.`);
  }

  for (const of of dirs) search(of);
  if (found.size >= MAX_FILES || entries > MAX_ENTRIES)
    report(
      dirs[0]?.dir ?? "",
      `and the directories after it have more than ${MAX_FILES} Markdown files or ${MAX_ENTRIES} entries; the rest was left out.`,
    );
  return { files: [...found.values()], strays, problems };
}

/** Why definitions cannot be looked for in what is there; null for a directory, or nothing. */
function dirProblem(look: FileLook): string | null {
  switch (look.type) {
    case "none":
      return null;
    case "file":
      return "is a file, not a directory";
    case "unusable":
      return look.reason.startsWith("is a directory") ? null : look.reason;
    default:
      return look satisfies never;
  }
}

const SKILL_FILES = ["SKILL.md", "skill.md"];

/** Returns the name of a file without `.md`; a skill's is that of its directory. */
function nameOf(path: string): string {
  const isSkill = SKILL_FILES.includes(basename(path));
  return isSkill ? basename(dirname(path)) : basename(path).replace(/\.md$/i, "");
}

/** Returns the entries of a directory that are not hidden, sorted by name. */
export function visibleEntries(dir: string, files: Files): Dirent[] {
  return files
    .entries(dir)
    .filter(({ name }) => !name.startsWith(".") && name !== "node_modules")
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function isLinkedDir(entry: Dirent, path: string, files: Files): boolean {
  return entry.isSymbolicLink() && files.entries(path).length > 0;
}
