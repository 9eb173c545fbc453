import { hookGrant, ruleGrant } from "../../context/skills/grants.ts";
import type { Skill } from "../../context/skills/skill.ts";
import { type ActorId, type CallId, MAIN } from "../../mailbox/ids.ts";
import type { ReadHooks } from "../../policy/hooks/parse-hooks.ts";
import type { Rule } from "../../settings/permissions.ts";
import type { Actor } from "../../supervisor/actor-record.ts";

interface Lent {
  /** The run it holds for. */
  readonly run: number;
  readonly rules: readonly Rule[];
  /** The files of the skills in use. */
  readonly skills: readonly string[];
}

/**
 * Rules that skills lend their actors: the main conversation until its next prompt, an agent until it ends. They
 * override no rule that denies or asks, and hold for no other actor.
 */
export class SkillRules {
  readonly #byActor = new Map<ActorId, Lent>();
  /** For the agent that this call starts. */
  readonly #byCall = new Map<CallId, Omit<Lent, "run">>();

  /** Returns the rules of an actor now; the same array until something changes. */
  of(actor: Actor | undefined, id: ActorId): readonly Rule[] {
    const [own, started] = this.#lentTo(actor, id);
    return own.rules.length > 0 ? own.rules : started.rules;
  }

  /** Returns the files of the skills that an actor uses now. */
  readonly skillsOf = (actor: Actor | undefined, id: ActorId): readonly string[] =>
    this.#lentTo(actor, id).flatMap(({ skills }) => skills);

  #lentTo(
    actor: Actor | undefined,
    id: ActorId,
  ): readonly [own: Omit<Lent, "run">, started: Omit<Lent, "run">] {
    const { run = 0, runFor } = actor ?? {};
    const lent = this.#byActor.get(id);
    const own = lent !== undefined && (id === MAIN || lent.run === run) ? lent : NOTHING;
    return [own, (runFor?.call ? this.#byCall.get(runFor.call) : undefined) ?? NOTHING];
  }

  /** The actor uses the skill from now on, with these rules. */
  lend(id: ActorId, run: number, rules: readonly Rule[], skill: string): void {
    const before = this.#byActor.get(id);
    const held = before !== undefined && (id === MAIN || before.run === run) ? before : NOTHING;
    const isHeld = ({ text, behaviour }: Rule) =>
      held.rules.some((one) => one.text === text && one.behaviour === behaviour);
    const fresh = rules.filter((rule) => !isHeld(rule));
    const all = fresh.length === 0 ? held.rules : [...held.rules, ...fresh];
    this.#byActor.set(id, { run, rules: all, skills: [...new Set([...held.skills, skill])] });
  }

  lendToStarted(call: CallId, rules: readonly Rule[], skill: string): void {
    this.#byCall.set(call, { rules, skills: [skill] });
  }

  /** Called at each new prompt of the user. */
  newPrompt(): void {
    this.#byActor.delete(MAIN);
  }
}

const NOTHING: Omit<Lent, "run"> = { rules: [], skills: [] };

/**
 * Returns the rules of a skill, with its variables in them; what a directory's skill allows only if the user has trusted
 * it.
 */
export function rulesOf(
  skill: Skill,
  variables: Readonly<Record<string, string>>,
  agreed: (digest: string) => boolean,
): { readonly rules: readonly Rule[]; readonly left: readonly string[] } {
  const counts = (rule: string) => skill.origin !== "project" || agreed(ruleGrant(skill, rule).digest);
  const ruleOf = (written: string, behaviour: Rule["behaviour"]): Rule => {
    const text = written.replace(/\$\{(\w+)\}/g, (raw, name: string) => variables[name] ?? raw);
    return { text, behaviour, scope: "session", file: skill.path };
  };
  return {
    rules: [
      ...(skill.disallowedTools ?? []).map((text) => ruleOf(text, "deny")),
      ...skill.allowedTools.filter(counts).map((text) => ruleOf(text, "allow")),
    ],
    left: skill.allowedTools.filter((rule) => !counts(rule)),
  };
}

type Agreed = (digest: string) => boolean;

/** Returns the hooks of skills, each for actors that use the skill; those of a directory only if the user agreed. */
export function skillHooks(skills: readonly Skill[], agreed: Agreed): readonly ReadHooks[] {
  return skills.flatMap((skill) => {
    const { origin, path, hooks = {} } = skill;
    if (origin === "shipped" || origin === "plugin") return [];
    const refused = refusedHooks(skill, agreed);
    const value = Object.fromEntries(Object.entries(hooks).filter(([event]) => !refused.includes(event)));
    return Object.keys(value).length === 0 ? [] : [{ scope: origin, file: path, value, skill: path }];
  });
}

/** Returns the events of a directory's skill whose hooks the user has not agreed to. */
export function refusedHooks(skill: Skill, agreed: Agreed): readonly string[] {
  if (skill.origin !== "project") return [];
  return Object.entries(skill.hooks ?? {})
    .filter(([event, value]) => !agreed(hookGrant(skill, event, value).digest))
    .map(([event]) => event);
}
