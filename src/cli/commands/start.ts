import type { Arguments } from "../arguments.ts";
import { askInBackground } from "../background-questions.ts";
import type { Command, Context } from "../command.ts";
import { defaultQuestions } from "../default-questions.ts";
import { runFanOut } from "../fanout-session.ts";
import { accountLine, fanoutText } from "../results.ts";
import { permissionPromptTool, sessionOptions } from "../session-flags.ts";
import { setUpSession } from "../session-setup.ts";
import { sessionTitle } from "../task-names.ts";
import { UsageError } from "../usage-error.ts";

/**
 * `troupe start`, which is `npm start`: questions about the current repository. Its own are asked by a conversation
 * that is woken by each answer; yours side by side, each answer under its question.
 */
export const startCommand: Command = {
  name: "start",
  usage: ['start [flags] ["QUESTION" …]'],
  summary: "ask questions about the current folder; three of its own where you give none",
  options: [permissionPromptTool, ...sessionOptions],
  examples: [
    ["troupe start", "three questions about this folder"],
    ['troupe start "where is the cache kept?" "how is it emptied?"', "your own"],
  ],
  run: runStart,
};

async function runStart(args: Arguments, context: Context): Promise<number> {
  const { io } = context;
  const empty = args.positionals.findIndex((question) => question.trim() === "");
  if (empty !== -1) throw new UsageError(`Question ${empty + 1} is empty; say what you want to know.`);
  const setup = await setUpSession(args, context, { title: sessionTitle(args.positionals.join(" · ")) });
  const own = args.positionals.length > 0;
  const tasks = own ? args.positionals : await defaultQuestions(setup.options.cwd);
  const options = { ...setup.options, title: sessionTitle(tasks.join(" · ")) };
  if (!own) return askInBackground(context, { ...setup, options }, tasks);
  return runFanOut(context, { ...setup, options }, { tasks, type: "Explore" }, (finished) =>
    io.stdout.write(`${fanoutText(tasks, finished.ends, io)}\n${accountLine(finished)}\n`),
  );
}
