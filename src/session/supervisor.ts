import { statSync } from "node:fs";
import type { Skill } from "../context/skills/skill.ts";
import { jsonSchemaOf } from "../features/agents/json-schema-of.ts";
import { UsageMeter } from "../features/budget/usage-meter.ts";
import { compactionOf } from "../features/compaction/compacting.ts";
import { messageService } from "../features/messages/message-service.ts";
import type { ServerService } from "../features/servers/server-service.ts";
import type { Compaction } from "../mailbox/compacted.ts";
import { type ActorId, MAIN, type SessionId } from "../mailbox/ids.ts";
import type { ServerStatus } from "../mcp/mcp.ts";
import type { PermissionMode, Rule } from "../settings/rules.ts";
import { type ActorRecord, FOR_THE_PERSON } from "../supervisor/actor-record.ts";
import { ActorSystem } from "../supervisor/actor-system.ts";
import { viewOf } from "../supervisor/actor-view.ts";
import { listener, type OnEvent } from "../supervisor/listener.ts";
import { prepareSpawn } from "../supervisor/prepare-start.ts";
import { replayActors } from "../supervisor/replay-actors.ts";
import { hasEnded } from "../supervisor/resume-ended.ts";
import { Spawning } from "../supervisor/spawning.ts";
import { untilEnded } from "../supervisor/until-ended.ts";
import type { AgentView } from "../supervisor/view.ts";
import { MainTurns } from "./main-turns.ts";
import type {
  AgentResult,
  SessionUsage,
  SpawnRequest,
  StopScope,
  SupervisorHandle,
  SupervisorOptions,
} from "./options.ts";
import { openSession, type Session } from "./session.ts";
import { assertMergeHasTree, assertNonEmptyPrompt, defaultTitle, validateSpawn } from "./validate-request.ts";

const NEVER = new AbortController().signal;
const CANCELLED = "It was cancelled.";

/**
 * Owns a session: the main conversation and every agent under it. It decides and records; it runs no tool
 * and starts no process on its own thread.
 */
