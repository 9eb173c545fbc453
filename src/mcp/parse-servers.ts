import * as z from "zod/mini";
import { expandVariables } from "./expand-variables.ts";
import { serverSlug } from "./names.ts";
import type { HttpServer, McpServer, StdioServer } from "./server.ts";

/** Where servers are read from. */
export interface ServersSource {
  /** For sentences. */
  readonly file: string;
  /** What `${VAR}` is filled in from. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What stood in one file. `problems`: one sentence for each entry that cannot be used; the others can. */
export interface ParsedServers {
  readonly servers: readonly McpServer[];
  readonly problems: readonly string[];
}

/** Other programs write more into an entry than we read. */
const Entry = z.looseObject({
  type: z.optional(z.string()),
  command: z.optional(z.string()),
  args: z.optional(z.array(z.string())),
  env: z.optional(z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))),
  url: z.optional(z.string()),
  headers: z.optional(z.record(z.string(), z.string())),
  /** Milliseconds of one call. */
  timeout: z.optional(z.number().check(z.positive())),
  disabled: z.optional(z.boolean()),
  oauth: z.optional(
    z.looseObject({
      clientId: z.optional(z.string()),
      callbackPort: z.optional(z.int().check(z.minimum(1), z.maximum(65_535))),
    }),
  ),
});
type Entry = z.infer<typeof Entry>;

const Entries = z.record(z.string(), z.unknown());

/**
 * The servers of a `.mcp.json`, of settings' `mcpServers` (given as `{ mcpServers }`), or of `--mcp-config`: a value, or
 * its JSON text. Each entry is read on its own: one that is broken is named with its file and leaves the others.
 */
export function parseMcpServers(json: unknown, source: ServersSource): ParsedServers {
  const value = typeof json === "string" ? parsedText(json) : { json };
  if (value === null) return nothing(`${source.file} is not JSON, so none of its MCP servers is started.`);
  const entries = entriesOf(value.json);
  if (entries === null)
    return nothing(`${source.file} has no object "mcpServers", so none of its MCP servers is started.`);
  const servers: McpServer[] = [];
  const problems: string[] = [];
  for (const [name, entry] of Object.entries(entries)) {
    const read = readEntry(name, entry, source);
    if (read === null) continue;
    const twin = typeof read === "string" ? undefined : servers.find(({ slug }) => slug === read.slug);
    if (typeof read === "string") problems.push(read);
    else if (twin === undefined) servers.push(read);
    else problems.push(collision(read, twin));
  }
  return { servers, problems };
}

/**
 * The servers of several files, the weakest first: a later entry of the same name takes an earlier one's place. Two
 * names that come to the same in rules cannot both be used.
 */
export function joinServers(files: readonly ParsedServers[]): ParsedServers {
  const bySlug = new Map<string, McpServer>();
  const problems = files.flatMap((file) => file.problems);
  for (const server of files.flatMap((file) => file.servers)) {
    const twin = bySlug.get(server.slug);
    if (twin !== undefined && twin.name !== server.name) problems.push(collision(server, twin));
    else bySlug.set(server.slug, server);
  }
  return { servers: [...bySlug.values()], problems };
}

function nothing(problem: string): ParsedServers {
  return { servers: [], problems: [problem] };
}

function collision(server: McpServer, twin: McpServer): string {
  return `The MCP server "${server.name}" of ${server.file} is not started: in the names of tools it would be called like "${twin.name}" of ${twin.file} (mcp__${twin.slug}__…). Give one of them another name.`;
}

function parsedText(text: string): { readonly json: unknown } | null {
  try {
    return { json: JSON.parse(text) };
  } catch {
    return null;
  }
}

/** Some people write the servers without the object around them. */
function entriesOf(json: unknown): Readonly<Record<string, unknown>> | null {
  const whole = z.safeParse(Entries, json);
  if (!whole.success) return null;
  const { data } = whole;
  if (Object.hasOwn(data, "mcpServers")) {
    const inner = z.safeParse(Entries, data["mcpServers"]);
    return inner.success ? inner.data : null;
  }
  const bare = Object.values(data).every(
    (entry) => typeof entry === "object" && entry !== null && ("command" in entry || "url" in entry),
  );
  return bare ? data : null;
}

