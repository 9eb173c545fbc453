import { existsSync } from "node:fs";
import { isAbsolute, relative, resolve } from "node:path";
import type { Accept } from "../../mailbox/acceptance.ts";
import { callId } from "../../mailbox/ids.ts";
import type { CommandOutput, CommandResult } from "../../mailbox/runs.ts";
import type { Actor } from "../../supervisor/actor-record.ts";
import type { Evaluation, RequestedCall } from "../../supervisor/joints.ts";
import type { CommandPlace } from "../../supervisor/running-call.ts";
import type { KnownTool } from "../../supervisor/toolbox.ts";
import { endOf } from "../../tools/command-output.ts";
import type { Commands } from "../background/commands.ts";

export interface AcceptanceParts {
  readonly commands: Commands;
  /** Milliseconds that a check may take. */
  readonly timeoutMs: number;
  /** The tool whose rules hold for a check: Bash. */
  readonly shell: () => KnownTool | undefined;
  /** Asks the gate, as for a call of the agent. */
  evaluate(call: RequestedCall): Promise<Evaluation>;
}

/** Characters of the command's output in a verdict. */
const OUTPUT_CHARS = 2_000;

/** Looks whether what was stated of an agent's work is true. */
export class AcceptanceChecks {
  readonly #parts: AcceptanceParts;
  /** Where the user has allowed an agent's check to run, when it started. */
  readonly #allowed = new WeakMap<Actor, CommandPlace>();

  constructor(parts: AcceptanceParts) {
    this.#parts = parts;
  }

  /** Whether the check may run, before anything is paid for: a sentence if it may not. */
  async allow(actor: Actor, run: string): Promise<string | null> {
    const evaluation = await this.#evaluate(actor, run);
    if (evaluation.type === "refuse") return notAllowed(run, evaluation.refusal);
    evaluation.light?.finish();
    // The user is not asked again each time it runs.
    if (evaluation.by === "person") this.#allowed.set(actor, { outside: evaluation.outside }); // word-ok
    return null;
  }

  /** Resolves with null if all of it is true in `cwd`, else with the reason as a sentence. */
  async check(
    actor: Actor,
    { run, expect, files = [] }: Accept,
    cwd: string,
    signal: AbortSignal,
  ): Promise<string | null> {
    const missing = files.filter((file) => !existsSync(resolve(cwd, placed(file, actor.root))));
    if (missing.length > 0)
      return `${missing.slice(0, 5).join(", ")} ${missing.length === 1 ? "does" : "do"} not exist.`;
    if (run === undefined) return null;
    const where = await this.#place(actor, run);
    if (typeof where === "string") return where;
    const { timeoutMs, commands } = this.#parts;
    const request = { owner: actor.id, command: run, cwd, timeoutMs, keep: false, signal, where };
    const running = commands.start(request);
    if (typeof running === "string") return `The check \`${run}\` did not run: ${running}`;
    const failed = failureOf(await running.result, expect);
    return failed === null ? null : `The check \`${run}\` ${failed}`;
  }

  /** Rules may have changed since it started. */
  async #place(actor: Actor, run: string): Promise<CommandPlace | string> {
    const before = this.#allowed.get(actor);
    if (before !== undefined) return before;
    const evaluation = await this.#evaluate(actor, run);
    if (evaluation.type === "refuse") return notAllowed(run, evaluation.refusal);
    const { outside, light } = evaluation;
    return { outside, ...(light === undefined ? {} : { light }) };
  }

  async #evaluate(actor: Actor, run: string): Promise<Evaluation> {
    const tool = this.#parts.shell();
    if (tool === undefined)
      return {
        type: "refuse",
        by: "rules",
        reason: "there is no shell",
        refusal: "No commands run in this session.",
      };
    const id = callId(actor.id, actor.turnsTaken, 0);
    const input = { command: run, description: "Checks the agent's work" };
    const call = { id, toolUse: id, tool: "Bash", input, cwd: actor.root };
    return this.#parts.evaluate({ actor, call, tool, cwd: actor.root, signal: actor.stopping.signal });
  }
}

function notAllowed(run: string, refusal: string): string {
  return `The check \`${run}\` was not run: ${refusal}`;
}

/** An absolute path below the agent's root is one of the directory that is checked. */
function placed(file: string, root: string): string {
  return isAbsolute(file) && !relative(root, file).startsWith("..") ? relative(root, file) : file;
}

function failureOf(
  { outcome, exitCode, reason, output }: CommandResult,
  expect: Accept["expect"],
): string | null {
  const { exit = 0, output: wanted } = expect ?? {};
  if (outcome !== "exited") return `${reason ?? `ended: ${outcome}`}.${said(output)}`;
  if (exitCode !== exit)
    return `ended with exit code ${exitCode}${exit === 0 ? "" : `, not ${exit}`}.${said(output)}`;
  if (wanted === undefined || output.head.includes(wanted) || output.tail?.includes(wanted)) return null;
  return `did not print ${JSON.stringify(wanted)}.${said(output)}`;
}

function said({ head, tail }: CommandOutput): string {
  const text = endOf(tail ?? head, OUTPUT_CHARS).trim();
  return text === "" ? "" : ` Its output ends with:\n${text}`;
}
