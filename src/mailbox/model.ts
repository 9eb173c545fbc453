import * as z from "zod/mini";

/** How much effort a model puts into its replies, in ascending order; only sent to models that support it. */
export const Effort = z.enum(["low", "medium", "high", "xhigh", "max"]);
export type Effort = z.infer<typeof Effort>;

/** The short names of models, which stand for the newest of each family. */
export const MODEL_ALIASES = ["opus", "sonnet", "haiku", "fable"] as const;
export type ModelAlias = (typeof MODEL_ALIASES)[number];

/** No request to a model is sent for now: a limit is reached, or its server is out of reach. */
export const ModelPause = z.lazy(() =>
  z.object({
    model: z.string(),
    /** When one request tries again, in milliseconds since 1970. */
    until: z.number(),
    /** When the first pause began since the model answered last, in milliseconds since 1970. */
    since: z.number(),
    /** A sentence. */
    reason: z.string(),
  }),
);
export type ModelPause = z.infer<typeof ModelPause>;
