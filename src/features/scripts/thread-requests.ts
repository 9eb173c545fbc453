import * as z from "zod/mini";

/** What an orchestration script says while it runs. */
export const ScriptNews = z.discriminatedUnion("type", [
  z.object({ type: z.literal("log"), text: z.string() }),
  z.object({ type: z.literal("phase"), title: z.string() }),
  z.object({ type: z.literal("meta"), meta: z.unknown() }),
]);
export type ScriptNews = z.infer<typeof ScriptNews>;

/** What the session asks of a script's thread. */
export const scriptRequests = {
  run: {
    request: z.object({
      /** Of the file, for errors. */
      name: z.string(),
      source: z.string(),
      args: z.unknown(),
      /** The script's clock and random numbers: the same in each run, so that it takes the same path. */
      startedAt: z.number(),
      seed: z.number(),
      /** Tokens that the session may use, or null. */
      budget: z.nullable(z.number()),
    }),
    response: z.discriminatedUnion("type", [
      z.object({ type: z.literal("returned"), value: z.unknown() }),
      z.object({ type: z.literal("threw"), message: z.string() }),
    ]),
    event: ScriptNews,
  },
  /** The response shows that the thread's loop turns. */
  pulse: { request: z.null(), response: z.null() },
};

/** What a script asks of the session. The options are checked there. */
export const scriptNeeds = {
  agent: {
    request: z.object({ prompt: z.unknown(), options: z.unknown() }),
    response: z.object({ value: z.unknown(), tokens: z.number() }),
  },
};

/** Returns the line for the user, or null if it is not shown. */
export function newsLine(news: ScriptNews): string | null {
  switch (news.type) {
    case "log":
      return news.text;
    case "phase":
      return `== ${news.title}`;
    case "meta":
      return null;
    default:
      return news satisfies never;
  }
}

/** What a script returned: a text as it is, anything else as JSON. */
export function textOfValue(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}
