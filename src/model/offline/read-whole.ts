import type { Plan } from "./plan.ts";
import { failureOf } from "./step.ts";
import { nextOffset, readLines } from "./tool-output.ts";

export type Whole =
  | { readonly type: "unreadable"; readonly reason: string }
  | { readonly type: "lines"; readonly lines: readonly string[] };

/** More would be reading a log to its end. */
const MOST_PAGES = 20;

/** Reads page by page to the end. */
export function* readWhole(path: string, reader: string): Plan<Whole> {
  const lines: string[] = [];
  let offset: number | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const input = offset === undefined ? { file_path: path } : { file_path: path, offset };
    const [outcome] = yield [{ tool: reader, input, shared: false }];
    const failure = failureOf(outcome);
    if (failure !== undefined) return { type: "unreadable", reason: failure };
    const shown = outcome?.type === "result" ? outcome.text : "";
    for (const { text } of readLines(path, shown, true)) lines.push(text);
    offset = nextOffset(shown);
    if (offset === undefined) return { type: "lines", lines };
  }
  return { type: "unreadable", reason: "it is too long to find its end by reading." };
}
