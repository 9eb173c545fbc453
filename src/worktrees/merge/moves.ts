import * as z from "zod/mini";
import { FileState } from "./file-state.ts";
import { isSafeRelativePath } from "./locate.ts";

const Within = z.string().check(z.refine(isSafeRelativePath));

/** One file that changes. */
export const FileMove = z.object({
  /** Relative to the root, with `/`. */
  path: Within,
  /** The file before and after; null for no file. */
  before: z.nullable(FileState),
  after: z.nullable(FileState),
  /** Path of the new file, relative to `bytes`; null for a deletion. */
  incoming: z.nullable(Within),
});
export type FileMove = z.infer<typeof FileMove>;

/** Files of one directory that change together, all or none. Plain data: a roll-back after a crash reads it. */
export const FileExchange = z.object({
  /** Absolute path of their directory. */
  root: z.string(),
  /** Absolute path on the same device, used by this merge alone, of the new and the replaced files. */
  bytes: z.string(),
  /** The directory in `bytes` of the replaced files, named by their number in `moves`. */
  aside: Within,
  /** Deletions first: a directory may become a file, and a file a directory. */
  moves: z.array(FileMove),
  /** Directories to make, outer ones first, with their permissions if these matter. */
  made: z.array(z.object({ path: Within, mode: z.nullable(z.number()) })),
  /** Directories to remove if they become empty, inner ones first, with the permissions they had. */
  emptied: z.array(z.object({ path: Within, mode: z.number() })),
});
export type FileExchange = z.infer<typeof FileExchange>;
