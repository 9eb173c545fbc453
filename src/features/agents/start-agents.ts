import { whyNoSchema } from "../../context/agents/check-problem.ts";
import type { AgentDefinition } from "../../context/agents/definition.ts";
import { schemaWords } from "../../context/agents/retry-text.ts";
import type { Outputs } from "../../journal/outputs.ts";
import type { Accept } from "../../mailbox/acceptance.ts";
import { ActorId, type CallId, type Ids, isPoolName, MAIN, POOL_NAME } from "../../mailbox/ids.ts";
import type { ActorSpec, JsonSchema, Summary } from "../../mailbox/messages.ts";
import { FORK } from "../../mailbox/messages.ts";
import type { MergeMode } from "../../mailbox/worktree.ts";
import { modelRefusal, resolveModel } from "../../model/model-names.ts";
import { turnsWithin } from "../../settings/limits.ts";
import type { Actor } from "../../supervisor/actor-record.ts";
import type { ActorSystem } from "../../supervisor/actor-system.ts";
import type { SpawnNeeds } from "../../supervisor/joints.ts";
import type { RunFor } from "../../supervisor/run-state.ts";
import type { Spawn } from "../../supervisor/spawn.ts";
import type { AgentInput, Spawned, Spawner } from "../../tools/agent.ts";
import type { CallContext } from "../../tools/tool.ts";
import type { CostEstimate } from "../budget/cost-estimate.ts";
import type { FanOutQuote } from "../budget/fan-out-approval.ts";
import { spawnLimits } from "../budget/spawn-limits.ts";
import type { Spending } from "../budget/spending.ts";
import { noteOn } from "../receipts/check-text.ts";
import { assertObeyed, type Subject } from "./agent-fields.ts";
import type { AgentTypes } from "./agent-types.ts";
import { forkOf, type SharedHistories } from "./forking.ts";
import type { FanOuts } from "./index.ts";
import { type AskedAgent, agentOwnParts, type Common, type NewAgent } from "./own-parts.ts";
import { isUsable, reportHeader, reportOf } from "./report.ts";
import { type SpawnedTask, sameTaskHint, taskOf } from "./same-task.ts";
import { specOf } from "./specs.ts";

export interface StartAgentsParts {
  readonly actors: ActorSystem;
  readonly spawn: Spawn;
  readonly ids: Ids;
  readonly common: Common;
  readonly types: AgentTypes;
  readonly spending: Pick<Spending, "budgetOf">;
  readonly outputs: Pick<Outputs, "pathOf">;
  /** True if agents may start with their caller's conversation. */
  readonly forks: boolean;
  readonly fanOut: Pick<FanOuts, "declined" | "approve" | "estimate">;
  /** Returns a warning for each server that agents of this type do not get. */
  missingServers(definition: AgentDefinition): readonly string[];
}

/** The request for an agent, without its type. */
export interface AgentRequest extends AskedAgent {
  readonly isolation?: "worktree" | undefined;
  readonly merge?: MergeMode | undefined;
  /** The pool of runners that it runs on, or null for here. */
  readonly runner?: string | null | undefined;
}

interface StartOptions {
  readonly id: ActorId;
  readonly needs: SpawnNeeds;
  /** The agent that asks; absent for the library's user. */
  readonly caller?: Actor;
  readonly deadlineMs?: number | undefined;
}

/** Starts agents and resumes ended ones, for calls of agents and for the library. */
export class StartAgents implements Pick<Spawner, "spawn"> {
  readonly #parts: StartAgentsParts;
  readonly #histories: SharedHistories = new WeakMap();
  readonly #tasks = new WeakMap<Actor, SpawnedTask>();

  constructor(parts: StartAgentsParts) {
    this.#parts = parts;
  }

  /** Estimates agents that the user starts together, and asks about their cost if it is high. */
  approve(...wanted: Parameters<FanOuts["approve"]>): Promise<FanOutQuote> {
    return this.#parts.fanOut.approve(...wanted);
  }

  /** Estimates what agents without a caller may cost together. */
  estimate(wanted: Parameters<FanOuts["estimate"]>[0]): CostEstimate | null {
    return this.#parts.fanOut.estimate(wanted);
  }

