import { pathToFileURL } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { ElicitRequestSchema, ErrorCode, ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import type { ElicitationAnswer } from "../mcp.ts";

export type Elicit = (
  message: string,
  schema: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
) => Promise<ElicitationAnswer | undefined>;

export interface ClientParts {
  readonly version: string;
  readonly roots: readonly string[];
  /** Null if no user can answer; servers then cannot ask. */
  readonly elicit: Elicit | null;
  onChanged(what: "tools" | "resources" | "prompts"): void;
}

const DEBOUNCE_MS = 200;

/** Creates our side of one connection, with what a server may ask of us. */
export function createClient({ version, roots, elicit, onChanged }: ClientParts): Client {
  const changes = (what: "tools" | "resources" | "prompts") => ({
    ...{ autoRefresh: false, debounceMs: DEBOUNCE_MS, onChanged: () => onChanged(what) },
  });
  const client = new Client(
    { name: "troupe", version },
    {
      capabilities: { roots: {}, ...(elicit === null ? {} : { elicitation: { form: {} } }) },
      listChanged: {
        tools: changes("tools"),
        resources: changes("resources"),
        prompts: changes("prompts"),
      },
    },
  );
  client.setRequestHandler(ListRootsRequestSchema, () => ({
    roots: roots.map((root) => ({ uri: pathToFileURL(root).href })),
  }));
  if (elicit !== null)
    client.setRequestHandler(ElicitRequestSchema, async ({ params }, { signal }) => {
      if (!("requestedSchema" in params)) return { action: "decline" as const };
      const answer = await elicit(params.message, { ...params.requestedSchema }, signal);
      if (answer?.action !== "accept") return { action: answer?.action ?? "cancel" };
      return { action: "accept" as const, content: { ...answer.content } };
    });
  client.fallbackRequestHandler = async ({ method }) => {
    // A server that could ask a model would spend the user's money on its own prompts.
    const why =
      method === "sampling/createMessage"
        ? "Troupe does not let servers ask its model. Return the question as the result of the call."
        : `Troupe does not answer ${method}.`;
    // The SDK's own class would write the code into the message, twice.
    throw Object.assign(new Error(why), { code: ErrorCode.MethodNotFound });
  };
  return client;
}
