import { realpath, stat } from "node:fs/promises";
import { isAbsolute, relative, sep } from "node:path";
import * as z from "zod/mini";
import type { CommandResult } from "../mailbox/runs.ts";
import { bashPrompt, LONGEST_SLEEP_SECONDS } from "./bash-prompt.ts";
import { MAX_OUTPUT_CHARS, shownOutput, sizeOf } from "./command-output.ts";
import { type AgentCallContext, failed, type Tool, type ToolFailure } from "./tool.ts";

/** A7.2. What asks for more gets the most. */
export const DEFAULT_TIMEOUT_MS = 120_000;
export const MAX_TIMEOUT_MS = 600_000;

/** A system takes arguments of 128 KB at most, and the shell's own words around the command are in it. */
const MAX_COMMAND_BYTES = 120_000;

const Input = z.strictObject({
  command: z.string().check(z.describe("The command to run (required)")),
  timeout: z.optional(
    z
      .number()
      .check(
        z.describe(
          `Milliseconds after which it is ended; ${DEFAULT_TIMEOUT_MS} where absent, ${MAX_TIMEOUT_MS} at most`,
        ),
      ),
  ),
  description: z.optional(
    z.string().check(z.describe("What the command does, in five to ten words, for the person who watches")),
  ),
  run_in_background: z.optional(
    z.boolean().check(z.describe("Go on at once; you are told when the command has ended")),
  ),
  dangerouslyDisableSandbox: z.optional(
    z.boolean().check(z.describe("Ask the person to let it run outside of the sandbox, where there is one")),
  ),
});
type Input = z.infer<typeof Input>;

interface Output {
  /** As the model reads it. */
  readonly text: string;
  readonly response: Readonly<Record<string, unknown>>;
}

export const bashTool: Tool<Input, Output, AgentCallContext> = {
  name: "Bash",
  aliases: [],
  description: bashPrompt({
    defaultTimeoutMs: DEFAULT_TIMEOUT_MS,
    maxTimeoutMs: MAX_TIMEOUT_MS,
    maxOutputChars: MAX_OUTPUT_CHARS,
  }),
  inputSchema: Input,
  permissionLevel: "execute",
  parallel: true,
  needs: "process",
  title: ({ command, description }) => description?.trim() || command.trim(),
  accesses: (_input, cwd) => [{ kind: "execute", target: cwd }],
  call: bash,
  mapToolResultToToolResultBlockParam: ({ text }) => text,
  response: ({ response }) => response,
};

async function bash(input: Input, context: AgentCallContext): Promise<Output | ToolFailure> {
  const { command, timeout = DEFAULT_TIMEOUT_MS } = input;
  const complaint = complaintAbout(input);
  if (complaint !== null) return failed(complaint);
  const place = await placeToRun(context);
  if (input.run_in_background) return startInBackground(input, place, context);
  const timeoutMs = Math.min(Math.trunc(timeout), MAX_TIMEOUT_MS);
  const result = await context.command({ call: context.call, command, cwd: place.cwd, timeoutMs });
  context.ran(command, result.exitCode);
  const moved = await follow(result.cwd, place.cwd, context);
  const notes = [
    ...place.notes,
    ...(timeout > MAX_TIMEOUT_MS
      ? [`timeout was ${timeout} ms; the most is ${MAX_TIMEOUT_MS} ms, which was used.`]
      : []),
    ...moved,
    ...sleepAdvice(command),
  ];
  return told(result, notes, timeoutMs);
}

function complaintAbout({ command, timeout }: Input): string | null {
  if (command.trim() === "") return "command is empty. Write the command to run.";
  const bytes = Buffer.byteLength(command);
  if (bytes > MAX_COMMAND_BYTES)
    return `command is too long: it has ${bytes} bytes, and ${MAX_COMMAND_BYTES} are the most. Write it to a file and run that.`;
  if (command.includes("\0"))
    return "command contains a NUL character, which no shell can be given. Write it without.";
  if (timeout !== undefined && !(timeout >= 1))
    return `timeout must be at least 1 ms, and ${timeout} is not. Leave it out for ${DEFAULT_TIMEOUT_MS} ms.`;
  return null;
}