  /** Runs an Agent call: resolves with a report or that the agent has started. Rejects with a reason for the model. */
  async spawn(type: string, input: AgentInput, context: CallContext): Promise<Spawned> {
    const { actors, outputs } = this.#parts;
    const caller = actors.find(context.actor);
    if (!caller) throw new Error("The agent that asked is gone.");
    // The same call arrives again after a change of thread or a crash.
    const { agent, background, ended } =
      this.#startedBy(context.call) ?? runOf(await this.#startForCall(type, input, caller, context));
    const notes =
      input.resume === undefined ? [this.#missingServers(agent), this.#hintAtTwin(agent, input.prompt)] : [];
    const extra = notes.filter(Boolean).join("\n\n");
    const summary = background
      ? "moved"
      : await actors.whileWaiting(caller, Promise.race([ended, agent.moved.promise]));
    if (summary === "moved") {
      const { id, title } = agent;
      const note = extra === "" ? {} : { note: extra };
      return { type: "launched", id, title, path: outputs.pathOf(id), ...note };
    }
    const note = [noteOn(summary), extra].filter(Boolean).join("\n\n");
    return {
      type: "ended",
      report: reportOf(summary),
      frame: reportHeader(agent.spec, summary),
      usable: isUsable(summary),
      ...(note === "" ? {} : { note }),
    };
  }

  #missingServers({ spec }: Actor): string {
    const definition = this.#parts.types.find(spec.type);
    return definition === undefined ? "" : this.#parts.missingServers(definition).join(" ");
  }

