import * as z from "zod/mini";
import type { UserAnswer } from "../asks.ts";

const Span = z.enum(["once", "session"]);

const Answer: z.ZodMiniType<UserAnswer> = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("allow"),
    span: Span,
    grants: z.exactOptional(z.array(z.string())),
    input: z.exactOptional(z.record(z.string(), z.unknown())),
  }),
  z.object({ type: z.literal("deny"), span: Span, message: z.exactOptional(z.string()) }),
  z.object({
    type: z.literal("answers"),
    answers: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
  }),
  z.object({ type: z.literal("approve"), mode: z.enum(["default", "acceptEdits"]) }),
  z.object({ type: z.literal("nobody"), reason: z.string() }),
]);

/** Whoever answers may be a script or a library user's own code: what is no answer is nobody's. */
export function readAnswer(value: unknown): UserAnswer {
  const read = z.safeParse(Answer, value);
  if (read.success) return read.data;
  return { type: "nobody", reason: "What came back was no answer, so it counts as no." };
}
