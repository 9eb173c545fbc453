import { statSync } from "node:fs";
import type { AgentDefinition } from "../actors/definitions/definition.ts";
import { findAgent } from "../actors/definitions/index.ts";
import { addUsage, noUsage } from "../mailbox/conversation.ts";
import { type ActorId, type CallId, MAIN, type SessionId } from "../mailbox/ids.ts";
import type { GatewayNotice } from "../model/client.ts";
import { costOf } from "../model/prices.ts";
import type { PermissionMode } from "../policy/gate.ts";
import type { Rule } from "../policy/rules.ts";
import type { AgentInput, Spawned } from "../tools/agent.ts";
import type { CallContext } from "../tools/tool.ts";
import { ActorRecord } from "./actor-record.ts";
import { listener, type OnEvent } from "./listener.ts";
import { Lives } from "./lives.ts";
import type {
  AgentResult,
  SessionAccount,
  SpawnRequest,
  SupervisorHandle,
  SupervisorOptions,
} from "./options.ts";
import { frameOf, isUsable } from "./report.ts";
import { openSession, type Session } from "./session.ts";
import { agentSpec, mainSpec, type Spawn } from "./specs.ts";
import { blockedPrompt, isHeard, submitted } from "./submitted-prompt.ts";
import type { AgentView, PermissionDenial } from "./view.ts";

/**
 * Threads booted one by one while the main conversation waits for its first reply, when the cores have nothing else
 * to do; a reply that begins with anything but an agent ends it.
 */
const SPARE_THREADS = 8;
const TITLE_CHARS = 100;
const NEVER = new AbortController().signal;

/**
 * Owns a session: the main conversation and every agent under it. It decides and records; it runs no tool
 * and starts no process on its own thread.
 */
export class Supervisor implements SupervisorHandle {
  readonly session: SessionId;
  readonly folder: string;
  readonly #onEvent: OnEvent;
  readonly #session: Session;
  readonly #lives: Lives;
  readonly #denials: PermissionDenial[] = [];
  #apiMs = 0;
  #costUsd = 0;
  #closing: Promise<void> | null = null;
  /** Of the first prompt, where nobody gave the session one. */
  #title: string | null = null;

