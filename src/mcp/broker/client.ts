import { pathToFileURL } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import {
  ElicitRequestSchema,
  ErrorCode,
  ListRootsRequestSchema,
  PromptListChangedNotificationSchema,
  ResourceListChangedNotificationSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod/mini";

export interface ClientParts {
  readonly version: string;
  readonly roots: readonly string[];
  /** Null: nobody could answer, and servers are told so. */
  readonly elicit:
    | ((message: string, schema: Readonly<Record<string, unknown>>, signal: AbortSignal) => Promise<unknown>)
    | null;
  changed(what: "tools" | "resources" | "prompts"): void;
}

const Answer = z.discriminatedUnion("action", [
  z.object({
    action: z.literal("accept"),
    content: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())])),
  }),
  z.object({ action: z.enum(["decline", "cancel"]) }),
]);

/** Our side of one connection: what we let a server ask of us. */
export function clientOf({ version, roots, elicit, changed }: ClientParts): Client {
  const client = new Client(
    { name: "troupe", version },
    { capabilities: { roots: {}, ...(elicit === null ? {} : { elicitation: { form: {} } }) } },
  );
  client.setRequestHandler(ListRootsRequestSchema, () => ({
    roots: roots.map((folder) => ({ uri: pathToFileURL(folder).href })),
  }));
  if (elicit !== null)
    client.setRequestHandler(ElicitRequestSchema, async ({ params }, { signal }) => {
      if (!("requestedSchema" in params)) return { action: "decline" as const };
      const answer = z.safeParse(Answer, await elicit(params.message, { ...params.requestedSchema }, signal));
      return answer.success ? answer.data : { action: "cancel" as const };
    });
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => changed("tools"));
  client.setNotificationHandler(ResourceListChangedNotificationSchema, () => changed("resources"));
  client.setNotificationHandler(PromptListChangedNotificationSchema, () => changed("prompts"));
  client.fallbackRequestHandler = async ({ method }) => {
    // A server that could ask a model would spend the person's money with words of its own.
    const why =
      method === "sampling/createMessage"
        ? "Troupe does not let servers ask its model. Return what is to be thought about as the result of the call."
        : `Troupe does not answer ${method}.`;
    // The SDK's own class writes the code into the sentence, twice.
    throw Object.assign(new Error(why), { code: ErrorCode.MethodNotFound });
  };
  return client;
}
