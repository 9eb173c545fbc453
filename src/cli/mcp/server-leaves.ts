import { basename } from "node:path";
import { textsIn } from "../../lib/json.ts";
import type { Leaf } from "../../settings/leaves.ts";
import type { ReadSettings } from "../../settings/read-settings.ts";
import { schema } from "../../settings/schema.ts";

/** Other tools list here the servers of a `.mcp.json` that the user rejected; their approvals are ignored. */
const REJECTED = "disabledMcpjsonServers";

export const NOT_TRUSTED = "this directory is not trusted; --trust starts it this time";
export const DISABLED = `settings disable it (${REJECTED})`;
const STRICT = "--strict-mcp-config leaves it out";

/** Returns the MCP servers among the values of settings, without those that the user disabled. */
export function serverLeaves(leaves: readonly Leaf[]): readonly Leaf[] {
  const rejected = new Set(
    leaves.filter(({ path }) => path[0] === REJECTED).flatMap(({ value }) => textsIn(value)),
  );
  return leaves.filter(
    ({ setting, path, file }) =>
      setting === schema.mcpServers && !(basename(file) === ".mcp.json" && rejected.has(path.at(-1) ?? "")),
  );
}

/** Returns the servers of files that are not started, by name, each with the reason. */
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
      return [[nameOf(leaf), known.has(leaf) ? DISABLED : NOT_TRUSTED]];
    }),
  );
}

function nameOf({ path }: Leaf): string {
  return path.at(-1) ?? "";
}
