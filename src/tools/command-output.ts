import type { CommandOutput } from "../mailbox/runs.ts";

/** Characters of a command's output that the model sees; what is longer is cut in its middle (A7.1). */
export const MAX_OUTPUT_CHARS = 30_000;
const PART_CHARS = MAX_OUTPUT_CHARS / 2;
/** A cut moves to the end of a line that is at most this far away. */
const LINE_REACH = 2_000;

/** The output as the model sees it: all of it, or its beginning and its end with a mark that names the file. */
export function shownOutput({ bytes, head, tail, path }: CommandOutput): string {
  const first = plainText(head);
  const last = tail === null ? null : plainText(tail);
  if (last === null && first.trimEnd().length <= MAX_OUTPUT_CHARS) return first.trimEnd();
  const beginning = beginningOf(first);
  const end = endOf((last ?? first).trimEnd());
  return `${beginning}\n${markOf(bytes, path)}\n${end}`;
}

/** Returns the last part of a text, from the beginning of a line if one is near. */
export function endOf(text: string, chars = PART_CHARS): string {
  if (text.length <= chars) return text;
  const cut = wholeCharacter(text, text.length - chars);
  const line = text.indexOf("\n", cut - 1) + 1;
  return text.slice(line > 0 && line - cut <= LINE_REACH && line < text.length ? line : cut);
}

function beginningOf(text: string): string {
  if (text.length <= PART_CHARS) return text.trimEnd();
  const line = text.lastIndexOf("\n", PART_CHARS);
  const cut = line > 0 && PART_CHARS - line <= LINE_REACH ? line : wholeCharacter(text, PART_CHARS);
  return text.slice(0, cut);
}

/** Returns a position that splits no surrogate pair. */
function wholeCharacter(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}

function markOf(bytes: number, path: string | null): string {
  const where = path === null ? "" : ` All of it is in ${path}: read the parts you need (offset, limit).`;
  return `[Cut here: the output is ${formatSize(bytes)}.${where}]`;
}

export function formatSize(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} kB`;
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}

/** ESC and what belongs to it: CSI, OSC and other strings up to their end, two-character sequences. */
const ESCAPES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: to find them is its purpose
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b\n]{0,4096}(?:\u0007|\u001b\\)|[ -/]*[0-~])?|\u009b[0-?]*[ -/]*[@-~]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: to find them is its purpose
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/**
 * Makes the output of a program safe to read and to send (fault 30): without terminal sequences, with other control
 * characters as symbols (NUL as ␀), with line feeds as line ends, and as valid Unicode. Never longer than before.
 */
export function plainText(text: string): string {
  return text
    .replace(ESCAPES, "")
    .replace(/\r\n?/g, "\n")
    .replace(CONTROLS, (character) => signOf(character.charCodeAt(0)))
    .toWellFormed();
}

function signOf(code: number): string {
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? "\u2421" : "\ufffd";
}
