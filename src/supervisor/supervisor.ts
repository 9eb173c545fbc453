import { statSync } from "node:fs";
import type { Skill } from "../context/skills/skill.ts";
import type { Compaction } from "../mailbox/compacted.ts";
import { type ActorId, MAIN, type SessionId } from "../mailbox/ids.ts";
import type { ServerStatus } from "../mcp/mcp.ts";
import type { PermissionMode, Rule } from "../settings/rules.ts";
import { type ActorRecord, FOR_THE_PERSON } from "./actor-record.ts";
import { viewOf } from "./actor-view.ts";
import { hasEnded } from "./as-it-ended.ts";
import { prepared } from "./before-it-begins.ts";
import { Bill } from "./bill.ts";
import { compactionOf } from "./compacting.ts";
import { jsonSchemaOf } from "./json-schema-of.ts";
import { listener, type OnEvent } from "./listener.ts";
import { type LiveSocket, openLiveSocket } from "./live/live-socket.ts";
import { Lives } from "./lives.ts";
import { mailDesk } from "./mail-desk.ts";
import type {
  AgentResult,
  SessionAccount,
  SpawnRequest,
  StopScope,
  SupervisorHandle,
  SupervisorOptions,
} from "./options.ts";
import { reinstate } from "./reinstating.ts";
import type { ServerDesk } from "./servers/server-desk.ts";
import { openSession, type Session } from "./session.ts";
import { Spawning } from "./spawning.ts";
import { mainSpec } from "./specs.ts";
import { blockedPrompt, whatIsAsked } from "./submitted-prompt.ts";
import { untilEnded } from "./until-ended.ts";
import type { AgentView } from "./view.ts";
import { assertMergeHasTree, firstWords, refuseNothing, refuseOddSpawn, titleOf } from "./what-is-asked.ts";

/**
 * Threads booted one by one while the main conversation waits for its first reply, when the cores have nothing else
 * to do; a reply that begins with anything but an agent ends it.
 */
