import { readFile } from "node:fs/promises";
import { join } from "node:path";

export interface Cited {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/** Every quoted line of an answer, with the file it is said to be from. */
export function citedLines(answer: string): Cited[] {
  const cited: Cited[] = [];
  let path: string | undefined;
  for (const row of answer.split("\n")) {
    const head = /^(\S+):\d+$/.exec(row)?.[1];
    const quoted = /^ {4} *(\d+) {2}(.*)$/.exec(row);
    if (head !== undefined) path = head;
    else if (quoted?.[1] !== undefined && path !== undefined)
      cited.push({ path, line: Number(quoted[1]), text: quoted[2] ?? "" });
    else path = undefined;
  }
  return cited;
}

/** Every `path:line` in the words of an answer. */
export function placesNamed(answer: string): { path: string; line: number }[] {
  return [...answer.matchAll(/(?<=^|\s)([\w./-]+\.\w+):(\d+)\b/g)].map(([, path = "", line = ""]) => ({
    path,
    line: Number(line),
  }));
}

/** What is cited but is not so in the files: empty for an honest answer. */
export async function untrueCitations(root: string, answer: string): Promise<string[]> {
  const untrue: string[] = [];
  const wanted = [
    ...citedLines(answer),
    ...placesNamed(answer).map((place) => ({ ...place, text: undefined })),
  ];
  for (const { path, line, text } of wanted) {
    const lines = (await readFile(join(root, path), "utf8").catch(() => "")).split("\n");
    const real = lines[line - 1];
    const same =
      text === undefined || text === real || (text.endsWith("…") && real?.startsWith(text.slice(0, -1)));
    if (real === undefined || !same) untrue.push(`${path}:${line} ${text ?? ""}`);
  }
  return untrue;
}
