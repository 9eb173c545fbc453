import type { RenderedCommand } from "../../context/skills/render.ts";
import type { Journal } from "../../journal/journal.ts";
import { given, textAt } from "../../lib/json.ts";
import type { Call } from "../../mailbox/calls.ts";
import { type ActorId, callId } from "../../mailbox/ids.ts";
import type { CommandOutput } from "../../mailbox/runs.ts";
import type { WriteScope } from "../../policy/confinement/write-scope.ts";
import type { Toolbox } from "../../tools/toolbox.ts";
import type { Commands } from "../background/commands.ts";
import type { Gate, Gated } from "../gate/gate.ts";

/** Milliseconds that a command of a skill may take. */
const COMMAND_MS = 120_000;
/** Calls of a model count from 0: this offset keeps these apart. */
const FIRST_PLACE = 10_000;

export interface CommandSide {
  readonly gate: Pick<Gate, "judge" | "recheck">;
  readonly toolbox: Pick<Toolbox, "find">;
  readonly commands: Pick<Commands, "run">;
  readonly journal: Pick<Journal, "append" | "note">;
}

/** On whose behalf, and where. */
export interface CommandContext {
  readonly actor: ActorId;
  readonly turn: number;
  readonly cwd: string;
  readonly scope: WriteScope;
  readonly signal: AbortSignal;
}

/** Evaluates what the runtime does for an actor like the actor's own calls. */
export interface JudgedCalls {
  judged(tool: string, input: unknown, context: CommandContext): Promise<Gated & { readonly call: Call }>;
  /** Runs a command as a Bash call: hooks, rules and the user decide, and it runs in the sandbox if there is one. */
  run(command: string, context: CommandContext): Promise<RenderedCommand>;
}

export function judgedCalls({ gate, toolbox, commands, journal }: CommandSide): JudgedCalls {
  let calls = FIRST_PLACE;

  async function judged(tool: string, input: unknown, context: CommandContext) {
    const { actor, turn, cwd, scope, signal } = context;
    calls += 1;
    const id = callId(actor, turn, calls);
    const call: Call = { id, toolUse: `skill_${calls}`, tool, input };
    const known = toolbox.find(tool);
    if (known === undefined)
      return { type: "refuse", by: "rules", reason: `${tool} is switched off here`, call } as const;
    const word = await gate.judge({ actor, call, tool: known, cwd, scope }, signal);
    await journal.append({
      ...{ type: "before", actor, call: id, tool, decision: word.type, by: word.by, reason: word.reason },
      input: word.type === "go" ? word.input : input,
      ...given({ rule: word.rule, tier: word.tier }),
    });
    return { ...word, call };
  }

  return {
    judged,
    async run(command, context) {
      const word = await judged("Bash", { command }, context);
      if (word.type === "refuse") return { type: "not-run", reason: sentence(word.reason) };
      // A hook may have changed it.
      const wanted = textAt(word.input, "command") ?? "";
      const { actor, cwd, signal } = context;
      const request = { call: word.call.id, command: wanted, cwd, timeoutMs: COMMAND_MS };
      const result = await commands.run(actor, request, signal, word);
      const isError = result.exitCode !== 0;
      journal.note({ type: "after", actor, call: word.call.id, isError });
      if (result.outcome === "exited" || result.outcome === "signalled")
        return { type: "ran", output: textOf(result.output), exitCode: result.exitCode };
      return { type: "not-run", reason: sentence(result.reason ?? result.outcome) };
    },
  };
}

function textOf({ head, tail }: CommandOutput): string {
  return tail === null ? head : `${head}\n[…]\n${tail}`;
}

function sentence(reason: string): string {
  return /[.!?]$/.test(reason) ? reason : `${reason}.`;
}
