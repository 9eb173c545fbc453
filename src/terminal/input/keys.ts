import { StringDecoder } from "node:string_decoder";
import { matchesKey, StdinBuffer } from "@earendil-works/pi-tui";

/** What a keyboard sends: one key with its whole escape sequence, or one pasted text with `\n` for its line breaks. */
export type Key =
  | { readonly type: "key"; readonly text: string }
  | { readonly type: "paste"; readonly text: string };

/** Takes bytes of a terminal, wherever they are cut. */
export interface KeyReader {
  take(chunk: Buffer | string): void;
  /** Stops waiting for the rest of a sequence. */
  close(): void;
}

/** Milliseconds after which an Escape is the key and not the start of a sequence, even if a slow line cuts one. */
const ALONE_MS = 50;

export function createKeyReader(onKey: (key: Key) => void): KeyReader {
  const decoder = new StringDecoder("utf8");
  const buffer = new StdinBuffer({ timeout: ALONE_MS, escapeTimeout: ALONE_MS });
  buffer.on("data", (text) => onKey({ type: "key", text }));
  buffer.on("paste", (text) => onKey({ type: "paste", text: cleanPaste(text) }));
  return {
    take(chunk) {
      const text = typeof chunk === "string" ? chunk : decoder.write(chunk);
      if (text !== "") buffer.process(text);
    },
    close: () => buffer.destroy(),
  };
}

/** True if the input is this key, such as `ctrl+r`, however the terminal encodes it. */
export function isKey({ type, text }: Key, name: Parameters<typeof matchesKey>[1]): boolean {
  return type === "key" && matchesKey(text, name);
}

/** Removes control characters, which are never pasted on purpose, and line breaks at the end. */
function cleanPaste(text: string): string {
  return text
    .replace(/\r\n?/g, "\n")
    .replace(/\p{Cc}/gu, (character) => (character === "\n" || character === "\t" ? character : ""))
    .replace(/\n+$/, "");
}
