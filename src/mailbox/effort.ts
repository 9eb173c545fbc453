import * as z from "zod/mini";

/** How much a model puts into its replies, from the least; models that do not know it are sent none. */
export const Effort = z.enum(["low", "medium", "high", "xhigh", "max"]);
export type Effort = z.infer<typeof Effort>;
