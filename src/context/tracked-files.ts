import type { Files, Look, Marks } from "./files.ts";

/** A disk of which is known what it was asked. */
export interface AskedFiles extends Files {
  readonly asked: Asked;
}

/** What was asked, and by what each answer is known again. Plain data; lists without names, as there are hundreds. */
export interface Asked {
  readonly files: readonly AskedFile[];
  /** Looks that met no regular file. */
  readonly others: readonly (readonly [path: string, answer: string])[];
  readonly reals: readonly (readonly [path: string, real: string])[];
  readonly folders: readonly AskedFolder[];
}

type AskedFile = readonly [path: string, ...AskedMarks];
type AskedMarks = readonly [dev: number, ino: number, size: number, mtimeMs: number, ctimeMs: number];

/** By its marks where they tell whether another entry came or went, else by the names of all. */
type AskedFolder = readonly [path: string, ...AskedMarks] | readonly [path: string, names: string];

/** Keeps every question with its answer. */
export function askedFiles(files: Files): AskedFiles {
  const asked = {
    files: [] as AskedFile[],
    others: [] as [string, string][],
    reals: [] as [string, string][],
    folders: [] as AskedFolder[],
  } satisfies Asked;
  function keep(path: string, look: Look): Look {
    if (look.type === "file") asked.files.push([path, ...marksOf(look.marks)]);
    else asked.others.push([path, answerOf(look)]);
    return look;
  }
  return {
    ...files,
    asked,
    look: (path) => keep(path, files.look(path)),
    read(path, most) {
      // Before it is read: what is changed meanwhile is read again.
      keep(path, files.look(path));
      return files.read(path, most);
    },
    real(path) {
      const real = files.real(path);
      asked.reals.push([path, real]);
      return real;
    },
    entries(path) {
      const before = files.listed(path);
      if (before === "none") {
        asked.others.push([path, NONE]);
        return [];
      }
      const entries = files.entries(path);
      asked.folders.push(folderAs(path, before, entries));
      return entries;
    },
  };
}

/**
 * The same where all would be answered as it was, since then what has come of the answers is the same, too; it may be
 * known more easily from now on. Null: something would be answered otherwise.
 */
export function isUnchanged(asked: Asked, files: Files): Asked | null {
  for (const file of asked.files) if (!isMarked(file, files.marks(file[0]))) return null;
  for (const [path, answer] of asked.others) if (answerOf(files.look(path)) !== answer) return null;
  for (const [path, real] of asked.reals) if (files.real(path) !== real) return null;
  let folders: AskedFolder[] | null = null;
  for (const [at, folder] of asked.folders.entries()) {
    const now = folderStill(folder, files);
    if (now === null) return null;
    if (now === folder) continue;
    folders ??= [...asked.folders];
    folders[at] = now;
  }
  return folders === null ? asked : { ...asked, folders };
}

function folderStill(folder: AskedFolder, files: Files): AskedFolder | null {
  const [path, names] = folder;
  if (folder.length !== 2) return isMarked(folder, files.marks(path)) ? folder : null;
  const before = files.listed(path);
  const entries = files.entries(path);
  if (namesOf(entries) !== names) return null;
  return before === null || before === "none" ? folder : folderAs(path, before, entries);
}

function folderAs(path: string, before: Marks | null, entries: ReturnType<Files["entries"]>): AskedFolder {
  return before === null ? [path, namesOf(entries)] : [path, ...marksOf(before)];
}

function marksOf({ dev, ino, size, mtimeMs, ctimeMs }: Marks): AskedMarks {
  return [dev, ino, size, mtimeMs, ctimeMs];
}

/** Without a string: those of 700 files would take longer than to look at them. */
function isMarked(one: AskedFile, now: Marks | null): boolean {
  return (
    now !== null &&
    now.ctimeMs === one[5] &&
    now.mtimeMs === one[4] &&
    now.size === one[3] &&
    now.ino === one[2] &&
    now.dev === one[1]
  );
}

const NONE = "";

function answerOf(look: Look): string {
  switch (look.type) {
    case "file":
      return look.stamp;
    case "none":
      return NONE;
    case "unusable":
      return look.reason;
    default:
      return look satisfies never;
  }
}

/** Names, and which of them are folders or links. */
function namesOf(entries: ReturnType<Files["entries"]>): string {
  return entries
    .map(
      (entry) =>
        `${entry.name}/${entry.isFile() ? "" : entry.isDirectory() ? "d" : entry.isSymbolicLink() ? "l" : "o"}`,
    )
    .join("");
}
