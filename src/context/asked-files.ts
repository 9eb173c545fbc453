import type { Files } from "./files.ts";

/** A disk of which is known what it was asked. */
export interface AskedFiles extends Files {
  readonly asked: readonly Question[];
}

/** What was asked of which path, and what came of it. */
export type Question = readonly [kind: "look" | "real" | "entries", path: string, answer: string];

/** Keeps every question with its answer. */
export function askedFiles(files: Files): AskedFiles {
  const asked: Question[] = [];
  return {
    ...files,
    asked,
    look(path) {
      const look = files.look(path);
      asked.push(["look", path, markOf(look)]);
      return look;
    },
    read(path, most) {
      // Before it is read: what is changed meanwhile is read again.
      asked.push(["look", path, markOf(files.look(path))]);
      return files.read(path, most);
    },
    real(path) {
      const real = files.real(path);
      asked.push(["real", path, real]);
      return real;
    },
    entries(path) {
      const entries = files.entries(path);
      asked.push(["entries", path, marksOf(entries)]);
      return entries;
    },
  };
}

/** All would be answered as it was: then what has come of the answers is the same, too. */
export function isAsItWas(asked: readonly Question[], files: Files): boolean {
  return asked.every(([kind, path, answer]) => answerTo(kind, path, files) === answer);
}

function answerTo(kind: Question[0], path: string, files: Files): string {
  switch (kind) {
    case "look":
      return markOf(files.look(path));
    case "real":
      return files.real(path);
    case "entries":
      return marksOf(files.entries(path));
    default:
      return kind satisfies never;
  }
}

function markOf(look: ReturnType<Files["look"]>): string {
  switch (look.type) {
    case "file":
      return look.stamp;
    case "none":
      return "";
    case "unusable":
      return look.reason;
    default:
      return look satisfies never;
  }
}

/** Names, and which of them are folders or links. */
function marksOf(entries: ReturnType<Files["entries"]>): string {
  return entries
    .map(
      (entry) =>
        `${entry.name}/${entry.isFile() ? "" : entry.isDirectory() ? "d" : entry.isSymbolicLink() ? "l" : "o"}`,
    )
    .join("");
}
