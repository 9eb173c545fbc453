/** A piece of a skill's body: text as it is, or something that is replaced when the skill is loaded. */
export type TemplatePiece =
  | { readonly type: "text"; readonly text: string }
  /** All arguments in one line. */
  | { readonly type: "all-arguments" }
  /** `position` counts from 0; `raw` stays if there is no such argument. */
  | { readonly type: "argument"; readonly position: number; readonly raw: string }
  | { readonly type: "variable"; readonly name: string; readonly raw: string }
  /** A command whose output is put here; `written`: as it is in the file. */
  | { readonly type: "command"; readonly written: string; readonly pieces: readonly TemplatePiece[] };

const COMMAND = /(?<=^|[\s([{"'>|:])!`([^`\n]+)`/m;
const BLOCK = /^[ \t]*```!\n([\s\S]*?)\n[ \t]*```[ \t]*$/m;
const RUNS = new RegExp(`${BLOCK.source}|${COMMAND.source}`, "gm");
/** From one fence to the next, or to the end. */
const FENCED = /^[ \t]*(`{3,}|~{3,})[^\n]*\n(?:[\s\S]*?^[ \t]*\1[^\n]*$|[\s\S]*)/gm;
/** `$5.00` is a price. */
const VALUES =
  /\\\$(?=ARGUMENTS|\d)|\$ARGUMENTS\[(\d{1,2})\]|\$ARGUMENTS\b|\$(\d)(?!\d|[.,]\d)|\$\{([A-Za-z_]\w*)\}|\$([A-Za-z_]\w*)/g;

/** Splits a body. `names`: arguments that are called by name. Whatever looks like none of this is text. */
export function templatePieces(body: string, names: readonly string[] = []): readonly TemplatePiece[] {
  const code = [...body.matchAll(FENCED)]
    .filter(([whole]) => !/^[ \t]*```!\n/.test(whole))
    .map(({ index, 0: whole }) => ({ from: index, to: index + whole.length }));
  const shape: Shape = {
    names,
    fromZero: /\$0(?!\d)/.test(body),
    isCode: (at) => code.some(({ from, to }) => at >= from && at < to),
  };
  const pieces: TemplatePiece[] = [];
  let at = 0;
  for (const match of body.matchAll(RUNS)) {
    const [whole, block, inline = ""] = match;
    pieces.push(...valuesIn(body.slice(at, match.index), shape, at));
    const written = (block ?? inline).trim();
    pieces.push({
      type: "command",
      written,
      pieces: valuesIn(written, { ...shape, isCode: () => false }, 0),
    });
    at = match.index + whole.length;
  }
  return [...pieces, ...valuesIn(body.slice(at), shape, at)];
}

/** Returns the commands of a body as they are written. */
export function findTemplateCommands(body: string): readonly string[] {
  const found = [...body.matchAll(RUNS)].map(([, block, inline = ""]) => (block ?? inline).trim());
  return [...new Set(found)];
}

interface Shape {
  readonly names: readonly string[];
  /** A body with `$0` counts its arguments from there; otherwise `$1` is the first one. */
  readonly fromZero: boolean;
  /** `$1` in a code fence belongs to the code. */
  readonly isCode: (at: number) => boolean;
}

function valuesIn(text: string, shape: Shape, offset: number): TemplatePiece[] {
  const pieces: TemplatePiece[] = [];
  let at = 0;
  for (const match of text.matchAll(VALUES)) {
    const piece = pieceOf(match, shape, offset + match.index);
    if (piece === null) continue;
    pieces.push({ type: "text", text: text.slice(at, match.index) }, piece);
    at = match.index + match[0].length;
  }
  pieces.push({ type: "text", text: text.slice(at) });
  return pieces.filter((piece) => piece.type !== "text" || piece.text !== "");
}

function pieceOf(
  [raw, listed, digit, braced, word]: RegExpMatchArray,
  { names, fromZero, isCode }: Shape,
  at: number,
): TemplatePiece | null {
  if (raw === "\\$") return isCode(at) ? null : { type: "text", text: "$" };
  if (raw === "$ARGUMENTS") return { type: "all-arguments" };
  if (listed !== undefined) return { type: "argument", position: Number(listed), raw };
  if (digit !== undefined) {
    const position = Number(digit) - (fromZero ? 0 : 1);
    return position < 0 || isCode(at) ? null : { type: "argument", position, raw };
  }
  const name = braced ?? word ?? "";
  const position = names.indexOf(name);
  if (position >= 0) return { type: "argument", position, raw };
  if (braced === "ARGUMENTS") return { type: "all-arguments" };
  // Without braces it is a shell variable.
  return braced === undefined ? null : { type: "variable", name: braced, raw };
}

/** Splits a line as a shell would: at spaces, but not in quotes. A quote without its other half is a letter. */
export function argumentsIn(line: string): readonly string[] {
  const parts = line.matchAll(/(?:"((?:\\.|[^"\\])*)"|'([^']*)'|\\(.)|([^\s]))|(\s+)/gs);
  const found: string[] = [];
  let word: string | null = null;
  for (const [, double, single, escaped, plain, space] of parts) {
    if (space !== undefined) {
      if (word !== null) found.push(word);
      word = null;
    } else word = `${word ?? ""}${double?.replace(/\\(["\\])/g, "$1") ?? single ?? escaped ?? plain ?? ""}`;
  }
  return word === null ? found : [...found, word];
}