const SPARE_THREADS = 8;
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
  readonly #lives: Lives;
  readonly #spawning: Spawning;
  readonly #bill: Bill;
  /** Where other terminals look on. */
  readonly #live: LiveSocket;
  /** What was cut off and has not been set going again. */
  #unfinished: readonly ActorRecord[] = [];
  /** The run of the main conversation that a prompt asked for last. */
  #promptedRun = 0;
  /** A prompt has taken its turn, and hooks, skills and files have their say before the conversation hears it. */
  #isPreparing = false;
  /** The main conversation runs because of news, not for a prompt. */
  #wokenRun: Promise<AgentResult> | null = null;
  /** News of before the session was taken up wait for its first prompt. */
  #mayWake = true;
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
      spawn: (type, input, context) => this.#spawning.forCall(type, input, context),
      onNotice: (notice) => this.#bill.hear(notice),
      onWarning: (message) => onEvent({ type: "warning", message }),
      onTasks: (graph) => this.#lives.tell(graph),
      actors: {
        find: (id) => this.#lives.find(id),
        all: () => this.#lives.all,
        stop: (id, stop) => this.#lives.stop(id, stop),
        whileWaiting: (actor, other) => this.#lives.whileWaiting(actor, other),
        changed: (id) => this.#lives.changedBy(id),
        tell: (owner, notice) => this.#lives.delivery.tell(owner, notice),
      },
      mail: {
        agents: (asker) => mail.agents(asker),
        send: (from, to, text) => mail.send(from, to, text),
      },
    });
    this.#lives = new Lives(this.#session, {
      onEvent,
      onDenied: (denial) => this.#bill.denials.push(denial),
      onIdleNews: () => this.#wake(),
      onReplied: (actor, reply) => this.#spawning.replied(actor, reply),
      lastWords: (actor) => (actor.reply === null ? this.#session.spending.lastWords(actor) : null),
    });
    this.#bill = new Bill({
      ...{ session: this.#session, onEvent },
      find: (id) => this.#lives.find(id),
      changed: (actor) => this.#lives.changed(actor),
    });
    this.#spawning = new Spawning(this.#session, this.#lives, (message) =>
      onEvent({ type: "warning", message }),
    );
    const mail = mailDesk(this.#session, this.#lives, this.#spawning);
    this.session = this.#session.id;
    this.folder = this.#session.journal.folder;
    const { home, clock, common } = this.#session;
    this.#live = openLiveSocket({
      ...{ session: this.session, home, clock, cwd: common.options.cwd, model: common.model },
      tree: () => this.tree(),
      costUsd: () => this.#bill.costUsd,
      onWarning: (message) => onEvent({ type: "warning", message }),
    });
    if (options.resume) {
      this.#mayWake = false;
      this.#unfinished = reinstate(options.resume.state, this.#session, this.#lives);
      this.#bill.costUsd = this.#lives.all.reduce((sum, { costUsd }) => sum + costUsd, 0);
      for (const note of options.resume.notes) onEvent({ type: "warning", message: note });
    }
  }

  async prompt(text: string, signal?: AbortSignal): Promise<AgentResult> {
    this.#refuseWhenClosed();
    refuseNothing(text);
    this.#refuseWhenBusy();
    this.#isPreparing = true;
    try {
      const first = this.#lives.find(MAIN) === undefined;
      const asked = whatIsAsked(text, this.#session, { first, signal: signal ?? NEVER });
      const prompt =
        asked === null ? { type: "go" as const, text, mentions: text, attached: [] } : await asked;
      if (prompt.type === "blocked") return blockedPrompt(prompt.reason);
      const told = this.#session.common.knowledge.userTurn(prompt.mentions, prompt.attached);
      if (this.#session.known !== null || told !== null) await Promise.all([this.#session.known, told]);
      this.#refuseWhenClosed();
      this.#tellMissingServers();
      this.#title ??= this.#session.common.options.title === undefined ? titleOf(text) : null;
      this.#goOnWithAll();
      const record = this.#hear(prompt.text);
      this.#promptedRun = record.run;
      this.#session.warm(SPARE_THREADS);
      return this.#resultOf(record, signal);
    } finally {
      // Not when the run has ended: until then, the run itself refuses other prompts.
      this.#isPreparing = false;
    }
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
    description = firstWords(text),
    model,
    tokenBudget,
    onStart,
    ...unknown
  }: SpawnRequest): Promise<AgentResult> {
    this.#refuseWhenClosed();
    refuseOddSpawn({ prompt: text, tokenBudget, timeoutMs }, unknown);
    if (this.#session.known !== null) await this.#session.known;
    this.#refuseWhenClosed();
    const definition = this.#spawning.definition(type);
    assertMergeHasTree(merge, isolation ?? definition.isolation);
    const called = typed ? await this.#session.skills?.callFor(text, signal ?? NEVER) : undefined;
    const { cwd } = this.#session.common.options;
    const ready = prepared(definition, cwd, { isolation, merge }, this.#session);
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
    refuseNothing(text);
    const record = this.#lives.find(actor);
    if (!record) throw new Error(`There is no agent ${JSON.stringify(actor)} in this session.`);
    while (hasEnded(record))
      if (await this.#spawning.goOn(record, text, FOR_THE_PERSON)) return this.#resultOf(record, signal);
    this.#say(record, text);
    return this.#resultOf(record, signal);
  }

  unfinished(): { readonly main: boolean; readonly agents: readonly AgentView[] } {
    const open = [...new Set([...this.#unfinished, ...this.#lives.left])].map(viewOf);
    return { main: open.some(({ id }) => id === MAIN), agents: open.filter(({ id }) => id !== MAIN) };
  }

  async goOn(signal?: AbortSignal): Promise<AgentResult | null> {
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
    return this.#wokenRun ?? (answers ? this.#resultOf(main) : null);
  }

  tree(): readonly AgentView[] {
    return this.#lives.all.map(viewOf);
  }

  cancel(actor: ActorId, reason: string, scope: StopScope = "subtree"): void {
    this.#lives.stop(actor, { status: "cancelled", reason }, scope);
  }

  account(): SessionAccount {
    return this.#bill.account(this.tree());
  }

  skills(): readonly Skill[] {
    return this.#session.skills?.now.all.filter(({ forPerson }) => forPerson) ?? [];
  }

  mcpServers(): readonly ServerStatus[] {
    return this.#session.servers.status();
  }

  serversLeftOut(): Readonly<Record<string, string>> {
    return this.#session.common.options.serversLeftOut ?? {};
  }

  get mcp(): ServerDesk {
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

  leave(reason: string): void {
    if (this.#closing === null) this.#lives.leave(reason);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    // Those that nobody set going again are as they were, for the next who takes the session up.
    const asleep = new Set(this.#unfinished.map(({ id }) => id));
    await Promise.all([this.#live.close(), this.#lives.close("The session was closed.", asleep)]);
    const { all } = this.#lives;
    const unfinished = all.find(({ summary }) => summary?.status !== "done");
    if (asleep.size + this.#lives.left.length === 0)
      this.#session.journal.note({
        type: "end",
        status: unfinished?.summary?.status ?? "done",
        agents: all.filter(({ id }) => id !== MAIN).length,
        ...(this.#title === null ? {} : { title: this.#title }),
      });
    await this.#session.close();
  }

  /** Everything that was cut off, set going again; once. */
  #goOnWithAll(): readonly ActorRecord[] {
    const unfinished = this.#unfinished;
    this.#unfinished = [];
    this.#mayWake = true;
    // What its agents may cost may have been a question when the program died.
    for (const actor of unfinished) if (actor.reply) this.#spawning.replied(actor, actor.reply);
    for (const actor of unfinished) this.#lives.begin(actor);
    for (const actor of unfinished) {
      const owner = actor.errand.owner === null ? undefined : this.#lives.find(actor.errand.owner);
      // Whoever asked for it had ended, and the program died before it was told.
      if (!actor.errand.background && owner?.child.state === "ended")
        this.cancel(actor.id, "The agent that asked for it has ended.");
    }
    if (this.#lives.find(MAIN)?.owed.hasNews) this.#wake();
    return unfinished;
  }

  /** Of all kinds of agents that the conversation can start, as they are now. */
  #tellMissingServers(): void {
    const { common, definitions, servers, toolbox } = this.#session;
    if (common.limits.maxDepth > 0 && toolbox.find("Agent")) servers.named.tell(definitions);
  }

  /** The main conversation hears the person: for the first time, as one more prompt, or in what it does by itself. */
  #hear(text: string): ActorRecord {
    const main = this.#lives.find(MAIN);
    if (!main) return this.#spawning.begin(mainSpec(this.#session.common, text), FOR_THE_PERSON);
    if (main.child.state === "ended") void this.#spawning.ask(main, text, FOR_THE_PERSON);
    else this.#say(main, text);
    return main;
  }

  /** News for the main conversation while nobody asks it anything: it goes on by itself (A11.5). */
  #wake(): void {
    const main = this.#lives.find(MAIN);
    if (main?.child.state !== "ended" || !main.owed.hasNews) return;
    if (this.#closing || !this.#mayWake || this.#wokenRun !== null) return;
    const because = main.owed.subjects.join("; ");
    const known = main.owed.newsSoFar;
    this.#spawning.wake(main);
    this.#onEvent({ type: "woken", because });
    const run = this.#resultOf(main);
    this.#wokenRun = run;
    void run.then((result) => {
      this.#wokenRun = null;
      this.#onEvent({ type: "answered", result });
      // What came too late for it; but whoever has stopped it does not want it to go on.
      if (result.summary.status !== "cancelled" && main.owed.newsSoFar > known) this.#wake();
    });
  }

  #say(record: ActorRecord, text: string): void {
    const { journal, ids } = this.#session;
    const id = `words:${ids.actor()}`;
    journal.note({ type: "prompt", actor: record.id, message: { role: "user", content: text }, id });
    record.owed.say(text, { id, from: null, text });
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

  /** Before anything of a prompt is awaited or run: two that overlap would share hooks, skills and files. */
  #refuseWhenBusy(): void {
    const main = this.#lives.find(MAIN);
    const isRunning = main !== undefined && main.child.state !== "ended" && main.run === this.#promptedRun;
    if (this.#isPreparing || isRunning)
      throw new Error("The main conversation is still busy with the last prompt.");
  }

  #refuseWhenClosed(): void {
    if (this.#closing) throw new Error("The session is closed.");
  }
}