  /** Returns a hint if another agent that a call has started is at work on its task, or nothing. */
  #hintAtTwin(agent: Actor, prompt: string): string {
    const asked = taskOf(prompt);
    this.#tasks.set(agent, asked);
    const others = this.#parts.actors.all().filter(({ id, hasEnded }) => id !== agent.id && !hasEnded);
    const taken = others.flatMap((other) => {
      const task = this.#tasks.get(other);
      return task === undefined ? [] : [{ id: other.id, title: other.title, task }];
    });
    return sameTaskHint(asked, taken) ?? "";
  }

  /** Returns the run that this call has started, or null. The agent may have run for other calls since. */
  #startedBy(call: CallId): Run | null {
    const { actors } = this.#parts;
    const now = actors.startedBy(call);
    if (now) return runOf(now);
    for (const agent of actors.all()) {
      const run = agent.earlier.find((one) => one.call === call);
      if (run) return { agent, background: run.background, ended: Promise.resolve(run.summary) };
    }
    return null;
  }

  async #startForCall(
    type: string,
    input: AgentInput,
    caller: Actor,
    { call, actor, signal }: CallContext,
  ): Promise<Actor> {
    const { description, prompt, model, isolation, output_schema: outputSchema, accept, resume } = input;
    const declined = await this.#parts.fanOut.declined(caller);
    if (declined !== null) throw new Error(declined);
    const schemaProblem = outputSchema === undefined ? null : whyNoSchema(outputSchema);
    if (schemaProblem !== null) throw new Error(schemaProblem);
    assertMayCheck(caller, accept);
    if (resume !== undefined) return this.#resume(resume, input, caller, call);
    if (type === FORK) return this.#fork(caller, input, call);
    const definition = this.definition(type);
    this.#assertMayStart(caller, definition);
    this.#assertFewEnough(caller);
    const background = input.run_in_background ?? definition.background ?? false;
    const asked = { description, prompt, model, isolation, outputSchema, accept };
    const { id, ready } = this.prepare(definition, asked, caller, signal);
    const needs = ready === null ? {} : await ready;
    return this.start(definition, asked, { owner: actor, call, background }, { id, needs, caller });
  }

  /**
   * Prepares what a new agent needs of its own; null if there is nothing to wait for. The caller must call `start` as
   * soon as it resolves. Rejects with the reason, and with the signal's reason.
   */
  prepare(
    definition: AgentDefinition,
    asked: AgentRequest,
    caller: Actor | undefined,
    signal?: AbortSignal,
  ): { readonly id: ActorId; readonly ready: Promise<SpawnNeeds> | null } {
    const { spawn, ids, common } = this.#parts;
    const { isolation = definition.isolation, merge = definition.merge } = asked;
    const isAway = this.#poolOf(definition, asked, caller) !== undefined;
    const id = ids.actor();
    const from = caller?.rootHere ?? common.options.cwd;
    return { id, ready: spawn.prepare({ id, definition, from, isolation, merge, isAway, signal }) };
  }

  /** Starts a new agent. Throws with a reason for the model if it must not start. */
  start(
    definition: AgentDefinition,
    asked: AgentRequest,
    runFor: RunFor,
    { id, needs, caller, deadlineMs }: StartOptions,
  ): Actor {
    const { isolation: _isolation, merge: _merge, runner: _runner, ...rest } = asked;
    const { model } = rest;
    const { spawn, common, spending } = this.#parts;
    const pool = this.#poolOf(definition, asked, caller);
    const { availableModels, aliases } = common.options;
    const refusal = model === undefined ? null : modelRefusal(model, availableModels, aliases);
    if (refusal !== null) throw new Error(refusal);
    const build = (): ActorSpec => {
      // Others may have started while this one was prepared.
      if (caller) this.#assertFewEnough(caller);
      const agent: NewAgent = {
        ...{ ...rest, id, parent: caller?.spec ?? null, pool },
        ...{ root: caller?.root ?? common.options.cwd, ...needs },
      };
      return specOf(common, agentOwnParts(common, definition, agent, spending.budgetOf(definition)));
    };
    return spawn.start({ id, build, runFor, definition, deadlineMs });
  }

  /** An agent of one on a runner runs on one, too. Throws if it needs a runner, and the session has no engine: it never runs here instead. */
  #poolOf(
    definition: AgentDefinition,
    { runner = definition.runner }: AgentRequest,
    caller: Actor | undefined,
  ): string | undefined {
    const { runners } = this.#parts.common.options;
    if (runner === null) return undefined;
    if (runner !== undefined && !isPoolName(runner))
      throw new Error(`runner cannot be ${JSON.stringify(runner)}; it is ${POOL_NAME}.`);
    if (runner === undefined || runners !== undefined) return runner ?? caller?.spec.pool ?? runners?.pool;
    throw new Error(
      `Agents of type ${definition.name} run on runners of pool ${runner}, and no engine is set. Start Troupe with --engine URL, or set troupe.runners.engine.`,
    );
  }

  /** Runs an agent for a hook of this actor, in its directory: it is no child, so that no limit of its depth is in the way. */
  async runForHook(
    owner: ActorId,
    definition: AgentDefinition,
    asked: Pick<AgentRequest, "prompt" | "description" | "model">,
    signal: AbortSignal,
  ): Promise<Summary> {
    const { actors, common } = this.#parts;
    const caller = actors.find(owner);
    const root = caller?.rootHere ?? common.options.cwd;
    const here = { ...asked, runner: null };
    const { id, ready } = this.prepare(definition, here, caller, signal);
    const needs = { root, ...(ready === null ? {} : await ready) };
    signal.throwIfAborted();
    const agent = this.start(definition, here, { owner, call: null, background: false }, { id, needs });
    const stop = () =>
      actors.stop(id, { status: "cancelled", reason: "The hook that started it has ended." });
    signal.addEventListener("abort", stop, { once: true });
    try {
      return await agent.ended;
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  async #resume(id: string, input: AgentInput, caller: Actor, call: CallId): Promise<Actor> {
    const { spawn, types } = this.#parts;
    const agent = this.#resumable(id, caller);
    assertObeyed("resume", input, this.#subject(agent));
    const { background: usual = false } = types.find(agent.spec.type) ?? {};
    const runFor = { owner: caller.id, call, background: input.run_in_background ?? usual };
    if (await spawn.resume(agent, input.prompt, runFor)) return agent;
    throw new Error(`Agent ${agent.id} still runs. Send it a message instead of resuming it.`);
  }

  /** Throws if the caller's definition does not let it start this type. */
  #assertMayStart({ spec: { type } }: Actor, { name }: AgentDefinition): void {
    const { types } = this.#parts;
    const { mayStart } = types.find(type) ?? {};
    if (mayStart === undefined || mayStart.some((one) => types.find(one)?.name === name)) return;
    throw new Error(`An agent of type ${type} may start ${mayStart.join(", ")} only.`);
  }

  #assertFewEnough({ spec: { depth }, children }: Actor): void {
    const { actors, common } = this.#parts;
    const agents = actors.all().filter(({ id }) => id !== MAIN).length;
    const why = spawnLimits({ depth, children: children.length, agents }, common.limits);
    if (why !== null) throw new Error(why);
  }

  #fork(parent: Actor, input: AgentInput, call: RunFor["call"]): Actor {
    const { ids, common, spawn, forks } = this.#parts;
    if (!forks)
      throw new Error(
        "Forks are switched off in this session (troupe.forks). Start an agent of another type, with all that it must know in its prompt.",
      );
    this.#assertFewEnough(parent);
    if (parent.spec.pool !== undefined)
      throw new Error(
        "An agent on a runner starts no forks. Start an agent of another type, with all that it must know in its prompt.",
      );
    if (parent.spec.type === FORK)
      throw new Error("A fork starts no forks. Do the work yourself, or start an agent of another type.");
    assertObeyed("fork", input, this.#subject(parent));
    const {
      description,
      prompt,
      run_in_background: background = true,
      accept,
      output_schema: schema = accept?.schema,
    } = input;
    const id = ids.actor();
    const orders = {
      ...{ id, description, ...directive(prompt, schema) },
      ...(accept === undefined ? {} : { accept }),
    };
    const forked = forkOf(parent, orders, turnsWithin(common.limits, undefined), this.#histories);
    if (forked === null) throw new Error("There is no reply to fork from. Call Agent again.");
    const runFor = { owner: parent.id, call, background };
    return spawn.start({ id, build: () => forked.spec, runFor, definition: null, own: forked.own });
  }

  #resumable(id: string, caller: Actor): Actor {
    const parsed = ActorId.safeParse(id);
    const agent = parsed.success ? this.#parts.actors.find(parsed.data) : undefined;
    if (agent && agent.id !== MAIN && agent.id !== caller.id) return agent;
    throw new Error(`There is no agent ${JSON.stringify(id)} to resume. ${this.#endedOnes()}`);
  }

  #subject({ spec }: Actor): Subject {
    const { types, common } = this.#parts;
    return {
      spec,
      modelOf: (alias) => resolveModel(alias, common.options.aliases),
      typeOf: (type) => types.find(type)?.name ?? type,
    };
  }

  #endedOnes(): string {
    const ended = this.#parts.actors.all().filter(({ id, hasEnded }) => id !== MAIN && hasEnded);
    if (ended.length === 0) return "No agent of this session has ended yet; start one without resume.";
    return `Those that have ended: ${ended.map(({ id, title }) => `${id} (${title})`).join(", ")}.`;
  }

  definition(type: string): AgentDefinition {
    const { types } = this.#parts;
    const found = types.find(type);
    if (found) return found;
    const names = types.all.map(({ name }) => name).join(", ");
    throw new Error(`There is no agent type ${JSON.stringify(type)}. Available: ${names}.`);
  }
}

/** A check is a command of the one who states it: an agent without a shell does not get one by starting another. */
function assertMayCheck({ spec: { tools } }: Actor, accept: Accept | undefined): void {
  if (accept?.run === undefined || tools.some(({ name }) => name === "Bash")) return;
  throw new Error(
    "accept.run is a command, and you have no Bash. Say what must be true with accept.files or output_schema.",
  );
}

function directive(
  prompt: string,
  schema: JsonSchema | undefined,
): { directive: string; outputSchema?: JsonSchema } {
  if (schema === undefined) return { directive: prompt };
  return { directive: `${prompt}\n\n${schemaWords(schema)}`, outputSchema: schema };
}

/** One run of an agent, for the call that started it. */
interface Run {
  readonly agent: Actor;
  readonly background: boolean;
  readonly ended: Promise<Summary>;
}

function runOf(agent: Actor): Run {
  return { agent, background: agent.runFor.background, ended: agent.ended };
}
