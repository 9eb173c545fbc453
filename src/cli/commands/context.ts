import { paintFor } from "../../terminal/colour.ts";
import { agentType } from "../agents/session-agents.ts";
import type { Arguments } from "../arguments.ts";
import type { Command, Context } from "../command.ts";
import { exitCodes, quoted, UsageError } from "../exit-codes.ts";
import { flag, text } from "../option.ts";
import { printJson, printNotes } from "../print.ts";
import { jsonFlag, mainOptions, permissionPromptTool, sessionOptions } from "../session-flags.ts";
import { setUpSession } from "../session-setup.ts";

const sizes = flag({ name: "sizes", summary: "print how large each part is, without the parts" });
const estimate = flag({ name: "estimate", summary: "estimate sizes instead of asking the model's server" });
const prompt = text({
  name: "prompt",
  value: "TEXT",
  summary: "what would be asked: files it names as @PATH are attached",
});

/** `troupe context`: what a model would be sent, part by part. */
export const contextCommand: Command = {
  name: "context",
  usage: ["context [AGENT] [--json|--sizes] [flags]"],
  takes: "[AGENT]",
  summary: "show what a conversation, or an agent of a type, would be sent first",
  details: [
    "The eight parts are in the order in which they are sent, each with its size in tokens. The model's server is asked to count them, which costs nothing and sends it what is shown. With --estimate, or if it does not answer within seconds, sizes are estimates, and marked as such.",
    "No reply is requested, no hook runs and no session is kept. MCP servers are started for the list of their tools.",
  ],
  options: [jsonFlag, sizes, estimate, prompt, permissionPromptTool, ...mainOptions, ...sessionOptions],
  examples: [
    ["troupe context --sizes", "how large each part is"],
    ["troupe context Explore", "all that an Explore agent would be sent"],
    ['troupe context --json --prompt "look at @src/main.ts"', "with a prompt, for a script"],
  ],
  run: runContext,
};

async function runContext(args: Arguments, context: Context): Promise<number> {
  const [agent] = args.positionals;
  const { io, runtime } = context;
  const setup = await setUpSession(args, context, {});
  const type = agent === undefined ? null : agentType(agent, await runtime.listAgents(setup.options.agents));
  const { previewContext } = await import("../../session/preview.ts");
  const { contextJson, contextText } = await import("../context/shown-context.ts");
  const notes = [...setup.notes];
  const asked = { prompt: args.value(prompt) ?? "", counts: !args.value(estimate) };
  // As a conversation is: a prompt alone has no timers.
  const options = { ...setup.options, background: "wake" } as const;
  const found = await previewContext(options, type, asked, (note) => notes.push(note));
  if (found.type !== "unknown" && found.counted !== null && found.counted.total === null)
    notes.push(
      "The model's server did not count the tokens, so sizes are estimates; --estimate does not ask it.",
    );
  await printNotes(io, notes);
  if (found.type === "unknown")
    throw new UsageError(
      `There is no agent type ${quoted(agent ?? "")}; the types are ${found.agents.join(", ")}.`,
    );
  const shown = { ...found, sizesOnly: args.value(sizes) };
  if (args.value(jsonFlag)) await printJson(io, contextJson(shown));
  else await io.stdout.write(contextText(shown, paintFor(io.stdout, io.env)));
  return exitCodes.done;
}
