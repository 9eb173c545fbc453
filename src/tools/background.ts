import * as z from "zod/mini";
import { oneLine, shorten } from "../lib/text.ts";
import type { ActorId } from "../mailbox/ids.ts";
import type { CommandOutput } from "../mailbox/runs.ts";
import { formatSize, MAX_OUTPUT_CHARS, shownOutput } from "./command-output.ts";
import { type CallContext, failed, naming, type Tool, type ToolPrompt } from "./tool.ts";

export interface TaskView {
  readonly id: string;
  readonly kind: "command" | "script" | "agent";
  readonly title: string;
  readonly state: "running" | "exited" | "killed";
  /** How it ended, as a sentence; null while it runs. */
  readonly ending: string | null;
  readonly ms: number;
}

/** The background tasks of a session. An actor reaches its own and those of the agents below it. */
export interface BackgroundService {
  /** Returns null if there is no such task for this actor. */
  find(asker: ActorId, id: string): TaskView | null;
  running(asker: ActorId): readonly TaskView[];
  /** Resolves when the task has ended, when the time is up, or when the signal is aborted. */
  wait(asker: ActorId, id: string, ms: number, signal: AbortSignal): Promise<void>;
  /** Returns what it has written so far, and counts it as seen; for an agent its report, once it has ended. */
  output(id: string): Promise<CommandOutput>;
  stop(id: string): Promise<void>;
  /** Notifies the task's owner of new lines with one of the words from now on; no words: all lines. */
  follow(id: string, words: readonly string[]): void;
}

/** Commands and scripts in the background of all agents of a session, as its user reaches them. */
export interface SessionTasks {
  /** In the order in which they started, with those that have ended. */
  list(): readonly TaskView[];
  /** Returns what it has written so far; nothing for an unknown ID. */
  output(id: string): Promise<CommandOutput>;
  /** Resolves when it has ended. The agent that started it gets a notice. */
  stop(id: string): Promise<void>;
}

/** The result for an unknown id (A14.8). */
export function noSuchTask(service: BackgroundService, asker: ActorId, id: string): string {
  const running = service.running(asker).map((task) => `${task.id} (${task.title})`);
  const there = running.length === 0 ? "You have no running tasks." : `Running: ${running.join(", ")}.`;
  return `There is no background task ${JSON.stringify(id)}. ${there}`;
}

/** A14.7. */
export const TASK_OUTPUT_WAIT_MS = 30_000;
const MAX_WAIT_MS = 600_000;

const TaskOutputInput = z.strictObject({
  task_id: z.string().check(z.describe("The id of the background task (required)")),
  block: z.optional(z.boolean().check(z.describe("Whether to wait for its end (default true)"))),
  timeout: z.optional(
    z
      .number()
      .check(
        z.maximum(MAX_WAIT_MS),
        z.describe(`The longest wait in milliseconds (default ${TASK_OUTPUT_WAIT_MS})`),
      ),
  ),
});
type TaskOutputInput = z.infer<typeof TaskOutputInput>;

interface Output {
  readonly task: TaskView;
  readonly output: CommandOutput;
}

const taskOutputPrompt: ToolPrompt = {
  what: "Shows what a background task has written so far and whether it still runs; for a running agent its turns, time, cost, last calls and last text, marked as unfinished; after its end, its report; for a script its lines and what it returned.",
  when: "when you need the result before you can go on (it waits for the end), or to look in between (block: false), as when the user asks how it is going.",
  whenNot: [
    "to learn of the end: you are notified anyway, so never call it again and again.",
    naming`For single lines of a running command use ${"Monitor"}.`,
  ],
  how: `task_id is the id you were given. block: false returns immediately; otherwise it waits up to timeout (${TASK_OUTPUT_WAIT_MS} ms by default, ${MAX_WAIT_MS} at most).`,
  recover:
    "for an unknown id you get the running ones. When the time is up you get the output so far; the task continues.",
  limits: `all output, stdout and stderr together; output over ${MAX_OUTPUT_CHARS} characters is cut in the middle, and the named file has all of it.`,
};

export function taskOutputTool(service: BackgroundService): Tool<TaskOutputInput, Output, CallContext> {
  return {
    name: "TaskOutput",
    description: taskOutputPrompt,
    inputSchema: TaskOutputInput,
    permissionLevel: "read",
    title: ({ task_id }) => task_id,
    async call({ task_id: id, block = true, timeout = TASK_OUTPUT_WAIT_MS }, { actor, signal }) {
      if (service.find(actor, id) === null) return failed(noSuchTask(service, actor, id));
      if (block) await service.wait(actor, id, Math.max(0, timeout), signal);
      const output = await service.output(id);
      const task = service.find(actor, id);
      return task === null ? failed(noSuchTask(service, actor, id)) : { task, output };
    },
    mapToolResultToToolResultBlockParam: ({ task, output }) => {
      const text = shownOutput(output);
      return `${headline(task, output)}\n${text === "" ? "(no output)" : text}`;
    },
  };
}

