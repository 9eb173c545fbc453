import * as z from "zod/mini";

/**
 * What a confined program sees at a path and below it; the deepest path decides, and all other paths are read-only.
 * `scratch`: a private empty directory; `empty`: the same, but read-only; `no-file`, `no-directory`: it exists and
 * cannot be read; `pinned`: a writable directory that cannot be renamed; `link`: a symlink in a private directory;
 * `copy`: a small file in one, which is cheaper than a mount.
 */
export const ConfinedView = z.discriminatedUnion("as", [
  z.object({
    as: z.enum(["scratch", "empty", "no-file", "no-directory", "read", "write", "pinned", "copy"]),
    path: z.string(),
  }),
  z.object({ as: z.literal("link"), path: z.string(), to: z.string() }),
]);
export type ConfinedView = z.infer<typeof ConfinedView>;

/**
 * A confinement, from which the process host builds the arguments. Paths are absolute and real. `read` and `write`
 * have no sockets and no credentials in their environment; `full` has its own network, with only what `bridge` adds.
 */
export const Confined = z.object({
  type: z.enum(["read", "write", "full"]),
  /** bubblewrap, or sandbox-exec of macOS. */
  builder: z.string(),
  /** A private directory with the replacements of hidden files, and the system call filters. */
  state: z.string(),
  seen: z.array(ConfinedView),
  /** Without its own `/proc`, for a container that does not allow to mount one. */
  weaker: z.optional(z.literal(true)),
  /** Starts relays that need Unix sockets, then the rest of the command without them. */
  bridge: z.optional(z.array(z.string())),
});
export type Confined = z.infer<typeof Confined>;
