import type { Piece } from "../shell/words.ts";
import type { PathPattern } from "./path-pattern.ts";

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
function expressions(pieces: readonly Piece[]): RegExp[] {
  const sources: string[] = [];
  let source = "";
  for (const { type, text } of pieces) {
    if (type === "glob") {
      source += (source === "" || source.endsWith("/") ? "(?!\\.)" : "") + (text === "*" ? "[^/]*" : "[^/]");
      continue;
    }
    for (const letter of text) {
      if (letter === "/" && source !== "") sources.push(source);
      source += letter.replace(/[\\^$.*+?()[\]{}|-]/, "\\$&");
    }
  }
  return [...sources, source].map((one) => new RegExp(`^${one.replace(/^(?:\\\.\/)+/, "")}$`, "s"));
}
