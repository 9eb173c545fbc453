import type { Dirent } from "node:fs";

/** What is at a path; links are followed. */
export type FileLook =
  | { readonly type: "none" }
  /** `reason` follows the path in a sentence. */
  | { readonly type: "unusable"; readonly reason: string }
  | {
      readonly type: "file";
      /** The path itself is a link to it. */
      readonly isLink: boolean;
      /** The same for two names of one file. */
      readonly identity: string;
      /** Changes with the content. */
      readonly stamp: string;
      readonly size: number;
      readonly mtimeMs: number;
      readonly inode: number;
      /** The user ID of its owner; null on systems without one. */
      readonly owner: number | null;
    };

export type Content =
  | { readonly type: "unusable"; readonly reason: string }
  | {
      readonly type: "text";
      /** Whole characters, at most as many bytes as were asked for. */
      readonly text: string;
      /** Bytes of the whole file. */
      readonly bytes: number;
      /** Its path without links. */
      readonly real: string;
    };

/** What the context needs of a disk. Never throws and never waits, whatever is at a path. */
export interface Files {
  look(path: string): FileLook;
  /** Reads at most `most` bytes from the beginning of a regular file. */
  read(path: string, most: number): Content;
  /** Reads a regular file; null if it has more than `most` bytes, or is not one. */
  bytes(path: string, most: number): Uint8Array | null;
  /** Returns the path without links, or as it is if nothing is there. */
  real(path: string): string;
  /** Returns the entries of a directory in no order; none if it is not a readable directory. */
  entries(path: string): readonly Dirent[];
  /** The user's ID: the owner of their own files; null on systems without one. */
  readonly me: number | null;
}