export class Supervisor implements SupervisorHandle {
  readonly session: SessionId;
  readonly folder: string;
  readonly #onEvent: OnEvent;
  readonly #session: Session;
  readonly #lives: ActorSystem;
  readonly #spawning: Spawning;
  readonly #bill: UsageMeter;
  readonly #turns: MainTurns;
  /** Where other terminals look on. */
  /** What was cut off and has not been set going again. */
  #unfinished: readonly ActorRecord[] = [];
  #closing: Promise<void> | null = null;

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
      spawn: (type, input, context) => this.#spawning.spawnForCall(type, input, context),
      onNotice: (notice) => this.#bill.hear(notice),
      onWarning: (message) => onEvent({ type: "warning", message }),
      onTasks: (graph) => this.#lives.tell(graph),
      onDue: () => this.#turns.promptDue(),
      actors: {
        find: (id) => this.#lives.find(id),
        all: () => this.#lives.all,
        stop: (id, stop) => this.#lives.stop(id, stop),
        whileWaiting: (actor, other) => this.#lives.whileWaiting(actor, other),
        changed: (id) => this.#lives.changedBy(id),
        tell: (owner, notice) => this.#lives.delivery.notify(owner, notice),
      },
      mail: {
        agents: (asker) => mail.agents(asker),
        send: (from, to, text) => mail.send(from, to, text),
      },
    });
    this.#lives = new ActorSystem(this.#session, {
      onEvent,
      onDenied: (denial) => this.#bill.denials.push(denial),
      onIdle: () => this.#turns.wake(),
      onReplied: (actor, reply) => this.#spawning.replied(actor, reply),
      lastWords: (actor) => (actor.reply === null ? this.#session.spending.lastWords(actor) : null),
    });
    this.#bill = new UsageMeter({
      ...{ session: this.#session, onEvent },
      find: (id) => this.#lives.find(id),
      changed: (actor) => this.#lives.changed(actor),
    });
    this.#spawning = new Spawning(this.#session, this.#lives, (message) =>
      onEvent({ type: "warning", message }),
    );
    this.#turns = new MainTurns({
      ...{ session: this.#session, lives: this.#lives, spawning: this.#spawning, onEvent },
      assertOpen: () => this.#refuseWhenClosed(),
      isClosing: () => this.#closing !== null,
      goOnWithAll: () => void this.#goOnWithAll(),
      say: (record, text) => this.#say(record, text),
      resultOf: (record, signal) => this.#resultOf(record, signal),
    });
    const mail = messageService(this.#session, this.#lives, this.#spawning);
    this.session = this.#session.id;
    this.folder = this.#session.journal.folder;
    if (options.resume) {
      this.#turns.mayWake = false;
      this.#unfinished = replayActors(options.resume.state, this.#session, this.#lives);
      this.#bill.costUsd = this.#lives.all.reduce((sum, { costUsd }) => sum + costUsd, 0);
      for (const note of options.resume.notes) onEvent({ type: "warning", message: note });
    }
    void this.#session.timers?.open();
  }

  async prompt(text: string, signal?: AbortSignal): Promise<AgentResult> {
    this.#refuseWhenClosed();
    assertNonEmptyPrompt(text);
    return this.#turns.prompt(text, signal);
  }

  async spawn({
    type = "Explore",
    signal,
    timeoutMs,
    isolation,
    merge,
    output,
    typed = false,
    prompt: text,
    description = defaultTitle(text),
    model,
    tokenBudget,
    onStart,
    ...unknown
  }: SpawnRequest): Promise<AgentResult> {
    this.#refuseWhenClosed();
    validateSpawn({ prompt: text, tokenBudget, timeoutMs }, unknown);
    if (this.#session.known !== null) await this.#session.known;
    this.#refuseWhenClosed();
    const definition = this.#spawning.definition(type);
    assertMergeHasTree(merge, isolation ?? definition.isolation);
    const called = typed ? await this.#session.skills?.callFor(text, signal ?? NEVER) : undefined;
    const { cwd } = this.#session.common.options;
    const ready = prepareSpawn(definition, cwd, { isolation, merge }, this.#session);
    const own = ready === null ? {} : await ready;
    const data = output === undefined ? {} : { outputSchema: jsonSchemaOf(output) };
    const budget = tokenBudget === undefined ? {} : { tokenBudget };
    const asked = { prompt: called?.prompt ?? text, parent: null, description, model, ...budget };
    const spawn = { ...asked, ...own, ...data };
    this.#refuseWhenClosed();
    const record = this.#spawning.start(definition, spawn, FOR_THE_PERSON);
    called?.lend(record);
    record.deadlineMs = timeoutMs ?? null;
    onStart?.(record.id);
    return this.#resultOf(record, signal);
  }

  send(actor: ActorId, text: string): "queued" | "ended" | "unknown" {
    const record = this.#lives.find(actor);
    if (!record) return "unknown";
    if (record.child.state === "ended") return "ended";
    this.#say(record, text);
    return "queued";
  }

  async compact(actor: ActorId, instructions = ""): Promise<Compaction> {
    this.#refuseWhenClosed();
    return compactionOf(this.#lives.find(actor), instructions, (main) => this.#spawning.wake(main));
  }

  async resume(actor: ActorId, text: string, signal?: AbortSignal): Promise<AgentResult> {
    this.#refuseWhenClosed();
    assertNonEmptyPrompt(text);
    const record = this.#lives.find(actor);
    if (!record) throw new Error(`There is no agent ${JSON.stringify(actor)} in this session.`);
    while (hasEnded(record))
      if (await this.#spawning.resume(record, text, FOR_THE_PERSON)) return this.#resultOf(record, signal);
    this.#say(record, text);
    return this.#resultOf(record, signal);
  }

  unfinished(): { readonly main: boolean; readonly agents: readonly AgentView[] } {
    const open = [...new Set([...this.#unfinished, ...this.#lives.left])].map(viewOf);
    return { main: open.some(({ id }) => id === MAIN), agents: open.filter(({ id }) => id !== MAIN) };
  }

  async resumeUnfinished(signal?: AbortSignal): Promise<AgentResult | null> {
    this.#refuseWhenClosed();
    if (this.#session.known !== null) await this.#session.known;
    const unfinished = this.#goOnWithAll();
    const main = this.#lives.find(MAIN);
    if (main && main.child.state !== "ended") return this.#resultOf(main, signal);
    // What runs in the background may still have news for it, which it is to hear before this is over.
    if (this.#session.common.options.background !== "wake") {
      await untilEnded(unfinished, ({ id }) => this.cancel(id, CANCELLED), signal);
      await this.#lives.settled();
    }
    // Its end may have been recorded when the program died, and nobody has seen it: a closed session had told it.
    const unseen = unfinished.length === 0 && this.#session.common.options.resume?.ended === false;
    const answers = main !== undefined && (unseen || unfinished.includes(main));
    return this.#turns.wokenRun ?? (answers ? this.#resultOf(main) : null);
  }

  tree(): readonly AgentView[] {
    return this.#lives.all.map(viewOf);
  }

  cancel(actor: ActorId, reason: string, scope: StopScope = "subtree"): void {
    this.#lives.stop(actor, { status: "cancelled", reason }, scope);
  }

  usage(): SessionUsage {
    return this.#bill.account(this.tree());
  }

  skills(): readonly Skill[] {
    return this.#session.skills?.now.all.filter(({ forUser }) => forUser) ?? [];
  }

  mcpServers(): readonly ServerStatus[] {
    return this.#session.servers.status();
  }

  serversLeftOut(): Readonly<Record<string, string>> {
    return this.#session.common.options.serversLeftOut ?? {};
  }

  get mcp(): ServerService {
    return this.#session.servers.desk;
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

  detach(reason: string): void {
    if (this.#closing === null) this.#lives.detach(reason);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    // Those that nobody set going again are as they were, for the next who takes the session up.
    const asleep = new Set(this.#unfinished.map(({ id }) => id));
    const timers = this.#session.timers?.close() ?? 0;
    if (timers > 0) this.#onEvent({ type: "warning", message: timersEnded(timers) });
    await this.#lives.close("The session was closed.", asleep);
    const { all } = this.#lives;
    const unfinished = all.find(({ summary }) => summary?.status !== "done");
    if (asleep.size + this.#lives.left.length === 0)
      this.#session.journal.note({
        type: "end",
        status: unfinished?.summary?.status ?? "done",
        agents: all.filter(({ id }) => id !== MAIN).length,
        ...(this.#turns.title === null ? {} : { title: this.#turns.title }),
      });
    await this.#session.close();
  }

  /** Everything that was cut off, set going again; once. */
  #goOnWithAll(): readonly ActorRecord[] {
    const unfinished = this.#unfinished;
    this.#unfinished = [];
    this.#turns.mayWake = true;
    // What its agents may cost may have been a question when the program died.
    for (const actor of unfinished) if (actor.reply) this.#spawning.replied(actor, actor.reply);
    for (const actor of unfinished) this.#lives.start(actor);
    for (const actor of unfinished) {
      const owner = actor.errand.owner === null ? undefined : this.#lives.find(actor.errand.owner);
      // Whoever asked for it had ended, and the program died before it was told.
      if (!actor.errand.background && owner?.child.state === "ended")
        this.cancel(actor.id, "The agent that asked for it has ended.");
    }
    if (this.#lives.find(MAIN)?.owed.hasNews) this.#turns.wake();
    return unfinished;
  }

  #say(record: ActorRecord, text: string): void {
    const { journal, ids } = this.#session;
    const id = `words:${ids.actor()}`;
    journal.note({ type: "prompt", actor: record.id, message: { role: "user", content: text }, id });
    record.owed.pushMessage(text, { id, from: null, text });
  }

  async #resultOf(record: ActorRecord, signal?: AbortSignal): Promise<AgentResult> {
    // Who goes on without waiting for the background stops what stands in front only.
    const wakes = record.id === MAIN && this.#session.common.options.background === "wake";
    const [ended, scope] = [record.ended, wakes ? "foreground" : "subtree"] as const;
    await untilEnded([record], (actor) => this.cancel(actor.id, CANCELLED, scope), signal);
    const summary = await ended;
    const { id, type, description, startedAt, endedAt, createdAt } = viewOf(record);
    return { id, type, description, summary, durationMs: (endedAt ?? createdAt) - (startedAt ?? createdAt) };
  }

  #refuseWhenClosed(): void {
    if (this.#closing) throw new Error("The session is closed.");
  }
}

function timersEnded(count: number): string {
  return count === 1
    ? "One scheduled prompt ended with this session."
    : `${count} scheduled prompts ended with this session.`;
}
