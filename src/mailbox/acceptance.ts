import * as z from "zod/mini";

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
