import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { AgentView, SupervisorEvent } from "../../events/event.ts";
import { parseJson, valueAt } from "../../lib/json.ts";
import { type ActorId, MAIN } from "../../mailbox/ids.ts";
import { counted } from "../../terminal/figures.ts";
import { agentName } from "../agent-text.ts";
import type { Arguments } from "../arguments.ts";
import type { Command, Context } from "../command.ts";
import { workingDir } from "../directories.ts";
import { exitCodes, UsageError } from "../exit-codes.ts";
import { runFanOut } from "../fanout-session.ts";
import { promptJob } from "../jobs.ts";
import { choice, flag } from "../option.ts";
import { accountLine, endSentence, fanoutText, formatResultText, lastEnd } from "../results.ts";
import { runSession } from "../run-session.ts";
import { jsonFlag, permissionPromptTool, sessionFlags, sessionOptions } from "../session-flags.ts";
import { type SessionSetup, setUpSession } from "../session-setup.ts";
import { whyNotCalled } from "../skills.ts";
import { sessionTitle } from "../user-text.ts";

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

/**
 * Runs one conversation that starts a background agent for each question, answers, and is woken by each result until it
 * has reported them all (A11.5). Exit code 0 only if it and every agent ended `done`.
 */
export function askInBackground(
  context: Context,
  setup: SessionSetup,
  questions: readonly string[],
): Promise<number> {
  const { io } = context;
  // A form that models understand, the offline one too.
  const prompt = questions.map((question) => `in background: ${question}`).join("\n");
  const lines = wakingLines();
  return runSession(context, setup, {
    jobs(_session, note) {
      lines.print = note;
      return [promptJob(prompt)];
    },
    onEvent: lines.onEvent,
    async report(finished) {
      const end = lastEnd(finished);
      await io.stdout.write(
        `${formatResultText(end?.summary.text ?? "", io.stdout)}\n${accountLine(finished)}\n`,
      );
      const sentence = end === undefined ? undefined : endSentence(end);
      if (sentence !== undefined) await io.stderr.write(`${sentence}\n`);
      const areAgentsDone = finished.account.agents.every(({ summary }) => summary?.status === "done");
      return areAgentsDone && end?.summary.status === "done" ? exitCodes.done : exitCodes.notDone;
    },
  });
}

interface WakingLines {
  onEvent(event: SupervisorEvent): void;
  /** Prints a line; does nothing at first. */
  print(line: string): void;
}

/** Says when a conversation with background agents has answered and given its thread back, and when a result wakes it. */
export function wakingLines(): WakingLines {
  const running = new Set<ActorId>();
  let ended: AgentView[] = [];
  let wasIdle = false;

  const onMain = ({ state, hasLoop }: AgentView): void => {
    const isIdle = state === "waiting" && !hasLoop && running.size > 0;
    if (isIdle && !wasIdle) {
      lines.print(
        `The conversation has answered; ${counted(running.size, "agent")} in the background will wake it.`,
      );
      ended = [];
    } else if (wasIdle && !isIdle && state !== "waiting" && ended.length > 0) {
      const names = ended.map((view) => `“${agentName(view)}”`).join(" and ");
      lines.print(`${names} ${ended.length === 1 ? "has" : "have"} finished and woken the conversation.`);
      ended = [];
    }
    wasIdle = isIdle || (wasIdle && state === "waiting");
  };

  const lines: WakingLines = {
    onEvent(event) {
      if (event.type !== "agent") return;
      const { view } = event;
      if (view.id === MAIN) return onMain(view);
      if (!view.background) return;
      if (view.state !== "ended") running.add(view.id);
      else if (running.delete(view.id)) ended.push(view);
    },
    print() {},
  };
  return lines;
}
