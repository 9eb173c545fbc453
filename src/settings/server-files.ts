import { join } from "node:path";
import { catalogue } from "./catalogue.ts";
import { isObject, type JsonObject, parsedJson, valueAt } from "./json.ts";
import type { Leaf } from "./leaves.ts";
import type { SettingsPlace } from "./places.ts";
import { readBounded } from "./read-bounded.ts";
import type { SettingsFile } from "./settings-file.ts";
import { readSettingsText } from "./settings-text.ts";
import { shown } from "./shown.ts";

/** It holds much else that other tools keep in mind, so it can be long. */
const MOST_BYTES = 16 * 1_048_576;
/** Not worth taking apart without this. */
const SOME_SERVER = /"mcpServers"\s*:\s*\{\s*"/;

/**
 * MCP servers that stand in no settings file, the weaker first: those that people have for every folder and for this
 * one (`~/.claude.json`, where their other tools keep them), and the project's (`.mcp.json`). Of these files nothing
 * else counts. Never rejects.
 */
export async function readServerFiles({
  homedir,
  root,
}: {
  readonly homedir: string;
  readonly root: string;
}): Promise<readonly SettingsFile[]> {
  const own = { scope: "user", file: join(homedir, ".claude.json") } as const;
  const [ofPerson, ofProject] = [readOwn(own), await readProject(projectServers(root))];
  const inAll = serversIn(valueAt(ofPerson, ["mcpServers"]), own);
  const inThis = serversIn(valueAt(ofPerson, ["projects", root, "mcpServers"]), own);
  return [fileOf(own, inAll), ofProject, fileOf(own, inThis)];
}

/** The file in which a project names servers for everybody who works on it. */
export function projectServers(root: string): SettingsPlace {
  return { scope: "project", file: join(root, ".mcp.json") };
}

/** What is wrong with it is for the tool that writes it to say. */
function readOwn({ file }: SettingsPlace): unknown {
  const read = readBounded(file, MOST_BYTES);
  return read.type === "text" && SOME_SERVER.test(read.text) ? parsedJson(read.text) : undefined;
}

async function readProject(place: SettingsPlace): Promise<SettingsFile> {
  const nothing = (why: string) =>
    fileOf(place, [], [`${place.file} ${why}; correct it, until then none of its MCP servers is started.`]);
  const read = readBounded(place.file);
  if (read.type === "absent") return fileOf(place, []);
  if (read.type === "unreadable") return nothing(read.problem);
  const text = await readSettingsText(read.text);
  if (text.type === "broken") return nothing(`has something wrong in it: ${text.problem}`);
  const entries = entriesIn(text.value);
  if (entries === null) return nothing('has no object "mcpServers"');
  const odd = Object.keys(entries).filter((name) => !isObject(entries[name]));
  const warnings = odd.map(
    (name) => `${place.file}: the MCP server ${shown(name)} must be an object; it is not started.`,
  );
  return fileOf(place, serversIn(entries, place), warnings);
}

/** Some people write the servers without the object around them. */
function entriesIn(value: JsonObject): JsonObject | null {
  if (Object.hasOwn(value, "mcpServers")) {
    const inner = value["mcpServers"];
    return isObject(inner) ? inner : null;
  }
  const bare = Object.values(value).every(
    (entry) => isObject(entry) && (Object.hasOwn(entry, "command") || Object.hasOwn(entry, "url")),
  );
  return bare ? value : null;
}

function serversIn(entries: unknown, place: SettingsPlace): Leaf[] {
  const setting = catalogue.mcpServers;
  if (!isObject(entries)) return [];
  return Object.entries(entries).flatMap(([name, value]) =>
    isObject(value) ? [{ ...place, path: [...setting.path, name], value, setting }] : [],
  );
}

function fileOf(
  place: SettingsPlace,
  leaves: readonly Leaf[],
  warnings: readonly string[] = [],
): SettingsFile {
  return { ...place, leaves, warnings, cautious: false, identity: null };
}
