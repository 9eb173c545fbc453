import * as z from "zod/mini";
import { CompactRequest } from "./compacted.ts";
import { ActorModel, LastTurn, Steer, Summary, Turn } from "./messages.ts";

/**
 * `compact`: the user's request to compact the conversation before the next request. `model`: another one from the next
 * request on.
 */
export const TurnAnswer = z.object({
  steer: z.array(Steer),
  last: z.optional(LastTurn),
  compact: z.optional(CompactRequest),
  model: z.optional(ActorModel),
});
export type TurnAnswer = z.infer<typeof TurnAnswer>;

/** `compacted`: this run only compacted the conversation, so it has no answer. */
export const Finish = z.object({
  turn: z.nullable(Turn),
  summary: Summary,
  compacted: z.optional(z.literal(true)),
});
export type Finish = z.infer<typeof Finish>;

/** Either the actor is closed, or it gets more input and continues: no steering is lost. */
export const FinishAnswer = z.discriminatedUnion("type", [
  z.object({ type: z.literal("closed") }),
  z.extend(TurnAnswer, { type: z.literal("more") }),
]);
export type FinishAnswer = z.infer<typeof FinishAnswer>;
