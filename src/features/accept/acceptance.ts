import type { Journal } from "../../journal/journal.ts";
import { errorMessage } from "../../lib/errors.ts";
import { given, textAt } from "../../lib/json.ts";
import { shorten } from "../../lib/text.ts";
import type { Accept } from "../../mailbox/acceptance.ts";
import { callId } from "../../mailbox/ids.ts";
import type { Summary } from "../../mailbox/messages.ts";
import type { CommandOutput, CommandResult } from "../../mailbox/runs.ts";
import type { Actor } from "../../supervisor/actor-record.ts";
import type { Evaluation, RequestedCall } from "../../supervisor/joints.ts";
import { endOf } from "../../tools/command-output.ts";
import type { KnownTool } from "../../tools/toolbox.ts";
import type { Commands } from "../background/commands.ts";
import { faultOfFiles } from "./stated.ts";

export interface AcceptanceParts {
  readonly commands: Commands;
  /** Milliseconds that a check may take. */
  readonly timeoutMs: number;
  readonly journal: Pick<Journal, "append" | "note">;
  /** The tool whose rules hold for a check: Bash. */
  readonly shell: () => KnownTool | undefined;
  /** Asks the gate, as for a call of the agent. */
  evaluate(call: RequestedCall): Promise<Evaluation>;
}

type Allowed = Extract<Evaluation, { type: "go" }>;

/** Characters of the command, and of its output, in a verdict. */
const COMMAND_CHARS = 200;
const OUTPUT_CHARS = 2_000;
/** Calls of a model count from 0, commands of skills from 10,000: this offset keeps these apart. */
const FIRST_PLACE = 20_000;

/** Looks whether what was stated of an agent's work is true. */
export class AcceptanceChecks {
  readonly #parts: AcceptanceParts;
  /** What the user has said of an agent's check when it started. */
  readonly #allowed = new WeakMap<Actor, Allowed>();
  #calls = FIRST_PLACE;

  constructor(parts: AcceptanceParts) {
    this.#parts = parts;
  }

  /** Whether the check may run, before anything is paid for: a sentence if it may not. */
  async allow(actor: Actor, run: string): Promise<string | null> {
    const evaluation = await this.#evaluate(actor, run, actor.stopping.signal);
    if (evaluation.type === "refuse") return notAllowed(run, evaluation.refusal);
    await evaluation.light?.finish();
    // The user is not asked again each time it runs.
    if (evaluation.by === "person") this.#allowed.set(actor, evaluation); // word-ok
    return null;
  }

  /** Resolves with null if all of it is true where the agent works, else with the reason as a sentence. */
  async check(
    actor: Actor,
    { run, expect, schema }: Accept,
    { output, reason }: Pick<Summary, "output" | "reason">,
    signal: AbortSignal,
  ): Promise<string | null> {
    try {
      if (schema !== undefined && output === undefined)
        return reason ?? "Its answer does not fit the schema that was stated for it.";
      const { root } = actor;
      const fault = faultOfFiles({ ...actor.spec, root });
      if (fault !== null || run === undefined) return fault;
      return await this.#run(actor, run, expect, signal);
    } catch (error) {
      return `It could not be checked: ${errorMessage(error)}`;
    }
  }

  async #run(
    actor: Actor,
    run: string,
    expect: Accept["expect"],
    signal: AbortSignal,
  ): Promise<string | null> {
    const { commands, journal, timeoutMs } = this.#parts;
    // Rules may have changed since it started.
    const evaluation = this.#allowed.get(actor) ?? (await this.#evaluate(actor, run, signal));
    const { by, reason, rule, tier } = evaluation;
    const call = this.#nextCall(actor);
    await journal.append({
      ...{ type: "before", actor: actor.id, call, tool: "Bash", decision: evaluation.type, by, reason },
      input: evaluation.type === "go" ? evaluation.input : inputOf(run),
      ...given({ rule, tier }),
    });
    if (evaluation.type === "refuse") return notAllowed(run, evaluation.refusal);
    const { outside, light, input } = evaluation;
    const where = { outside, ...(light === undefined ? {} : { light }) };
    // A hook or the user may have changed it.
    const command = textAt(input, "command") ?? run;
    const request = { owner: actor.id, command, cwd: actor.rootHere, timeoutMs, keep: false, signal, where };
    const running = commands.start(request);
    const failed =
      typeof running === "string"
        ? `did not run: ${running}`
        : failureOf(await running.result, expect, timeoutMs);
    journal.note({ type: "after", actor: actor.id, call, isError: failed !== null });
    return failed === null ? null : `The check ${quoted(run)} ${failed}`;
  }

  async #evaluate(actor: Actor, run: string, signal: AbortSignal): Promise<Evaluation> {
    const tool = this.#parts.shell();
    if (tool === undefined)
      return {
        type: "refuse",
        by: "rules",
        reason: "there is no shell",
        refusal: "No commands run in this session.",
      };
    const id = this.#nextCall(actor);
    const { root: cwd } = actor;
    const call = { id, toolUse: id, tool: "Bash", input: inputOf(run), cwd };
    return this.#parts.evaluate({ actor, call, tool, cwd, signal });
  }

  #nextCall(actor: Actor) {
    this.#calls += 1;
    return callId(actor.id, actor.turnsTaken, this.#calls);
  }
}

function inputOf(command: string) {
  return { command, description: "Checks the agent's work" };
}

function notAllowed(run: string, refusal: string): string {
  return `The check ${quoted(run)} was not run: ${refusal}`;
}

function quoted(run: string): string {
  return `\`${shorten(run, COMMAND_CHARS)}\``;
}

function failureOf(
  { outcome, exitCode, reason, output }: CommandResult,
  expect: Accept["expect"],
  timeoutMs: number,
): string | null {
  const { exit = 0, output: wanted } = expect ?? {};
  if (outcome === "timed-out") return `did not end within ${timeoutMs / 1_000} s.${said(output)}`;
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
