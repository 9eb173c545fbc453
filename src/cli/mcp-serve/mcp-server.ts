import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CallToolRequestSchema,
  type CallToolResult,
  ListToolsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { nearName } from "../../mailbox/near-name.ts";
import { quoted } from "../usage-error.ts";
import type { Form, ShowForm } from "./elicit-user.ts";
import { type Answer, failure, type ServedCall, type ServedTool } from "./served-tool.ts";

/** A person may be away; a question that nobody answers in this time counts as no. */
const ANSWER_MS = 60 * 60 * 1000;

export interface McpServerParts {
  readonly version: string;
  readonly instructions: string;
  readonly tools: readonly ServedTool[];
  onProblem(sentence: string): void;
}

/** One client's connection. */
export interface McpConnection {
  connect(transport: Transport): Promise<void>;
  /** As it calls itself; empty before it has. */
  clientName(): string;
  /** Shows a form to the person; null where the client cannot. */
  form(): ShowForm | null;
  /** Resolves when every call has its answer. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** The protocol's side of `troupe mcp serve`: tools in a list, answers as results, forms as elicitation. */
export function mcpServer({ version, instructions, tools, onProblem }: McpServerParts): McpConnection {
  // The lower of the SDK's two servers: what a call gets wrong is said in our words, and progress is ours to pace.
  const server = new Server(
    { name: "troupe", title: "Troupe", version },
    { capabilities: { tools: {} }, instructions },
  );
  const open = new Set<Promise<unknown>>();
  server.onerror = (error) => onProblem(`The connection to the client: ${error.message}`);
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: tools.map(({ hints, title, ...tool }) => {
      const { name, description, inputSchema, outputSchema } = tool;
      return { name, title, description, inputSchema, outputSchema, annotations: { title, ...hints } };
    }),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, _meta, sendNotification }) => {
    const progressToken = _meta?.progressToken;
    const tell: ServedCall["tell"] =
      progressToken === undefined
        ? null
        : (progress, message) => {
            const note = { progressToken, progress, message };
            // Nobody is left to be told that nobody is left.
            sendNotification({ method: "notifications/progress", params: note }).catch(() => {});
          };
    const answer = answerOf(tools, params, { signal, tell });
    open.add(answer);
    return resultOf(await answer.finally(() => open.delete(answer)));
  });
  return {
    connect: (transport) => server.connect(transport),
    clientName: () => server.getClientVersion()?.name ?? "",
    form: () => (server.getClientCapabilities()?.elicitation?.form === undefined ? null : showForm(server)),
    async settled() {
      await Promise.all(open);
      // The SDK sends an answer one turn of the loop after its handler has it.
      await new Promise((resolve) => setImmediate(resolve));
    },
    close: () => server.close(),
  };
}

async function answerOf(
  tools: readonly ServedTool[],
  { name, arguments: input }: { readonly name: string; readonly arguments?: unknown },
  call: ServedCall,
): Promise<Answer> {
  const tool = tools.find((one) => one.name === name);
  if (tool !== undefined) return tool.call(input, call);
  const names = tools.map((one) => one.name);
  const guess = nearName(name, names);
  const there = names.length === 0 ? "this server offers none" : `there are ${names.join(", ")}`;
  return failure(`There is no tool ${quoted(name)}${guess ? ` (did you mean ${guess}?)` : ""}; ${there}.`);
}

function resultOf({ texts, data, isError }: Answer): CallToolResult {
  return {
    content: texts.map((text) => ({ type: "text", text })),
    ...(data === undefined ? {} : { structuredContent: { ...data } }),
    ...(isError ? { isError } : {}),
  };
}

function showForm(server: Server): ShowForm {
  return async ({ message, fields, required }: Form, signal) => {
    const properties = Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [name, { ...field }]),
    );
    const requestedSchema = { type: "object" as const, properties, required: [...required] };
    const { action, content } = await server.elicitInput(
      { message, requestedSchema },
      { signal, timeout: ANSWER_MS },
    );
    switch (action) {
      case "accept":
        return { action, content: content ?? {} };
      case "decline":
      case "cancel":
        return { action };
      default:
        return action satisfies never;
    }
  };
}
