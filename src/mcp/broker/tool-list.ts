import { createHash } from "node:crypto";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import * as z from "zod/mini";
import type { ToolSaid } from "../protocol.ts";
import { pagesOf } from "./pages.ts";
import { printable } from "./tail-text.ts";

/** What a model reads of one tool. */
export const MAX_DESCRIPTION = 2_048;
/** All schemas are in every request. */
const MAX_SCHEMA_CHARS = 100_000;
export const MAX_TOOLS = 1_000;

export interface ToolList {
  readonly tools: readonly ToolSaid[];
  /** Half sentences that follow the server's name. */
  readonly problems: readonly string[];
}

/** Read loosely: the SDK's own reading loses all tools where one of them is broken. */
const Tool = z.looseObject({
  name: z.string().check(z.minLength(1), z.maxLength(256)),
  title: z.optional(z.string()),
  description: z.optional(z.string()),
  inputSchema: z.looseObject({ type: z.literal("object") }),
  annotations: z.optional(z.looseObject({ readOnlyHint: z.optional(z.boolean()) })),
});

/** All tools of a server, each checked on its own: one that is broken is named and leaves the others. */
export async function listTools(client: Client, signal: AbortSignal): Promise<ToolList> {
  if (client.getServerCapabilities()?.tools === undefined) return { tools: [], problems: [] };
  const said = await pagesOf(client, "tools/list", "tools", MAX_TOOLS, signal);
  const problems: string[] = said.more ? [`offers more than ${MAX_TOOLS} tools; the rest is left out`] : [];
  const tools = new Map<string, ToolSaid>();
  for (const raw of said.items) {
    const tool = readTool(raw);
    if (typeof tool === "string") problems.push(tool);
    else if (tools.has(tool.tool))
      problems.push(`offers ${JSON.stringify(tool.tool)} twice; the first counts`);
    else tools.set(tool.tool, tool);
  }
  return { tools: [...tools.values()], problems };
}

function readTool(raw: unknown): ToolSaid | string {
  const parsed = z.safeParse(Tool, raw);
  if (!parsed.success) {
    const where = parsed.error.issues[0]?.path.join(".") ?? "";
    return `offers ${calledLike(raw)} whose ${where || "entry"} is not as the protocol says; it is left out`;
  }
  const { name, title, description = title ?? "", inputSchema, annotations } = parsed.data;
  const schema = canonical(inputSchema);
  if (schema.length > MAX_SCHEMA_CHARS)
    return `offers ${calledLike(raw)} whose schema has ${schema.length} characters; it is left out`;
  return {
    tool: name,
    description: shortened(printable(description)),
    inputSchema,
    digest: createHash("sha256")
      .update(JSON.stringify([name, description, schema]))
      .digest("hex"),
    readOnly: annotations?.readOnlyHint === true,
  };
}

function calledLike(raw: unknown): string {
  const name = typeof raw === "object" && raw !== null && "name" in raw ? raw.name : null;
  return typeof name === "string" ? `a tool ${JSON.stringify(name.slice(0, 64))}` : "a tool without a name";
}

/** The server chose its length; the model pays for it in every request. */
export function shortened(text: string): string {
  if (text.length <= MAX_DESCRIPTION) return text;
  return `${text.slice(0, MAX_DESCRIPTION - 1).toWellFormed()}…`;
}

/** The same text for the same schema, whatever the order of its keys. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : inner,
  );
}
