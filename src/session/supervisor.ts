import { statSync } from "node:fs";
import type { Skill } from "../context/skills/skill.ts";
import type { AgentResult } from "../events/agent-result.ts";
import type { AgentView } from "../events/event.ts";
import { listener, type OnEvent } from "../events/listener.ts";
import { outputJsonSchema } from "../features/agents/json-schema-of.ts";
import type { FanOutQuote } from "../features/budget/fan-out-approval.ts";
import type { SessionUsage } from "../features/budget/usage-meter.ts";
import { compactionOf } from "../features/compaction/index.ts";
import { answersKey, isOfWorkflow, viewOf } from "../features/events/actor-view.ts";
import type { ModelService } from "../features/models/index.ts";
import type { ScriptEnd, ScriptRequest } from "../features/scripts/index.ts";
import type { ScriptEstimate } from "../features/scripts/script-estimate.ts";
import type { ServerService } from "../features/servers/index.ts";
import { formatAgentReport } from "../features/user-actors/define-actor.ts";
import { defaultTitle } from "../lib/text.ts";
import type { Compaction } from "../mailbox/compacted.ts";
import type { Picture } from "../mailbox/conversation.ts";
import { type ActorId, MAIN, type SessionId } from "../mailbox/ids.ts";
import type { Todo } from "../mailbox/messages.ts";
import type { ServerStatus } from "../mcp/mcp.ts";
import type { PermissionMode, Rule } from "../settings/permissions.ts";
import type { Actor } from "../supervisor/actor-record.ts";
import type { ActorSystem } from "../supervisor/actor-system.ts";
import type { StopScope } from "../supervisor/lifecycle.ts";
import { replayActors } from "../supervisor/replay-actors.ts";
import { FOR_THE_USER } from "../supervisor/run-state.ts";
import { timersEnded } from "../timers/timers.ts";
import { MainTurns } from "./main-turns.ts";
import { type OpenSession, openSession } from "./open-session.ts";
import type { SpawnRequest, SupervisorOptions } from "./options.ts";
import type {
  ChangedSettings,
  CloseReason,
  SessionActors,
  SessionDescription,
  SupervisorHandle,
} from "./supervisor-handle.ts";
import { untilEnded } from "./until-ended.ts";
import { assertMergeHasTree, assertNonEmptyPrompt, validateSpawn } from "./validate-request.ts";

const NEVER = new AbortController().signal;
/** Of an agent that the user starts without a type. */
const USUAL_TYPE = "Explore";

/**
 * A session: the main conversation and every agent under it. It decides and records; it runs no tool and starts no
 * process on its own thread.
 */
export class Supervisor implements SupervisorHandle {
  readonly session: SessionId;
  readonly folder: string;
  readonly tasks: SupervisorHandle["tasks"];
  readonly #onEvent: OnEvent;
  readonly #session: OpenSession;
  readonly #actors: ActorSystem;
  readonly #turns: MainTurns;
  /** What was cut off with a process before, and has not been started again. */
  #unfinished: readonly Actor[] = [];
  #closing: Promise<void> | null = null;
  #script: Promise<ScriptEnd> | null = null;
  /** How its last script ended. */
  #scriptEnd: ScriptEnd["type"] | null = null;

