import { join } from "node:path";
import { readRegularFile } from "../lib/files.ts";
import { isObject, type JsonObject, parseJson, valueAt } from "../lib/json.ts";
import { printable } from "../lib/text.ts";
import type { Leaf } from "./leaves.ts";
import type { SettingsPath, SettingsRoots } from "./paths.ts";
import { schema } from "./schema.ts";
import type { SettingsFile } from "./settings-file.ts";
import { parseSettings } from "./settings-text.ts";

/** Other tools keep much else in `~/.claude.json`, so it can be long. */
const MAX_BYTES = 16 * 1_048_576;

/**
 * Reads the MCP servers that are in no settings file, the weaker first: the user's for every directory
 * (`~/.claude.json`, where other tools keep them), the project's (`.mcp.json`), the user's for this directory. Nothing
 * else in these files counts. Never rejects.
 */
export async function readServerFiles({
  claudeFile,
  root,
}: Pick<SettingsRoots, "claudeFile" | "root">): Promise<readonly SettingsFile[]> {
  const user = { scope: "user", file: claudeFile } as const;
  const own = readUserServers(user.file);
  return [
    serverFile(user, valueAt(own, ["mcpServers"])),
    await readProjectServers(projectServers(root)),
    serverFile(user, valueAt(own, ["projects", root, "mcpServers"])),
  ];
}

/** Returns the file in which a project names servers for everyone who works on it. */
export function projectServers(root: string): SettingsPath {
  return { scope: "project", file: join(root, ".mcp.json") };
}

/** Problems of this file are for the tool that writes it to report. */
function readUserServers(file: string): unknown {
  const read = readRegularFile(file, MAX_BYTES);
  const text = read.type === "read" ? read.bytes.toString() : "";
  // Not worth parsing without a server.
  return /"mcpServers"\s*:\s*\{\s*"/.test(text) ? parseJson(text) : undefined;
}

async function readProjectServers(from: SettingsPath): Promise<SettingsFile> {
  const nothing = (why: string) =>
    serverFile(from, {}, [`${from.file} ${why}; correct it, until then none of its MCP servers is started.`]);
  const read = readRegularFile(from.file);
  if (read.type === "absent") return serverFile(from, {});
  if (read.type === "unreadable") return nothing(read.problem);
  const parsed = await parseSettings(read.bytes.toString());
  if (parsed.type === "broken") return nothing(`has an error: ${parsed.problem}`);
  const servers = serversIn(parsed.value);
  if (servers === null) return nothing('has no object "mcpServers"');
  const odd = Object.keys(servers).filter((name) => !isObject(servers[name]));
  const warnings = odd.map(
    (name) => `${from.file}: the MCP server ${printable(name)} must be an object; it is not started.`,
  );
  return serverFile(from, servers, warnings);
}

/** Some users write the servers without the object around them. */
function serversIn(value: JsonObject): JsonObject | null {
  if (Object.hasOwn(value, "mcpServers")) return isObject(value["mcpServers"]) ? value["mcpServers"] : null;
  const isServer = (entry: unknown) =>
    isObject(entry) && (Object.hasOwn(entry, "command") || Object.hasOwn(entry, "url"));
  return Object.values(value).every(isServer) ? value : null;
}

function serverFile(from: SettingsPath, servers: unknown, warnings: readonly string[] = []): SettingsFile {
  const setting = schema.mcpServers;
  const leaves = Object.entries(isObject(servers) ? servers : {}).flatMap(([name, value]): Leaf[] =>
    isObject(value) ? [{ ...from, path: [...setting.path, name], value, setting }] : [],
  );
  const own = { ...from, leaves, warnings, cautious: false, identity: null };
  return warnings.length > 0 ? { ...own, faulty: true } : own;
}
