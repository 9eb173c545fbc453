import * as z from "zod/mini";

/**
 * What a confined program finds at a path and below it; the deepest path decides, and what no path names is read-only.
 * `scratch`: a private empty directory; `empty`: the same, but read-only; `no-file`, `no-directory`: something is there
 * and cannot be read; `pinned`: a directory that is written and keeps its name; `link`: a symlink in a private directory;
 * `copy`: a small file in one, which is cheaper than to mount it.
 */
export const Seen = z.discriminatedUnion("as", [
  z.object({
    as: z.enum(["scratch", "empty", "no-file", "no-directory", "read", "write", "pinned", "copy"]),
    path: z.string(),
  }),
  z.object({ as: z.literal("link"), path: z.string(), to: z.string() }),
]);
export type Seen = z.infer<typeof Seen>;

/**
 * A confinement in short: the process host builds the arguments from it. Paths are absolute and real.
 * `read` and `write` have no sockets and no credentials in their environment; `full` has a network of its own, with
 * nothing in it but what `bridge` brings.
 */
export const Confined = z.object({
  type: z.enum(["read", "write", "full"]),
  /** bubblewrap, or sandbox-exec of macOS. */
  builder: z.string(),
  /** A private directory with what is laid over hidden files, and the filters of system calls. */
  state: z.string(),
  seen: z.array(Seen),
  /** Without a `/proc` of its own, for a container that lets no one mount one. */
  weaker: z.optional(z.literal(true)),
  /** Starts relays that need Unix sockets, then what follows it without them. */
  bridge: z.optional(z.array(z.string())),
});
export type Confined = z.infer<typeof Confined>;
