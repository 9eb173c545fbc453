import { realpath, stat } from "node:fs/promises";
import * as z from "zod/mini";
import { isPathInside } from "../lib/paths.ts";
import type { CommandLimits } from "../mailbox/messages.ts";
import type { CommandResult } from "../mailbox/runs.ts";
import { bashPrompt, LONGEST_SLEEP_SECONDS } from "./bash-prompt.ts";
import { formatSize, shownOutput } from "./command-output.ts";
import { type AgentCallContext, failed, type Tool, type ToolFailure } from "./tool.ts";

/** A7.2. A longer timeout is reduced to the maximum. */
export const DEFAULT_TIMEOUT_MS = 120_000;
export const MAX_TIMEOUT_MS = 600_000;

/** A system takes arguments of at most 128 KB, including the shell script around the command. */
const MAX_COMMAND_BYTES = 120_000;

export const COMMAND_LIMITS: CommandLimits = { usual: DEFAULT_TIMEOUT_MS, most: MAX_TIMEOUT_MS };

const Input = inputWithin(COMMAND_LIMITS);
type Input = z.infer<typeof Input>;

function inputWithin({ usual, most }: CommandLimits) {
  return z.strictObject({
    command: z.string().check(z.describe("The command to run (required)")),
    timeout: z.optional(
      z
        .number()
        .check(z.describe(`Milliseconds after which it is ended (default ${usual}, at most ${most})`)),
    ),
    description: z.optional(
      z.string().check(z.describe("What the command does, in five to ten words, for the user")),
    ),
    run_in_background: z.optional(
      z.boolean().check(z.describe("Continue immediately; you are notified when the command has ended")),
    ),
    dangerouslyDisableSandbox: z.optional(
      z.boolean().check(z.describe("Ask the user to let it run outside the sandbox")),
    ),
  });
}

interface Output {
  /** As the model reads it. */
  readonly text: string;
  readonly response: Readonly<Record<string, unknown>>;
}

export const bashTool: Tool<Input, Output, AgentCallContext> = {
  name: "Bash",
  description: bashPrompt(COMMAND_LIMITS),
  inputSchema: Input,
  permissionLevel: "execute",
  needsHost: true,
  title: ({ command }) => command.trim(),
  intent: ({ description }) => description?.trim() || undefined,
  problem: inputProblem,
  accesses: (_input, cwd) => [{ kind: "execute", target: cwd }],
  call: bash,
  mapToolResultToToolResultBlockParam: ({ text }) => text,
  response: ({ response }) => response,
};

/** Returns the tool as models see it in a session with these limits. */
export function bashToolWithin(limits: CommandLimits): typeof bashTool {
  return { ...bashTool, description: bashPrompt(limits), inputSchema: inputWithin(limits) };
}

async function bash(input: Input, context: AgentCallContext): Promise<Output | ToolFailure> {
  const { usual, most } = context.commandLimits ?? COMMAND_LIMITS;
  const { command, timeout = usual } = input;
  const place = await placeToRun(context);
  if (input.run_in_background) return startInBackground(input, place, context);
  const timeoutMs = Math.min(Math.trunc(timeout), most);
  const result = await context.command({ call: context.call, command, cwd: place.cwd, timeoutMs });
  context.ran(command, result.exitCode);
  if (result.moved !== undefined) return movedResult(result, result.moved);
  const moved = await followDirectory(result.cwd, place.cwd, context);
  const notes = [
    ...place.notes,
    ...(timeout > most ? [`timeout was ${timeout} ms; the most is ${most} ms, which was used.`] : []),
    ...moved,
    ...sleepAdvice(command),
  ];
  return resultOf(result, notes, { timeoutMs, most });
}

function movedResult({ output }: CommandResult, task: string): Output {
  const so = shownOutput(output);
  const text = `${so === "" ? "(no output yet)" : so}
[The user moved this command to the background, where it has the id ${task}. You will be notified when it has ended: continue without it. Its output goes to ${output.path}. It has no timeout there.]`;
  const streams = { stdout: so, stderr: "", interrupted: false, isImage: false };
  return { text, response: { ...streams, backgroundTaskId: task } };
}

function inputProblem({ command, timeout }: Input): string | null {
  if (command.trim() === "") return "command is empty. Write the command to run.";
  const bytes = Buffer.byteLength(command);
  if (bytes > MAX_COMMAND_BYTES)
    return `command is too long: it has ${bytes} bytes, and the most is ${MAX_COMMAND_BYTES}. Write it to a file and run that.`;
  if (command.includes("\0"))
    return "command contains a NUL character, which a shell cannot be given. Write it without.";
  if (timeout !== undefined && !(timeout >= 1))
    return `timeout must be at least 1 ms, and ${timeout} is not. Leave it out for the default.`;
  return null;
}

interface Place {
  readonly cwd: string;
  readonly notes: readonly string[];
}

