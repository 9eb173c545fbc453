import { troupeHome } from "../../journal/paths.ts";
import type { Timers } from "../../timers/timers.ts";
import type { TimerView } from "../../tools/timers/desk.ts";
import type { Arguments } from "../arguments.ts";
import type { Command, Context } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { existingFolder } from "../folders.ts";
import { flag, quoted } from "../option.ts";
import { safeLine } from "../safe-text.ts";
import { sessionFlags } from "../session-flags.ts";
import { UsageError } from "../usage-error.ts";

const json = flag({ name: "json", summary: "print JSON" });

/** `troupe cron`: the scheduled prompts of a project that survive the end of the program. */
export const cronCommand: Command = {
  name: "cron",
  usage: ["cron list [--json]", "cron delete ID"],
  summary: "list or delete the durable scheduled prompts of this project",
  details: [
    "A conversation schedules prompts (ask it, or use /loop); the durable ones are in .claude/scheduled_tasks.json.",
    "They are sent while a conversation is open in this project. Times missed meanwhile make up one prompt when the next conversation opens. Recurring ones end after 7 days.",
  ],
  options: [json, sessionFlags.cwd],
  examples: [
    ["troupe cron list", "what is scheduled here, and when it is due next"],
    ["troupe cron delete 3fk2pq9a", "end one of them"],
  ],
  run: runCron,
};

async function runCron(args: Arguments, { io }: Context): Promise<number> {
  const [verb, id, extra] = args.positionals;
  const cwd = await existingFolder("--cwd", args.value(sessionFlags.cwd) ?? ".", io.cwd);
  const open = async (): Promise<Timers> => {
    const { openTimers } = await import("../../timers/timers.ts");
    return openTimers({
      ...{ project: cwd, home: troupeHome(io.env, io.homedir), clock: io.clock },
      ...{ newId: () => "", onDue() {}, onWarning() {} },
    });
  };
  if (verb === "list" && id === undefined) return list(await open(), args.value(json), io);
  if (verb === "delete" && id !== undefined && extra === undefined) {
    const problem = await (await open()).remove(id);
    await io.stderr.write(`${safeLine(problem ?? `The scheduled prompt ${id} was deleted.`)}\n`);
    return problem === null ? exitCodes.done : exitCodes.notDone;
  }
  const given = args.positionals.map(quoted).join(" ");
  throw new UsageError(`cron takes list or delete ID${given === "" ? "" : `, and not ${given}`}.`);
}

async function list(timers: Timers, asJson: boolean, io: Context["io"]): Promise<number> {
  const { formatTimer } = await import("../../tools/timers/desk.ts");
  const { timers: found, notes } = await timers.list();
  if (asJson) await io.stdout.write(`${JSON.stringify({ tasks: found.map(dataOf), notes }, null, 2)}\n`);
  else {
    for (const timer of found) await io.stdout.write(`${safeLine(formatTimer(timer))}\n`);
    const none = found.length === 0 ? ["No durable prompts are scheduled in this project."] : [];
    for (const note of [...none, ...notes]) await io.stderr.write(`${safeLine(note)}\n`);
  }
  return exitCodes.done;
}

function dataOf({ id, cron, prompt, recurring, next }: TimerView) {
  return { id, cron, prompt, recurring, next: new Date(next).toISOString() };
}
