import type { Plan } from "./plan.ts";
import { failureOf } from "./step.ts";
import { nextOffset, readLines } from "./tool-output.ts";

/** The end of a file, as Edit needs it to add something there. */
export type Tail =
  | { readonly type: "unreadable"; readonly reason: string }
  | { readonly type: "empty" }
  | {
      readonly type: "lines";
      /** How many lines the file has. */
      readonly lines: number;
      /** Its last lines, as many as are needed to occur only once in what was read; without the last break. */
      readonly unique: string;
    };

/** More would be reading a log to its end; Edit then says what it does not find. */
const MOST_PAGES = 20;

/** Reads page by page to the end. */
export function* readTail(path: string, reader: string): Plan<Tail> {
  const texts: string[] = [];
  let offset: number | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const input = offset === undefined ? { file_path: path } : { file_path: path, offset };
    const [outcome] = yield [{ tool: reader, input, shared: false }];
    const failure = failureOf(outcome);
    if (failure !== undefined) return { type: "unreadable", reason: failure };
    const shown = outcome?.type === "result" ? outcome.text : "";
    texts.push(...readLines(path, shown, true).map(({ text }) => text));
    offset = nextOffset(shown);
    if (offset === undefined) return texts.length === 0 ? { type: "empty" } : tailOf(texts);
  }
  return { type: "unreadable", reason: "it is too long to find its end by reading." };
}

function tailOf(texts: readonly string[]): Tail {
  const all = texts.join("\n");
  let from = texts.length - 1;
  let unique = texts.slice(from).join("\n");
  while (from > 0 && (unique === "" || all.indexOf(unique) !== all.lastIndexOf(unique))) {
    from -= 1;
    unique = texts.slice(from).join("\n");
  }
  return { type: "lines", lines: texts.length, unique };
}
