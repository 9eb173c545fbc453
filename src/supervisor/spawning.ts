import type { AgentDefinition } from "../actors/definitions/definition.ts";
import { findAgent } from "../actors/definitions/index.ts";
import { schemaWords, whyNoSchema } from "../actors/typed/retry-text.ts";
import { assertObeyed, type Subject } from "../features/agents/agent-fields.ts";
import { FORK, type Forked, forkOf, type Histories } from "../features/agents/forking.ts";
import { agentSpec, type Spawn } from "../features/agents/specs.ts";
import type { Candidate, Known } from "../features/budget/cost-estimate.ts";
import { FanOutApproval } from "../features/budget/fan-out-approval.ts";
import { spawnLimits } from "../features/budget/spawn-limits.ts";
import { promptTokensOf } from "../features/budget/spending.ts";
import { windowFor } from "../features/compaction/windows.ts";
import { noteOn } from "../features/receipts/check-text.ts";
import { journalFile } from "../journal/paths.ts";
import { readJournal } from "../journal/reader.ts";
import { type ActorAtRest, messageId, sessionStateOf } from "../journal/session-state.ts";
import { noUsage, type ToolUseBlock, totalTokens } from "../mailbox/conversation.ts";
import { ActorId, type CallId, callId, MAIN } from "../mailbox/ids.ts";
import type { ActorSpec, JsonSchema, Reply, Summary } from "../mailbox/messages.ts";
import { resolveModel } from "../model/aliases.ts";
import type { Session } from "../session/session.ts";
import type { AgentInput, Spawned } from "../tools/agent.ts";
import type { CallContext } from "../tools/tool.ts";
import { ActorRecord, type Errand, FOR_THE_PERSON } from "./actor-record.ts";
import type { ActorSystem } from "./actor-system.ts";
import { replyTokens, turnsWithin } from "./limits.ts";
import { prepareSpawn } from "./prepare-start.ts";
import { isUsable, reportHeader, reportOf } from "./report.ts";
import { hasEnded, resumeEnded } from "./resume-ended.ts";

const DEFAULT_TYPE = "general-purpose";
/** Where settings say nothing. */
const QUOTE_ABOVE_USD = 1;

/** Starts agents, and sets those that have ended going again: for calls of agents and for the library. */
export class Spawning {
  readonly #session: Session;
  readonly #histories: Histories = new WeakMap();
  readonly #lives: ActorSystem;

  readonly #say: (sentence: string) => void;
  readonly #quoting: FanOutApproval;