// ---- where it runs ------------------------------------------------------------------------------

interface Place {
  readonly cwd: string;
  readonly notes: readonly string[];
}

/** The agent's working directory; where that is gone, its root (fault 36). */
async function placeToRun({ cwd, root, changeDirectory }: AgentCallContext): Promise<Place> {
  if (cwd === root || (await isFolder(cwd))) return { cwd, notes: [] };
  changeDirectory(root);
  return { cwd: root, notes: [`The working directory ${cwd} is gone, so the command ran in ${root}.`] };
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}

/**
 * The shell's last folder becomes the agent's, inside the workspace only (A7.5). Only a command that went
 * elsewhere changes anything: of those that run side by side one may stay where it was.
 */
async function follow(to: string | null, from: string, context: AgentCallContext): Promise<string[]> {
  // Nearly always it stayed, and then nothing has to be looked at.
  if (to === null || to === from) return [];
  const real = async (path: string) => realpath(path).catch(() => path);
  const folders = [context.root, ...context.additionalDirs];
  const [start, ...roots] = await Promise.all([from, ...folders].map(real));
  if (to === start) return [];
  const at = roots.findIndex((root) => isBelow(root, to));
  const [folder, root] = [folders[at], roots[at]];
  if (folder === undefined || root === undefined)
    return [`The working directory was set back to ${from}: ${to} is outside the workspace.`];
  // In the words the agent knows its workspace by, where a link leads to it.
  context.changeDirectory(to === root ? folder : `${folder}${to.slice(root.length)}`);
  return [];
}

function isBelow(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

// ---- what is told of it -------------------------------------------------------------------------

/**
 * Output first, then what the runtime says, in brackets and always last, so that no output can pass for it. An
 * exit code is an answer (that of grep, of a test run), whatever it is; only a command that did not come to its
 * own end is an error.
 */
function told(result: CommandResult, notes: readonly string[], timeoutMs: number): Output | ToolFailure {
  const output = shownOutput(result.output);
  const frame = [...notes, ...besides(result), ending(result, timeoutMs)]
    .map((note) => `[${note}]`)
    .join("\n");
  const text = `${output === "" ? "(no output)" : output}\n${frame}`;
  if (result.outcome !== "exited" || result.flooded) return failed(text);
  // Both streams are one here; scripts look for either.
  const streams = { stdout: output, stderr: "", interrupted: false, isImage: false };
  return { text, response: { ...streams, exitCode: result.exitCode } };
}

/** What the runtime has to say of a command that ran, apart from how it ended. */
function besides({ outcome, reason }: CommandResult): string[] {
  const ran = outcome === "exited" || outcome === "signalled" || outcome === "timed-out";
  return ran && reason !== undefined ? [reason] : [];
}

function ending(
  { outcome, exitCode, signal, reason, output, flooded }: CommandResult,
  timeoutMs: number,
): string {
  if (flooded)
    return `Ended, because it had written ${sizeOf(output.bytes)}, the most that is kept. Let it write less, or to a file of its own.`;
  switch (outcome) {
    case "exited":
      return `Exit code ${exitCode}`;
    case "signalled":
      return `Ended by signal ${signal}; there is no exit code.`;
    case "timed-out":
      return `Ended after ${timeoutMs} ms, when its time was up, with all it had started. Ask for more (timeout, at most ${MAX_TIMEOUT_MS} ms) or use run_in_background.`;
    case "cancelled":
      return "Ended, because the agent was stopped.";
    case "not-started":
      return `Not run. ${reason ?? "It could not be started."}`;
    case "unknown":
      return reason ?? "Whether the command did its work is not known.";
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
    `Advice: do not wait with sleep for more than ${LONGEST_SLEEP_SECONDS} seconds. Start what takes long with run_in_background; you are told when it ends.`,
  ];
}

// ---- in the background --------------------------------------------------------------------------

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
    `Running in the background with the id ${answer.task}. You will be told when it has ended. Its output goes to ${answer.path}.`,
    ...[...notes, ...unlimited].map((note) => `[${note}]`),
  ].join("\n");
  const streams = { stdout: "", stderr: "", interrupted: false, isImage: false };
  return { text, response: { ...streams, backgroundTaskId: answer.task } };
}
