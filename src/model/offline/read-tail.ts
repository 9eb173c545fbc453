import type { Plan } from "./plan.ts";
import { readWhole } from "./read-whole.ts";

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

export function* readTail(path: string, reader: string): Plan<Tail> {
  const whole = yield* readWhole(path, reader);
  if (whole.type === "unreadable") return whole;
  return whole.lines.length === 0 ? { type: "empty" } : tailOf(whole.lines);
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