/** The server, why it cannot be used, or null where it is switched off. */
function readEntry(name: string, value: unknown, source: ServersSource): McpServer | string | null {
  const because = (why: string) => `The MCP server "${name}" of ${source.file} is not started: ${why}`;
  const parsed = z.safeParse(Entry, value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where = issue?.path.join(".") || "its entry";
    return because(`${where} is not what it should be (${expected(issue)}).`);
  }
  const entry = parsed.data;
  if (entry.disabled === true) return null;
  const kind = kindOf(entry);
  if (kind.type === "none") return because(kind.why);
  const common = {
    ...{ name, slug: serverSlug(name), file: source.file },
    ...(entry.timeout === undefined ? {} : { callMs: entry.timeout }),
  };
  const fill = new Filling(source.env);
  const server =
    kind.type === "stdio"
      ? stdioServer(common, kind.command, entry, fill)
      : httpServer(common, kind, entry, fill);
  if (fill.unset !== null) {
    const { variable, where } = fill.unset;
    return because(
      `the variable ${variable}, which its ${where} names, is not set. Set it, or write \${${variable}:-default}.`,
    );
  }
  if (server.type !== "stdio" && !isWebAddress(server.url))
    return because(`its url is no address that begins with http:// or https://.`);
  if (server.type === "stdio" && server.command.trim() === "") return because("its command is empty.");
  return server;
}

type Kind =
  | { readonly type: "stdio"; readonly command: string }
  | { readonly type: "http" | "sse"; readonly url: string }
  | { readonly type: "none"; readonly why: string };

function kindOf({ type, command, url }: Entry): Kind {
  switch (type ?? (command === undefined ? "http" : "stdio")) {
    case "stdio":
      if (command !== undefined) return { type: "stdio", command };
      return { type: "none", why: "it has no command." };
    case "http":
    case "streamable-http":
    case "streamableHttp":
      if (url !== undefined) return { type: "http", url };
      return {
        type: "none",
        why: type === undefined ? "it has neither a command nor a url." : "it has no url.",
      };
    case "sse":
      if (url !== undefined) return { type: "sse", url };
      return { type: "none", why: "it has no url." };
    default:
      return {
        type: "none",
        why: `its type is ${JSON.stringify(type)}; there are "stdio", "http" and "sse".`,
      };
  }
}

type Common = Pick<McpServer, "name" | "slug" | "file" | "callMs">;

function stdioServer(common: Common, command: string, entry: Entry, fill: Filling): StdioServer {
  return {
    ...common,
    type: "stdio",
    command: fill.text(command, "command"),
    args: (entry.args ?? []).map((arg) => fill.text(arg, "args")),
    env: fill.values(entry.env ?? {}, "env"),
  };
}

function httpServer(
  common: Common,
  { type, url }: Extract<Kind, { url: string }>,
  { headers = {}, oauth }: Entry,
  fill: Filling,
): HttpServer {
  const { clientId, callbackPort } = oauth ?? {};
  return {
    ...{ ...common, type, url: fill.text(url, "url"), headers: fill.values(headers, "headers") },
    ...(oauth === undefined ? {} : { oauth: { clientId, callbackPort } }),
  };
}

/** Fills in variables and remembers the first that is not set. */
class Filling {
  unset: { readonly variable: string; readonly where: string } | null = null;
  readonly #env: ServersSource["env"];

  constructor(env: ServersSource["env"]) {
    this.#env = env;
  }

  text(text: string, where: string): string {
    const expanded = expandVariables(text, this.#env);
    if (expanded.type === "text") return expanded.text;
    this.unset ??= { variable: expanded.variable, where };
    return "";
  }

  values(values: Readonly<Record<string, unknown>>, where: string): Record<string, string> {
    return Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, this.text(String(value), where)]),
    );
  }
}

function isWebAddress(url: string): boolean {
  return URL.canParse(url) && ["http:", "https:"].includes(new URL(url).protocol);
}

function expected(issue: z.core.$ZodIssue | undefined): string {
  if (issue?.code === "invalid_type") return `expected ${issue.expected}`;
  return issue?.code === "too_small" ? "too small" : "of another kind";
}
