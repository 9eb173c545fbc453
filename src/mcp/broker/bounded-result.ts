import { writeFileSync } from "node:fs";
import { errorMessage } from "../../lib/errors.ts";
import type { ToolResultContent } from "../../mailbox/conversation.ts";
import { MAX_IMAGES_CHARS, type Piece } from "./result-content.ts";

type Block = Exclude<ToolResultContent, string>[number];

/** Of what a long result may show, so much is its beginning; the rest is its end. */
const BEGINNING = 0.7;

/**
 * A result as a model gets it: of a long one its beginning and its end, and where the whole is. `output` is the file
 * for that, which must not exist yet.
 */
export function boundedResult(
  pieces: readonly Piece[],
  maxChars: number,
  output: string | null,
): ToolResultContent {
  const words = pieces.flatMap((piece) => (piece.type === "text" ? [piece.text] : []));
  const chars = words.reduce((sum, one) => sum + one.length, 0);
  const shown = chars <= maxChars ? pieces : shortenedPieces(pieces, words.join("\n"), maxChars, output);
  const blocks = withoutTooManyImages(shown);
  if (blocks.length === 0) return "(The server answered with nothing.)";
  return blocks.every((block) => block.type === "text")
    ? blocks.map((block) => (block.type === "text" ? block.text : "")).join("\n")
    : blocks;
}

function shortenedPieces(
  pieces: readonly Piece[],
  whole: string,
  maxChars: number,
  output: string | null,
): readonly Piece[] {
  const head = Math.floor(maxChars * BEGINNING);
  const tail = maxChars - head;
  const left = whole.length - maxChars;
  const note = `[… ${left} characters are left out here. ${keep(whole, output)} …]`;
  const text = `${whole.slice(0, head).toWellFormed()}\n\n${note}\n\n${whole.slice(-tail).toWellFormed()}`;
  return [{ type: "text", text }, ...pieces.filter(({ type }) => type === "image")];
}

function keep(whole: string, output: string | null): string {
  const narrow = "Ask for less, if the tool can be asked for less.";
  if (output === null) return `The whole is not kept. ${narrow}`;
  try {
    writeFileSync(output, whole, { mode: 0o600, flag: "wx" });
    return `The whole result (${whole.length} characters) is in ${output}: read or search that file for the rest.`;
  } catch (error) {
    return `The whole could not be kept (${errorMessage(error)}). ${narrow}`;
  }
}

function withoutTooManyImages(pieces: readonly Piece[]): Block[] {
  let chars = 0;
  return pieces.map((piece): Block => {
    if (piece.type === "text") return { type: "text", text: piece.text };
    chars += piece.chars;
    if (chars <= MAX_IMAGES_CHARS) return piece.block;
    return { type: "text", text: "[A further image is left out: together they are too large.]" };
  });
}
