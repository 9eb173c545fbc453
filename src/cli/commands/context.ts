import { agentType } from "../agent-type.ts";
import type { Arguments } from "../arguments.ts";
import { paintFor } from "../colour.ts";
import type { Command, Context } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { flag, quoted, text } from "../option.ts";
import { safeLine } from "../safe-text.ts";
import { mainOptions, permissionPromptTool, sessionOptions } from "../session-flags.ts";
import { setUpSession } from "../session-setup.ts";
import { UsageError } from "../usage-error.ts";

const json = flag({ name: "json", summary: "print JSON" });
const sizes = flag({ name: "sizes", summary: "print how large each part is, without the parts" });
const estimate = flag({ name: "estimate", summary: "ask nobody for sizes: estimate them" });
const prompt = text({
  name: "prompt",
  value: "TEXT",
  summary: "what would be asked: files it names as @PATH are attached",
});

/** `troupe context`: what a model would be sent, part by part. */
export const contextCommand: Command = {
  name: "context",
  usage: ["context [AGENT] [--json|--sizes] [flags]"],
  summary: "show what a conversation, or an agent of a type, would be sent first",
  details: [
    "The eight parts stand in the order in which they are sent, each with its size in tokens. The model's server is asked to count them, which costs nothing and sends it what is shown, nothing more; with --estimate, or where it cannot say within seconds, sizes are estimates and said to be such.",
    "No model is asked for a word, no hook runs and no session is kept. MCP servers are started for the list of their tools.",
  ],
  options: [json, sizes, estimate, prompt, permissionPromptTool, ...mainOptions, ...sessionOptions],
  examples: [
    ["troupe context --sizes", "how large each part is"],
    ["troupe context Explore", "all that an Explore agent would see"],
    ['troupe context --json --prompt "look at @src/main.ts"', "with a prompt, for a script"],
  ],
  run: runContext,
};

async function runContext(args: Arguments, context: Context): Promise<number> {
  const [agent, extra] = args.positionals;
  if (extra !== undefined)
    throw new UsageError(
      `context takes one agent type, but ${quoted(extra)} was given as well; leave it out.`,
    );
  const { io, runtime } = context;
  const setup = await setUpSession(args, context, {});
  const type = agent === undefined ? null : agentType(agent, await runtime.listAgents(setup.options.agents));
  const { previewContext } = await import("../../session/preview.ts");
  const { contextJson, contextText } = await import("../context/shown-context.ts");
  const notes = [...setup.notes];
  const counts = !args.value(estimate);
  const found = await previewContext(
    setup.options,
    type,
    { prompt: args.value(prompt) ?? "", counts },
    (note) => notes.push(note),
  );
  for (const note of notes) await io.stderr.write(`${safeLine(note)}\n`);
  if (found.type === "unknown")
    throw new UsageError(`There is no agent ${quoted(agent ?? "")}; there are ${found.agents.join(", ")}.`);
  if (found.counted !== null && found.counted.total === null)
    await io.stderr.write(
      "The model's server did not count the tokens, so sizes are estimates; --estimate asks nobody.\n",
    );
  const shown = { ...found, sizesOnly: args.value(sizes) };
  const answer = args.value(json)
    ? `${JSON.stringify(contextJson(shown), null, 2)}\n`
    : contextText(shown, paintFor(io.stdout, io.env));
  await io.stdout.write(answer);
  return exitCodes.done;
}
