import type { AgentDefinition } from "../../context/agents/definition.ts";
import { digestOf, type Fact } from "../../context/facts.ts";
import { diskFiles, type Files } from "../../context/files.ts";
import type { Reference } from "../../context/references.ts";
import { commandGrant } from "../../context/skills/grants.ts";
import { skillLibrary } from "../../context/skills/library.ts";
import { skillsBlocks } from "../../context/skills/listing.ts";
import {
  isLoadedBy,
  loadedText,
  type Named,
  type Rendered,
  renderSkill,
  variablesOf,
} from "../../context/skills/render.ts";
import { formatSeveral, type Skill, type Skills, skillNamed } from "../../context/skills/skill.ts";
import type { Journal } from "../../journal/journal.ts";
import { errorMessage } from "../../lib/errors.ts";
import type { ToolResultContent } from "../../mailbox/conversation.ts";
import { type ActorId, MAIN, type SessionId } from "../../mailbox/ids.ts";
import { MODEL_ALIASES } from "../../mailbox/model.ts";
import type { AddedDirs, ScopedActor, WriteScope } from "../../policy/confinement/write-scope.ts";
import type { ReadHooks } from "../../policy/hooks/parse-hooks.ts";
import type { Rule } from "../../settings/permissions.ts";
import type { Actor } from "../../supervisor/actor-record.ts";
import type { Actors } from "../../supervisor/actors.ts";
import type { Joints } from "../../supervisor/joints.ts";
import { skillNotice } from "../../supervisor/notices.ts";
import type { Loaded, SkillService } from "../../tools/skill.ts";
import type { CallContext } from "../../tools/tool.ts";
import type { SessionModels } from "../models/index.ts";
import { type CommandContext, type CommandSide, judgedCalls } from "./judged-command.ts";
import type { SkillsOptions } from "./options.ts";
import { currentTurnTexts, type Preloaded, preloadedWords, type Room } from "./preload.ts";
import { refusedHooks, rulesOf, type SkillRules, skillHooks } from "./skill-rules.ts";
import { forkWords, slashLine, unknownSkill } from "./slash-line.ts";

/** The result of a line that the user typed. */
export type TypedPrompt =
  /** `mentions`: the parts that may name files. */
  | {
      readonly type: "prompt";
      readonly text: string;
      readonly mentions: string;
      /** Further attachments. */
      readonly attached?: readonly Reference[];
    }
  /** The model is not called; `reason` is a sentence for the user. */
  | { readonly type: "refused"; readonly reason: string };

export interface CalledFor {
  readonly prompt: string;
  /** The parts that may name files, and further attachments, as in `TypedPrompt`. */
  readonly mentions: string;
  readonly attached?: readonly Reference[];
  /** The model that the skill names. */
  readonly model?: string;
  /** Lends the skill's rules to this agent, once it has started. */
  lend(agent: Pick<Actor, "id" | "run">): void;
}

/**
 * The skills of one session. Joint: `reserve` (the rules of an agent's preloaded skills become its own, unless an
 * untrusted directory named them).
 */
export interface SessionSkills extends SkillService, Pick<Required<Joints>, "reserve"> {
  /** Resolves when they are known. Never rejects. */
  readonly known: Promise<void>;
  /** As of the last check. */
  readonly now: Skills;
  /** Checks for changes. */
  look(): Promise<void>;
  /** Expands a line that the user typed with the skill that it calls. */
  typed(line: string, signal: AbortSignal): Promise<TypedPrompt>;
  /**
   * Expands a line for a new agent: the skill is its task, whatever its type. Rejects with the reason if there is no
   * such skill.
   */
  callFor(line: string, signal: AbortSignal): Promise<CalledFor>;
  /** Returns the list as a fact of a conversation, or null if there are no skills. */
  fact(windowTokens: number): Fact | null;
  /** Returns what an agent of this type starts with, or null. See `preloadedWords`. */
  preload(kind: AgentDefinition, room: Room): Preloaded | null;
}

