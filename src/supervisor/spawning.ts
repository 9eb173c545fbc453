import type { AgentDefinition } from "../actors/definitions/definition.ts";
import { findAgent } from "../actors/definitions/index.ts";
import { journalFile } from "../journal/place.ts";
import { readJournal } from "../journal/reader.ts";
import { sessionStateOf } from "../journal/session-state.ts";
import { ActorId, MAIN } from "../mailbox/ids.ts";
import type { ActorSpec } from "../mailbox/messages.ts";
import type { AgentInput, Spawned } from "../tools/agent.ts";
import type { CallContext } from "../tools/tool.ts";
import { ActorRecord, type Errand, FOR_THE_PERSON } from "./actor-record.ts";
import { FORK, type Forked, forkOf } from "./forking.ts";
import { turnsWithin } from "./limits.ts";
import type { Lives } from "./lives.ts";
import { frameOf, isUsable } from "./report.ts";
import type { Session } from "./session.ts";
import { agentSpec, type Spawn } from "./specs.ts";

/** Starts agents, and sets those that have ended going again: for calls of agents and for the library. */
export class Spawning {
  readonly #session: Session;
  readonly #lives: Lives;

  constructor(session: Session, lives: Lives) {
    this.#session = session;
    this.#lives = lives;
  }

  /** What an Agent call comes to: a report, or that it has begun. Throws, with a sentence, where it cannot. */
  async forCall(type: string, input: AgentInput, context: CallContext): Promise<Spawned> {
    const caller = this.#lives.find(context.actor);
    if (!caller) throw new Error("The agent that asked is gone.");
    // After a change of thread, or a death of the program, the same call is asked again.
    const agent =
      this.#lives.startedBy(context.call) ?? (await this.#startForCall(type, input, caller, context));
    if (agent.errand.background) {
      const title = agent.spec.description || agent.spec.type;
      return { type: "launched", id: agent.id, title, path: this.#session.outputs.pathOf(agent.id) };
    }
    const summary = await this.#lives.whileWaiting(caller, agent.ended);
    return {
      type: "ended",
      report: summary.text,
      frame: frameOf(agent.spec, summary),
      usable: isUsable(summary),
    };
  }

  async #startForCall(
    type: string,
    input: AgentInput,
    caller: ActorRecord,
    { call, actor }: CallContext,
  ): Promise<ActorRecord> {
    const { description, prompt, model, resume, run_in_background } = input;
    if (resume !== undefined) {
      const agent = this.#known(resume, caller);
      await this.goOn(agent, prompt, { owner: actor, call, background: run_in_background ?? false });
      return agent;
    }
    if (type === FORK) return this.#fork(caller, input, call);
    const definition = this.definition(type);
    const background = run_in_background ?? definition.background ?? false;
    const spawn = { parent: caller.spec, description, prompt, model };
    return this.start(definition, spawn, { owner: actor, call, background });
  }

  /** A new agent. */
  start(definition: AgentDefinition, spawn: Omit<Spawn, "id">, errand: Errand): ActorRecord {
    const { common, ids } = this.#session;
    return this.begin(agentSpec(common, definition, { ...spawn, id: ids.actor() }), errand);
  }

  #fork(parent: ActorRecord, input: AgentInput, call: Errand["call"]): ActorRecord {
    const { ids, common } = this.#session;
    if (parent.spec.type === FORK)
      throw new Error("A fork starts no forks. Do the work yourself, or start another kind of agent.");
    const { description, prompt: directive, run_in_background: background = true } = input;
    const own = { id: ids.actor(), description, directive };
    const forked = forkOf(parent, own, turnsWithin(common.limits, undefined));
    if (forked === null) throw new Error("There is no reply to fork from. Call Agent again.");
    return this.begin(forked.spec, { owner: parent.id, call, background }, forked);
  }

  /** Durable in the order of the journal, then in line for a slot. A fork's prefix is in the journal already. */
  begin(spec: ActorSpec, errand: Errand, forked?: Forked): ActorRecord {
    const record = new ActorRecord(spec, this.#session.clock.now(), errand);
    const { call, background } = errand;
    this.#session.journal.note({
      type: "spawn",
      spec: forked ? { ...spec, messages: forked.own } : spec,
      call,
      ...(background ? { background } : {}),
      ...(forked ? { fork: true } : {}),
    });
    this.#lives.begin(record);
    return record;
  }

  /** An agent that has ended hears this and goes on, with all it knew. Throws, with a sentence, where it cannot. */
  async goOn(agent: ActorRecord, text: string, errand: Errand): Promise<void> {
    if (agent.child.state !== "ended") throw new Error(stillRuns(agent));
    if (agent.id !== MAIN) await this.#remember(agent);
    // Reading takes time, in which somebody else may have set it going.
    if (agent.child.state !== "ended") throw new Error(stillRuns(agent));
    this.ask(agent, text, errand);
  }

  /** The same at once, for one whose conversation is still known: the main one. */
  ask(agent: ActorRecord, text: string, errand: Errand): void {
    const { journal, ids, common } = this.#session;
    const id = `words:${ids.actor()}`;
    this.#reopen(agent, errand, common.limits.maxTurns);
    agent.owed.say(text, { id, from: errand.owner, text });
    const { owner } = errand;
    journal.note({
      type: "prompt",
      actor: agent.id,
      message: { role: "user", content: text },
      id,
      ...(owner === null ? {} : { from: owner }),
    });
    this.#lives.begin(agent);
  }

  /** The main conversation goes on with the news it has. */
  wake(main: ActorRecord): void {
    this.#reopen(main, FOR_THE_PERSON, this.#session.common.limits.maxTurns);
    this.#lives.begin(main);
  }

  #reopen(agent: ActorRecord, errand: Errand, moreTurns: number): void {
    agent.reopen(errand, moreTurns);
    const { owner, call, background } = errand;
    this.#session.journal.note({
      type: "reopen",
      ...{ actor: agent.id, run: agent.run, owner, call, maxTurns: agent.spec.maxTurns },
      ...(background ? { background } : {}),
    });
  }

  /** What an ended agent was is in the journal: its summary is there, so all before it is. */
  async #remember(agent: ActorRecord): Promise<void> {
    const reading = await readJournal(journalFile(this.#session.journal.folder));
    if (reading.type === "refused") throw new Error(`Its conversation cannot be read: ${reading.reason}`);
    const rest = sessionStateOf(reading.records).actors.get(agent.id);
    if (!rest) throw new Error(`Agent ${agent.id} is not in the session's journal; start a new one.`);
    agent.remember(rest);
  }

  #known(id: string, caller: ActorRecord): ActorRecord {
    const parsed = ActorId.safeParse(id);
    const agent = parsed.success ? this.#lives.find(parsed.data) : undefined;
    if (agent && agent.id !== MAIN && agent.id !== caller.id) return agent;
    throw new Error(`There is no agent ${JSON.stringify(id)} to resume. ${this.#endedOnes()}`);
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

function stillRuns({ id }: ActorRecord): string {
  return `Agent ${id} still runs. Send it a message instead of resuming it.`;
}
