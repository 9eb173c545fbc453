import { isUtf8 } from "node:buffer";

/**
 * A file's bytes as a text that can be changed in places, and turned back so that every byte around them is the
 * same, also where the file is no valid UTF-8: then each byte is one character, in what is looked for as well.
 */
export interface FileText {
  readonly text: string;
  /** A string as it stands in `text`. */
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
