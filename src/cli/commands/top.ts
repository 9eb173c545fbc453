import type { Arguments } from "../arguments.ts";
import type { Command, Context } from "../command.ts";
import { flag } from "../option.ts";

const json = flag({ name: "json", summary: "print one JSON object per change" });
const once = flag({ name: "once", summary: "print the current state once" });

/** `troupe top`: what the agents of a running session do, from another terminal. */
export const topCommand: Command = {
  name: "top",
  usage: ["top [SESSION] [--once] [--json]"],
  takes: "[SESSION]",
  summary: "watch the agents of a running session from another terminal",
  details: [
    "Without SESSION: the only running one of this directory, else the only one of all.",
    "It reads the session's journal: a step shows when it is written there.",
    "Without a terminal it prints the current state once.",
  ],
  options: [json, once],
  examples: [
    ["troupe top", "the agents of the session that runs here; q leaves"],
    ["troupe top 3fk2 --json --once", "what they do just now, for a script"],
  ],
  run: runTop,
};

async function runTop(args: Arguments, { io }: Context): Promise<number> {
  const [id] = args.positionals;
  const { watchSession } = await import("../top/top.ts");
  return watchSession({ id, json: args.value(json), once: args.value(once) }, io);
}
