import { lazy } from "../lib/lazy.ts";

/**
 * Returns the columns that a text takes on a terminal. Chinese, Japanese and Korean characters and emoji take two, combining
 * marks none. Terminals disagree about joined emoji; the painter therefore also turns line wrapping off.
 */
export function displayWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const grapheme of graphemesOf(text)) width += graphemeWidth(grapheme);
  return width;
}

/** Cuts a text to what fits, with `…` if something was cut. */
export function cutToWidth(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  if (width < 1) return "";
  let used = 0;
  let kept = "";
  for (const grapheme of graphemesOf(text)) {
    used += graphemeWidth(grapheme);
    if (used > width - 1) break;
    kept += grapheme;
  }
  return `${kept.trimEnd()}…`;
}

/** Cuts a text or fills it with spaces to exactly this width. */
export function padToWidth(text: string, width: number): string {
  const cut = cutToWidth(text, width);
  return cut + " ".repeat(Math.max(0, width - displayWidth(cut)));
}

/** Returns the characters of a text as a user sees them. */
export function graphemesOf(text: string): string[] {
  return Array.from(segmenter().segment(text), ({ segment }) => segment);
}

const segmenter = lazy(() => new Intl.Segmenter("en", { granularity: "grapheme" }));
export const ASCII = /^[ -~]*$/;
const withoutWidth = lazy(() => /^[\p{Mark}\p{Cc}\p{Cf}]$/u);
const emoji = lazy(() => /^(?:\p{Emoji_Presentation}|\p{Emoji}\ufe0f|\p{Regional_Indicator}{2})/u);
/** East Asian Wide and Fullwidth (Unicode TR 11): scripts and punctuation that take two columns. */
export const WIDE =
  "[\\u1100-\\u115f\\u2329\\u232a\\u2e80-\\u303e\\u3041-\\ua4cf\\ua960-\\ua97f\\uac00-\\ud7a3\\uf900-\\ufaff\\ufe10-\\ufe19\\ufe30-\\ufe6f\\uff01-\\uff60\\uffe0-\\uffe6\\u{16fe0}-\\u{18dff}\\u{1aff0}-\\u{1b2ff}\\u{1f200}-\\u{1f2ff}\\u{20000}-\\u{3fffd}]";
const isWide = new RegExp(`^${WIDE}`, "u");

/** Returns the columns of one grapheme. */
export function graphemeWidth(grapheme: string): number {
  if (isWide.test(grapheme) || emoji().test(grapheme)) return 2;
  // Some scripts join letters to one grapheme that terminals still place one after the other.
  return [...grapheme].filter((character) => !withoutWidth().test(character)).length;
}
