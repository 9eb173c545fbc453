import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseJson, valueAt } from "../../lib/json.ts";
import type { Arguments } from "../arguments.ts";
import { askInBackground } from "../background-questions.ts";
import type { Command, Context } from "../command.ts";
import { workingDir } from "../directories.ts";
import { runFanOut } from "../fanout-session.ts";
import { choice, flag } from "../option.ts";
import { accountLine, fanoutText } from "../results.ts";
import { jsonFlag, permissionPromptTool, sessionFlags, sessionOptions } from "../session-flags.ts";
import { setUpSession } from "../session-setup.ts";
import { whyNotCalled } from "../skills/slash-tasks.ts";
import { sessionTitle } from "../task-names.ts";
import { UsageError } from "../usage-error.ts";

const demo = choice({
  name: "demo",
  choices: ["edits"],
  summary: "show offline, in a scratch clone of this directory's repository, how agents edit side by side",
});
const keep = flag({
  name: "keep",
  summary: "with --demo: leave the scratch clone (it always stays if a check fails)",
});

/**
 * `troupe start`, which is `npm start`: questions about the current directory. Its own are asked by a conversation that is
 * woken by each answer; the user's by one agent each, side by side.
 */
export const startCommand: Command = {
  name: "start",
  usage: ['start [flags] ["QUESTION" …]', "start --demo edits [--keep] [--json]"],
  summary: "ask questions about the current directory; three of its own if you give none",
  details: [
    "--demo edits lets three agents edit a scratch clone of this repository in worktrees of their own, two of them the same lines, over uncommitted work; it compares every byte, and undoes it. Your own checkout is only read. The exit code is 1 if a check fails. --json prints one JSON object.",
  ],
  options: [demo, keep, jsonFlag, permissionPromptTool, ...sessionOptions],
  examples: [
    ["troupe start", "three questions about this directory"],
    ["troupe start --demo edits", "three agents that edit side by side, in a scratch clone"],
    ['troupe start "where is the cache kept?" "how is it emptied?"', "your own"],
  ],
  run: runStart,
};

async function runStart(args: Arguments, context: Context): Promise<number> {
  const { io } = context;
  if (args.value(demo) !== undefined) return runDemo(args, context);
  if (args.value(keep) || args.value(jsonFlag))
    throw new UsageError("--keep and --json are about a demo; add --demo edits, or leave them out.");
  const questions = args.positionals;
  const empty = questions.findIndex((question) => question.trim() === "");
  if (empty !== -1) throw new UsageError(`Question ${empty + 1} is empty; say what you want to know.`);
  const cwd = await workingDir(args, io);
  const tasks = questions.length > 0 ? questions : await defaultQuestions(cwd);
  const setup = await setUpSession(args, context, { title: sessionTitle(tasks.join(" · ")) });
  const problem = await whyNotCalled(questions, setup.options);
  if (problem !== null) throw new UsageError(problem);
  if (questions.length === 0) return askInBackground(context, setup, tasks);
  return runFanOut(context, setup, { tasks, type: "Explore" }, (finished) =>
    io.stdout.write(`${fanoutText(tasks, finished.ends, io)}\n${accountLine(finished)}\n`),
  );
}

async function runDemo(args: Arguments, context: Context): Promise<number> {
  const { cwd, offline } = sessionFlags;
  const other = [permissionPromptTool, ...sessionOptions].find(
    (option) => option !== cwd && option !== offline && args.given(option).length > 0,
  );
  if (other !== undefined || args.positionals.length > 0) {
    const what = other === undefined ? "questions" : `--${other.name}`;
    throw new UsageError(`A demo brings all that it needs; leave ${what} out, or leave --demo out.`);
  }
  const { runEditsDemo } = await import("../demo/edits.ts");
  const from = await workingDir(args, context.io);
  return runEditsDemo({ from, keep: args.value(keep), json: args.value(jsonFlag) }, context);
}

const ABOUT_TROUPE = [
  "Where is the wire format of the messages between actors decided?",
  "How does an agent end, and where is its one summary made?",
  "Where are child processes started, and who stops them?",
];

const ABOUT_ANY_PROJECT = [
  "What is this project?",
  "How do I build, run and test it?",
  "How is the code laid out?",
];

/** About Troupe in its own repository, else questions that fit any project. */
async function defaultQuestions(cwd: string): Promise<readonly string[]> {
  const manifest = await readFile(join(cwd, "package.json"), "utf8").catch(() => "");
  return valueAt(parseJson(manifest), ["name"]) === "troupe" ? ABOUT_TROUPE : ABOUT_ANY_PROJECT;
}
