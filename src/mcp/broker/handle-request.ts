import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import * as z from "zod/mini";
import type { Picture } from "../../mailbox/conversation.ts";
import { type McpRequest, type Outcome, type Progress, PromptSaid, ResourceSaid } from "../protocol.ts";
import { boundedResult } from "./bounded-result.ts";
import { NO_TIMEOUT_MS, pagesOf } from "./pages.ts";
import { MAX_IMAGES_CHARS, piecesOf, RawResult, resourcePiece } from "./result-content.ts";
import { printable } from "./tail-text.ts";

export interface CarryOutParts {
  readonly client: Client;
  readonly resultChars: number;
  readonly signal: AbortSignal;
  onProgress(said: Progress): void;
}

const MAX_LISTED = 1_000;
const MAX_PROMPT_CHARS = 200_000;
const MAX_PROMPT_MESSAGES = 200;

type Carried = Exclude<McpRequest, { type: "sign-in" | "sign-out" }>;

/** Asks the server, and makes of its answer what a session can use. Rejects with what the SDK rejects with. */
export async function handleRequest(wish: Carried, parts: CarryOutParts): Promise<Outcome> {
  const { client, signal } = parts;
  const capabilities = client.getServerCapabilities();
  switch (wish.type) {
    case "call":
      return callTool(wish, parts);
    case "list-resources": {
      if (capabilities?.resources === undefined) return { type: "resources", resources: [] };
      const { items } = await pagesOf(client, "resources/list", "resources", MAX_LISTED, signal);
      return { type: "resources", resources: items.flatMap(readAs(ResourceSaid)) };
    }
    case "read-resource":
      return readResource(wish, parts);
    case "list-prompts": {
      if (capabilities?.prompts === undefined) return { type: "prompts", prompts: [] };
      const { items } = await pagesOf(client, "prompts/list", "prompts", MAX_LISTED, signal);
      return { type: "prompts", prompts: items.map(withArguments).flatMap(readAs(PromptSaid)) };
    }
    case "get-prompt":
      return getPrompt(wish, parts);
    default:
      return wish satisfies never;
  }
}

async function callTool(
  { tool, input, output }: Extract<McpRequest, { type: "call" }>,
  { client, resultChars, signal, onProgress }: CarryOutParts,
): Promise<Outcome> {
  const request = { method: "tools/call", params: { name: tool, arguments: input } };
  const options = { signal, timeout: NO_TIMEOUT_MS, onprogress: onProgress };
  const raw = await client.request(request, RawResult, options);
  const content = boundedResult(piecesOf(raw), resultChars, output);
  return { type: "result", result: { content, isError: raw.isError === true } };
}

async function readResource(
  { uri, output }: Extract<McpRequest, { type: "read-resource" }>,
  { client, resultChars, signal }: CarryOutParts,
): Promise<Outcome> {
  const Contents = z.looseObject({ contents: z.array(z.unknown()) });
  const request = { method: "resources/read", params: { uri } };
  const { contents } = await client.request(request, Contents, { signal, timeout: NO_TIMEOUT_MS });
  const content = boundedResult(contents.map(resourcePiece), resultChars, output);
  return { type: "result", result: { content, isError: false } };
}

const Messages = z.looseObject({
  messages: z.array(z.looseObject({ role: z.enum(["user", "assistant"]), content: z.unknown() })),
});

async function getPrompt(
  { name, arguments: given }: Extract<McpRequest, { type: "get-prompt" }>,
  { client, signal }: CarryOutParts,
): Promise<Outcome> {
  const request = { method: "prompts/get", params: { name, arguments: given } };
  const { messages } = await client.request(request, Messages, { signal, timeout: NO_TIMEOUT_MS });
  const said = messages.map(({ role, content }) => ({ role, ...promptContent(content) }));
  const chars = said.reduce((sum, { text }) => sum + text.length, 0);
  const shown = said.flatMap(({ pictures }) => pictures);
  const why =
    said.length > MAX_PROMPT_MESSAGES
      ? `more than ${MAX_PROMPT_MESSAGES} messages`
      : chars > MAX_PROMPT_CHARS
        ? `more than ${MAX_PROMPT_CHARS} characters`
        : shown.reduce((sum, { source }) => sum + source.data.length, 0) > MAX_IMAGES_CHARS
          ? "pictures that are too large together"
          : null;
  if (why === null) return { type: "prompt", messages: said };
  return { type: "failed", message: `The prompt ${name} of the MCP server is not used: it has ${why}.` };
}

function promptContent(content: unknown): { readonly text: string; readonly pictures: Picture[] } {
  const pieces = piecesOf({ content: Array.isArray(content) ? content : [content] });
  return {
    text: pieces.flatMap((piece) => (piece.type === "text" ? [piece.text] : [])).join("\n"),
    pictures: pieces.flatMap((piece) => (piece.type === "image" ? [piece.block] : [])),
  };
}

/** `required` may be left out, and so may all arguments. */
function withArguments(raw: unknown): unknown {
  if (typeof raw !== "object" || raw === null) return raw;
  const given: unknown = "arguments" in raw ? raw.arguments : [];
  const list = (Array.isArray(given) ? given : []).map((one: unknown) =>
    typeof one === "object" && one !== null ? { required: false, ...one } : one,
  );
  return { ...raw, arguments: list };
}

/** One entry that is broken leaves the others. */
function readAs<Value>(schema: z.ZodMiniType<Value>): (raw: unknown) => Value[] {
  return (raw) => {
    const parsed = z.safeParse(schema, cleaned(raw));
    return parsed.success ? [parsed.data] : [];
  };
}

function cleaned(raw: unknown): unknown {
  if (typeof raw !== "object" || raw === null) return raw;
  return Object.fromEntries(
    Object.entries(raw).map(([key, value]) => [
      key,
      typeof value === "string" ? printable(value).slice(0, 4_096) : value,
    ]),
  );
}
