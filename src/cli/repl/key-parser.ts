import { StringDecoder } from "node:string_decoder";

/** Input from a keyboard: keys with their escape sequences, or one pasted text. */
export type Key =
  | { readonly type: "keys"; readonly text: string }
  | { readonly type: "paste"; readonly text: string };

/**
 * Replaces a line break in an edited line, which a real one would end. No text contains it: it is a noncharacter, and
 * is removed from input.
 */
export const BREAK = "\ufdd0";

const ESC = "\u001b";
const PASTE_BEGINS = `${ESC}[200~`;
const PASTE_ENDS = `${ESC}[201~`;
/** Alt-Enter, which types a line break on most terminals. */
const ALT_ENTER = new RegExp(`${ESC}[\r\n]`, "g");

/** Distinguishes pasted text from keys (bracketed paste), wherever the bytes are cut. */
export function createKeyParser(): (chunk: Buffer | string) => Key[] {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  let pasting = false;
  return (chunk) => {
    rest += typeof chunk === "string" ? chunk : decoder.write(chunk);
    const typed: Key[] = [];
    for (;;) {
      const marker = pasting ? PASTE_ENDS : PASTE_BEGINS;
      const at = rest.indexOf(marker);
      const end = at >= 0 ? at : rest.length - (pasting ? rest.length : begunMarker(rest, marker));
      const text = rest.slice(0, end);
      if (text !== "") typed.push(pasting ? pasted(text) : keys(text));
      rest = rest.slice(at >= 0 ? at + marker.length : end);
      if (at < 0) return typed;
      pasting = !pasting;
    }
  };
}

/** Returns the length of an incomplete marker at the end of the text; a lone Escape is a key and not waited for. */
function begunMarker(text: string, marker: string): number {
  for (let length = marker.length - 1; length >= 2; length--) {
    if (text.endsWith(marker.slice(0, length))) return length;
  }
  return 0;
}

function keys(text: string): Key {
  return { type: "keys", text: text.replaceAll(BREAK, "").replace(ALT_ENTER, BREAK) };
}

/** Removes control characters, which are never pasted on purpose, and the last line break. */
function pasted(text: string): Key {
  const plain = text
    .replaceAll(BREAK, "")
    .replace(/\r\n?/g, "\n")
    .replace(/\p{Cc}/gu, (character) => (character === "\n" || character === "\t" ? character : ""))
    .replace(/\n+$/, "");
  return { type: "paste", text: plain.replaceAll("\n", BREAK) };
}
