import type { Plan } from "./plan.ts";
import { failureOf } from "./step.ts";
import { readLines } from "./tool-output.ts";

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
      readonly lineBreak: string;
    };

const PAGE = 2_000;

/** Reads page by page to the end. */
export function* readTail(path: string, reader: string): Plan<Tail> {
  const texts: string[] = [];
  for (;;) {
    const offset = texts.length + 1;
    const input = offset === 1 ? { file_path: path } : { file_path: path, offset, limit: PAGE };
    const [outcome] = yield [{ tool: reader, input, shared: false }];
    const failure = failureOf(outcome);
    if (failure !== undefined && texts.length === 0) return { type: "unreadable", reason: failure };
    const page = outcome?.type === "result" ? readLines(path, outcome.text) : [];
    texts.push(...page.map(({ text }) => text));
    // A page that is not full, or none: the end was reached.
    if (failure !== undefined || page.length < PAGE) break;
  }
  return texts.length === 0 ? { type: "empty" } : tailOf(texts);
}

function tailOf(texts: readonly string[]): Tail {
  const all = texts.join("\n");
  let from = texts.length - 1;
  let unique = texts.slice(from).join("\n");
  while (from > 0 && (unique === "" || all.indexOf(unique) !== all.lastIndexOf(unique))) {
    from -= 1;
    unique = texts.slice(from).join("\n");
  }
  const lineBreak = texts[0]?.endsWith("\r") === true ? "\r\n" : "\n";
  return { type: "lines", lines: texts.length, unique, lineBreak };
}
