import type { Arguments } from "../arguments.ts";
import { paintFor } from "../colour.ts";
import type { Command, Context } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { flag, quoted, text } from "../option.ts";
import { safeLine } from "../safe-text.ts";
import { permissionPromptTool, sessionOptions } from "../session-flags.ts";
import { setUpSession } from "../session-setup.ts";
import { UsageError } from "../usage-error.ts";

const json = flag({ name: "json", summary: "print JSON" });
const sizes = flag({ name: "sizes", summary: "print how large each part is, without the parts" });
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
    "The eight parts stand in the order in which they are sent, each with its size in tokens. Sizes are estimates: only the model's server counts.",
    "No model is asked, no hook runs and no session is kept. MCP servers are started for the list of their tools.",
  ],
  options: [json, sizes, prompt, permissionPromptTool, ...sessionOptions],
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
  const { io } = context;
  const setup = await setUpSession(args, context, {});
  const { previewContext } = await import("../../supervisor/preview.ts");
  const { contextJson, contextText } = await import("../context/shown-context.ts");
  const notes = [...setup.notes];
  const found = await previewContext(setup.options, agent ?? null, args.value(prompt) ?? "", (note) =>
    notes.push(note),
  );
  for (const note of notes) await io.stderr.write(`${safeLine(note)}\n`);
  if (found.type === "unknown")
    throw new UsageError(`There is no agent ${quoted(agent ?? "")}; there are ${found.agents.join(", ")}.`);
  const answer = args.value(json)
    ? `${JSON.stringify(contextJson(found.preview, found.agent), null, 2)}\n`
    : contextText(found.preview, found.agent, paintFor(io.stdout, io.env), args.value(sizes));
  await io.stdout.write(answer);
  return exitCodes.done;
}