/** The first line: no output can come before it. */
function headline({ id, kind, title, state, ending, ms }: TaskView, { bytes, path }: CommandOutput): string {
  const how = ending ?? `It has been running for ${Math.round(ms / 1000)} s.`;
  const file = path === null ? "" : `; ${formatSize(bytes)} of output in ${path}`;
  const what = { agent: "Agent", script: "Script", command: "Command" }[kind];
  return `[${what} ${id}: ${shorten(oneLine(title), 200)}; status: ${state}. ${how.replace(/\.$/, "")}${file}.]`;
}

const TaskStopInput = z.strictObject({
  task_id: z.string().check(z.describe("The id of the background task to end (required)")),
});
type TaskStopInput = z.infer<typeof TaskStopInput>;

const taskStopPrompt: ToolPrompt = {
  what: "Ends a background task: a command with all processes it started, or a script or an agent with all agents below it.",
  when: "when a server, a watcher or an agent is no longer needed, or went wrong.",
  whenNot: "for something that ends by itself: you are notified when it does.",
  how: "task_id is the id you were given when it was started.",
  recover: "for an unknown id you get the running ones. Ending a task that has ended is not an error.",
  limits:
    "a command is asked to end first and is killed after two seconds. What it had written stays readable.",
};

export function taskStopTool(service: BackgroundService): Tool<TaskStopInput, TaskView, CallContext> {
  return {
    name: "TaskStop",
    description: taskStopPrompt,
    inputSchema: TaskStopInput,
    permissionLevel: "read",
    title: ({ task_id }) => task_id,
    async call({ task_id: id }, { actor }) {
      if (service.find(actor, id)?.state === "running") await service.stop(id);
      return service.find(actor, id) ?? failed(noSuchTask(service, actor, id));
    },
    mapToolResultToToolResultBlockParam: ({ id, title, state, ending }) =>
      `Task ${id} (${title}), status: ${state}. ${ending ?? "It is ending."}`,
  };
}

/** Limits of one notification about one command. */
export const MAX_MONITOR_LINES = 50;
export const MAX_MONITOR_CHARS = 4_000;

const MonitorInput = z.strictObject({
  task_id: z.string().check(z.describe("The id of the command in the background (required)")),
  pattern: z.optional(
    z
      .string()
      .check(
        z.describe(
          "Only lines that contain this text, as it is written; several texts are separated by |, and one of them is enough",
        ),
      ),
  ),
});
type MonitorInput = z.infer<typeof MonitorInput>;

const monitorPrompt: ToolPrompt = {
  what: "Notifies you of the new lines that a background command writes, as they come.",
  when: "for a server, a watcher or a long build with lines that matter: it is ready, something failed.",
  whenNot: ["to learn of the end: you are notified anyway.", naming`To see all output use ${"TaskOutput"}.`],
  how: [
    "call it once for a command; then do something else, or end your turn: new lines arrive as a notification. Lines that you have not seen yet come first.",
    "pattern is plain text, not a regular expression. Choose it narrowly: every notification costs a turn.",
  ],
  recover:
    "for an unknown id you get the running ones. Calling it again for the same command replaces the pattern.",
  limits: `lines of stdout and stderr; at most ${MAX_MONITOR_LINES} lines and ${MAX_MONITOR_CHARS} characters a notification, and several that come together are one.`,
};

export function monitorTool(service: BackgroundService): Tool<MonitorInput, TaskView, CallContext> {
  return {
    name: "Monitor",
    description: monitorPrompt,
    inputSchema: MonitorInput,
    permissionLevel: "read",
    title: ({ task_id, pattern }) => (pattern === undefined ? task_id : `${task_id}: ${pattern}`),
    async call({ task_id: id, pattern = "" }, { actor }) {
      const task = service.find(actor, id);
      if (task === null) return failed(noSuchTask(service, actor, id));
      if (task.kind !== "command") {
        const what =
          task.kind === "agent" ? "an agent: it writes no lines" : "a script: its lines come at its end";
        return failed(`${id} is ${what}. You are notified when it has ended.`);
      }
      if (task.state !== "running") return failed(`${id} has ended: ${task.ending ?? "no more lines come."}`);
      service.follow(
        id,
        pattern.split("|").filter((word) => word !== ""),
      );
      return task;
    },
    mapToolResultToToolResultBlockParam: ({ id }) =>
      `You will be notified of new lines of ${id}. Do not wait for them: do something else, or end your turn.`,
  };
}
