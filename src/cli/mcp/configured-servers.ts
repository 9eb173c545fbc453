import type { TrustedSettings } from "../../policy/trust/trust.ts";
import type { Arguments } from "../arguments.ts";
import { INBOX } from "../inbox/inbox-user.ts";
import type { CliIO } from "../io.ts";
import { sessionFlags as flags, permissionPromptTool, STDIO } from "../session-flags.ts";
import type { ChosenServers } from "./chosen-servers.ts";
import { leftOutServers, serverLeaves } from "./server-leaves.ts";

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
