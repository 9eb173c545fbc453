import type { Arguments } from "../arguments.ts";
import { isDumb } from "../colour.ts";
import type { Command, Context } from "../command.ts";
import { flag, quoted } from "../option.ts";
import { UsageError } from "../usage-error.ts";

const json = flag({ name: "json", summary: "print one JSON object per change" });
const once = flag({ name: "once", summary: "print what is now, and leave" });

/** `troupe top`: what the agents of a running session do, from another terminal. */
export const topCommand: Command = {
  name: "top",
  usage: ["top [SESSION] [--once] [--json]"],
  summary: "watch the agents of a running session from another terminal",
  details: [
    "Without SESSION it is the only running one of this folder, else the only one of all.",
    "SIGN is how long ago an agent gave a sign of life.",
    "Where there is no terminal to show it on, one look is printed.",
  ],
  options: [json, once],
  examples: [
    ["troupe top", "the agents of the session that runs here; q leaves"],
    ["troupe top 3fk2 --json --once", "what they do just now, for a script"],
  ],
  run: runTop,
};

async function runTop(args: Arguments, { io }: Context): Promise<number> {
  const [id, extra] = args.positionals;
  if (extra !== undefined)
    throw new UsageError(`top takes one session, but ${quoted(extra)} was given, too; leave it out.`);
  const { chooseTarget } = await import("../top/target.ts");
  const choice = await chooseTarget(id, io);
  if (choice.type === "none") {
    await io.stderr.write(`${choice.lines.join("\n")}\n`);
    return choice.code;
  }
  const { target } = choice;
  if (!args.value(json) && !args.value(once) && io.stdout.isTTY && !isDumb(io.env)) {
    const { topOnTerminal } = await import("../top/live-top.ts");
    return topOnTerminal(io, target);
  }
  const printed = await import("../top/printed-top.ts");
  if (!args.value(json)) return printed.topAsText(io, target);
  return args.value(once) ? printed.topAsJson(io, target) : printed.topAsJsonLines(io, target);
}