  /**
   * Opens the session; no model is asked before the first prompt or spawn. Throws if `cwd` is not a directory. Its threads
   * keep the process alive until `close()`.
   */
  constructor(options: SupervisorOptions) {
    if (!statSync(options.cwd, { throwIfNoEntry: false })?.isDirectory()) {
      throw new Error(`There is no directory ${options.cwd}; a session needs one to work in.`);
    }
    const onEvent = listener(options.onEvent);
    const session = openSession(options, onEvent, (request) => this.spawn(request));
    const { actors, id, clock, toolbox, onWarning } = session;
    this.#onEvent = onEvent;
    this.#session = session;
    this.#actors = actors;
    this.session = id;
    this.folder = session.journal.folder;
    this.tasks = session.tasks;
    this.#turns = new MainTurns({
      ...{ session, onEvent },
      assertOpen: () => this.#assertOpen(),
      isClosing: () => this.#closing !== null,
      resumeAll: () => void this.#resumeAll(),
      resultOf: (actor, signal) => this.#resultOf(actor, signal),
    });
    actors.plugIn([this.#turns.joints]);
    session.userActors.plugIn({
      start: async (order, onStart) => formatAgentReport(await this.spawn({ ...order, onStart })),
      reportOf: async (id) => formatAgentReport(await this.#resultOf(this.#known(id))),
      send: async (id, text) => session.spawn.send(this.#known(id), text),
    });
    if (options.resume) {
      this.#unfinished = replayActors(options.resume.state, {
        ...{ actors, clock, toolbox, onWarning, journal: session.journal },
        models: session.models,
      });
      for (const note of options.resume.notes) onEvent({ type: "warning", message: note });
    }
    void session.timers?.open();
  }

  async prompt(text: string, signal?: AbortSignal, images: readonly Picture[] = []): Promise<AgentResult> {
    this.#assertOpen();
    assertNonEmptyPrompt(text);
    return this.#turns.prompt(text, signal, images);
  }

  async spawn({
    type = USUAL_TYPE,
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
    accept,
    thread,
    runner,
    key,
    onStart,
    ...unknown
  }: SpawnRequest): Promise<AgentResult> {
    this.#assertOpen();
    validateSpawn({ prompt: text, tokenBudget, timeoutMs }, unknown);
    if (this.#session.known !== null) await this.#session.known;
    this.#assertOpen();
    const known = key === undefined ? null : this.#answering(key);
    if (known !== null) {
      onStart?.(known.id);
      return this.#resultOf(known, signal);
    }
    const { agents, skills } = this.#session;
    const definition = agents.definition(type);
    assertMergeHasTree(merge, isolation ?? definition.isolation);
    const called = typed ? await skills?.callFor(text, signal ?? NEVER) : undefined;
    const images = typed ? this.#session.context.imagesIn(called?.mentions ?? text, called?.attached) : [];
    const asked = {
      ...{ prompt: called?.prompt ?? text, images, description, isolation, merge, runner },
      ...{ model: model ?? called?.model, tokenBudget, accept, thread, key },
      outputSchema: output === undefined ? undefined : outputJsonSchema(output),
    };
    const { id, ready } = agents.prepare(definition, asked, undefined);
    const needs = ready === null ? {} : await ready;
    this.#assertOpen();
    const actor = agents.start(definition, asked, FOR_THE_USER, { id, needs, deadlineMs: timeoutMs });
    called?.lend(actor);
    onStart?.(actor.id);
    return this.#resultOf(actor, signal);
  }

  async approveFanOut(
    ...[requests, signal = NEVER, confirm]: Parameters<SupervisorHandle["approveFanOut"]>
  ): Promise<FanOutQuote> {
    this.#assertOpen();
    if (this.#session.known !== null) await this.#session.known;
    return this.#session.agents.approve(
      requests.map(({ type = USUAL_TYPE, ...request }) => ({ ...request, type })),
      signal,
      confirm,
    );
  }

  async estimateScript(script: Pick<ScriptRequest, "name" | "path" | "source">): Promise<ScriptEstimate> {
    return (await this.#session.scripts()).runs.estimate(script);
  }

  async runScript(request: ScriptRequest): Promise<ScriptEnd> {
    this.#assertOpen();
    if (this.#script !== null) throw new Error("This session runs a script already.");
    const { scripts } = this.#session;
    this.#script = scripts().then(async ({ runs }) => {
      const { end } = await runs.run(request, null);
      this.#scriptEnd = end.type;
      return end;
    });
    return this.#script.finally(() => {
      this.#script = null;
    });
  }

  send(actor: ActorId, text: string): "queued" | "ended" | "unknown" {
    const record = this.#actors.find(actor);
    if (!record) return "unknown";
    if (record.hasEnded) return "ended";
    this.#send(record, text);
    return "queued";
  }

  unsend(actor: ActorId): readonly string[] {
    const record = this.#actors.find(actor);
    return record ? this.#session.spawn.unsend(record) : [];
  }

  todos(actor: ActorId | null): readonly Todo[] {
    const own = actor === null ? [] : (this.#actors.find(actor)?.todo ?? []);
    return actor === null || actor === MAIN ? own.concat(this.#session.steps.todos) : own;
  }
  readonly toBackground = (actor: ActorId): number => this.#actors.toBackground(actor);
  readonly watch = (actor: ActorId, on: boolean): void => this.#actors.watch(actor, on);

  async compact(actor: ActorId, instructions = ""): Promise<Compaction> {
    this.#assertOpen();
    return compactionOf(this.#actors.find(actor), instructions, (main) => this.#session.spawn.wake(main));
  }

  async resume(actor: ActorId, text: string, signal?: AbortSignal): Promise<AgentResult> {
    this.#assertOpen();
    assertNonEmptyPrompt(text);
    const record = this.#known(actor);
    while (record.isStopped)
      if (await this.#session.spawn.resume(record, text, FOR_THE_USER)) return this.#resultOf(record, signal);
    this.#send(record, text);
    return this.#resultOf(record, signal);
  }

  unfinished(): { readonly main: boolean; readonly agents: readonly AgentView[] } {
    const resumable = this.#unfinished.filter((actor) => !isOfWorkflow(actor));
    const open = [...new Set([...resumable, ...this.#actors.left])].map(viewOf);
    return { main: open.some(({ id }) => id === MAIN), agents: open.filter(({ id }) => id !== MAIN) };
  }

  async resumeUnfinished(signal?: AbortSignal): Promise<AgentResult | null> {
    this.#assertOpen();
    if (this.#session.known !== null) await this.#session.known;
    const unfinished = this.#resumeAll();
    const main = this.#actors.find(MAIN);
    if (main && main.hasEnded === false) return this.#resultOf(main, signal);
    // What runs in the background may still have notices for it, which it must hear before this is over.
    if (this.#session.options.background !== "wake") {
      await untilEnded(unfinished, ({ id }, reason) => this.cancel(id, reason), signal);
      await this.#actors.settled();
    }
    // Its end may have been recorded when the program died, and the user may not have seen it: a closed session had shown it.
    const unseen = unfinished.length === 0 && this.#session.options.resume?.ended === false;
    const answers = main !== undefined && (unseen || unfinished.includes(main));
    return this.#turns.wokenRun ?? (answers ? this.#resultOf(main) : null);
  }

  get actors(): SessionActors {
    return this.#session.userActors;
  }

  tree(): readonly AgentView[] {
    return this.#actors.all().map(viewOf);
  }

  cancel(actor: ActorId, reason: string, scope: StopScope = "subtree"): void {
    this.#actors.stop(actor, { status: "cancelled", reason }, scope);
  }

  usage(): SessionUsage {
    return this.#session.usage.account(this.tree());
  }

  describe(): SessionDescription {
    const { types, models } = this.#session;
    return {
      tools: this.#actors.find(MAIN)?.spec.tools.map(({ name }) => name) ?? [],
      agents: types.all.map(({ name }) => name),
      model: models.usual,
    };
  }

  skills(): readonly Skill[] {
    return this.#session.skills?.now.all.filter(({ forUser }) => forUser) ?? [];
  }

  mcpServers(): readonly ServerStatus[] {
    return this.#session.servers.status();
  }

  serversLeftOut(): Readonly<Record<string, string>> {
    return this.#session.options.serversLeftOut ?? {};
  }

  get mcp(): ServerService {
    return this.#session.servers.service;
  }

  mode(): PermissionMode {
    return this.#session.permissions.mode.current();
  }

  setMode(mode: PermissionMode): void {
    this.#session.permissions.mode.set(mode);
  }

  get models(): ModelService {
    return this.#session.models;
  }

  rules(): readonly Rule[] {
    return this.#session.rules.all;
  }

  replaceSettings({ rules, managedRulesOnly, hooks, additionalDirs }: ChangedSettings): void {
    if (rules) this.#session.rules.replaceSettings(rules, managedRulesOnly);
    if (hooks) this.#session.hooks.replace(hooks);
    if (additionalDirs) this.#session.common.added?.replace(additionalDirs);
    void this.#session.permissions.broker.changed();
  }

  detach(reason: string): void {
    if (this.#closing === null) this.#actors.detach(reason);
  }

  close(reason: CloseReason = "other"): Promise<void> {
    this.#closing ??= this.#close(reason);
    return this.#closing;
  }

  async #close(reason: CloseReason): Promise<void> {
    // Those that were not started again stay as they were, for whenever the session is resumed.
    const asleep = new Set(this.#unfinished.map(({ id }) => id));
    const timers = this.#session.timers?.close() ?? 0;
    if (timers > 0) this.#onEvent({ type: "warning", message: timersEnded(timers) });
    // First: what agents still report would start agents again.
    await this.#session.userActors.close();
    await this.#actors.close("The session was closed.", asleep);
    const all = this.#actors.all();
    const unfinished = all.find((actor) => !isOfWorkflow(actor) && actor.summary?.status !== "done");
    if (asleep.size + this.#actors.left.length === 0)
      this.#session.journal.note({
        type: "end",
        // A script decides what the failures of its agents mean.
        status:
          this.#scriptEnd === "returned"
            ? "done"
            : (unfinished?.summary?.status ?? this.#scriptEnd ?? "done"),
        agents: all.filter(({ id }) => id !== MAIN).length,
        costUsd: this.#session.usage.costUsd,
        ...(this.#turns.title === null ? {} : { title: this.#turns.title }),
      });
    await this.#session.close(reason);
  }

  /** Starts everything that was cut off; once. */
  #resumeAll(): readonly Actor[] {
    const unfinished = this.#unfinished.filter((actor) => !isOfWorkflow(actor));
    this.#unfinished = this.#unfinished.filter(isOfWorkflow);
    this.#turns.allowWaking();
    for (const actor of unfinished) this.#actors.emit({ type: "resumed", actor });
    for (const actor of unfinished) this.#actors.start(actor);
    for (const { id, runFor } of unfinished) {
      const owner = runFor.owner === null ? undefined : this.#actors.find(runFor.owner);
      // The agent that asked for it had ended, and the program died before this one was stopped.
      if (!runFor.background && owner?.hasEnded) this.cancel(id, "The agent that asked for it has ended.");
    }
    if (this.#actors.find(MAIN)?.inbox.hasInput) this.#turns.wake();
    return unfinished;
  }

  /** Returns the agent that has done, or does, what a key names, or null. One that was cut off is started again. */
  #answering(key: string): Actor | null {
    const all = this.#actors.all().filter(({ spec }) => spec.key === key);
    const found = all.find(answersKey) ?? all.find(({ hasEnded }) => !hasEnded);
    if (found === undefined) return null;
    if (this.#unfinished.includes(found)) {
      this.#unfinished = this.#unfinished.filter((one) => one !== found);
      this.#actors.emit({ type: "resumed", actor: found });
      this.#actors.start(found);
    }
    return found;
  }

  #known(id: ActorId): Actor {
    const actor = this.#actors.find(id);
    if (!actor) throw new Error(`There is no agent ${JSON.stringify(id)} in this session.`);
    return actor;
  }

  #send(actor: Actor, text: string): void {
    const { spawn, onWarning } = this.#session;
    spawn.send(actor, text).catch((error: Error) => onWarning(error.message));
  }

  async #resultOf(record: Actor, signal?: AbortSignal): Promise<AgentResult> {
    // A conversation that does not wait for its background stops only what it waits for.
    const wakes = record.id === MAIN && this.#session.options.background === "wake";
    const [ended, scope] = [record.ended, wakes ? "foreground" : "subtree"] as const;
    await untilEnded([record], ({ id }, reason) => this.cancel(id, reason, scope), signal);
    const summary = await ended;
    const { id, type, description, startedAt, endedAt, createdAt } = viewOf(record);
    return { id, type, description, summary, durationMs: (endedAt ?? createdAt) - (startedAt ?? createdAt) };
  }

  #assertOpen(): void {
    if (this.#closing) throw new Error("The session is closed.");
  }
}
