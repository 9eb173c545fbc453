import { setTimeout as wait } from "node:timers/promises";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CallToolRequestSchema,
  type CallToolResult,
  EmptyResultSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";

/** A picture of one pixel. */
export const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** Its schema has more in it than zod would give back. */
export const ECHO_SCHEMA = {
  type: "object" as const,
  properties: {
    text: { type: "string", minLength: 1, "x-own": { keep: ["this"] } },
    times: { type: "integer" },
  },
  required: ["text"],
  additionalProperties: false,
  $schema: "https://json-schema.org/draft/2020-12/schema",
};

const ANYTHING = { type: "object" as const };

const TOOLS = [
  {
    name: "echo",
    description: "Says it again.",
    inputSchema: ECHO_SCHEMA,
    annotations: { readOnlyHint: true },
  },
  { name: "env", description: "The names of its variables.", inputSchema: ANYTHING },
  { name: "long", description: "A long answer.", inputSchema: ANYTHING },
  { name: "picture", description: "A picture and more.", inputSchema: ANYTHING },
  { name: "fails", description: "Fails.", inputSchema: ANYTHING },
  { name: "steps", description: "Reports its progress.", inputSchema: ANYTHING },
  { name: "waits", description: "Never ends by itself.", inputSchema: ANYTHING },
  { name: "ask", description: "Asks the person.", inputSchema: ANYTHING },
  { name: "think", description: "Asks for the client's model.", inputSchema: ANYTHING },
  { name: "where", description: "Asks for the client's folders.", inputSchema: ANYTHING },
  { name: "cancelled", description: "How many calls were cancelled.", inputSchema: ANYTHING },
];

function text(words: string): CallToolResult {
  return { content: [{ type: "text", text: words }] };
}

export function goodServer(): Server {
  const server = new Server(
    { name: "good", version: "1.0.0" },
    {
      capabilities: { tools: {}, resources: {}, prompts: {} },
      instructions: "Use echo to say things again.",
    },
  );
  let cancelled = 0;
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) =>
    // In two pages.
    params?.cursor === undefined ? { tools: TOOLS.slice(0, 5), nextCursor: "2" } : { tools: TOOLS.slice(5) },
  );
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra): Promise<CallToolResult> => {
    const given = params.arguments ?? {};
    switch (params.name) {
      case "echo":
        return text(String(given["text"]));
      case "env":
        return text(Object.keys(process.env).sort().join(" "));
      case "long":
        return text(`BEGIN${"x".repeat(Number(given["chars"]))}END`);
      case "picture":
        return {
          content: [
            { type: "text", text: "a pixel" },
            { type: "image", data: PIXEL, mimeType: "image/png" },
            { type: "resource_link", uri: "note:1", name: "one" },
            { type: "resource", resource: { uri: "note:2", text: "two" } },
          ],
          structuredContent: { width: 1 },
        };
      case "fails":
        return { ...text("It did not go."), isError: true };
      case "steps": {
        const { progressToken } = extra._meta ?? {};
        for (let step = 1; step <= Number(given["steps"]); step++) {
          await wait(Number(given["ms"]));
          if (progressToken !== undefined)
            await extra.sendNotification({
              method: "notifications/progress",
              params: { progressToken, progress: step, total: 4, message: `step ${step}` },
            });
        }
        return text("all steps");
      }
      case "waits":
        await new Promise((resolve) => extra.signal.addEventListener("abort", resolve, { once: true }));
        cancelled += 1;
        return text("cancelled");
      case "cancelled":
        return text(String(cancelled));
      case "ask": {
        const answer = await server.elicitInput({
          message: "Which colour?",
          requestedSchema: {
            type: "object",
            properties: { colour: { type: "string" } },
            required: ["colour"],
          },
        });
        return text(JSON.stringify(answer));
      }
      case "think":
        return server
          .request(
            { method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } },
            EmptyResultSchema,
          )
          .then(
            () => text("thought"),
            (error: Error) => text(error.message),
          );
      case "where": {
        const { roots } = await server.listRoots();
        return text(roots.map(({ uri }) => uri).join(" "));
      }
      default:
        throw new Error(`no tool ${params.name}`);
    }
  });
  server.setRequestHandler(ListResourcesRequestSchema, () => ({
    resources: [
      { uri: "note:1", name: "one", description: "The first note.", mimeType: "text/plain" },
      { uri: "note:2", name: "two" },
    ],
  }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }) => {
    if (!params.uri.startsWith("note:")) throw new Error(`there is no ${params.uri}`);
    return { contents: [{ uri: params.uri, text: `the note ${params.uri.slice(5)}` }] };
  });
  server.setRequestHandler(ListPromptsRequestSchema, () => ({
    prompts: [{ name: "greet", description: "Greets.", arguments: [{ name: "who", required: true }] }],
  }));
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) => ({
    messages: [
      { role: "user", content: { type: "text", text: `Say hello to ${params.arguments?.["who"]}.` } },
    ],
  }));
  return server;
}