export interface SkillParts extends CommandSide {
  readonly options: SkillsOptions;
  readonly session: SessionId;
  readonly cwd: string;
  readonly added: AddedDirs;
  readonly actors: Pick<Actors, "find" | "notify">;
  readonly lent: SkillRules;
  readonly models: Pick<SessionModels, "lend" | "newPrompt">;
  readonly journal: Pick<Journal, "append" | "note">;
  readonly scopeOf: (actor: ScopedActor) => WriteScope;
  readonly denied: (path: string) => boolean;
  /** Reads the files that a text names with `@`. */
  readonly named: (text: string) => Named;
  /** Expands a line that calls a server's prompt, or resolves with null. */
  readonly prompted: (line: string, signal: AbortSignal) => Promise<TypedPrompt | null>;
  /** True if a hook would run for a call of this tool. */
  readonly hooked: (tool: string) => boolean;
  readonly onWarning: (message: string) => void;
  /** The hooks of the skills, as of each check. */
  readonly onHooks: (hooks: readonly ReadHooks[]) => void;
  readonly files?: Files;
}

/** On whose behalf a skill's text is filled in. */
interface Around {
  readonly where: () => Omit<CommandContext, "signal">;
  readonly named: SkillParts["named"];
  readonly signal: AbortSignal;
}

/** Warnings about faulty files in one notice. */
const MOST_NOTES = 5;
const DEFAULT_AGENT = "general-purpose";
const SPAWNING = "Agent";
const LOADING = "Skill";

