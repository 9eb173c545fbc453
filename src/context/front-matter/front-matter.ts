import type { Fault, Fields } from "./fields.ts";
import { flatFields } from "./flat.ts";
import { splitFrontMatter } from "./split.ts";

export type { Fault, Fields } from "./fields.ts";

export interface FrontMatter {
  readonly type: "read";
  /** By the keys as they are written. */
  readonly fields: Fields;
  /** What could not be read; the rest could. */
  readonly faults: readonly Fault[];
  readonly body: string;
  /** Where the body begins. */
  readonly bodyLine: number;
}

export type NoFrontMatter = { readonly type: "none" } | { readonly type: "broken"; readonly fault: Fault };

/** More than anybody writes by hand. */
const MOST_CHARS = 65_536;

/**
 * The front matter of a file, as people write it: YAML, and where it is not quite YAML (a description with a colon in it is
 * what most such files have) every key by itself, so that one mistake costs no more than its own key.
 */
export async function readFrontMatter(text: string): Promise<FrontMatter | NoFrontMatter> {
  const parts = splitFrontMatter(text);
  switch (parts.type) {
    case "none":
      return parts;
    case "open":
      return broken(parts.line, "The front matter that begins here has no end; close it with a line of ---.");
    case "parts": {
      const { header, headerLine, body, bodyLine } = parts;
      if (header.length > MOST_CHARS)
        return broken(headerLine, `The front matter is longer than ${MOST_CHARS} characters.`);
      const flat = flatFields(header, headerLine);
      const read = flat
        ? { fields: flat, faults: [] }
        : (await import("./yaml-fields.ts")).yamlFields(header, headerLine);
      return { type: "read", ...read, body, bodyLine };
    }
    default:
      return parts satisfies never;
  }
}

function broken(line: number, message: string): NoFrontMatter {
  return { type: "broken", fault: { line, message } };
}
