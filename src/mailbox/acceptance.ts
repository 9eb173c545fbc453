import * as z from "zod/mini";

/** What must be true of an agent's work before its result counts. The runtime looks itself: a claim never replaces it. */
export const Accept = z.lazy(() =>
  z.strictObject({
    /** A command that must end as expected, where its edits are merged with the current checkout. */
    run: z.optional(z.string().check(z.minLength(1))),
    /** How it must end (default: with exit code 0). `output`: text that it must print, for a command that can pass without doing anything. */
    expect: z.optional(
      z.strictObject({
        exit: z.optional(z.int().check(z.gte(0), z.lte(255))),
        output: z.optional(z.string().check(z.minLength(1))),
      }),
    ),
    /** Files that must exist, relative to where it works. */
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

/** Commands that succeed whatever was done. */
const ALWAYS = /^(?:\s|;|#[^\n]*|\btrue\b|:|\bexit 0\b|\becho\b[^;&|]*)*$/;

/** Returns why this states nothing that could be false, as a sentence, or null. */
export function whyNoCheck({ run, expect, files = [], schema }: Accept): string | null {
  if (run === undefined) {
    if (expect !== undefined) return "accept has expect without run: say which command must end like that.";
    return files.length > 0 || schema !== undefined
      ? null
      : "accept says nothing that must be true: give run, files or schema.";
  }
  return ALWAYS.test(run)
    ? `The check ${JSON.stringify(run)} passes whatever was done: give a command that fails if the work is not done.`
    : null;
}
