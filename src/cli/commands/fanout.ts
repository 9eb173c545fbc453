import { given } from "../../lib/json.ts";
import { limitRanges } from "../../settings/limits.ts";
import type { PermissionMode } from "../../settings/permissions.ts";
import { agentType } from "../agents/session-agents.ts";
import type { Arguments } from "../arguments.ts";
import type { Command, Context } from "../command.ts";
import { UsageError } from "../exit-codes.ts";
import { type FanOut, mergeModeOf, runFanOut } from "../fanout-session.ts";
import { choice, text, whole } from "../option.ts";
import { printNotes } from "../print.ts";
import { readStdin } from "../read-input.ts";
import { fanoutJson } from "../result-json.ts";
import { accountLine, fanoutText, printRefusals } from "../results.ts";
import { jsonFlag, limitPatience, permissionPromptTool, sessionOptions } from "../session-flags.ts";
import { setUpSession } from "../session-setup.ts";
import { whyNotCalled } from "../skills.ts";
import { sessionTitle } from "../user-text.ts";

const agent = text({
  name: "agent",
  value: "TYPE",
  summary: "the agent type that does every task (troupe agents lists them)",
  fallback: "Explore; general-purpose with --isolation",
});
export const concurrency = whole({
  name: "concurrency",
  value: "N",
  min: 1,
  max: limitRanges.maxAgents.max,
  summary: "agents at work at the same time; the rest wait in order",
  fallback: "TROUPE_MAX_AGENTS, else 32",
});
export const isolationFlag = choice({
  name: "isolation",
  choices: ["worktree"],
  summary: "each agent edits in a git worktree of its own; its edits are merged when it ends",
});
export const mergeFlag = choice({
  name: "merge",
  choices: ["apply", "commit", "keep", "ask"],
  summary: "how isolated edits are merged: into the files, as commits too, not at all, or after a question",
  fallback: "worktree.merge, else apply",
});

/** `troupe fanout`: one agent per task, one summary each. */
export const fanoutCommand: Command = {
  name: "fanout",
  usage: ['fanout [flags] "TASK" "TASK" …', "fanout [flags] < TASKS"],
  summary: "one agent per task, side by side; one summary each, in the order given",
  details: [
    "Without a task as argument, tasks are read from stdin, one per line.",
    'A task that begins with a slash, such as "/review 12", is the skill of that name with these arguments.',
    "With --isolation worktree the exit code is 0 only if every agent's edits were merged, too: a conflict, a failed check, edits left on their branch (except with --merge keep) and a deletion that was held back make it 1.",
  ],
  options: [
    agent,
    concurrency,
    isolationFlag,
    mergeFlag,
    jsonFlag,
    limitPatience,
    permissionPromptTool,
    ...sessionOptions,
  ],
  examples: [
    ['troupe fanout "where are errors handled?" "what is tested?"', "two Explore agents"],
    ["troupe fanout --agent code-reviewer --json < tasks.txt", "one JSON object for a script"],
    ['troupe fanout --concurrency 4 --model haiku "…" "…"', "four at a time, with a small model"],
    [
      'troupe fanout --isolation worktree --permission-mode acceptEdits "…" "…"',
      "agents that edit side by side",
    ],
  ],
  run: runCommand,
};

async function runCommand(args: Arguments, context: Context): Promise<number> {
  const { io, runtime } = context;
  const tasks = await tasksOf(args, context);
  const apart = isolationOf(args);
  const usual = apart.isolation === undefined ? "Explore" : "general-purpose";
  const title = sessionTitle(tasks.join(" · "));
  const setup = await setUpSession(args, context, { title, maxAgents: args.value(concurrency) });
  const problem = await whyNotCalled(tasks, setup.options);
  if (problem !== null) throw new UsageError(problem);
  const type = agentType(args.value(agent) ?? usual, await runtime.listAgents(setup.options.agents));
  const notes = [...setup.notes, ...looksOnly(args, type, setup.options.permissionMode)];
  const fanOut: FanOut = { tasks, type, ...apart };
  return runFanOut(context, { ...setup, notes }, fanOut, async (finished, estimate) => {
    await printRefusals(io, finished.account);
    if (args.value(jsonFlag)) {
      const object = fanoutJson(tasks, finished, { estimate, merge: mergeModeOf(setup, fanOut) });
      return io.stdout.write(`${JSON.stringify(object)}\n`);
    }
    await io.stdout.write(fanoutText(tasks, finished.ends, io));
    await printNotes(io, [accountLine(finished)]);
  });
}

function isolationOf(args: Arguments): Pick<FanOut, "isolation" | "merge"> {
  const isolated = args.value(isolationFlag);
  const how = args.value(mergeFlag);
  if (how !== undefined && isolated === undefined)
    throw new UsageError(
      "--merge is for agents with worktrees of their own; add --isolation worktree, or leave it out.",
    );
  return given({ isolation: isolated, merge: how });
}

/** Without this note, a user who allows edits but names no agent type would learn only at the end that none can edit. */
function looksOnly(args: Arguments, type: string, mode: PermissionMode | undefined): readonly string[] {
  const changes = mode === "acceptEdits" || mode === "bypassPermissions";
  if (args.value(agent) !== undefined || type !== "Explore" || !changes) return [];
  return [
    `${type} agents only read, whatever ${mode} allows; add --agent general-purpose for tasks that change files or run commands.`,
  ];
}

async function tasksOf({ positionals }: Arguments, { io }: Context): Promise<readonly string[]> {
  if (positionals.length > 0) {
    const empty = positionals.findIndex((task) => task.trim() === "");
    if (empty === -1) return positionals;
    throw new UsageError(`Task ${empty + 1} of ${positionals.length} is empty; say what the agent must do.`);
  }
  const lines = io.stdinIsTTY ? [] : ((await readStdin(io)) ?? "").split(/\r?\n/);
  const tasks = lines.map((line) => line.trim()).filter(Boolean);
  if (tasks.length > 0) return tasks;
  throw new UsageError(
    'fanout needs at least one task: troupe fanout "task" "task", or one per line on stdin.',
  );
}
