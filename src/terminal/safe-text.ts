import { stripVTControlCharacters } from "node:util";

/**
 * Makes text of a model, a file or a user harmless for a terminal: it can neither move the cursor nor set the clipboard
 * nor reorder the text around it. Line breaks and tabs stay.
 */
export function safeText(text: string): string {
  return stripVTControlCharacters(text.toWellFormed())
    .replaceAll("\r\n", "\n")
    .replace(/\p{Bidi_Control}/gu, sign)
    .replace(/\p{Default_Ignorable_Code_Point}/gu, (character) => (KEPT.has(character) ? character : ""))
    .replace(/(?!\t)[\p{Cc}\u2028\u2029]/gu, sign);
}

/** The same on one line, for titles. */
export function safeLine(text: string): string {
  return safeText(text.replace(/\s+/gu, " ")).trim();
}

/** Invisible, but letters and emoji are joined and shaped by them. */
const KEPT = new Set(["\u200c", "\u200d", "\ufe0e", "\ufe0f"]);

/**
 * Makes everything in a text visible, for a user who must see it before allowing it. Control, bidi and invisible
 * characters and odd spaces become visible signs; only line breaks stay (faults-and-threats §2, Display).
 */
export function visibleText(text: string): string {
  return text.toWellFormed().replaceAll("\r\n", "\n").replace(HIDING, sign);
}

/** The same on one line. */
export function visibleLine(text: string): string {
  return visibleText(text).replaceAll("\n", "␊");
}

/** The same with long runs of blanks counted, which would push what follows them out of sight. */
export function visibleDense(text: string): string {
  return visibleText(text)
    .replace(/\n(?:[ ␉]*\n){2,}/g, (run) => `␊×${run.split("\n").length - 1}\n`)
    .replace(/ {16,}/g, (run) => ` ␠×${run.length} `);
}

// U+2800 is a symbol without any ink.
const HIDING = /[\u2800\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/gu;

function sign(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (character === "\n") return character;
  // This Unicode block has a small symbol for each C0 character.
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return "\u2421";
  return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
}