export function sessionSkills(parts: SkillParts): SessionSkills {
  const { options, cwd, denied, actors, onWarning, files = diskFiles } = parts;
  const { search } = options;
  const library = skillLibrary({ ...search, cwd, denied }, files);
  const blockOf = skillsBlocks();
  const calls = judgedCalls(parts);
  const { lent } = parts;
  const warned = new Set<string>();
  /** A skill that only the user may call, and did in this prompt. */
  let askedFor: string | null = null;

  function warn(note: string): void {
    if (!warned.has(note)) onWarning(note);
    warned.add(note);
  }

  async function look(): Promise<void> {
    const { all, notes } = await library.look();
    parts.onHooks(options.hooks === false ? [] : skillHooks(all, search.agreed));
    const fresh = notes.filter((note) => !warned.has(note));
    for (const note of fresh) warned.add(note);
    for (const note of fresh.slice(0, MOST_NOTES)) onWarning(note);
    const left = fresh.length - MOST_NOTES;
    if (left > 0) onWarning(`${left} more skills or commands are not as they should be.`);
  }

  function whereIs(id: ActorId): Omit<CommandContext, "signal"> {
    const actor = actors.find(id);
    const at = actor ?? { root: cwd, spec: { additionalDirs: parts.added.now } };
    const scope = { ...parts.scopeOf(at), lent: lent.of(actor, id) };
    return { actor: id, turn: (actor?.turnsTaken ?? 0) + 1, cwd: actor?.cwd ?? cwd, scope };
  }

  /** Returns why a command, as it is in the file now, may not run, or null. */
  function commandRefusal(skill: Skill, written: string): string | null {
    if (skill.origin === "project" && !search.agreed(commandGrant(skill, written).digest)) return UNTRUSTED;
    return skill.origin === "plugin" && !skill.commands.includes(written) ? JUST_CHANGED : null;
  }

  function render(skill: Skill, args: string, { where, named, signal }: Around): Promise<Rendered> {
    return renderSkill(skill, args, {
      ...{ files, named },
      variables: variablesOf(skill, { cwd, session: parts.session }),
      async run(command, written) {
        const refusal = commandRefusal(skill, written);
        const ran =
          refusal !== null
            ? ({ type: "not-run", reason: refusal } as const)
            : await calls.run(command, { ...where(), signal });
        signal.throwIfAborted();
        if (ran.type === "not-run")
          onWarning(`A command of the skill ${skill.name} was not run (${command}): ${ran.reason}`);
        return ran;
      },
    });
  }

  /** Returns the rules that the skill lends from now on. */
  function rulesLent(skill: Skill): readonly Rule[] {
    const { rules, left } = rulesOf(
      skill,
      variablesOf(skill, { cwd, session: parts.session }),
      search.agreed,
    );
    if (left.length > 0)
      warn(
        `The skill ${skill.name} would use ${left.join(", ")} without a question; that does not count, because this directory is not trusted (--trust agrees to it for this run).`,
      );
    const hooksLeft = refusedHooks(skill, search.agreed);
    if (hooksLeft.length > 0)
      warn(
        `The skill ${skill.name} would run hooks (${hooksLeft.join(", ")}) while it is in use; they do not run, because this directory is not trusted (--trust agrees to them for this run).`,
      );
    return rules;
  }

  /** Lends the skill's model, if it names one; returns why not as a sentence, or null. */
  function lendModel({ name, model }: Skill, actor: ActorId): string | null {
    if (model === null) return null;
    const change = parts.models.lend(actor, model);
    return change.type === "changed"
      ? null
      : `The skill ${name} names the model ${model}, which is not used: ${change.reason}`;
  }

  /** Returns the decision of rules and mode on a call that loads it, without asking. */
  function wouldPass(name: string, { permissionMode: atMost }: AgentDefinition): boolean {
    const scope = { root: cwd, additionalDirs: parts.added.now, tree: null };
    const own = atMost === undefined ? scope : { ...scope, atMost };
    const call = { tool: LOADING, input: { skill: name }, cwd, scope: own };
    return parts.gate.recheck(call).type === "allow";
  }

  async function load(name: string, args: string, context: CallContext): Promise<Loaded> {
    const actor = actors.find(context.actor);
    const called = skillNamed(name, library.now.all, isForModel);
    if (called.type === "several") return refused(formatSeveral(name, called.skills, ""));
    if (called.type === "none" || !actor)
      return refused(unknownSkill(name, library.now.all.filter(isForModel)));
    const { skill } = called;
    if (name !== skill.name || skill.alias !== null) {
      const other = name === skill.name ? skill.alias : skill.name;
      const call = { tool: LOADING, input: { skill: other }, ...whereIs(context.actor) };
      const decision = parts.gate.recheck(call);
      // A rule about one of its names holds for the other.
      if (decision.type === "deny") return refused(decision.reason);
      if (decision.type === "ask" && other === skill.name)
        return refused(`Call it by its name: ${skill.name}.`);
    }
    if (!isForModel(skill) && askedFor !== skill.name)
      return refused(`Only the user loads the skill ${skill.name}, by typing /${skill.name}.`);
    const isThere = actor.spec.skills?.includes(skill.name) ?? false;
    if (isThere || isLoadedBy(currentTurnTexts(actor), skill.name))
      return { type: "already", name: skill.name };
    const startsAgents = actor.spec.tools.some((tool) => tool.name === SPAWNING);
    const forks = skill.forks && startsAgents;
    const rules = rulesLent(skill);
    if (forks) lent.lendToStarted(context.call, rules, skill.path);
    else lent.lend(context.actor, actor.run, rules, skill.path);
    const note = forks ? null : lendModel(skill, context.actor);
    const around = { where: () => whereIs(context.actor), named: parts.named, signal: context.signal };
    const body = await render(skill, args, around);
    if (body.type === "unusable") return refused(body.reason);
    if (forks) return runInAgent(skill, body.text, context);
    const text = loadedText(skill, args, body.text, false);
    const system = options.injection === "system" ? ({ system: true } as const) : {};
    const id = `skill:${context.call}`;
    const message = { role: "user" as const, content: text };
    parts.journal.note({ type: "prompt", actor: context.actor, message, id, notice: true, ...system });
    actors.notify(context.actor, skillNotice({ title: skill.name, id, text, reads: body.reads, ...system }));
    return { type: "loaded", name: skill.name, ...(note === null ? {} : { note }) };
  }

  async function runInAgent(skill: Skill, text: string, context: CallContext): Promise<Loaded> {
    const type = skill.agent ?? DEFAULT_AGENT;
    const prompt = loadedText(skill, "", text, false);
    const family = MODEL_ALIASES.find((one) => skill.model?.toLowerCase().includes(one));
    if (skill.model !== null && skill.model !== family)
      warn(
        family === undefined
          ? `The skill ${skill.name} names the model ${skill.model}, which does not count: it must be one of ${MODEL_ALIASES.join(", ")}.`
          : `The skill ${skill.name} names the model ${skill.model}; its agent gets ${family}.`,
      );
    const model = family === undefined ? {} : { model: family };
    const input = { description: `skill ${skill.name}`, prompt, subagent_type: type, ...model };
    const where = { ...whereIs(context.actor), signal: context.signal };
    const gated = await calls.judged(SPAWNING, input, where);
    if (gated.type === "refuse") return refused(`No agent may carry it out: ${gated.reason}`);
    const call = parts.toolbox.find(SPAWNING)?.here?.prepare({ ...input, run_in_background: false });
    if (call?.type !== "ready") return refused("No agent can be started here.");
    try {
      const { content } = await call.call(context);
      return { type: "carried-out", report: reportIn(content) };
    } catch (error) {
      context.signal.throwIfAborted();
      return refused(errorMessage(error));
    }
  }

  async function typed(line: string, signal: AbortSignal): Promise<TypedPrompt> {
    lent.newPrompt();
    parts.models.newPrompt();
    askedFor = null;
    const called = slashLine(line, library.now.all);
    if (called.type === "text") return { type: "prompt", text: line, mentions: line };
    if (called.type === "unknown") return (await parts.prompted(line, signal)) ?? refused(called.reason);
    if (called.type === "refused") return called;
    const { skill, args } = called;
    if (skill.forks) {
      askedFor = skill.name;
      return { type: "prompt", text: forkWords(skill, args), mentions: args };
    }
    lent.lend(MAIN, actors.find(MAIN)?.run ?? 1, rulesLent(skill), skill.path);
    const note = lendModel(skill, MAIN);
    if (note !== null) warn(note);
    // The files that it names are attached to the prompt like those of any other.
    const around = { where: () => whereIs(MAIN), named: () => NO_FILES, signal };
    const body = await render(skill, args, around);
    if (body.type === "unusable") return refused(body.reason);
    const text = loadedText(skill, args, body.text, true);
    return { type: "prompt", text, mentions: body.written };
  }

  async function callFor(line: string, signal: AbortSignal): Promise<CalledFor> {
    await look();
    const called = slashLine(line, library.now.all);
    if (called.type === "text") return { prompt: line, mentions: line, lend() {} };
    if (called.type === "unknown") {
      const prompted = (await parts.prompted(line, signal)) ?? called;
      if (prompted.type !== "prompt") throw new Error(prompted.reason);
      const { text: prompt, mentions, attached = [] } = prompted;
      return { prompt, mentions, attached, lend() {} };
    }
    if (called.type === "refused") throw new Error(called.reason);
    const { skill, args } = called;
    const rules = rulesLent(skill);
    const place = whereIs(MAIN);
    const where = () => ({ ...place, scope: { ...place.scope, lent: rules } });
    const body = await render(skill, args, { where, named: parts.named, signal });
    if (body.type === "unusable") throw new Error(body.reason);
    return {
      prompt: loadedText(skill, args, body.text, true),
      mentions: body.written,
      ...(skill.model === null ? {} : { model: skill.model }),
      lend: ({ id, run }) => lent.lend(id, run, rules, skill.path),
    };
  }

  const known = look();
  return {
    known,
    get now() {
      return library.now;
    },
    look,
    load,
    typed,
    callFor,
    preload: (kind, room) =>
      preloadedWords(kind, room, {
        ...{ files, cwd, warn, session: parts.session, skills: () => library.now.all },
        passes: ({ name }) => !parts.hooked(LOADING) && wouldPass(name, kind),
      }),
    reserve({ id, skills = [] }, definition) {
      if (definition === null || (definition.source?.scope === "project" && !search.trusted())) return;
      for (const skill of library.now.all.filter(({ name }) => skills.includes(name)))
        lent.lend(id, 1, rulesLent(skill), skill.path);
    },
    fact(windowTokens) {
      const text = blockOf(library.now.all, windowTokens);
      return text === null ? null : { key: SKILLS_FACT, digest: digestOf(text), text };
    },
  };
}

function reportIn(content: ToolResultContent): string {
  if (typeof content === "string") return content;
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n\n");
}

/** The key of the list among the facts of a conversation. */
export const SKILLS_FACT = "skills";

const NO_FILES: Named = { texts: [], reads: [] };
const UNTRUSTED =
  "this directory is not trusted, so the commands of its skills do not run; --trust lets them for one run.";

const JUST_CHANGED = "the skill's file has just changed; load the skill again.";

function isForModel({ forModel }: Skill): boolean {
  return forModel;
}

function refused(reason: string): { readonly type: "refused"; readonly reason: string } {
  return { type: "refused", reason };
}
