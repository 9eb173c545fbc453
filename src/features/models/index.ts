import { boundsOf, USUAL_WINDOW } from "../../context/compaction/bounds.ts";
import { viewSize } from "../../context/compaction/size.ts";
import type { Journal } from "../../journal/journal.ts";
import { formatNumber } from "../../lib/text.ts";
import { type ActorId, MAIN } from "../../mailbox/ids.ts";
import type { ActorModel } from "../../mailbox/messages.ts";
import { knownModel } from "../../model/known-models.ts";
import {
  type Aliases,
  type AvailableModels,
  DEFAULT_ALIASES,
  modelRefusal,
  resolveModel,
} from "../../model/model-names.ts";
import type { Limits } from "../../settings/limits.ts";
import type { Actor } from "../../supervisor/actor-record.ts";
import type { Actors } from "../../supervisor/actors.ts";
import type { Joints } from "../../supervisor/joints.ts";
import { type CompactionOptions, windowFor } from "../compaction/windows.ts";

/** What limits the replies and the conversations of a session. */
export interface ModelLimits {
  readonly options: { readonly limits?: Partial<Limits>; readonly compaction?: CompactionOptions };
  readonly limits: Limits;
}

/** Returns what an actor's spec says of its model. `id`: resolved. */
export function modelSpec({ options, limits }: ModelLimits, id: string): ActorModel {
  const window = windowFor(id, options.compaction);
  return { model: id, maxTokens: replyTokens(limits, options.limits, { id, window: window.tokens }), window };
}

/** A reply takes no more of a window that must hold the conversation too, unless it is asked for. */
const REPLY_SHARE = 1 / 6;

/** Returns the tokens of one reply: what the user wants, or the model's own limit; never more than that. */
function replyTokens(
  { maxTokens }: { readonly maxTokens: number },
  wanted: { readonly maxTokens?: number } | undefined,
  model: { readonly id: string; readonly window: number },
): number {
  const own = knownModel(model.id)?.output ?? null;
  if (own === null) return maxTokens;
  const isWanted = wanted?.maxTokens !== undefined && !Number.isNaN(wanted.maxTokens);
  return Math.min(own, isWanted ? maxTokens : Math.max(maxTokens, Math.floor(model.window * REPLY_SHARE)));
}

export interface ModelParts extends ModelLimits {
  readonly options: ModelLimits["options"] & {
    readonly aliases?: Aliases;
    readonly availableModels?: AvailableModels;
    readonly source: { readonly provider: string };
  };
  /** The session's when it opens, resolved. */
  readonly model: string;
  readonly actors: Pick<Actors, "find" | "setModel">;
  readonly journal: Pick<Journal, "note">;
}

/** A model that can be chosen. */
export interface OfferedModel {
  /** Its alias, or its ID if it has none. */
  readonly name: string;
  readonly model: string;
  readonly windowTokens: number;
  readonly isCurrent: boolean;
}

/** Whether a model was changed: its full ID, or why it stays. */
export type ModelChange =
  | { readonly type: "changed"; readonly model: string }
  /** `reason`: sentences. */
  | { readonly type: "refused"; readonly reason: string };

/** The models of a session, for its user. */
export interface ModelService {
  /** What there is to choose from: aliases, models that settings name, and the present one. A server may have others. */
  choices(): readonly OfferedModel[];
  /**
   * Changes the model of the main conversation, and of agents that start from then on and name none: from its next request
   * on, also while it runs. Refused if the session may not use it, or the conversation does not fit into its window. `name`:
   * an alias or an ID.
   */
  change(name: string): ModelChange;
}

/**
 * Which model each running actor asks: the only place that changes it. A change counts from the actor's next request on, and the journal
 * names it before that. Joints: `beforeTurn` (makes a change), `onEvent` (a lent model ends with the run).
 */
export class SessionModels implements ModelService {
  readonly joints: Joints = {
    beforeTurn: (actor) => {
      this.#apply(actor);
      return {};
    },
    onEvent: (event) => {
      if (event.type !== "released") return;
      this.#lent.delete(event.id);
      if (event.actor?.hasEnded) this.#apply(event.actor);
    },
  };
  readonly #parts: ModelParts;
  #usual: string;
  /** What a skill has lent to an actor for the rest of its run. */
  readonly #lent = new Map<ActorId, string>();
  /** The own model of an actor that has a lent one now. */
  readonly #own = new Map<ActorId, string>();

  constructor(parts: ModelParts) {
    this.#parts = parts;
    this.#usual = parts.model;
  }

  /** The main conversation's, and that of agents that name none. */
  get usual(): string {
    return this.#usual;
  }

