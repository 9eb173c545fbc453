import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { PromptSchema, ResourceSchema } from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod/mini";
import type { CallResult } from "../../mailbox/messages.ts";
import type { OfferedPrompt, PromptMessage, ServerResource, ToolProgress } from "../mcp.ts";
import {
  boundResult,
  imagesIn,
  joinTexts,
  MAX_IMAGES_CHARS,
  readContent,
  resourceBlock,
} from "./result-content.ts";
import { stripControls } from "./server-text.ts";
import { listAll, NO_TIMEOUT_MS } from "./tool-list.ts";

export interface RequestParts {
  readonly client: Client;
  readonly signal: AbortSignal;
  readonly resultChars: number;
  onProgress(progress: ToolProgress): void;
}

const MAX_LISTED = 1_000;
const MAX_PROGRESS_CHARS = 500;
const MAX_FIELD_CHARS = 4_096;
const MAX_PROMPT_CHARS = 200_000;
const MAX_PROMPT_MESSAGES = 200;

/** Looser than the SDK's schema, so that one invalid part does not lose the result. */
const ToolResult = z.looseObject({
  content: z.optional(z.array(z.unknown())),
  structuredContent: z.optional(z.unknown()),
  isError: z.optional(z.boolean()),
});

export async function callTool(
  tool: string,
  input: Readonly<Record<string, unknown>>,
  output: string | null,
  { client, signal, resultChars, onProgress }: RequestParts,
): Promise<CallResult> {
  const request = { method: "tools/call", params: { name: tool, arguments: { ...input } } };
  const options = {
    ...{ signal, timeout: NO_TIMEOUT_MS },
    onprogress: ({ progress, total, message }: ToolProgress) =>
      onProgress({ progress, total, message: message?.slice(0, MAX_PROGRESS_CHARS) }),
  };
  const raw = await client.request(request, ToolResult, options);
  return { content: boundResult(readContent(raw), resultChars, output), isError: raw.isError === true };
}

export async function readResource(
  uri: string,
  output: string | null,
  { client, signal, resultChars }: RequestParts,
): Promise<CallResult> {
  const { contents } = await client.readResource({ uri }, { signal, timeout: NO_TIMEOUT_MS });
  return { content: boundResult(contents.map(resourceBlock), resultChars, output), isError: false };
}

export async function listResources({ client, signal }: RequestParts): Promise<readonly ServerResource[]> {
  const items = await listAll(client, "resources", MAX_LISTED, signal);
  return items.flatMap((item) => {
    const { data } = ResourceSchema.safeParse(item);
    if (data === undefined) return [];
    const { uri, name, description, mimeType } = data;
    return [{ uri, name: clean(name), ...optional({ description, mimeType }) }];
  });
}

export async function listPrompts({ client, signal }: RequestParts): Promise<readonly OfferedPrompt[]> {
  const items = await listAll(client, "prompts", MAX_LISTED, signal);
  return items.flatMap((item) => {
    const { data } = PromptSchema.safeParse(item);
    if (data === undefined) return [];
    const { name, description, arguments: args = [] } = data;
    return [
      {
        ...{ name: clean(name), ...optional({ description }) },
        arguments: args.map(({ required = false, ...arg }) => ({
          ...{ name: arg.name, required, ...optional({ description: arg.description }) },
        })),
      },
    ];
  });
}

export async function getPrompt(
  name: string,
  args: Readonly<Record<string, string>>,
  { client, signal }: RequestParts,
): Promise<readonly PromptMessage[]> {
  const options = { signal, timeout: NO_TIMEOUT_MS };
  const { messages } = await client.getPrompt({ name, arguments: { ...args } }, options);
  const read = messages.map(({ role, content }) => {
    const blocks = readContent({ content: [content] });
    return { role, text: joinTexts(blocks), pictures: imagesIn(blocks) };
  });
  const chars = read.reduce((sum, message) => sum + message.text.length, 0);
  const images = read.flatMap(({ pictures }) => pictures);
  const imageChars = images.reduce((sum, { source }) => sum + source.data.length, 0);
  const tooMuch =
    (read.length > MAX_PROMPT_MESSAGES && `more than ${MAX_PROMPT_MESSAGES} messages`) ||
    (chars > MAX_PROMPT_CHARS && `more than ${MAX_PROMPT_CHARS} characters`) ||
    (imageChars > MAX_IMAGES_CHARS && "images that are too large together");
  if (tooMuch)
    throw new RefusedPromptError(`The prompt ${name} of the MCP server is not used: it has ${tooMuch}.`);
  return read;
}

export class RefusedPromptError extends Error {}

function clean(text: string): string {
  return stripControls(text).slice(0, MAX_FIELD_CHARS);
}

function optional<Key extends string>(fields: Readonly<Record<Key, string | undefined>>) {
  const entries = Object.entries<string | undefined>(fields);
  const given = entries.flatMap(([key, value]) => (value === undefined ? [] : [[key, clean(value)]]));
  return Object.fromEntries(given) as Partial<Record<Key, string>>;
}
