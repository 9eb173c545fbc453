import type { Outputs } from "../../journal/outputs.ts";
import { textAt } from "../../lib/json.ts";
import type { Call } from "../../mailbox/calls.ts";
import type { CallId } from "../../mailbox/ids.ts";
import type { Summary } from "../../mailbox/messages.ts";
import type { RunRequest } from "../../mailbox/runs.ts";
import type { Processes } from "../../processes/processes.ts";
import type { Actor } from "../../supervisor/actor-record.ts";
import type { Actors } from "../../supervisor/actors.ts";
import type { FeatureServices, Joints } from "../../supervisor/joints.ts";
import { ripgrepPath } from "../../tools/grep/ripgrep.ts";
import type { Toolbox } from "../../tools/toolbox.ts";
import { agentDue } from "./agent-progress.ts";
import type { Background, BackgroundCommand, BackgroundPorts } from "./background.ts";
import { endNotice } from "./command-notices.ts";

export interface BackgroundFeatureParts {
  readonly background: Background;
  /** Receives what a command in the foreground prints, while it runs. */
  readonly onLines: (call: CallId, lines: readonly string[]) => void;
  readonly processes: Pick<Processes, "run">;
  readonly toolbox: Pick<Toolbox, "find">;
  readonly outputs: Pick<Outputs, "pathOf">;
  readonly actors: Pick<Actors, "all" | "notify">;
  readonly note: BackgroundPorts["note"];
}

/**
 * Commands in the foreground and background. Joints: `services` (a thread's commands and searches), `prepareCall`
 * (denies reading a report that is not written yet), `keepsAlive`, `onEnd` (stops what still runs and reports it in
 * the summary), `onEvent`.
 */
export function backgroundFeature(parts: BackgroundFeatureParts): Joints {
  const { background, outputs, actors, note } = parts;
  return {
    services: (actor) => commandServices(actor, parts),
    prepareCall({ running: { local }, accesses }) {
      if (!local) return {};
      const due = accesses
        .map(({ target }) => agentDue(target, actors.all(), outputs))
        .find((id) => id !== null);
      return due ? { refusal: notWrittenYet(due) } : {};
    },
    toBackground: (owner) => background.moveAll(owner),
    keepsAlive: ({ id }) =>
      background
        .runningOf(id)
        // A script ends by itself, as an agent does.
        .map(({ title, ended, script }) => ({
          kind: script === undefined ? "command" : "agent",
          title,
          ended,
        })),
    onEnd: ({ actor, summary, isIdle }) =>
      isIdle ? {} : { summary: withStopped(summary, background.release(actor.id)) },
    onEvent(event) {
      if (event.type !== "replayed") return;
      for (const { actor, task, title, path, script, end } of event.state.owedCommands) {
        const { status, ending } = end ?? ENDED_WITH_PROGRAM;
        if (end === null) note({ type: "command-end", actor, task, ending, status });
        const output = { bytes: 0, head: "", tail: null, path };
        const isScript = script !== undefined;
        const next = isScript ? ` ${resumeWords(script)}` : "";
        actors.notify(
          actor,
          endNotice({ task, title, status, ending: `${ending}${next}`, isScript, output }),
        );
      }
    },
  };
}

/** Runs what an actor's calls request: the commands that were allowed, and searches. */
export function commandServices(
  actor: Pick<Actor, "id" | "root" | "calls" | "stopping" | "life">,
  parts: Pick<BackgroundFeatureParts, "background" | "processes" | "toolbox" | "onLines">,
): Pick<FeatureServices, "run" | "command" | "background"> {
  const { background, processes, toolbox } = parts;
  const { stopping, life } = actor;

  /** Returns the call if it was allowed, its tool may execute, and the request is for what was allowed. */
  const allowedCall = (request: { call: CallId; command: string; cwd: string }) => {
    const running = actor.calls.get(request.call);
    if (running === undefined || toolbox.find(running.tool)?.level !== "execute")
      throw new Error(`The call ${request.call} may not run a command.`);
    const refusal = commandRefusal(request, running, actor.root);
    if (refusal !== null) throw new Error(`The call ${request.call} asked for ${refusal}.`);
    return running;
  };

  return {
    async run(request) {
      const refusal = isRunning(actor, request.id) ? searchRefusal(request) : "a call that is not running";
      if (refusal !== null) throw new Error(`It asked for ${refusal}.`);
      return processes.run({ ...request, owner: actor.id }, stopping.signal);
    },
    async command(request) {
      const call = allowedCall(request);
      const signals = { stopping: stopping.signal, life: life.signal };
      return background.run(actor.id, request, signals, call, (lines) => parts.onLines(request.call, lines));
    },
    async background(request) {
      return background.start(actor.id, request, life.signal, allowedCall(request));
    },
  };
}

/** A call may run several programs, each with an ID that starts with the call's. */
function isRunning(actor: Pick<Actor, "calls">, run: string): boolean {
  return [...actor.calls.keys()].some((call) => run === call || run.startsWith(`${call}.`));
}

const ENDED_WITH_PROGRAM = {
  status: "killed",
  ending: "It was ended with the program that ran it.",
} as const;

/** What a model does about a script whose value it has not. */
export function resumeWords(run: string): string {
  return `Call Workflow with resumeFromRunId ${JSON.stringify(run)} to continue it: calls that have finished are not made again.`;
}

function notWrittenYet(agent: string): string {
  return `This file has not been written yet: agent ${agent} still works, and you get a notice when its report is there. To see how far it is, call TaskOutput with task_id ${JSON.stringify(agent)} and block: false.`;
}

export function withStopped(summary: Summary, stopped: readonly Pick<BackgroundCommand, "title">[]): Summary {
  if (stopped.length === 0) return summary;
  const names = stopped.map(({ title }) => title).join("; ");
  const [commands, were] = stopped.length === 1 ? ["command", "was"] : ["commands", "were"];
  const sentence = `${stopped.length} ${commands} in the background still ran at its end and ${were} stopped: ${names}.`;
  const reason = summary.reason === undefined ? sentence : `${summary.reason} ${sentence}`;
  return { ...summary, reason };
}

/** A call that the gate allowed, as it evaluated it. */
interface JudgedCall {
  readonly input: Call["input"];
  /** The agent's working directory. */
  readonly cwd: string;
}

/** Options with which ripgrep starts another program. */
const STARTS_ANOTHER = /^(--pre\b|--pre-glob\b|--hostname-bin\b|--search-zip\b|-[a-zA-Z]*z)/;

/** Returns why a thread may not start this command, or null. A decision covers one command in one directory. */
function commandRefusal(
  request: { readonly command: string; readonly cwd: string },
  judged: JudgedCall,
  root: string,
): string | null {
  if (request.command !== textAt(judged.input, "command"))
    return "another command than the one that was allowed";
  // If its directory no longer exists, a command runs at the agent's root.
  return request.cwd === judged.cwd || request.cwd === root
    ? null
    : "another directory than the one it was allowed in";
}

/**
 * Returns why a thread may not start this program, or null. Except for commands only our ripgrep is allowed, without
 * options that start other programs.
 */
function searchRefusal({ file, args }: Pick<RunRequest, "file" | "args">): string | null {
  if (file !== ripgrepPath()) return "a program that no built-in tool runs";
  const options = args.slice(0, args.includes("--") ? args.indexOf("--") : args.length);
  const odd = options.find((option) => STARTS_ANOTHER.test(option));
  return odd === undefined ? null : `ripgrep with ${odd}`;
}
