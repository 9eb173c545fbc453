import { StringDecoder } from "node:string_decoder";
import { decodeKittyPrintable, isKeyRelease, matchesKey, StdinBuffer } from "@earendil-works/pi-tui";

/** What a keyboard sends: one key with its whole escape sequence, or one pasted text with `\n` for its line breaks. */
export type Key =
  | { readonly type: "key"; readonly text: string }
  | { readonly type: "paste"; readonly text: string };

/** Milliseconds after which an Escape is the key and not the start of a sequence, even if a slow line cuts one. */
const ALONE_MS = 50;
const ESC = "\u001b";
const PASTE_START = `${ESC}[200~`;
const PASTE_END = `${ESC}[201~`;
/** A key as xterm's modifyOtherKeys encodes it; kitty's form says the same. */
const OTHER_KEYS = /^\p{Cc}\[27;(\d+);(\d+)~$/u;
const USUAL = [
  ["ctrl+[", "\u001b"],
  ["alt+enter", "\u001b\r"],
  ["ctrl+enter", "\r"],
  ["ctrl+m", "\r"],
  ["ctrl+h", "\u007f"],
  ["ctrl+/", "\u001f"],
  ["ctrl+_", "\u001f"],
  ["shift+ctrl+-", "\u001f"],
  ["shift+ctrl+_", "\u001f"],
] as const;

/** Takes bytes of a terminal, wherever they are cut. `takeAnswer`: true for what the terminal answers. */
export function createKeyReader(
  onKey: (key: Key) => void,
  takeAnswer: (text: string) => boolean = () => false,
) {
  const decoder = new StringDecoder("utf8");
  const buffer = new StdinBuffer({ timeout: ALONE_MS, escapeTimeout: ALONE_MS });
  /** The first half of a character of two units: they come one by one. */
  let half = "";
  buffer.on("data", (part) => {
    const text = half + part;
    half = /^[\ud800-\udbff]$/.test(text) ? text : "";
    if (half !== "" || isKeyRelease(text) || takeAnswer(text)) return;
    // Pressed twice, on a line that delivers both together.
    if (text === ESC + ESC) onKey({ type: "key", text: ESC });
    const key = text === ESC + ESC ? ESC : text.replace(OTHER_KEYS, `${ESC}[$2;$1u`);
    onKey({ type: "key", text: decodeKittyPrintable(key) ?? key });
  });
  buffer.on("paste", (text) => onKey({ type: "paste", text: cleanPaste(text) }));
  /** Of a paste that has begun: pi-tui reads all of it again with each chunk, so it gets the rest as one. */
  let rest: string[] | null = null;
  /** The end of what came before: a mark may be cut. */
  let tail = "";
  const feed = (text: string): void => {
    const seen = (rest === null ? buffer.getBuffer() : tail) + text;
    tail = seen.slice(1 - PASTE_END.length);
    rest?.push(text);
    if (rest !== null && !seen.includes(PASTE_END)) return;
    buffer.process(rest?.join("") ?? text);
    rest = seen.lastIndexOf(PASTE_START) > seen.lastIndexOf(PASTE_END) ? [] : null;
  };
  return {
    take(chunk: Buffer | string) {
      const text = typeof chunk === "string" ? chunk : decoder.write(chunk);
      if (text !== "") feed(text);
    },
    /** Stops waiting for the rest of a sequence. */
    close: () => buffer.destroy(),
  };
}

/** Returns the key that it has been on terminals that could not tell the two apart, if the prompt knows only that one. */
export function usualKey(key: Key): Key {
  if (key.type === "paste" || !key.text.startsWith("\u001b[")) return key;
  const [, text] = USUAL.find(([name]) => isKey(key, name)) ?? [];
  return text === undefined ? key : { type: "key", text };
}

/** True if the input is this key, such as `ctrl+r`, however the terminal encodes it. */
export function isKey({ type, text }: Key, name: Parameters<typeof matchesKey>[1]): boolean {
  if (type !== "key") return false;
  // Most keys are characters, and each is compared with dozens of names: pi-tui reads the name every time.
  if (name.length > 1 && !name.includes("shift+") && /^[!-~]$/.test(text)) return false;
  return matchesKey(text, name);
}

/** Removes control characters, which are never pasted on purpose, and line breaks at the end. */
function cleanPaste(text: string): string {
  return text
    .replace(/\r\n?/g, "\n")
    .replace(/\p{Cc}/gu, (character) => (character === "\n" || character === "\t" ? character : ""))
    .replace(/\n+$/, "");
}
