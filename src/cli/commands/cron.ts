import { troupeHome } from "../../journal/paths.ts";
import { safeLine } from "../../terminal/safe-text.ts";
import type { Timers } from "../../timers/timers.ts";
import type { Arguments } from "../arguments.ts";
import { type Context, withSubcommands } from "../command.ts";
import { workingDir } from "../directories.ts";
import { exitCodes } from "../exit-codes.ts";
import { printJson, printNotes } from "../print.ts";
import { jsonFlag, sessionFlags } from "../session-flags.ts";

/** `troupe cron`: the scheduled prompts of a project that outlive the program. */
export const cronCommand = withSubcommands({
  name: "cron",
  summary: "list or delete the durable scheduled prompts of this project",
  details: [
    "A conversation schedules prompts (ask it, or use /loop); the durable ones are in .claude/scheduled_tasks.json.",
    "They are sent while a conversation is open in this project. If times were missed, one prompt is sent when the next conversation opens. Recurring ones end after 7 days.",
  ],
  options: [sessionFlags.cwd],
  subcommands: {
    list: { options: [jsonFlag], run: (_, args, context) => list(args, context) },
    delete: { takes: "ID", run: ([id = ""], args, context) => remove(id, args, context) },
  },
  examples: [
    ["troupe cron list", "what is scheduled here, and when it is due next"],
    ["troupe cron delete 3fk2pq9a", "end one of them"],
  ],
});

async function open(args: Arguments, { io }: Context): Promise<Timers> {
  const { openTimers } = await import("../../timers/timers.ts");
  return openTimers({
    ...{ project: await workingDir(args, io), home: troupeHome(io.env, io.homedir), clock: io.clock },
    ...{ newId: () => "", onDue() {}, onWarning() {} },
  });
}

async function remove(id: string, args: Arguments, context: Context): Promise<number> {
  const problem = await (await open(args, context)).remove(id);
  await printNotes(context.io, [problem ?? `The scheduled prompt ${id} was deleted.`]);
  return problem === null ? exitCodes.done : exitCodes.notDone;
}

async function list(args: Arguments, context: Context): Promise<number> {
  const { io } = context;
  const { formatTimer } = await import("../../tools/timers/service.ts");
  const { timers, notes } = await (await open(args, context)).list();
  if (args.value(jsonFlag)) {
    const tasks = timers.map(({ id, cron, prompt, recurring, next }) => ({
      ...{ id, cron, prompt, recurring, next: new Date(next).toISOString() },
    }));
    await printJson(io, { tasks, notes });
    return exitCodes.done;
  }
  await io.stdout.write(timers.map((timer) => `${safeLine(formatTimer(timer))}\n`).join(""));
  const none = timers.length === 0 ? "No durable prompts are scheduled in this project." : null;
  await printNotes(io, [none, ...notes]);
  return exitCodes.done;
}
