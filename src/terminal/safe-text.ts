import { stripVTControlCharacters } from "node:util";

/**
 * Makes text of a model, a file or a user harmless for a terminal: it can neither move the cursor nor set the clipboard
 * nor reorder the text around it. Line breaks and tabs stay.
 */
export function safeText(text: string): string {
  return stripVTControlCharacters(text.toWellFormed())
    .replaceAll("\r\n", "\n")
    .replace(/\p{Bidi_Control}/gu, (character) => `<U+${hex(character)}>`)
    .replace(/\p{Default_Ignorable_Code_Point}/gu, (character) => (KEPT.has(character) ? character : ""))
    .replace(/[\p{Cc}\u2028\u2029]/gu, visible);
}

/** The same on one line, for titles. */
export function safeLine(text: string): string {
  return safeText(text.replace(/\s+/gu, " ")).trim();
}

/** Invisible, but letters and emoji are joined and shaped by them. */
const KEPT = new Set(["\u200c", "\u200d", "\ufe0e", "\ufe0f"]);

function visible(character: string): string {
  const code = character.charCodeAt(0);
  if (character === "\n" || character === "\t") return character;
  if (code === 0x7f) return "\u2421";
  // This Unicode block has a small symbol for each C0 character.
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : `<U+${hex(character)}>`;
}

function hex(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
}