/** Returns the agent's working directory, or its root if that was deleted (fault 36). */
async function placeToRun({ cwd, root, changeDirectory }: AgentCallContext): Promise<Place> {
  if (cwd === root || (await isDirectory(cwd))) return { cwd, notes: [] };
  changeDirectory(root);
  return { cwd: root, notes: [`The working directory ${cwd} was deleted, so the command ran in ${root}.`] };
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}

/**
 * The shell's last directory becomes the agent's, inside the workspace only (A7.5), and only if the command changed it:
 * another command may run at the same time.
 */
async function followDirectory(
  to: string | null,
  from: string,
  context: AgentCallContext,
): Promise<string[]> {
  if (to === null || to === from) return [];
  const real = async (path: string) => realpath(path).catch(() => path);
  const dirs = [context.root, ...context.additionalDirs];
  const [start, ...roots] = await Promise.all([from, ...dirs].map(real));
  if (to === start) return [];
  const at = roots.findIndex((root) => isPathInside(to, root));
  const [dir, root] = [dirs[at], roots[at]];
  if (dir === undefined || root === undefined)
    return [`The working directory was set back to ${from}: ${to} is outside the workspace.`];
  // By the path that the agent knows, if that is a link.
  context.changeDirectory(`${dir}${to.slice(root.length)}`);
  return [];
}

/**
 * Output first, then the runtime's notes, in brackets and always last, so that no output can pass for them. Every exit
 * code is a result (of grep, of a test run); only a command that did not end by itself is an error.
 */
function resultOf(result: CommandResult, notes: readonly string[], time: CommandTime): Output | ToolFailure {
  const output = shownOutput(result.output);
  const frame = [...notes, ...remarks(result), ending(result, time)].map((note) => `[${note}]`).join("\n");
  const text = `${output === "" ? "(no output)" : output}\n${frame}`;
  if (result.outcome !== "exited" || result.flooded) return failed(text);
  // Hook scripts look for either stream.
  const streams = { stdout: output, stderr: "", interrupted: false, isImage: false };
  const { path } = result.output;
  const file = path === null ? {} : { persistedOutputPath: path };
  return { text, response: { ...streams, exitCode: result.exitCode, ...file } };
}

interface CommandTime {
  readonly timeoutMs: number;
  readonly most: number;
}

/** Returns what the runtime has to say about a command that ran, except how it ended. */
function remarks({ outcome, reason }: CommandResult): string[] {
  const ran = outcome === "exited" || outcome === "signalled" || outcome === "timed-out";
  return ran && reason !== undefined ? [reason] : [];
}

function ending(
  { outcome, exitCode, signal, reason, output, flooded }: CommandResult,
  { timeoutMs, most }: CommandTime,
): string {
  if (flooded)
    return `Ended, because it had written ${formatSize(output.bytes)}, the most that is kept. Let it write less, or write to a file.`;
  switch (outcome) {
    case "exited":
      return `Exit code ${exitCode}`;
    case "signalled":
      return `Ended by signal ${signal}; there is no exit code.`;
    case "timed-out":
      return `Ended after ${timeoutMs} ms (timeout), with all it had started. Ask for more time (at most ${most} ms) or use run_in_background.`;
    case "cancelled":
      return "Ended, because the agent was stopped.";
    case "not-started":
      return `Not run. ${reason ?? "It could not be started."}`;
    case "unknown":
      return reason ?? "It is not known whether the command finished.";
    default:
      return outcome satisfies never;
  }
}

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** A4.4. */
function sleepAdvice(command: string): string[] {
  const [, amount, unit = "s"] = /^\s*sleep\s+(\d+(?:\.\d+)?)([smhd]?)\s*;?\s*$/.exec(command) ?? [];
  if (amount === undefined || Number(amount) * (SECONDS[unit || "s"] ?? 1) <= LONGEST_SLEEP_SECONDS)
    return [];
  return [
    `Advice: do not wait with sleep for more than ${LONGEST_SLEEP_SECONDS} seconds. Start long commands with run_in_background; you are notified when they end.`,
  ];
}

async function startInBackground(
  { command, description, timeout }: Input,
  { cwd, notes }: Place,
  context: AgentCallContext,
): Promise<Output | ToolFailure> {
  const title = description?.trim() || command.trim();
  const answer = await context.background({ call: context.call, command, description: title, cwd });
  if (answer.type === "refused") return failed(answer.reason);
  context.ran(command, null);
  const unlimited =
    timeout === undefined ? [] : ["timeout is for commands in the foreground; this one has none."];
  const text = [
    `Running in the background with the id ${answer.task}. You will be notified when it has ended. Its output goes to ${answer.path}.`,
    ...[...notes, ...unlimited].map((note) => `[${note}]`),
  ].join("\n");
  const streams = { stdout: "", stderr: "", interrupted: false, isImage: false };
  return { text, response: { ...streams, backgroundTaskId: answer.task } };
}
