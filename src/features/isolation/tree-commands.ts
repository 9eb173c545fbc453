import { type Clock, pause } from "../../lib/clock.ts";
import type { ActorId } from "../../mailbox/ids.ts";
import type { CommandResult } from "../../mailbox/runs.ts";
import { endOf } from "../../tools/command-output.ts";
import type { Commands } from "../background/commands.ts";
import type { WorktreeSetup } from "./worktree-settings.ts";

const READY_EVERY_MS = 500;
/** Characters of a failed command's output in the report. */
const END_CHARS = 600;

/** Commands that the user's settings run in a worktree: its setup, and the check of what is merged. */
export class TreeCommands {
  readonly #commands: Commands;
  readonly #clock: Clock;

  constructor(commands: Commands, clock: Clock) {
    this.#commands = commands;
    this.#clock = clock;
  }

  /** Resolves with null if it is ready, else with the reason as a sentence. */
  async setUp(
    owner: ActorId,
    cwd: string,
    setUp: WorktreeSetup,
    signal: AbortSignal,
  ): Promise<string | null> {
    const { command, ready, timeoutMs } = setUp;
    const until = this.#clock.now() + timeoutMs;
    const failed = await this.#run(owner, { command, cwd, timeoutMs }, signal);
    if (failed !== null) return `The set-up command of its worktree, ${quoted(command)}, ${failed}`;
    if (ready === undefined) return null;
    for (;;) {
      const left = Math.max(1, until - this.#clock.now());
      const notYet = await this.#run(owner, { command: ready, cwd, timeoutMs: left }, signal);
      if (notYet === null) return null;
      if (signal.aborted || this.#clock.now() >= until)
        return `Its worktree was not ready within ${timeoutMs / 1_000} s: ${quoted(ready)} ${notYet}`;
      await pause(this.#clock, READY_EVERY_MS, signal);
    }
  }

  /** Resolves with null if it passes, else with its failure as a sentence. */
  async check(
    owner: ActorId,
    cwd: string,
    { command, timeoutMs }: { readonly command: string; readonly timeoutMs: number },
    signal: AbortSignal,
  ): Promise<string | null> {
    const failed = await this.#run(owner, { command, cwd, timeoutMs }, signal);
    return failed === null ? null : `The check of the merged files, ${quoted(command)}, ${failed}`;
  }

  /** Resolves with null if it succeeded, else with its failure as the rest of a sentence. */
  async #run(
    owner: ActorId,
    request: { readonly command: string; readonly cwd: string; readonly timeoutMs: number },
    signal: AbortSignal,
  ): Promise<string | null> {
    const running = this.#commands.start({ owner, ...request, keep: false, signal });
    return typeof running === "string" ? `did not run: ${running}` : failureOf(await running.result);
  }
}

function failureOf({ outcome, exitCode, reason, output }: CommandResult): string | null {
  if (outcome === "exited" && exitCode === 0) return null;
  const how = outcome === "exited" ? `ended with exit code ${exitCode}` : (reason ?? `ended: ${outcome}`);
  const said = endOf(output.tail ?? output.head, END_CHARS).trim();
  return said === "" ? `${how}.` : `${how}:\n${said}`;
}

function quoted(command: string): string {
  return `\`${command}\``;
}
