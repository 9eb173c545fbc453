import * as z from "zod/mini";

/** How much effort a model puts into its replies, in ascending order; only sent to models that support it. */
export const Effort = z.enum(["low", "medium", "high", "xhigh", "max"]);
export type Effort = z.infer<typeof Effort>;

/** The short names of models, which stand for the newest of each family. */
export const MODEL_ALIASES = ["opus", "sonnet", "haiku", "fable"] as const;
export type ModelAlias = (typeof MODEL_ALIASES)[number];
