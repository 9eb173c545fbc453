import type { ListedAgent } from "../../supervisor/listing.ts";
import type { Arguments } from "../arguments.ts";
import { type Paint, paintFor } from "../colour.ts";
import type { Command, Context } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { flag, quoted } from "../option.ts";
import { safeLine } from "../safe-text.ts";
import { UsageError } from "../usage-error.ts";

const json = flag({ name: "json", summary: "print a JSON array" });

/** `troupe agents`: the agent types. */
export const agentsCommand: Command = {
  name: "agents",
  usage: ["agents [--json]"],
  summary: "list the agent types, what they are for and their tools",
  options: [json],
  examples: [["troupe agents", "every type with its tools"]],
  run: runAgents,
};

async function runAgents(args: Arguments, { io, runtime }: Context): Promise<number> {
  const [extra] = args.positionals;
  if (extra !== undefined)
    throw new UsageError(`agents takes no argument, but ${quoted(extra)} was given; leave it out.`);
  const agents = await runtime.listAgents();
  const paint = paintFor(io.stdout, io.env);
  const text = args.value(json)
    ? `${JSON.stringify(agents, null, 2)}\n`
    : agents.map((agent) => described(agent, paint)).join("\n");
  await io.stdout.write(text);
  return exitCodes.done;
}

function described({ name, aliases, whenToUse, tools, model }: ListedAgent, paint: Paint): string {
  const also = aliases.length > 0 ? ` (also ${safeLine(aliases.join(", "))})` : "";
  const lines = [
    `${paint("bold", safeLine(name))}${also}`,
    `  ${safeLine(whenToUse)}`,
    `  tools: ${safeLine(tools.join(", "))}`,
    ...(model === undefined ? [] : [`  model: ${safeLine(model)}`]),
  ];
  return `${lines.join("\n")}\n`;
}
