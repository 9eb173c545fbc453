import type { Arguments } from "./arguments.ts";
import { flag, optionalText } from "./option.ts";
import { UsageError } from "./usage-error.ts";

/** Flags of a conversation and of `-p` that resume a session. */
export const resumeFlags = {
  continue: flag({
    name: "continue",
    short: "c",
    summary: "resume the newest session about this directory",
  }),
  resume: optionalText({
    name: "resume",
    short: "r",
    value: "ID",
    optionalValue: "next",
    summary: "resume this session; the beginning of its ID is enough, and without one you choose",
  }),
  fork: flag({
    name: "fork-session",
    summary: "with --continue or --resume: work on a copy; the session itself stays as it is",
  }),
} as const;

export const resumeOptions = Object.values(resumeFlags);

/** Which session the user wants to resume. */
export type WantedSession =
  | { readonly type: "latest" }
  | { readonly type: "id"; readonly id: string }
  /** The user has not said yet. */
  | { readonly type: "choose" };

/** Returns null if a new session is wanted. */
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
