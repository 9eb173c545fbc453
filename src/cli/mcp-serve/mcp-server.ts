import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CallToolRequestSchema,
  type CallToolResult,
  ListToolsRequestSchema,
  RootsListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod/mini";
import { errorMessage } from "../../lib/errors.ts";
import { nearName } from "../../lib/near-name.ts";
import { inputErrors } from "../../tools/bind-tool.ts";
import { quoted } from "../exit-codes.ts";
import type { Form, ShowForm } from "./elicit-user.ts";
import { StatelessServing } from "./stateless-serving.ts";

/** The user may be away; a question without an answer in this time counts as no. */
const ANSWER_MS = 60 * 60 * 1000;

/** A session starts without the roots of a client that takes longer. */
const ROOTS_MS = 5_000;

/** One call of a client. */
export interface ServedCall {
  /** Aborted when the client cancels the call. */
  readonly signal: AbortSignal;
  /** Reports progress to the client; null if it did not ask for that. `count` must grow. */
  readonly progress: ((count: number, text: string) => void) | null;
}

/** The result of a call: `texts` for a model, and the same as data for a program. */
export interface ServedResult<Data extends object = object> {
  /** One block of text each. */
  readonly texts: readonly string[];
  readonly data: Data;
  /** True if nothing in it is of use. */
  readonly isError?: boolean;
}

export interface Hints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint: boolean;
}

export interface ServedToolDefinition<Input, Data extends object> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodMiniType<Input>;
  readonly output: z.ZodMiniType<Data>;
  readonly hints: Hints;
  /** Throws a sentence. */
  run(input: Input, call: ServedCall): Promise<ServedResult<Data>>;
}

/** A tool with its input type closed over. */
export interface ServedTool {
  readonly name: string;
  list(): {
    readonly name: string;
    readonly title: string;
    readonly description: string;
    readonly inputSchema: ObjectSchema;
    readonly outputSchema: ObjectSchema;
    readonly annotations: Hints & { readonly title: string };
  };
  /** Never rejects. */
  call(input: unknown, call: ServedCall): Promise<CallToolResult>;
}

type ObjectSchema = { readonly type: "object"; readonly [keyword: string]: unknown };

export function serveTool<Input, Data extends object>(tool: ServedToolDefinition<Input, Data>): ServedTool {
  const { name, title, description, hints } = tool;
  return {
    name,
    list: () => ({
      ...{ name, title, description, annotations: { title, ...hints } },
      inputSchema: toJsonSchema(tool.input),
      outputSchema: toJsonSchema(tool.output),
    }),
    async call(raw, call) {
      const input = z.safeParse(tool.input, raw ?? {}, { reportInput: true });
      if (!input.success) return errorResult(inputErrors(name, input.error));
      try {
        const { texts, data, isError = false } = await tool.run(input.data, call);
        return {
          content: texts.map((text) => ({ type: "text" as const, text })),
          structuredContent: Object.fromEntries(Object.entries(data)),
          ...(isError ? { isError } : {}),
        };
      } catch (error) {
        return errorResult(errorMessage(error));
      }
    },
  };
}

/** In the draft that the validators of most clients know, and open to what a later version adds to an answer. */
function toJsonSchema(schema: z.core.$ZodType): ObjectSchema {
  const { $schema: _, ...made } = z.toJSONSchema(schema, {
    ...{ target: "draft-7", io: "input", unrepresentable: "any" },
  });
  return { ...made, type: "object" };
}

function errorResult(text: string): CallToolResult {
  return { content: [{ type: "text", text }], isError: true };
}

export interface McpServerParts {
  readonly version: string;
  readonly instructions: string;
  readonly tools: readonly ServedTool[];
  onProblem(error: Error): void;
}

/** One client's connection. */
export type McpConnection = ReturnType<typeof mcpServer>;

/** Creates the protocol's side of `troupe mcp serve`: a list of tools, their calls, forms as elicitation. */
export function mcpServer({ version, instructions, tools, onProblem }: McpServerParts) {
  // The lower of the SDK's two servers: errors in a call are explained in our words.
  const server = new Server(
    { name: "troupe", title: "Troupe", version },
    { capabilities: { tools: {} }, instructions },
  );
  const open = new Set<Promise<unknown>>();
  server.onerror = onProblem;
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools.map((tool) => tool.list()) }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }, { signal, _meta, sendNotification }) => {
    const progressToken = _meta?.progressToken;
    const notify: ServedCall["progress"] = (progress, message) => {
      const note = { progressToken: progressToken ?? 0, progress, message };
      // A client that is gone needs no progress.
      sendNotification({ method: "notifications/progress", params: note }).catch(() => {});
    };
    const call = { signal, progress: progressToken === undefined ? null : notify };
    const tool = tools.find((one) => one.name === params.name);
    const answer = tool?.call(params.arguments, call) ?? Promise.resolve(unknownTool(params.name, tools));
    open.add(answer);
    return answer.finally(() => open.delete(answer));
  });
  return {
    connect: (transport: Transport) => server.connect(new StatelessServing(transport)),
    /** The client's own name; empty before it has given one. */
    clientName: () => server.getClientVersion()?.name ?? "",
    /** The URIs of its roots; empty if it has none. Rejects if it does not say. */
    async roots(): Promise<readonly string[]> {
      if (server.getClientCapabilities()?.roots === undefined) return [];
      const { roots } = await server.listRoots({}, { timeout: ROOTS_MS });
      return roots.map(({ uri }) => uri);
    },
    /** Calls back each time the client says that its roots have changed. */
    onRootsChanged: (listener: () => void) =>
      server.setNotificationHandler(RootsListChangedNotificationSchema, listener),
    /** Shows a form to the user; null if the client cannot. */
    form: () => (server.getClientCapabilities()?.elicitation?.form === undefined ? null : showForm(server)),
    /** Resolves when every call has its answer. */
    async settled() {
      await Promise.all(open);
      // The SDK sends an answer one turn of the event loop after its handler returns it.
      await new Promise((resolve) => setImmediate(resolve));
    },
    close: () => server.close(),
  };
}

function unknownTool(name: string, tools: readonly ServedTool[]): CallToolResult {
  const names = tools.map((one) => one.name);
  const guess = nearName(name, names);
  const known = names.length === 0 ? "this server offers none" : `there are ${names.join(", ")}`;
  return errorResult(
    `There is no tool ${quoted(name)}${guess ? ` (did you mean ${guess}?)` : ""}; ${known}.`,
  );
}

function showForm(server: Server): ShowForm {
  return async ({ message, fields, required }: Form, signal) => {
    const properties = Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [name, { ...field }]),
    );
    const requestedSchema = { type: "object" as const, properties, required: [...required] };
    const options = { signal, timeout: ANSWER_MS };
    const { action, content = {} } = await server.elicitInput({ message, requestedSchema }, options);
    return action === "accept" ? { action, content } : { action };
  };
}
