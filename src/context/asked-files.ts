import type { Files } from "./files.ts";

/** A disk of which is known what it was asked. */
export interface AskedFiles extends Files {
  /** It would answer all of it as it did: then what has come of the answers is the same, too. */
  readonly isAsItWas: () => boolean;
}

interface Question {
  readonly path: string;
  readonly ask: (path: string) => string;
  readonly answer: string;
}

/** Keeps every question with its answer. */
export function askedFiles(files: Files): AskedFiles {
  const questions: Question[] = [];
  const { real } = files;
  const lookMark = (path: string) => markOf(files.look(path));
  const entriesMark = (path: string) => marksOf(files.entries(path));
  return {
    ...files,
    look(path) {
      const look = files.look(path);
      questions.push({ path, ask: lookMark, answer: markOf(look) });
      return look;
    },
    read(path, most) {
      // Before it is read: what is changed meanwhile is read again.
      questions.push({ path, ask: lookMark, answer: lookMark(path) });
      return files.read(path, most);
    },
    real(path) {
      const answer = real(path);
      questions.push({ path, ask: real, answer });
      return answer;
    },
    entries(path) {
      const entries = files.entries(path);
      questions.push({ path, ask: entriesMark, answer: marksOf(entries) });
      return entries;
    },
    isAsItWas: () => questions.every(({ path, ask, answer }) => ask(path) === answer),
  };
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
