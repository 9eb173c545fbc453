import * as z from "zod/mini";
import { parseJson } from "../lib/json.ts";
import { serverSlug } from "./names.ts";
import type { McpServer } from "./server.ts";

export interface ServersSource {
  readonly file: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** `problems`: one sentence for each entry that cannot be used; the others can. */
export interface ParsedServers {
  readonly servers: readonly McpServer[];
  readonly problems: readonly string[];
}

/** Other programs write more into an entry than Troupe reads. */
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

/** Reads `{ mcpServers }`, or its JSON text. An invalid entry is a problem that names its file; the others stay. */
export function parseMcpServers(json: unknown, { file, env }: ServersSource): ParsedServers {
  const value = typeof json === "string" ? parseJson(json) : json;
  const entries = findEntries(value);
  if (entries === null) {
    const why = value === undefined ? "is not JSON" : 'has no object "mcpServers"';
    return { servers: [], problems: [`${file} ${why}, so none of its MCP servers is started.`] };
  }
  return joinServers(
    Object.entries(entries).map(([name, entry]): ParsedServers => {
      try {
        const server = readEntry(name, entry, { file, env });
        return { servers: server === null ? [] : [server], problems: [] };
      } catch (error) {
        if (!(error instanceof EntryError)) throw error;
        const problem = `The MCP server "${name}" of ${file} is not started: ${error.message}`;
        return { servers: [], problems: [problem] };
      }
    }),
  );
}

/** Joins files, the weakest first. Two names that are the same in rules cannot both be used. */
export function joinServers(files: readonly ParsedServers[]): ParsedServers {
  const bySlug = new Map<string, McpServer>();
  const problems = files.flatMap((file) => file.problems);
  for (const server of files.flatMap((file) => file.servers)) {
    const twin = bySlug.get(server.slug);
    if (twin === undefined || twin.name === server.name) bySlug.set(server.slug, server);
    else
      problems.push(
        `The MCP server "${server.name}" of ${server.file} is not started: its tools would have the names of those of "${twin.name}" of ${twin.file} (mcp__${twin.slug}__…). Rename one of them.`,
      );
  }
  return { servers: [...bySlug.values()], problems };
}

class EntryError extends Error {}

/** Some people write the servers without the object around them. */
function findEntries(json: unknown): Readonly<Record<string, unknown>> | null {
  const { data } = z.safeParse(Entries, json);
  if (data === undefined) return null;
  if (Object.hasOwn(data, "mcpServers")) return z.safeParse(Entries, data["mcpServers"]).data ?? null;
  const isBare = Object.values(data).every(
    (entry) => typeof entry === "object" && entry !== null && ("command" in entry || "url" in entry),
  );
  return isBare ? data : null;
}

/** Returns null for a disabled server. Throws an EntryError. */
function readEntry(name: string, value: unknown, { file, env }: ServersSource): McpServer | null {
  const parsed = z.safeParse(Entry, value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where = issue?.path.join(".") || "its entry";
    throw new EntryError(`${where} is invalid (${describeIssue(issue)}).`);
  }
  const entry = parsed.data;
  if (entry.disabled === true) return null;
  const common = {
    ...{ name, slug: serverSlug(name), file },
    ...(entry.timeout === undefined ? {} : { callMs: entry.timeout }),
  };
  const expand = (text: string, where: string): string => {
    const expanded = expandVariables(text, env);
    if (expanded.type === "text") return expanded.text;
    const { variable } = expanded;
    throw new EntryError(
      `the variable ${variable}, which its ${where} names, is not set. Set it, or write \${${variable}:-default}.`,
    );
  };
  const expandAll = (values: Readonly<Record<string, unknown>>, where: string) =>
    Object.fromEntries(Object.entries(values).map(([key, one]) => [key, expand(String(one), where)]));
  const { args = [], env: variables = {}, headers = {}, oauth } = entry;
  const type = transportOf(entry);
  if (type === "stdio") {
    const command = expand(required(entry, "command"), "command");
    if (command.trim() === "") throw new EntryError("its command is empty.");
    return {
      ...{ ...common, type, command },
      args: args.map((arg) => expand(arg, "args")),
      env: expandAll(variables, "env"),
    };
  }
  const url = expand(required(entry, "url"), "url");
  if (!URL.canParse(url) || !["http:", "https:"].includes(new URL(url).protocol))
    throw new EntryError("its url does not begin with http:// or https://.");
  return {
    ...{ ...common, type, url, headers: expandAll(headers, "headers") },
    ...(oauth === undefined ? {} : { oauth: { clientId: oauth.clientId, callbackPort: oauth.callbackPort } }),
  };
}

function transportOf({ type, command, url }: Entry): McpServer["type"] {
  switch (type) {
    case undefined:
      if (command === undefined && url === undefined)
        throw new EntryError("it has neither a command nor a url.");
      return command === undefined ? "http" : "stdio";
    case "stdio":
    case "sse":
      return type;
    case "http":
    case "streamable-http":
    case "streamableHttp":
      return "http";
    default:
      throw new EntryError(`its type is ${JSON.stringify(type)}; use "stdio", "http" or "sse".`);
  }
}

function required(entry: Entry, key: "command" | "url"): string {
  const value = entry[key];
  if (value === undefined) throw new EntryError(`it has no ${key}.`);
  return value;
}

function describeIssue(issue: z.core.$ZodIssue | undefined): string {
  if (issue?.code === "invalid_type") return `expected ${issue.expected}`;
  return issue?.code === "too_small" ? "too small" : "another type was expected";
}

type Expanded =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "unset"; readonly variable: string };

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/** Returns the variables that a text names without a default. */
export function variablesIn(text: string): readonly string[] {
  const found = [...text.matchAll(VARIABLE)].flatMap(([, name = "", fallback]) =>
    fallback === undefined ? [name] : [],
  );
  return [...new Set(found)];
}

/** Fills in `${VAR}` and `${VAR:-default}`, as a shell does. Other text is unchanged, also `$VAR`. */
export function expandVariables(text: string, env: Readonly<Record<string, string | undefined>>): Expanded {
  let unset: string | null = null;
  const filled = text.replace(VARIABLE, (_, name: string, fallback: string | undefined) => {
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    if (fallback !== undefined) return value === undefined || value === "" ? fallback : value;
    if (value === undefined) unset ??= name;
    return value ?? "";
  });
  return unset === null ? { type: "text", text: filled } : { type: "unset", variable: unset };
}
