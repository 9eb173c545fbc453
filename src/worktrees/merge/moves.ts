import * as z from "zod/mini";
import { FileState } from "./file-state.ts";
import { isSafeRelativePath } from "./locate.ts";

const Within = z.string().check(z.refine(isSafeRelativePath));

/** One file that changes. */
export const Move = z.object({
  /** Relative to the root, with `/`. */
  path: Within,
  /** What was there, and what comes in its place; null: nothing. */
  before: z.nullable(FileState),
  after: z.nullable(FileState),
  /** Where what comes lies, relative to `bytes`; null: nothing comes. */
  incoming: z.nullable(Within),
});
export type Move = z.infer<typeof Move>;

/** Files of one folder that change together, all or none. Plain data: after a crash it is taken back by it. */
export const Exchange = z.object({
  /** Absolute: the folder they are in. */
  root: z.string(),
  /** Absolute, on the same device, of this merge alone: what comes, and what is put aside. */
  bytes: z.string(),
  /** The folder in `bytes` where what was there is put, named by its number in `moves`. */
  aside: Within,
  /** Deletions first: a folder may become a file, and a file a folder. */
  moves: z.array(Move),
  /** Folders that are made, outer ones first; with the rights they are to have, where it matters. */
  made: z.array(z.object({ path: Within, mode: z.nullable(z.number()) })),
  /** Folders that go where they become empty, inner ones first, with the rights they had. */
  emptied: z.array(z.object({ path: Within, mode: z.number() })),
});
export type Exchange = z.infer<typeof Exchange>;
