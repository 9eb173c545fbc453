import type { Dirent } from "node:fs";

/** No two states of what stands under a path have the same, as far as its disk can tell. */
export interface Marks {
  readonly dev: number;
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
  /** Nobody can set it. */
  readonly ctimeMs: number;
}

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
      readonly marks: Marks;
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
  /** The marks of whatever stands there, links followed; null where there is nothing that can be looked at. */
  marks(path: string): Marks | null;
  /**
   * The marks of a folder, where no entry can come or go from now on without other ones; null where nobody can say so.
   */
  listed(path: string): Marks | "none" | null;
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