  constructor(session: Session, lives: ActorSystem, say: (sentence: string) => void) {
    this.#session = session;
    this.#lives = lives;
    this.#say = say;
    const { options } = session.common;
    this.#quoting = new FanOutApproval({
      asks: session.permissions.asks,
      aboveUsd: options.quoteAboveUsd ?? QUOTE_ABOVE_USD,
      candidates: (calls, asker) => this.#candidates(calls, asker),
      known: (asker) => this.#known(asker),
      say,
    });
  }

  /** Before the calls of a reply run: what its agents may cost together. */
  replied(asker: ActorRecord, reply: Reply): void {
    const starts = callsOf(reply).filter(
      ({ name }, index) =>
        this.#session.toolbox.find(name)?.offer.name === "Agent" &&
        // In a session that is taken up again some have begun already.
        this.#lives.startedBy(callId(asker.id, reply.turn, index)) === undefined,
    );
    this.#quoting.replied(asker, reply, starts);
  }

  #candidates(calls: readonly ToolUseBlock[], asker: ActorRecord): Candidate[] {
    const prefixes = new Map<string, number>();
    return calls.map((call) => {
      const candidate = this.#candidate(call, asker);
      const { type } = candidate;
      const prefixTokens = prefixes.get(type) ?? this.#prefixOf(type, asker);
      prefixes.set(type, prefixTokens);
      return { ...candidate, prefixTokens };
    });
  }

  /** Tokens of the first request of such an agent; a fork's is all that was said so far. */
  #prefixOf(type: string, { spec, reply }: ActorRecord): number {
    const { common, definitions } = this.#session;
    const definition = findAgent(definitions, type);
    if (definition === undefined) return totalTokens(reply?.usage ?? noUsage);
    const asked = { id: spec.id, parent: spec, description: "", prompt: "", model: undefined };
    return promptTokensOf(agentSpec({ ...common, skills: null }, definition, asked));
  }

  #candidate({ input }: ToolUseBlock, { spec }: ActorRecord): Omit<Candidate, "prefixTokens"> {
    const { common, definitions, spending } = this.#session;
    const wanted = typeof input === "object" && input !== null ? input : {};
    const type = "subagent_type" in wanted ? String(wanted.subagent_type) : DEFAULT_TYPE;
    const definition = findAgent(definitions, type);
    const { maxTurns } = common.limits;
    const named =
      "model" in wanted
        ? String(wanted.model)
        : (definition?.model ?? (type === FORK ? spec.model : common.model));
    const model = resolveModel(named, common.options.aliases);
    const { tokens: windowTokens } = windowFor(model, common.options.compaction);
    return {
      ...{ type: definition?.name ?? type, model, windowTokens },
      budget: definition ? spending.budgetOf(definition) : {},
      maxTurns: turnsWithin(common.limits, definition?.maxTurns ?? maxTurns),
      maxTokens: replyTokens(common.limits, common.options.limits, { id: model, window: windowTokens }),
      startsAgents: definition?.tools === "all" && spec.depth + 1 < common.limits.maxDepth,
    };
  }

  #known(asker: ActorId): Known {
    const { purses, past } = this.#session.spending;
    const { prices } = this.#session.common.options;
    return {
      leftUsd: purses.left(asker).usd,
      whose: purses.left(asker).usd < purses.left(null).usd ? "agent" : "session",
      past: (type, model) => past.average(type, model),
      ...(prices ? { prices } : {}),
    };
  }

  /** What an Agent call comes to: a report, or that it has begun. Throws, with a sentence, where it cannot. */
  async spawnForCall(type: string, input: AgentInput, context: CallContext): Promise<Spawned> {
    const caller = this.#lives.find(context.actor);
    if (!caller) throw new Error("The agent that asked is gone.");
    // After a change of thread, or a death of the program, the same call is asked again.
    const { agent, background, ended } =
      this.#startedBy(context.call) ?? runOf(await this.#startForCall(type, input, caller, context));
    const missing = input.resume === undefined ? this.#missingServers(agent) : null;
    if (background) {
      const title = agent.spec.description || agent.spec.type;
      const path = this.#session.outputs.pathOf(agent.id);
      return { type: "launched", id: agent.id, title, path, ...(missing === null ? {} : { note: missing }) };
    }
    const summary = await this.#lives.whileWaiting(caller, ended);
    const note = [noteOn(summary), missing].filter((one) => one !== null).join("\n\n");
    return {
      type: "ended",
      report: reportOf(summary),
      frame: reportHeader(agent.spec, summary),
      usable: isUsable(summary),
      ...(note === "" ? {} : { note }),
    };
  }

  /** That servers are not there which its definition names; null: none is missing. */
  #missingServers({ spec }: ActorRecord): string | null {
    const definition = findAgent(this.#session.definitions, spec.type);
    const missing = definition === undefined ? [] : this.#session.servers.named.missing(definition);
    return missing.length === 0 ? null : missing.join(" ");
  }

  /** The run that this call has begun, if it has: its agent may have gone on for others since. */
  #startedBy(call: CallId): Run | null {
    const now = this.#lives.startedBy(call);
    if (now) return runOf(now);
    for (const agent of this.#lives.all) {
      const run = agent.earlier.find((one) => one.call === call);
      if (run) return { agent, background: run.background, ended: Promise.resolve(run.summary) };
    }
    return null;
  }

  async #startForCall(
    type: string,
    input: AgentInput,
    caller: ActorRecord,
    { call, actor, signal }: CallContext,
  ): Promise<ActorRecord> {
    const { description, prompt, model, resume, run_in_background, output_schema: outputSchema } = input;
    const declined = await this.#quoting.declined(actor, caller.turnsTaken + 1);
    if (declined !== null) throw new Error(declined);
    const unfit = outputSchema === undefined ? null : whyNoSchema(outputSchema);
    if (unfit !== null) throw new Error(unfit);
    if (resume !== undefined) {
      const agent = this.#resumable(resume, caller);
      assertObeyed("resume", input, this.#subject(agent));
      const { background: usual = false } = findAgent(this.#session.definitions, agent.spec.type) ?? {};
      const errand = { owner: actor, call, background: run_in_background ?? usual };
      if (await this.resume(agent, prompt, errand)) return agent;
      throw new Error(`Agent ${agent.id} still runs. Send it a message instead of resuming it.`);
    }
    if (type === FORK) return this.#fork(caller, input, call);
    const definition = this.definition(type);
    this.#refuseOthers(caller, definition);
    this.#refuseTooMany(caller);
    const background = run_in_background ?? definition.background ?? false;
    const asked = { isolation: input.isolation };
    const ready = prepareSpawn(definition, caller.root, asked, this.#session, signal);
    const own = ready === null ? {} : await ready;
    const data = outputSchema === undefined ? {} : { outputSchema };
    const spawn = { parent: caller.spec, description, prompt, model, root: caller.root, ...own, ...data };
    // What it needs takes time, in which others may have been started.
    return this.start(definition, spawn, { owner: actor, call, background }, () =>
      this.#refuseTooMany(caller),
    );
  }

  /** A new agent; `check` throws where there must be none after all. */
  start(definition: AgentDefinition, spawn: NewAgent, errand: Errand, check = () => {}): ActorRecord {
    const { common, ids, spending, servers } = this.#session;
    const { id = ids.actor() } = spawn;
    try {
      check();
      const budget = spending.budgetOf(definition);
      const spec = agentSpec(common, definition, { ...spawn, id }, budget);
      const refused = spending.open(spec, budget);
      if (refused !== null) throw new Error(refused);
      servers.named.tell([definition]);
      const record = this.begin(spec, errand);
      this.#session.skills?.begun(record, definition);
      return record;
    } catch (error) {
      servers.release(id);
      throw error;
    }
  }

  /** A definition can name the kinds of agents that its own may start. */
  #refuseOthers({ spec: { type } }: ActorRecord, { name }: AgentDefinition): void {
    const { definitions } = this.#session;
    const { mayStart } = findAgent(definitions, type) ?? {};
    if (mayStart === undefined) return;
    if (mayStart.some((kind) => findAgent(definitions, kind)?.name === name)) return;
    throw new Error(`An agent of type ${type} may start ${mayStart.join(", ")} only.`);
  }

  #refuseTooMany({ spec: { depth }, children }: ActorRecord): void {
    const agents = this.#lives.all.filter(({ id }) => id !== MAIN).length;
    const why = spawnLimits({ depth, children: children.length, agents }, this.#session.common.limits);
    if (why !== null) throw new Error(why);
  }

  #fork(parent: ActorRecord, input: AgentInput, call: Errand["call"]): ActorRecord {
    const { ids, common } = this.#session;
    if (common.options.forks === false)
      throw new Error(
        "Forks are switched off in this session (troupe.forks). Start an agent of another type, with all that it must know in its prompt.",
      );
    this.#refuseTooMany(parent);
    if (parent.spec.type === FORK)
      throw new Error("A fork starts no forks. Do the work yourself, or start another kind of agent.");
    assertObeyed("fork", input, this.#subject(parent));
    const { description, prompt, run_in_background: background = true, output_schema: schema } = input;
    const own = { id: ids.actor(), description, ...directive(prompt, schema) };
    const forked = forkOf(parent, own, turnsWithin(common.limits, undefined), this.#histories);
    if (forked === null) throw new Error("There is no reply to fork from. Call Agent again.");
    const refused = this.#session.spending.open(forked.spec);
    if (refused !== null) throw new Error(refused);
    return this.begin(forked.spec, { owner: parent.id, call, background }, forked);
  }

  /** Durable in the order of the journal, then in line for a slot. A fork's prefix is in the journal already. */
  begin(spec: ActorSpec, errand: Errand, forked?: Forked): ActorRecord {
    if (spec.id === MAIN) this.#session.spending.adopt(spec);
    const record = new ActorRecord(spec, this.#session.clock.now(), errand);
    const { call, background } = errand;
    this.#session.journal.note({
      type: "spawn",
      spec: forked ? { ...spec, messages: forked.own } : spec,
      call,
      ...(background ? { background } : {}),
      ...(forked ? { fork: true } : {}),
    });
    this.#lives.start(record);
    return record;
  }

  /**
   * An agent that has ended hears this and goes on, with all it knew; durable when this answers. False where it runs:
   * it hears what is said to it. Throws, with a sentence, where it cannot.
   */
  async resume(agent: ActorRecord, text: string, errand: Errand, said = text): Promise<boolean> {
    const read = async () => (agent.id === MAIN ? null : this.#remembered(agent));
    return resumeEnded(agent, read, async (known) => {
      const owner = errand.owner === null ? undefined : this.#lives.find(errand.owner);
      if (owner && hasEnded(owner)) throw new Error("Whoever asked for it was stopped meanwhile.");
      if (known) agent.remember(known);
      const refused = agent.id === MAIN ? null : this.#session.spending.open(agent.spec);
      if (refused !== null) throw new Error(refused);
      await this.ask(agent, text, errand, said);
    });
  }

  /**
   * The same at once, for one whose conversation is still known: the main one. Resolves when it is durable, or is said
   * not to be. Words first: a run without them would answer nobody.
   */
  async ask(agent: ActorRecord, text: string, errand: Errand, said = text): Promise<void> {
    const { journal, ids, common } = this.#session;
    const { owner, call } = errand;
    const id = call === null ? `words:${ids.actor()}` : messageId(call);
    const durable = journal.append({
      type: "prompt",
      actor: agent.id,
      message: { role: "user", content: text },
      id,
      ...(owner === null ? {} : { from: owner }),
    });
    const own = findAgent(this.#session.definitions, agent.spec.type)?.maxTurns;
    this.#reopen(agent, errand, turnsWithin(common.limits, own));
    agent.owed.pushMessage(text, { id, from: owner, text: said });
    this.#lives.start(agent);
    await durable.catch((error: Error) => this.#say(error.message));
  }

  /** The main conversation goes on with the news it has. */
  wake(main: ActorRecord): void {
    this.#reopen(main, FOR_THE_PERSON, this.#session.common.limits.maxTurns);
    this.#lives.start(main);
  }

  #reopen(agent: ActorRecord, errand: Errand, moreTurns: number): void {
    this.#session.spending.adopt(agent.spec);
    agent.startNextRun(errand, moreTurns);
    const { owner, call, background } = errand;
    this.#session.journal.note({
      type: "reopen",
      ...{ actor: agent.id, run: agent.run, owner, call, maxTurns: agent.spec.maxTurns },
      ...(background ? { background } : {}),
    });
  }

  /** What an ended agent was is in the journal: its summary is there, so all before it is. */
  async #remembered(agent: ActorRecord): Promise<ActorAtRest> {
    const reading = await readJournal(journalFile(this.#session.journal.folder));
    if (reading.type === "refused") throw new Error(`Its conversation cannot be read: ${reading.reason}`);
    const rest = sessionStateOf(reading.records).actors.get(agent.id);
    if (!rest) throw new Error(`Agent ${agent.id} is not in the session's journal; start a new one.`);
    return rest;
  }

  #resumable(id: string, caller: ActorRecord): ActorRecord {
    const parsed = ActorId.safeParse(id);
    const agent = parsed.success ? this.#lives.find(parsed.data) : undefined;
    if (agent && agent.id !== MAIN && agent.id !== caller.id) return agent;
    throw new Error(`There is no agent ${JSON.stringify(id)} to resume. ${this.#endedOnes()}`);
  }

  #subject({ spec }: ActorRecord): Subject {
    const { definitions, common } = this.#session;
    return {
      spec,
      modelOf: (alias) => resolveModel(alias, common.options.aliases),
      typeOf: (type) => findAgent(definitions, type)?.name ?? type,
    };
  }

  #endedOnes(): string {
    const ended = this.#lives.all.filter(({ id, child }) => id !== MAIN && child.state === "ended");
    if (ended.length === 0) return "No agent of this session has ended yet; start one without resume.";
    const names = ended.map(({ id, spec }) => `${id} (${spec.description || spec.type})`);
    return `Those that have ended: ${names.join(", ")}.`;
  }

  definition(type: string): AgentDefinition {
    const found = findAgent(this.#session.definitions, type);
    if (found) return found;
    const names = this.#session.definitions.map(({ name }) => name).join(", ");
    throw new Error(`There is no agent type ${JSON.stringify(type)}. Available: ${names}.`);
  }
}

/** An agent that may have no id yet. */
type NewAgent = Omit<Spawn, "id"> & Partial<Pick<Spawn, "id">>;

function directive(
  prompt: string,
  schema: JsonSchema | undefined,
): { directive: string; outputSchema?: JsonSchema } {
  if (schema === undefined) return { directive: prompt };
  return { directive: `${prompt}\n\n${schemaWords(schema)}`, outputSchema: schema };
}

/** One run of an agent, for the call that began it. */
interface Run {
  readonly agent: ActorRecord;
  readonly background: boolean;
  readonly ended: Promise<Summary>;
}

function runOf(agent: ActorRecord): Run {
  return { agent, background: agent.errand.background, ended: agent.ended };
}

function callsOf({ content }: Reply): ToolUseBlock[] {
  return content.filter((block): block is ToolUseBlock => block.type === "tool_use");
}
