import { hash } from "node:crypto";
import type { AgentDefinition } from "../context/agents/definition.ts";
import type { Journal } from "../journal/journal.ts";
import { type ActorAtRest, messageId } from "../journal/session-state.ts";
import { type Clock, within } from "../lib/clock.ts";
import type { MessageParam } from "../mailbox/conversation.ts";
import { type ActorId, type Ids, MAIN } from "../mailbox/ids.ts";
import type { ActorSpec } from "../mailbox/messages.ts";
import { type Actor, createActor } from "./actor-record.ts";
import type { ActorSystem } from "./actor-system.ts";
import type { PreparedSpawn, SpawnNeeds } from "./joints.ts";
import { FOR_THE_USER, type RunFor } from "./run-state.ts";

export interface SpawnParts {
  readonly actors: Pick<ActorSystem, "joints" | "find" | "add" | "start" | "emit" | "delivery">;
  readonly journal: Journal;
  readonly ids: Pick<Ids, "actor">;
  readonly clock: Clock;
  /** Reads what an ended agent was. Rejects, with a sentence, if that cannot be read. */
  read(id: ActorId): Promise<ActorAtRest>;
  /** Turns that a run of this type may take. */
  turnsOf(type: string): number;
  onWarning(message: string): void;
}

export interface NewRun {
  readonly id: ActorId;
  /** Builds its spec, or throws a sentence. */
  readonly build: () => ActorSpec;
  readonly runFor: RunFor;
  /** Null: a fork, or the main conversation. */
  readonly definition: AgentDefinition | null;
  readonly deadlineMs?: number | undefined;
  /** Of a fork: the part of its conversation that is not its parent's, which is in the journal already. */
  readonly own?: MessageParam[];
}

/** Milliseconds that the start of an agent waits for its record. */
const RECORD_MS = 1_000;

/** Starts actors, and resumes those that have ended. */
export class Spawn {
  readonly #parts: SpawnParts;
  /** IDs of the records of tools that this session has written. */
  readonly #recordedTools = new Set<string>();

  constructor(parts: SpawnParts) {
    this.#parts = parts;
  }

  /** Asks features what a new agent gets of its own; null if it needs nothing that must be waited for. */
  prepare(request: PreparedSpawn): Promise<SpawnNeeds> | null {
    const { actors } = this.#parts;
    const needs = actors.joints.flatMap((feature) => feature.prepareSpawn?.(request) ?? []);
    if (needs.length === 0) return null;
    return Promise.all(needs).then(
      (all): SpawnNeeds => Object.assign({}, ...all),
      (error: unknown) => {
        actors.emit({ type: "released", id: request.id, actor: null });
        throw error;
      },
    );
  }

  /** A new actor: durable, then in line for a slot. Throws, with a sentence, if it must not start. */
  start({ id, build, runFor, definition, deadlineMs, own }: NewRun): Actor {
    const { actors, journal, clock } = this.#parts;
    let spec: ActorSpec;
    try {
      spec = build();
      this.#reserve(spec, definition);
    } catch (error) {
      actors.emit({ type: "released", id, actor: null });
      throw error;
    }
    const actor = createActor(spec, clock.now(), runFor, deadlineMs);
    const { call, background } = runFor;
    const durable = journal.append({
      type: "spawn",
      ...this.#recordTools(own ? { ...spec, messages: own } : spec),
      call,
      ...(background ? { background } : {}),
      ...(own ? { fork: true } : {}),
    });
    // A request that the journal does not know of would be paid for twice; a disk that hangs holds up no agent.
    if (id === MAIN) actors.start(actor);
    else {
      actors.add(actor);
      void within(clock, RECORD_MS, durable).then(() => {
        if (!actor.hasEnded) actors.start(actor);
      });
    }
    durable.catch(() => {});
    return actor;
  }

  /** Of agents once for all that have the same. A note, as it stays before what is appended after it, whatever fails. */
  #recordTools(spec: ActorSpec): { readonly spec: ActorSpec; readonly tools?: string } {
    if (spec.id === MAIN) return { spec };
    const { tools } = spec;
    const id = hash("sha256", JSON.stringify(tools), "hex").slice(0, 16);
    if (!this.#recordedTools.has(id)) this.#parts.journal.note({ type: "tools", id, tools });
    this.#recordedTools.add(id);
    return { spec: { ...spec, tools: [] }, tools: id };
  }

