import * as z from "zod/mini";

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