  /**
   * Opens the session at once; no model is asked before the first prompt or spawn. Throws where `cwd` is no
   * folder. Its threads keep the process alive until `close()`.
   */
  constructor(options: SupervisorOptions) {
    if (!statSync(options.cwd, { throwIfNoEntry: false })?.isDirectory()) {
      throw new Error(`There is no folder ${options.cwd}; a session needs one to work in.`);
    }
    const onEvent = listener(options.onEvent);
    this.#onEvent = onEvent;
    this.#session = openSession(options, {
      spawn: (type, input, context) => this.#spawnForCall(type, input, context),
      onNotice: (notice) => this.#notice(notice),
      onWarning: (message) => onEvent({ type: "warning", message }),
      onTasks: (graph) => this.#lives.tell(graph),
      actors: {
        find: (id) => this.#lives.find(id),
        all: () => this.#lives.all,
        stop: (id, stop) => this.#lives.stop(id, stop),
        whileWaiting: (actor, other) => this.#lives.whileWaiting(actor, other),
      },
    });
    this.#lives = new Lives(this.#session, { onEvent, onDenied: (denial) => this.#denials.push(denial) });
    this.session = this.#session.id;
    this.folder = this.#session.journal.folder;
  }

  async prompt(text: string, signal?: AbortSignal): Promise<AgentResult> {
    this.#refuseWhenClosed();
    refuseNothing(text);
    const { hooks, caller, common } = this.#session;
    const first = this.#lives.find(MAIN) === undefined;
    const prompt = isHeard(hooks)
      ? await submitted(text, hooks, caller(MAIN, common.options.cwd), { first, signal: signal ?? NEVER })
      : ({ type: "go", text } as const);
    if (prompt.type === "blocked") return blockedPrompt(prompt.reason);
    if (this.#session.known !== null) await this.#session.known;
    this.#refuseWhenClosed();
    this.#title ??= this.#session.common.options.title === undefined ? titleOf(text) : null;
    const before = this.#lives.find(MAIN);
    const record = before
      ? this.#goOn(before, prompt.text)
      : this.#begin(mainSpec(this.#session.common, prompt.text), null);
    this.#session.warm(SPARE_THREADS);
    return this.#resultOf(record, signal);
  }

  async spawn({ type = "Explore", signal, timeoutMs, ...request }: SpawnRequest): Promise<AgentResult> {
    this.#refuseWhenClosed();
    refuseNothing(request.prompt);
    refuseNoNumber("tokenBudget", "tokens", request.tokenBudget);
    refuseNoNumber("timeoutMs", "milliseconds", timeoutMs);
    if (this.#session.known !== null) {
      await this.#session.known;
      this.#refuseWhenClosed();
    }
    const description = request.description ?? firstWords(request.prompt);
    const record = this.#spawn(type, { model: undefined, ...request, parent: null, description });
    record.deadlineMs = timeoutMs ?? null;
    return this.#resultOf(record, signal);
  }

  send(actor: ActorId, text: string): "queued" | "ended" | "unknown" {
    const record = this.#lives.find(actor);
    if (!record) return "unknown";
    if (record.child.state === "ended") return "ended";
    this.#session.journal.note({ type: "prompt", actor, message: { role: "user", content: text } });
    record.say({ text });
    return "queued";
  }

  tree(): readonly AgentView[] {
    return this.#lives.all.map((actor) => actor.view());
  }

  cancel(actor: ActorId, reason: string): void {
    this.#lives.stop(actor, { status: "cancelled", reason });
  }

  account(): SessionAccount {
    const agents = this.tree();
    return {
      session: this.session,
      agents,
      usage: agents.reduce((sum, agent) => addUsage(sum, agent.usage), noUsage),
      apiMs: this.#apiMs,
      // Prices are fractions of a cent: what lies below a millionth of a dollar is the arithmetic's own.
      costUsd: Math.round(this.#costUsd * 1e6) / 1e6,
      denials: [...this.#denials],
    };
  }

  mode(): PermissionMode {
    return this.#session.permissions.mode.current();
  }

  setMode(mode: PermissionMode): void {
    this.#session.permissions.mode.set(mode);
  }

  rules(): readonly Rule[] {
    return this.#session.permissions.rules.all;
  }

  replaceSettings({ rules, hooks }: Parameters<SupervisorHandle["replaceSettings"]>[0]): void {
    this.#session.permissions.rules.replaceSettings(rules);
    this.#session.hooks.replace(hooks);
    void this.#session.broker.changed();
  }

  warm(count: number): void {
    this.#session.warm(count);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#lives.close("The session was closed.");
    const { all } = this.#lives;
    const unfinished = all.find(({ summary }) => summary?.status !== "done");
    this.#session.journal.note({
      type: "end",
      status: unfinished?.summary?.status ?? "done",
      agents: all.filter(({ id }) => id !== MAIN).length,
      ...(this.#title === null ? {} : { title: this.#title }),
    });
    await this.#session.close();
  }

  /** The same conversation, one prompt further: a new run of the same actor. */
  #goOn(main: ActorRecord, text: string): ActorRecord {
    if (main.child.state !== "ended")
      throw new Error("The main conversation is still busy with the last prompt.");
    this.#session.journal.note({ type: "prompt", actor: MAIN, message: { role: "user", content: text } });
    main.reopen(text, this.#session.common.limits.maxTurns);
    this.#lives.begin(main);
    return main;
  }

  #begin(spec: ActorRecord["spec"], call: CallId | null): ActorRecord {
    const record = new ActorRecord(spec, this.#session.clock.now());
    this.#session.journal.note({ type: "spawn", spec, call });
    this.#lives.begin(record);
    return record;
  }

  #spawn(type: string, spawn: Omit<Spawn, "id">, call: CallId | null = null): ActorRecord {
    const { common, ids } = this.#session;
    return this.#begin(agentSpec(common, this.#definition(type), { ...spawn, id: ids.actor() }), call);
  }

  async #spawnForCall(type: string, input: AgentInput, context: CallContext): Promise<Spawned> {
    const parent = this.#lives.find(context.actor);
    if (!parent) throw new Error("The agent that asked is gone.");
    const { description, prompt, model } = input;
    const child = this.#spawn(type, { parent: parent.spec, description, prompt, model }, context.call);
    const summary = await this.#lives.whileWaiting(parent, child.ended);
    return { report: summary.text, frame: frameOf(child.spec, summary), usable: isUsable(summary) };
  }

  async #resultOf(record: ActorRecord, signal?: AbortSignal): Promise<AgentResult> {
    const cancel = () => this.cancel(record.id, "It was cancelled.");
    if (signal?.aborted) cancel();
    signal?.addEventListener("abort", cancel, { once: true });
    const summary = await record.ended;
    signal?.removeEventListener("abort", cancel);
    const { id, type, description, startedAt, endedAt, createdAt } = record.view();
    return { id, type, description, summary, durationMs: (endedAt ?? createdAt) - (startedAt ?? createdAt) };
  }

  #definition(type: string): AgentDefinition {
    const found = findAgent(this.#session.definitions, type);
    if (found) return found;
    const names = this.#session.definitions.map(({ name }) => name).join(", ");
    throw new Error(`There is no agent type ${JSON.stringify(type)}. Available: ${names}.`);
  }

  #notice(notice: GatewayNotice): void {
    const actor = this.#lives.find(notice.actor);
    switch (notice.type) {
      case "usage":
        this.#apiMs += notice.apiMs;
        this.#costUsd += costOf(notice.model, notice.usage).usd;
        actor?.answered(notice.usage);
        break;
      case "waiting": {
        const { reason, attempt, ms } = notice;
        const until = this.#session.clock.now() + ms;
        if (actor) actor.wait = { type: "retrying", reason, until, attempt };
        this.#onEvent(notice);
        break;
      }
      default:
        notice satisfies never;
    }
    if (actor) this.#lives.changed(actor);
  }

  #refuseWhenClosed(): void {
    if (this.#closing) throw new Error("The session is closed.");
  }
}

function firstWords(prompt: string): string {
  return prompt.trim().split(/\s+/).slice(0, 5).join(" ").slice(0, 60);
}

/** An `end` record must stay short: a list of sessions reads only the last bytes of each. */
function titleOf(prompt: string): string {
  const line = prompt.trim().replace(/\s+/g, " ");
  // Between words: half a secret would not be known for one.
  return line.length <= TITLE_CHARS ? line : `${line.slice(0, TITLE_CHARS).replace(/\S*$/, "")}…`;
}

/** Compared with anything it is false, so a limit that is no number would never be reached. */
function refuseNoNumber(name: string, unit: string, value: number | undefined): void {
  if (Number.isNaN(value)) throw new Error(`${name} is NaN; give a number of ${unit}, or leave it out.`);
}

/** A model refuses an empty message, and nobody means one. */
function refuseNothing(prompt: string): void {
  if (prompt.trim() === "") throw new Error("The prompt is empty; say what is to be done.");
}
