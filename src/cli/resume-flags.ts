import type { Arguments } from "./arguments.ts";
import { flag, optionalText } from "./option.ts";
import { UsageError } from "./usage-error.ts";

/** Flags of a conversation and of `-p` that take up a session again. */
export const resumeFlags = {
  continue: flag({
    name: "continue",
    short: "c",
    summary: "go on with the newest session about this folder",
  }),
  resume: optionalText({
    name: "resume",
    short: "r",
    value: "ID",
    summary: "go on with this session; the beginning of its id will do, and without one you choose",
  }),
  fork: flag({
    name: "fork-session",
    summary: "with --continue or --resume: work on a copy; the session itself stays as it is",
  }),
} as const;

export const resumeOptions = Object.values(resumeFlags);

/** Which session the person wants to go on with. */
export type WantedSession =
  | { readonly type: "latest" }
  | { readonly type: "id"; readonly id: string }
  /** They have not said yet. */
  | { readonly type: "choose" };

/** Null where a new session is wanted. */
export function wantedSession(args: Arguments): WantedSession | null {
  const latest = args.value(resumeFlags.continue);
  const id = args.value(resumeFlags.resume);
  if (latest && id !== undefined)
    throw new UsageError("--continue and --resume each name a session; give one of them.");
  if (latest) return { type: "latest" };
  if (id !== undefined) return id === "" ? { type: "choose" } : { type: "id", id };
  if (args.value(resumeFlags.fork))
    throw new UsageError("--fork-session copies a session; add --continue, or --resume ID, to say which.");
  return null;
}
