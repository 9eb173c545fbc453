import { ruleGrant } from "../../context/skills/grants.ts";
import type { Skill } from "../../context/skills/skill.ts";
import { type ActorId, type CallId, MAIN } from "../../mailbox/ids.ts";
import type { Rule } from "../../settings/rules.ts";
import type { Actor } from "../../supervisor/actor-record.ts";

interface Lent {
  /** The run it holds for. */
  readonly run: number;
  readonly rules: readonly Rule[];
}

/**
 * Rules that skills lend their actors: the main conversation until its next prompt, an agent until it ends. They
 * override no rule that denies or asks, and hold for no other actor.
 */
export class SkillRules {
  readonly #byActor = new Map<ActorId, Lent>();
  /** For the agent that this call starts. */
  readonly #byCall = new Map<CallId, readonly Rule[]>();

  /** Returns the rules of an actor now; the same array until something changes. */
  of(actor: Actor | undefined, id: ActorId): readonly Rule[] {
    const { run = 0, runFor } = actor ?? {};
    const lent = this.#byActor.get(id);
    const own = lent !== undefined && (id === MAIN || lent.run === run) ? lent.rules : NONE;
    const started = runFor?.call ? (this.#byCall.get(runFor.call) ?? NONE) : NONE;
    return own.length > 0 ? own : started;
  }

  lend(id: ActorId, run: number, rules: readonly Rule[]): void {
    if (rules.length === 0) return;
    const before = this.#byActor.get(id);
    const held = before !== undefined && (id === MAIN || before.run === run) ? before.rules : NONE;
    const fresh = rules.filter(({ text }) => !held.some((one) => one.text === text));
    this.#byActor.set(id, { run, rules: [...held, ...fresh] });
  }

  lendToStarted(call: CallId, rules: readonly Rule[]): void {
    if (rules.length > 0) this.#byCall.set(call, rules);
  }

  /** Called at each new prompt of the user. */
  newPrompt(): void {
    this.#byActor.delete(MAIN);
  }
}

const NONE: readonly Rule[] = [];

/** Returns the rules of a skill; those of a directory's skill only if the user has trusted each. */
export function rulesOf(
  skill: Skill,
  agreed: (digest: string) => boolean,
): { readonly rules: readonly Rule[]; readonly left: readonly string[] } {
  const counts = (rule: string) => skill.origin !== "project" || agreed(ruleGrant(skill, rule).digest);
  return {
    rules: skill.allowedTools
      .filter(counts)
      .map((text) => ({ text, behaviour: "allow", scope: "session", file: skill.path })),
    left: skill.allowedTools.filter((rule) => !counts(rule)),
  };
}
