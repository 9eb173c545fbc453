/** A piece of a skill's body: text as it is, or something that stands for what it comes to when it is loaded. */
export type Piece =
  | { readonly type: "text"; readonly text: string }
  /** All arguments in one line. */
  | { readonly type: "all-arguments" }
  /** `place` counts from 0. */
  | { readonly type: "argument"; readonly place: number }
  | { readonly type: "variable"; readonly name: string; readonly raw: string }
  /** A command whose output stands here; `written`: as it is in the file. */
  | { readonly type: "command"; readonly written: string; readonly pieces: readonly Piece[] };

const COMMAND = /(?<=^|[\s([{"'>|:])!`([^`\n]+)`/m;
const BLOCK = /^[ \t]*```!\n([\s\S]*?)\n[ \t]*```[ \t]*$/m;
const RUNS = new RegExp(`${BLOCK.source}|${COMMAND.source}`, "gm");
const VALUES =
  /\\\$(?=ARGUMENTS|\d)|\$ARGUMENTS\[(\d{1,2})\]|\$ARGUMENTS\b|\$(\d)(?!\d)|\$\{([A-Za-z_]\w*)\}|\$([A-Za-z_]\w*)/g;

/** A body taken apart. `names`: arguments that are called by name. What looks like nothing of this is text. */
export function piecesOf(body: string, names: readonly string[] = []): readonly Piece[] {
  const shape: Shape = { names, fromZero: /\$0(?!\d)/.test(body) };
  const pieces: Piece[] = [];
  let at = 0;
  for (const match of body.matchAll(RUNS)) {
    const [whole, block, inline = ""] = match;
    pieces.push(...valuesIn(body.slice(at, match.index), shape));
    const written = (block ?? inline).trim();
    pieces.push({ type: "command", written, pieces: valuesIn(written, shape) });
    at = match.index + whole.length;
  }
  return [...pieces, ...valuesIn(body.slice(at), shape)];
}

/** The commands of a body, as they are written. */
export function commandsOf(body: string): readonly string[] {
  const found = [...body.matchAll(RUNS)].map(([, block, inline = ""]) => (block ?? inline).trim());
  return [...new Set(found)];
}

interface Shape {
  readonly names: readonly string[];
  /** A body with `$0` counts its arguments from there; `$1` is else the first one. */
  readonly fromZero: boolean;
}

function valuesIn(text: string, shape: Shape): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const match of text.matchAll(VALUES)) {
    const piece = pieceOf(match, shape);
    if (piece === null) continue;
    pieces.push({ type: "text", text: text.slice(at, match.index) }, piece);
    at = match.index + match[0].length;
  }
  pieces.push({ type: "text", text: text.slice(at) });
  return pieces.filter((piece) => piece.type !== "text" || piece.text !== "");
}

function pieceOf(
  [raw, listed, digit, braced, word]: RegExpMatchArray,
  { names, fromZero }: Shape,
): Piece | null {
  if (raw === "\\$") return { type: "text", text: "$" };
  if (raw === "$ARGUMENTS") return { type: "all-arguments" };
  if (listed !== undefined) return { type: "argument", place: Number(listed) };
  if (digit !== undefined) {
    const place = Number(digit) - (fromZero ? 0 : 1);
    return place < 0 ? null : { type: "argument", place };
  }
  const name = braced ?? word ?? "";
  const place = names.indexOf(name);
  if (place >= 0) return { type: "argument", place };
  if (braced === "ARGUMENTS") return { type: "all-arguments" };
  // Without braces it is a variable of a shell's, and none of ours.
  return braced === undefined ? null : { type: "variable", name: braced, raw };
}
