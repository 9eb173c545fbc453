import { basename } from "node:path";
import { textsIn } from "../../lib/json.ts";
import type { Leaf } from "../../settings/leaves.ts";
import type { ReadSettings } from "../../settings/read-settings.ts";
import { schema } from "../../settings/schema.ts";

/** What people's other tools keep of the servers of a `.mcp.json` that were not wanted; approvals there count for nothing. */
const UNWANTED = "disabledMcpjsonServers";

export const NOT_TRUSTED = "this folder is not trusted; --trust starts it for this time";
export const SWITCHED_OFF = `settings switch it off (${UNWANTED})`;
const STRICT = "--strict-mcp-config leaves it out";

/** The MCP servers among the values of settings, without those that somebody has switched off. */
export function serverLeaves(leaves: readonly Leaf[]): readonly Leaf[] {
  const unwanted = new Set(
    leaves.filter(({ path }) => path[0] === UNWANTED).flatMap(({ value }) => textsIn(value)),
  );
  return leaves.filter(
    ({ setting, path, file }) =>
      setting === schema.mcpServers && !(basename(file) === ".mcp.json" && unwanted.has(path.at(-1) ?? "")),
  );
}

/** Servers that files name and that are not started, by name, each with the reason. */
export function leftOutServers(
  { leaves, granted }: Pick<ReadSettings, "leaves" | "granted">,
  strict: boolean,
): Readonly<Record<string, string>> {
  const known = new Set(leaves);
  const started = new Set(strict ? [] : serverLeaves(leaves).map(nameOf));
  const all = [...granted.filter((leaf) => !known.has(leaf)), ...leaves];
  return Object.fromEntries(
    all.flatMap((leaf) => {
      if (leaf.setting !== schema.mcpServers || started.has(nameOf(leaf))) return [];
      if (strict) return [[nameOf(leaf), STRICT]];
      return [[nameOf(leaf), known.has(leaf) ? SWITCHED_OFF : NOT_TRUSTED]];
    }),
  );
}

function nameOf({ path }: Leaf): string {
  return path.at(-1) ?? "";
}
