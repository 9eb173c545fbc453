import type { Dirent } from "node:fs";

/** What stands under a path, links followed. */
export type Look =
  | { readonly type: "none" }
  /** `reason` follows the path in a sentence. */
  | { readonly type: "unusable"; readonly reason: string }
  | {
      readonly type: "file";
      /** The same for two names of one file. */
      readonly identity: string;
      /** Changes with the content. */
      readonly stamp: string;
      readonly size: number;
      readonly mtimeMs: number;
      readonly inode: number;
      /** The user id of whoever owns it; null where there are no such things. */
      readonly owner: number | null;
    };

export type Content =
  | { readonly type: "unusable"; readonly reason: string }
  | {
      readonly type: "text";
      /** Whole characters, at most so many bytes as were asked for. */
      readonly text: string;
      /** Bytes of the whole file. */
      readonly bytes: number;
      /** Where it really is. */
      readonly real: string;
    };

/** All that the context needs of a disk. Never throws and never waits, whatever stands under a path. */
export interface Files {
  look(path: string): Look;
  /** At most `most` bytes from the beginning of a regular file. */
  read(path: string, most: number): Content;
  /** A regular file as it is; null where it has more than `most` bytes, or is none. */
  bytes(path: string, most: number): Uint8Array | null;
  /** Without links; as it is where there is nothing. */
  real(path: string): string;
  /** What is in a folder, in no order; nothing where there is none, or none that may be looked into. */
  entries(path: string): readonly Dirent[];
  /** Whose files are the person's own besides the administrator's; null where there are no such things. */
  readonly me: number | null;
}
