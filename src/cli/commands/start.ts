import type { Arguments } from "../arguments.ts";
import { askInBackground } from "../background-questions.ts";
import type { Command, Context } from "../command.ts";
import { defaultQuestions } from "../default-questions.ts";
import { runFanOut } from "../fanout-session.ts";
import { existingFolder } from "../folders.ts";
import { choice, flag } from "../option.ts";
import { accountLine, fanoutText } from "../results.ts";
import { permissionPromptTool, sessionFlags, sessionOptions } from "../session-flags.ts";
import { setUpSession } from "../session-setup.ts";
import { whyNotCalled } from "../skills/slash-tasks.ts";
import { sessionTitle } from "../task-names.ts";
import { UsageError } from "../usage-error.ts";

const demo = choice({
  name: "demo",
  choices: ["edits"],
  summary:
    "show something offline, in a scratch clone of this folder's repository: how agents edit side by side",
});
const keep = flag({
  name: "keep",
  summary: "with --demo: leave the scratch clone where it is (it stays where a check fails)",
});
const json = flag({ name: "json", summary: "with --demo: print one JSON object" });

/**
 * `troupe start`, which is `npm start`: questions about the current repository. Its own are asked by a conversation
 * that is woken by each answer; yours side by side, each answer under its question.
 */
export const startCommand: Command = {
  name: "start",
  usage: ['start [flags] ["QUESTION" …]', "start --demo edits [--keep] [--json]"],
  summary: "ask questions about the current folder; three of its own where you give none",
  details: [
    "--demo edits lets three agents edit a scratch clone of this repository in worktrees of their own, two of them the same lines, over uncommitted work; it compares every byte, and undoes it. Your own checkout is only read. The exit code is 1 where anything is not as it should be.",
  ],
  options: [demo, keep, json, permissionPromptTool, ...sessionOptions],
  examples: [
    ["troupe start", "three questions about this folder"],
    ["troupe start --demo edits", "three agents that edit side by side, in a scratch clone"],
    ['troupe start "where is the cache kept?" "how is it emptied?"', "your own"],
  ],
  run: runStart,
};

async function runStart(args: Arguments, context: Context): Promise<number> {
  const { io } = context;
  const wanted = args.value(demo);
  if (wanted !== undefined) return runDemo(args, context);
  if (args.value(keep) || args.value(json))
    throw new UsageError("--keep and --json are about a demo; add --demo edits, or leave them out.");
  const empty = args.positionals.findIndex((question) => question.trim() === "");
  if (empty !== -1) throw new UsageError(`Question ${empty + 1} is empty; say what you want to know.`);
  const setup = await setUpSession(args, context, { title: sessionTitle(args.positionals.join(" · ")) });
  const why = await whyNotCalled(args.positionals, setup.options);
  if (why !== null) throw new UsageError(why);
  const own = args.positionals.length > 0;
  const tasks = own ? args.positionals : await defaultQuestions(setup.options.cwd);
  const options = { ...setup.options, title: sessionTitle(tasks.join(" · ")) };
  if (!own) return askInBackground(context, { ...setup, options }, tasks);
  return runFanOut(context, { ...setup, options }, { tasks, type: "Explore" }, (finished) =>
    io.stdout.write(`${fanoutText(tasks, finished.ends, io)}\n${accountLine(finished)}\n`),
  );
}

/** It brings its own tasks, model and settings. */
async function runDemo(args: Arguments, context: Context): Promise<number> {
  const other = [permissionPromptTool, ...sessionOptions].find(
    (option) =>
      option !== sessionFlags.cwd && option !== sessionFlags.offline && args.given(option).length > 0,
  );
  if (other !== undefined || args.positionals.length > 0) {
    const what = other === undefined ? "questions" : `--${other.name}`;
    throw new UsageError(`A demo brings all that it needs; leave ${what} out, or leave --demo out.`);
  }
  const from = await existingFolder("--cwd", args.value(sessionFlags.cwd) ?? ".", context.io.cwd);
  const { runEditsDemo } = await import("../demo/edits.ts");
  return runEditsDemo({ from, keep: args.value(keep), json: args.value(json) }, context);
}
