import * as z from "zod/mini";
import { shorten } from "../lib/text.ts";

/** What must be true of an agent's work before its result counts. The runtime looks itself: a claim never replaces it. */
export const Accept = z.lazy(() =>
  z.strictObject({
    /** A command that must end as expected, where its edits are merged with the current checkout. */
    run: z.optional(z.string().check(z.minLength(1), z.maxLength(10_000))),
    /** How it must end (default: with exit code 0). `output`: text that it must print, for a command that can pass without doing anything. */
    expect: z.optional(
      z.strictObject({
        exit: z.optional(z.int().check(z.gte(0), z.lte(255))),
        output: z.optional(z.string().check(z.minLength(1))),
      }),
    ),
    /** Files that it must have made or changed, relative to where it works; a directory must exist. */
    files: z.optional(z.array(z.string().check(z.minLength(1))).check(z.maxLength(100))),
    /** The JSON Schema of its answer, as `output` of a spawn. */
    schema: z.optional(z.record(z.string(), z.unknown())),
  }),
);
export type Accept = z.infer<typeof Accept>;

/** What the check said. */
export const Acceptance = z.lazy(() =>
  z.object({
    verdict: z.enum(["accepted", "rejected"]),
    /** How often its work was checked. */
    checks: z.number(),
    /** Why it was rejected, with the end of the command's output: a sentence. */
    reason: z.optional(z.string()),
  }),
);
export type Acceptance = z.infer<typeof Acceptance>;

/** A command that succeeds and does nothing. */
const NOTHING = /^(?:true|:|exit(?: +0)?|(?:echo|printf|sleep)(?: .*)?|#.*)$/;
/** Then an earlier one than the last may end them all. */
const MAY_END = /\bexit +[^0\s]|\bset +-\w*e|\btrap\b/;
const BETWEEN = /(\|\||&&|[;&|\n(){}])/;

/** Returns why this states nothing that could be false, as a sentence, or null. */
export function whyNoCheck({ run, expect, files = [], schema }: Accept): string | null {
  if (run === undefined) {
    if (expect !== undefined) return "accept has expect without run: say which command must end like that.";
    return files.length > 0 || schema !== undefined
      ? null
      : "accept says nothing that must be true: give run, files or schema.";
  }
  return passesAlways(run) && expect?.output === undefined
    ? `The check ${JSON.stringify(shorten(run, 200))} passes whatever was done: give a command that fails if the work is not done.`
    : null;
}

/** Not all of those, but the usual ones: nothing is run, or what was run does not count. */
function passesAlways(run: string): boolean {
  const parts = run.split(BETWEEN).map((part) => part.trim() || part);
  const commands = parts.filter((part, at) => at % 2 === 0 && part.trim() !== "");
  if (commands.every((command) => NOTHING.test(command))) return true;
  if (!NOTHING.test(commands.at(-1) ?? "") || MAY_END.test(run)) return false;
  const before = parts.slice(0, parts.lastIndexOf(commands.at(-1) ?? ""));
  const link = before.findLast((part, at) => at % 2 === 1 && !/[(){}]/.test(part));
  return link !== "&&" && link !== "|";
}
