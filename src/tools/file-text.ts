import { isUtf8 } from "node:buffer";

/**
 * A file's bytes as text that can be edited so that all other bytes stay the same. If the file is not valid UTF-8, each
 * byte is one character, in the text to find as well.
 */
export interface FileText {
  readonly text: string;
  /** Returns a string as it occurs in `text`. */
  find(string: string): string;
  bytes(text: string): Buffer;
}

export function fileText(bytes: Buffer): FileText {
  return isUtf8(bytes)
    ? { text: bytes.toString("utf8"), find: (string) => string, bytes: (text) => Buffer.from(text, "utf8") }
    : {
        text: bytes.toString("latin1"),
        find: (string) => Buffer.from(string, "utf8").toString("latin1"),
        bytes: (text) => Buffer.from(text, "latin1"),
      };
}
