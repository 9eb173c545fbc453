import type { Piece } from "../shell/words.ts";
import type { PathPattern } from "./path-pattern.ts";
import { type Matcher, matcherOf, type Sign } from "./path-signs.ts";

/**
 * Whether a word with wildcards would find a file that a pattern denies, or a folder on its way, going by names
 * that the pattern matches. `anchors` are the folders that the pattern begins in.
 */
export function findsDenied(
  pieces: readonly Piece[],
  folders: readonly string[],
  pattern: PathPattern,
  anchors: readonly string[],
): boolean {
  const written = pieces.map(({ text }) => text).join("");
  const samples = samplesOf(pattern);
  const ways = expressions(pieces);
  const found = (path: string) => ways.some((way) => way.test(path));
  if (pattern.anyDepth) {
    // A denied name may be in every folder that the word names.
    const heads = ["", ...[...written.matchAll(/\//g)].map(({ index }) => written.slice(0, index + 1))];
    return heads.some((head) => samples.some((sample) => found(head + sample)));
  }
  const whole = anchors.flatMap((anchor) =>
    samples.map((sample) => `${anchor === "/" ? "" : anchor}/${sample}`),
  );
  if (written.startsWith("/")) return whole.some(found);
  return folders.some((folder) =>
    whole.some((path) => path.startsWith(`${folder}/`) && found(path.slice(folder.length + 1))),
  );
}

function samplesOf({ body }: PathPattern): string[] {
  const base = body.replace(/\/\*\*$/, "").replaceAll("**/", "");
  return ["", "x"].map((filler) => base.replace(/\*+/g, filler).replaceAll("?", "x"));
}

/** The word, and each beginning of it that ends with a whole name. A hidden file is only found where its dot is written. */
function expressions(pieces: readonly Piece[]): Matcher[] {
  const ways: Sign[][] = [];
  let signs: Sign[] = [];
  for (const { type, text } of pieces) {
    if (type === "glob") {
      signs = [...signs, wildcard(text, isFirst(signs))];
      continue;
    }
    for (const letter of text) {
      if (letter === "/" && signs.length > 0) ways.push(signs);
      signs = [...signs, { type: "one", letter: letter.replace(/[\\^$.*+?()[\]{}|/-]/, "\\$&") }];
    }
  }
  return [...ways, signs].map((way) => matcherOf(withoutHere(way), "s"));
}

const SLASH = "\\/";

function isFirst(signs: readonly Sign[]): boolean {
  const last = signs.at(-1);
  return last === undefined || (last.type === "one" && last.letter === SLASH);
}

function wildcard(text: string, first: boolean): Sign {
  const letter = "[^/]";
  const head: Sign = { type: "one", letter: first ? "[^/.]" : letter };
  if (text !== "*") return head;
  return first ? { type: "maybe", signs: [head, { type: "many", letter }] } : { type: "many", letter };
}

/** `./a` is `a`. */
function withoutHere(signs: readonly Sign[]): readonly Sign[] {
  const [first, second] = signs;
  const isHere =
    first?.type === "one" && first.letter === "\\." && second?.type === "one" && second.letter === SLASH;
  return isHere ? withoutHere(signs.slice(2)) : signs;
}
