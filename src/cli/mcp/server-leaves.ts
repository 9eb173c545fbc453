import { basename } from "node:path";
import { catalogue } from "../../policy/settings/catalogue.ts";
import { textsIn } from "../../policy/settings/json.ts";
import type { Leaf } from "../../policy/settings/leaves.ts";

/** What people's other tools keep of the servers of a `.mcp.json` that were not wanted; approvals there count for nothing. */
const UNWANTED = "disabledMcpjsonServers";

/** The MCP servers among the values of settings, without those that somebody has switched off. */
export function serverLeaves(leaves: readonly Leaf[]): readonly Leaf[] {
  const unwanted = new Set(
    leaves.filter(({ path }) => path[0] === UNWANTED).flatMap(({ value }) => textsIn(value)),
  );
  return leaves.filter(
    ({ setting, path, file }) =>
      setting === catalogue.mcpServers &&
      !(basename(file) === ".mcp.json" && unwanted.has(path.at(-1) ?? "")),
  );
}