  choices(): readonly OfferedModel[] {
    const { options } = this.#parts;
    const { aliases = {}, availableModels = [], compaction } = options;
    const ids = [
      ...availableModels.flat().filter((name) => /\d/.test(name)),
      ...Object.keys(compaction?.windows ?? {}),
    ];
    const named = this.#isOffline ? [] : [...Object.keys({ ...DEFAULT_ALIASES, ...aliases }), ...ids];
    const byModel = new Map<string, string>();
    for (const name of [...named, this.#usual]) {
      const model = resolveModel(name, aliases);
      const isAllowed = model === this.#usual || modelRefusal(name, availableModels, aliases) === null;
      if (isAllowed && !byModel.has(model)) byModel.set(model, name);
    }
    return [...byModel].map(([model, name]) => ({
      ...{ name, model, isCurrent: model === this.#usual },
      windowTokens: (this.modelOf(model).window ?? USUAL_WINDOW).tokens,
    }));
  }

  /** What a spec says of a model. */
  modelOf(id: string): ActorModel {
    return modelSpec(this.#parts, id);
  }

  change(name: string): ModelChange {
    const main = this.#parts.actors.find(MAIN);
    const change = this.#check(name, main);
    if (change.type === "refused") return change;
    this.#usual = change.model;
    this.#lent.delete(MAIN);
    // Between two prompts there is no request that it could wait for.
    if (main?.hasEnded) this.#apply(main);
    else if (main) this.#parts.journal.note({ type: "model", actor: MAIN, model: change.model, asked: true });
    return change;
  }

  /** Lends an actor a model for the rest of its run; the main conversation also before it has started. */
  lend(id: ActorId, name: string): ModelChange {
    // The offline model replaces all others.
    if (this.#isOffline) return { type: "changed", model: this.#usual };
    const change = this.#check(name, this.#parts.actors.find(id));
    if (change.type === "changed") this.#lent.set(id, change.model);
    return change;
  }

  /** A new prompt of the user: what was lent for one that never ran is given back. */
  newPrompt(): void {
    if (this.#parts.actors.find(MAIN)?.hasEnded ?? true) this.#lent.delete(MAIN);
  }

  get #isOffline(): boolean {
    return this.#parts.options.source.provider === "offline";
  }

  #check(name: string, actor: Actor | undefined): ModelChange {
    const { options } = this.#parts;
    const model = resolveModel(name.trim(), options.aliases);
    if (model === "" || /\s/.test(model))
      return refused(`${JSON.stringify(name)} is not the name of a model; give an alias or an ID.`);
    if (this.#isOffline !== (model === "offline"))
      return refused(this.#isOffline ? ONLY_OFFLINE : NOT_OFFLINE);
    const refusal = modelRefusal(name, options.availableModels, options.aliases);
    if (refusal !== null) return refused(refusal);
    const { window = USUAL_WINDOW, maxTokens } = this.modelOf(model);
    const size = actor === undefined ? 0 : conversationTokens(actor);
    const { full } = boundsOf(window, { maxTokens });
    if (size < full) return { type: "changed", model };
    return refused(
      `The conversation has about ${formatNumber(Math.round(size))} tokens, and ${model} takes ${formatNumber(full)} with room for a reply. Make it shorter with /compact, or choose a model with a larger window.`,
    );
  }

  /** Gives an actor the model that it should have by now. Not while calls of a reply run: their turn is the old model's. */
  #apply(actor: Actor): void {
    if (actor.reply !== null) return;
    const { id, spec } = actor;
    const { actors, journal } = this.#parts;
    const lent = this.#lent.get(id);
    const own = id === MAIN ? this.#usual : (this.#own.get(id) ?? spec.model);
    const model = lent ?? own;
    const wasLent = this.#own.has(id);
    if (model === spec.model && wasLent === (lent !== undefined)) return;
    if (lent === undefined) this.#own.delete(id);
    else this.#own.set(id, own);
    journal.note({ type: "model", actor: id, model, ...(lent === undefined ? {} : { lent: true }) });
    actors.setModel(id, this.modelOf(model));
  }
}

const ONLY_OFFLINE =
  "This session asks the offline model, and no other one can be reached; leave, set a key (troupe doctor says how) and run troupe --continue.";
const NOT_OFFLINE =
  "The offline model is chosen when Troupe starts; leave, and run troupe --continue --offline.";

function conversationTokens({ id, spec, turns }: Actor): number {
  const { messages, inherited, compacted = null } = spec;
  const shown = turns.filter(({ turn }) => turn > (compacted?.through ?? 0));
  return viewSize(
    { id, messages, counted: inherited?.counted ?? null, turns: shown, heard: [], words: [], compacted },
    spec,
  );
}

function refused(reason: string): ModelChange {
  return { type: "refused", reason };
}
