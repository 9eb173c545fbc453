import { formatProblem } from "../../context/markdown/fields.ts";
import type { ListedAgent } from "../../features/agents/listing.ts";
import { troupeHome } from "../../journal/paths.ts";
import { agentModelsFrom } from "../../model/agent-models.ts";
import type { ShownAgent } from "../agents/missing-servers.ts";
import { agentsFlagIn } from "../agents/session-agents.ts";
import type { Arguments } from "../arguments.ts";
import { type Paint, paintFor } from "../colour.ts";
import type { Command, Context } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { existingFolder } from "../folders.ts";
import { flag, quoted } from "../option.ts";
import { safeLine } from "../safe-text.ts";
import { sessionFlags } from "../session-flags.ts";
import { sessionSettings } from "../session-settings.ts";
import { UsageError } from "../usage-error.ts";

const json = flag({ name: "json", summary: "print JSON: agents, and what is wrong with files" });

/** `troupe agents`: the agent types. */
export const agentsCommand: Command = {
  name: "agents",
  usage: ["agents [--json]"],
  summary: "list the agent types, what they are for, their tools and where they are defined",
  options: [json, sessionFlags.agents, sessionFlags.mcpConfig, sessionFlags.cwd, sessionFlags.trust],
  examples: [
    ["troupe agents", "every type with its tools, and what is wrong with files of agents"],
    ["troupe agents --json", "the same for a script"],
  ],
  run: runAgents,
};

async function runAgents(args: Arguments, { io, runtime }: Context): Promise<number> {
  const [extra] = args.positionals;
  if (extra !== undefined)
    throw new UsageError(`agents takes no argument, but ${quoted(extra)} was given; leave it out.`);
  const cwd = await existingFolder("--cwd", args.value(sessionFlags.cwd) ?? ".", io.cwd);
  const trusts = args.value(sessionFlags.trust);
  const home = troupeHome(io.env, io.homedir);
  const agentsFlag = await agentsFlagIn(args, io);
  const settings = await sessionSettings(io, { cwd, home, trusts, agentsFlag });
  const { agents: own, problems, shadowed, inert } = await settings.agents.look();
  const { read } = settings;
  const { withMissingServers } = await import("../agents/missing-servers.ts");
  const models = agentModelsFrom({ ...io.env, ...read.settings.env }, read.settings);
  const agents = await withMissingServers(await runtime.listAgents(own, models), own, { args, io, read });
  const notes = inert === null ? [] : [inert];
  if (args.value(json)) {
    const replaced = shadowed.map(({ name, source }) => ({ name, source }));
    await io.stdout.write(`${JSON.stringify({ agents, problems, replaced, notes }, null, 2)}\n`);
    return exitCodes.done;
  }
  const paint = paintFor(io.stdout, io.env);
  await io.stdout.write(agents.map((agent) => described(agent, paint)).join("\n"));
  for (const line of [...problems.map(formatProblem), ...notes]) await io.stderr.write(`${safeLine(line)}\n`);
  return exitCodes.done;
}

function described(agent: ShownAgent, paint: Paint): string {
  const {
    name,
    aliases,
    whenToUse,
    tools,
    model,
    unknownTools = [],
    missingServers = [],
    traits = [],
  } = agent;
  const also = aliases.length > 0 ? ` (also ${safeLine(aliases.join(", "))})` : "";
  const lines = [
    `${paint("bold", safeLine(name))}${also}`,
    `  ${safeLine(whenToUse)}`,
    `  tools: ${safeLine(tools.join(", ")) || "none"}`,
    ...(unknownTools.length === 0
      ? []
      : [`  tools that do not exist here: ${safeLine(unknownTools.join(", "))}`]),
    ...missingServers.map(
      (server) => `  MCP server that it does not get: ${safeLine(`${server.name} (${server.reason})`)}`,
    ),
    `  model: ${model === undefined ? "the session's" : safeLine(model)}`,
    ...(traits.length === 0 ? [] : [`  with: ${safeLine(traits.join(", "))}`]),
    ...definedIn(agent),
  ];
  return `${lines.join("\n")}\n`;
}

function definedIn({ source }: ListedAgent): readonly string[] {
  switch (source?.scope) {
    case undefined:
    case "built-in":
      return [];
    case "flag":
      return ["  from --agents"];
    case "enterprise":
    case "user":
    case "project":
      return [`  from ${safeLine(source.file)}`];
    default:
      return source satisfies never;
  }
}
