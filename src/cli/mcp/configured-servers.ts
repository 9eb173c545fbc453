import { basename } from "node:path";
import { textsIn } from "../../lib/json.ts";
import type { ServerStatus } from "../../mcp/mcp.ts";
import type { TrustedSettings } from "../../policy/trust/trust.ts";
import type { Leaf } from "../../settings/leaves.ts";
import type { ReadSettings } from "../../settings/read-settings.ts";
import { schema } from "../../settings/schema.ts";
import { counted } from "../../terminal/figures.ts";
import type { Arguments } from "../arguments.ts";
import { INBOX } from "../inbox/inbox-user.ts";
import type { CliIO } from "../process-io.ts";
import { sessionFlags as flags, permissionPromptTool, STDIO } from "../session-flags.ts";
import type { ChosenServers } from "./chosen-servers.ts";

/**
 * Returns the MCP servers of a session, from settings and flags. Throws a `UsageError` if a flag is invalid. The code that
 * reads servers is loaded only with the first one.
 */
export async function sessionServers(
  args: Arguments,
  io: Pick<CliIO, "cwd">,
  env: Readonly<Record<string, string | undefined>>,
  read: Pick<TrustedSettings, "leaves" | "granted">,
): Promise<ChosenServers> {
  const strict = args.value(flags.strictMcpConfig);
  const leaves = strict ? [] : serverLeaves(read.leaves);
  const leftOut = leftOutServers(read, strict);
  const configs = args.value(flags.mcpConfig);
  const given = args.value(permissionPromptTool);
  const tool = given === INBOX || given === STDIO ? undefined : given;
  if (leaves.length === 0 && configs.length === 0 && tool === undefined)
    return { options: { serversLeftOut: leftOut }, secrets: [], notes: [] };
  const { chosenServers } = await import("./chosen-servers.ts");
  return chosenServers({ leaves, leftOut, configs, tool, env, cwd: io.cwd });
}

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

/** Removes the server and the file from the start of a sentence, for a row that has the name already. */
export function bareReason(sentence: string, { name, file }: Pick<ServerStatus, "name" | "file">): string {
  const server = `The MCP server "${name}"`;
  const beginning = [
    `${server} (${file}) wants you to sign in: `,
    `${server} (${file}) `,
    `${server} of ${file} is `,
    `${server} is not started: `,
    `${server} `,
  ].find((words) => sentence.startsWith(words));
  return sentence.slice(beginning?.length ?? 0);
}

/** Returns the state of a server, with what the user can do about it. `commands`: where they type it. */
export function serverStateText(
  server: ServerStatus,
  { commands, prompts = 0 }: { readonly commands: "/mcp" | "troupe mcp"; readonly prompts?: number },
): string {
  const { slug, state, tools, changed } = server;
  switch (state.type) {
    case "connected": {
      const offers = [counted(tools, "tool"), ...(prompts > 0 ? [counted(prompts, "prompt")] : [])].join(
        ", ",
      );
      if (changed.length === 0) return `connected, ${offers}`;
      const are =
        changed.length === 1 ? "1 tool has changed and is" : `${changed.length} tools have changed and are`;
      return `connected, ${offers}; ${are} refused: /mcp changes ${slug} shows them`;
    }
    case "starting":
      return state.reason === undefined ? "starting" : `starting again: ${bareReason(state.reason, server)}`;
    case "needs-auth":
      return `wants you to sign in: ${commands} login ${slug}`;
    case "failed": {
      const again = commands === "/mcp" ? ` /mcp restart ${slug} tries again.` : "";
      return `failed: ${bareReason(state.reason, server)}${again}`;
    }
    case "stopped":
      return "stopped";
    default:
      return state satisfies never;
  }
}
