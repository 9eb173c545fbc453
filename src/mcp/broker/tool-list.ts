import { hash } from "node:crypto";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import * as z from "zod/mini";
import { canonicalJson, textAt } from "../../lib/json.ts";
import { shorten } from "../../lib/text.ts";
import type { ServerTool } from "../mcp.ts";
import { stripControls } from "./server-text.ts";
import { readHeaderParams } from "./stateless-fetch.ts";

export const MAX_DESCRIPTION = 2_048;
/** Each request contains all schemas. */
const MAX_SCHEMA_CHARS = 100_000;
const MAX_TOOLS = 1_000;
const MAX_PAGES = 200;
/** The signal ends a request, not the SDK's timer. A longer timer would fire immediately. */
export const NO_TIMEOUT_MS = 2 ** 31 - 1;

export interface ToolList {
  readonly tools: readonly ServerTool[];
  readonly problems: readonly string[];
}

/** Looser than the SDK's schema, which loses all tools if one of them is invalid. */
const Tool = z.looseObject({
  name: z.string().check(z.minLength(1), z.maxLength(256)),
  title: z.optional(z.string()),
  description: z.optional(z.string()),
  inputSchema: z.looseObject({ type: z.literal("object") }),
  annotations: z.optional(z.looseObject({ readOnlyHint: z.optional(z.boolean()) })),
});

/** Lists the tools of a server, each checked on its own: an invalid one is a problem, and the others stay. */
export async function listTools(client: Client, signal: AbortSignal): Promise<ToolList> {
  const items = await listAll(client, "tools", MAX_TOOLS + 1, signal);
  const problems =
    items.length > MAX_TOOLS ? [`offers more than ${MAX_TOOLS} tools; the rest is ignored`] : [];
  const tools = new Map<string, ServerTool>();
  for (const raw of items.slice(0, MAX_TOOLS)) {
    const tool = readTool(raw);
    if (typeof tool === "string") problems.push(tool);
    else if (tools.has(tool.tool))
      problems.push(`offers ${JSON.stringify(tool.tool)} twice; the first counts`);
    else tools.set(tool.tool, tool);
  }
  return { tools: [...tools.values()], problems };
}

/** Reads the pages of a list up to `max` items: a server may send pages without limit. */
export async function listAll(
  client: Client,
  what: "tools" | "resources" | "prompts",
  max: number,
  signal: AbortSignal,
): Promise<readonly unknown[]> {
  if (client.getServerCapabilities()?.[what] === undefined) return [];
  const Page = z.looseObject({ [what]: z.array(z.unknown()), nextCursor: z.optional(z.string()) });
  const items: unknown[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES && items.length < max; page++) {
    const request = { method: `${what}/list`, params: cursor === undefined ? {} : { cursor } };
    const answer = await client.request(request, Page, { signal, timeout: NO_TIMEOUT_MS });
    const found: unknown = answer[what];
    if (Array.isArray(found)) items.push(...found);
    const next = answer["nextCursor"];
    if (typeof next !== "string" || next === cursor) break;
    cursor = next;
  }
  return items.slice(0, max);
}

function readTool(raw: unknown): ServerTool | string {
  const parsed = z.safeParse(Tool, raw);
  if (!parsed.success) {
    const where = parsed.error.issues[0]?.path.join(".") || "entry";
    return `offers ${describeTool(raw)} whose ${where} is not as the protocol says; it is ignored`;
  }
  const { name, title, description = title ?? "", inputSchema, annotations } = parsed.data;
  const schema = canonicalJson(inputSchema);
  if (schema.length > MAX_SCHEMA_CHARS)
    return `offers ${describeTool(raw)} whose schema has ${schema.length} characters; it is ignored`;
  const headers = readHeaderParams(inputSchema);
  if (typeof headers === "string") return `offers ${describeTool(raw)} whose ${headers}; it is ignored`;
  return {
    tool: name,
    description: shorten(stripControls(description), MAX_DESCRIPTION),
    inputSchema,
    digest: hash("sha256", JSON.stringify([name, description, schema])),
    readOnly: annotations?.readOnlyHint === true,
  };
}

function describeTool(raw: unknown): string {
  const name = textAt(raw, "name");
  return name !== null ? `a tool ${JSON.stringify(name.slice(0, 64))}` : "a tool without a name";
}