  #reserve(spec: ActorSpec, definition: AgentDefinition | null): void {
    for (const feature of this.#parts.actors.joints) feature.reserve?.(spec, definition);
  }

  /**
   * An agent that has ended hears this and continues, with all it knew; durable when this resolves. False if it runs: it
   * reads messages then. Rejects, with a sentence, if it cannot be resumed. `said`: the text as its sender wrote it.
   */
  async resume(actor: Actor, text: string, runFor: RunFor, said = text): Promise<boolean> {
    while (actor.isStopped) {
      const { run } = actor;
      // An end that is not on disk yet is not in the journal.
      await actor.ended;
      const known = actor.id === MAIN ? null : await this.#parts.read(actor.id);
      // Started since then, it may have ended again: what was read is not all of it.
      if (actor.run !== run) continue;
      const owner = runFor.owner === null ? undefined : this.#parts.actors.find(runFor.owner);
      if (owner?.isStopped) throw new Error("The agent that asked for it was stopped in the meantime.");
      if (known) actor.remember(known);
      this.#reserve(actor.spec, null);
      await this.#ask(actor, text, runFor, said);
      return true;
    }
    return false;
  }

  /** The same in this moment, for the main conversation, which is still known. Resolves when it is durable, or cannot be. */
  ask(main: Actor, text: string): Promise<void> {
    this.#reserve(main.spec, null);
    return this.#ask(main, text, FOR_THE_USER, text);
  }

  /** The message first: a run without it would answer no question. */
  async #ask(actor: Actor, text: string, runFor: RunFor, said: string): Promise<void> {
    const { actors, journal, ids, clock, onWarning } = this.#parts;
    const { owner, call } = runFor;
    const id = call === null ? `words:${ids.actor()}` : messageId(call);
    const durable = journal.append({
      type: "prompt",
      actor: actor.id,
      message: { role: "user", content: text },
      id,
      ...(owner === null ? {} : { from: owner }),
    });
    this.#startNextRun(actor, runFor);
    actor.inbox.pushMessage(text, { id, from: owner, text: said });
    const { run } = actor;
    // What is seen at work survives kill -9; a disk that hangs holds up no actor.
    await within(clock, RECORD_MS, durable);
    if (actor.run === run && !actor.hasEnded) actors.start(actor);
    await durable.catch((error: Error) => onWarning(error.message));
  }

  /** The main conversation continues with the input it has. */
  wake(main: Actor): void {
    this.#reserve(main.spec, null);
    this.#startNextRun(main, FOR_THE_USER);
    this.#parts.actors.start(main);
  }

  #startNextRun(actor: Actor, runFor: RunFor): void {
    const { journal, turnsOf } = this.#parts;
    actor.startNextRun(runFor, turnsOf(actor.spec.type));
    const { owner, call, background } = runFor;
    journal.note({
      type: "reopen",
      ...{ actor: actor.id, run: actor.run, owner, call, maxTurns: actor.spec.maxTurns },
      ...(background ? { background } : {}),
    });
  }

  /** Sends a message to an actor that runs; it is heard at the actor's next turn. Resolves when it is durable. */
  async send(actor: Actor, text: string, from: ActorId | null = null, said = text): Promise<void> {
    const { actors, journal, ids } = this.#parts;
    const id = `words:${ids.actor()}`;
    const message = { role: "user", content: text } as const;
    const event = {
      type: "prompt",
      actor: actor.id,
      message,
      id,
      ...(from === null ? {} : { from }),
    } as const;
    const durable = journal.append(event);
    // In this moment, or it might end before: the journal has the message before any turn that heard it.
    actors.delivery.message(actor, text, { id, from, text: said, isSteering: true });
    if (from === null) actors.emit({ type: "queued", actor, id, text });
    await durable;
  }

  /** Withdraws the user's messages that an actor has not read: it will not hear them. */
  unsend(actor: Actor): string[] {
    return actor.inbox.unsend().map(({ id, text }) => {
      this.#parts.journal.note({ type: "withdrawn", actor: actor.id, id });
      this.#parts.actors.emit({ type: "withdrawn", actor, id });
      return text;
    });
  }
}
