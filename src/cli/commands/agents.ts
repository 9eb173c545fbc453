import { formatProblem } from "../../context/markdown/fields.ts";
import type { ListedAgent } from "../../features/agents/listing.ts";
import { troupeHome } from "../../journal/paths.ts";
import { agentModelsFrom } from "../../model/model-names.ts";
import { type Paint, paintFor } from "../../terminal/colour.ts";
import { safeLine } from "../../terminal/safe-text.ts";
import type { ShownAgent } from "../agents/missing-servers.ts";
import { agentsFlagIn } from "../agents/session-agents.ts";
import type { Arguments } from "../arguments.ts";
import type { Command, Context } from "../command.ts";
import { workingDir } from "../directories.ts";
import { exitCodes } from "../exit-codes.ts";
import { printJson, printNotes } from "../print.ts";
import { jsonFlag, sessionFlags } from "../session-flags.ts";
import { sessionSettings } from "../session-settings.ts";

/** `troupe agents`: the agent types. */
export const agentsCommand: Command = {
  name: "agents",
  usage: ["agents [--json]"],
  takes: "",
  summary: "list the agent types, what they are for, their tools and where they are defined",
  options: [
    jsonFlag,
    sessionFlags.agents,
    sessionFlags.mcpConfig,
    sessionFlags.pluginDir,
    sessionFlags.cwd,
    sessionFlags.trust,
  ],
  examples: [
    ["troupe agents", "every type with its tools, and problems in agent files"],
    ["troupe agents --json", "the same for a script"],
  ],
  run: runAgents,
};

async function runAgents(args: Arguments, { io, runtime }: Context): Promise<number> {
  const cwd = await workingDir(args, io);
  const trusts = args.value(sessionFlags.trust);
  const home = troupeHome(io.env, io.homedir);
  const agentsFlag = await agentsFlagIn(args, io);
  const pluginDirs = args.value(sessionFlags.pluginDir);
  const settings = await sessionSettings(io, { cwd, home, trusts, agentsFlag, pluginDirs });
  const { agents: own, problems, shadowed, inert } = await settings.agents.look();
  const { read } = settings;
  const { withMissingServers } = await import("../agents/missing-servers.ts");
  const models = agentModelsFrom({ ...io.env, ...read.settings.env }, read.settings);
  const agents = await withMissingServers(await runtime.listAgents(own, models), own, { args, io, read });
  const notes = [...settings.plugins.notes, ...(inert === null ? [] : [inert])];
  if (args.value(jsonFlag)) {
    const replaced = shadowed.map(({ name, source }) => ({ name, source }));
    await printJson(io, { agents, problems, replaced, notes });
    return exitCodes.done;
  }
  const paint = paintFor(io.stdout, io.env);
  await io.stdout.write(agents.map((agent) => agentLines(agent, paint).join("")).join("\n"));
  await printNotes(io, [...problems.map(formatProblem), ...notes]);
  return exitCodes.done;
}

function agentLines(agent: ShownAgent, paint: Paint): string[] {
  const { name, aliases, whenToUse, tools, model } = agent;
  const { unknownTools = [], missingServers = [], traits = [] } = agent;
  const also = aliases.length > 0 ? ` (also ${safeLine(aliases.join(", "))})` : "";
  const details = [
    whenToUse,
    `tools: ${tools.join(", ") || "none"}`,
    ...(unknownTools.length > 0 ? [`tools that do not exist here: ${unknownTools.join(", ")}`] : []),
    ...missingServers.map((server) => `MCP server that it does not get: ${server.name} (${server.reason})`),
    `model: ${model ?? "the session's"}`,
    ...(traits.length > 0 ? [`with: ${traits.join(", ")}`] : []),
    ...definedIn(agent),
  ];
  return [`${paint("bold", safeLine(name))}${also}\n`, ...details.map((line) => `  ${safeLine(line)}\n`)];
}

function definedIn({ source }: ListedAgent): string[] {
  switch (source?.scope) {
    case undefined:
    case "built-in":
      return [];
    case "flag":
      return ["from --agents"];
    case "enterprise":
    case "user":
    case "project":
    case "plugin":
      return [`from ${source.file}`];
    default:
      return source satisfies never;
  }
}
