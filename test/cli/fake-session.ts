import type { Runtime } from "../../src/cli/runtime.ts";
import type { AgentDefinition } from "../../src/context/agents/definition.ts";
import type { Skill } from "../../src/context/skills/skill.ts";
import type { AgentResult } from "../../src/events/agent-result.ts";
import type { AgentView, SupervisorEvent } from "../../src/events/event.ts";
import type { ListedAgent } from "../../src/features/agents/listing.ts";
import { type Confirm, type FanOutQuote, UNQUOTED } from "../../src/features/budget/fan-out-approval.ts";
import type { SessionUsage } from "../../src/features/budget/usage-meter.ts";
import { type ModelService, SessionModels } from "../../src/features/models/index.ts";
import type { ServerService } from "../../src/features/servers/index.ts";
import type { Compaction } from "../../src/mailbox/compacted.ts";
import { addUsage, noUsage, type Usage } from "../../src/mailbox/conversation.ts";
import { type ActorId, MAIN, SessionId } from "../../src/mailbox/ids.ts";
import type { Status, Summary, Todo } from "../../src/mailbox/messages.ts";
import { noReceipts } from "../../src/mailbox/turns.ts";
import type { ServerStatus } from "../../src/mcp/mcp.ts";
import { checkBaseURL } from "../../src/model/base-url.ts";
import type { PermissionDenial } from "../../src/policy/judgement.ts";
import type { SpawnRequest, SupervisorOptions } from "../../src/session/options.ts";
import { type Restoring, type ResumeRequest, resumeSession } from "../../src/session/resume-session.ts";
import type { ChangedSettings, SupervisorHandle } from "../../src/session/supervisor-handle.ts";
import { limitsOf } from "../../src/settings/limits.ts";
import type { PermissionMode, Rule } from "../../src/settings/permissions.ts";
import type { StopScope } from "../../src/supervisor/lifecycle.ts";
import type { SessionTasks } from "../../src/tools/background.ts";
import { actor, agentView } from "../support/agent-view.ts";

export function usage(input: number, output: number): Usage {
  return { ...noUsage, input_tokens: input, output_tokens: output };
}

export function summary(status: Status, text = "", reason?: string): Summary {
  const base = { status, text, turns: 2, usage: usage(100, 20), receipts: noReceipts };
  return reason === undefined ? base : { ...base, reason };
}

/** How a request ends: at once, or when the test says so. */
export type Answer = Summary | Error | Promise<Summary>;

/** A session written by hand: agents end as the test decides, and it remembers what was done to it. */
export class FakeSession implements SupervisorHandle {
  readonly session = SessionId.parse("session1");
  readonly folder = "/nonexistent/session1";
  readonly tasks: SessionTasks = {
    list: () => [],
    output: async () => ({ bytes: 0, head: "", tail: null, path: null }),
    stop: async () => {},
  };
  readonly options: SupervisorOptions;
  readonly prompts: string[] = [];
  readonly spawns: SpawnRequest[] = [];
  readonly cancelled: { actor: ActorId; reason: string; scope?: StopScope }[] = [];
  readonly sent: string[] = [];
  readonly resumed: { actor: ActorId; text: string }[] = [];
  wentOn = 0;
  closed = 0;
  /** Why it was left; null: it was not. */
  left: string | null = null;
  #left: readonly AgentView[] = [];
  describe = () => ({ tools: ["Read"], agents: ["Explore"], model: "offline" });
  readonly #views = new Map<ActorId, AgentView>();
  readonly #script: FakeScript;
  readonly #answer: (prompt: string, session: FakeSession) => Answer;
  readonly #denials: readonly PermissionDenial[];
  readonly #onClose: () => Promise<void>;
  readonly #onChange: () => void;

  mode(): PermissionMode {
    return this.#mode ?? this.options.permissionMode ?? "default";
  }
  #mode: PermissionMode | null = null;
  setMode(mode: PermissionMode): void {
    this.#mode = mode;
  }
  readonly models: ModelService = fakeModels();
  readonly compacted: string[] = [];
  async compact(_actor: ActorId, instructions = ""): Promise<Compaction> {
    this.compacted.push(instructions);
    return { type: "compacted", before: 150_000, after: 12_000 };
  }
  rules(): readonly Rule[] {
    return this.options.rules ?? [];
  }
  /** What the directories were replaced with, in order. */
  readonly addedDirs: (readonly string[])[] = [];

  replaceSettings({ additionalDirs }: ChangedSettings): void {
    if (additionalDirs) this.addedDirs.push(additionalDirs);
  }

  constructor(options: SupervisorOptions, script: FakeScript, onChange: () => void) {
    this.#onChange = onChange;
    this.options = options;
    this.#script = script;
    this.#answer = script.answer ?? (() => summary("done", "an answer"));
    this.#denials = script.denials ?? [];
    this.#onClose = script.onClose ?? (async () => {});
  }

  emit(event: SupervisorEvent): void {
    if (event.type === "agent") this.#views.set(event.view.id, event.view);
    this.options.onEvent?.(event);
  }

  prompt(text: string, signal?: AbortSignal): Promise<AgentResult> {
    this.prompts.push(text);
    const main = { id: MAIN, depth: 0, type: "main", description: "main conversation" };
    return this.#run(agentView(main), text, signal);
  }

  spawn(request: SpawnRequest): Promise<AgentResult> {
    this.spawns.push(request);
    const { type = "Explore", description = "", prompt, signal, onStart } = request;
    const view = agentView({ id: actor(this.spawns.length), type, description });
    const run = this.#run(view, prompt, signal);
    if (this.#views.has(view.id)) onStart?.(view.id);
    return run;
  }

  async #run(view: AgentView, text: string, signal?: AbortSignal): Promise<AgentResult> {
    const answer = this.#answer(text, this);
    if (answer instanceof Error) throw answer;
    this.emit({ type: "agent", view });
    const stopped = new Promise<Summary>((resolve) => {
      signal?.addEventListener("abort", () => resolve(summary("cancelled", "so far", "It was cancelled.")));
    });
    this.#onChange();
    const ended = await Promise.race([answer, stopped]);
    const { turns, usage } = ended;
    this.emit({
      type: "agent",
      view: { ...view, state: "ended", summary: ended, endedAt: 2500, turns, usage },
    });
    const { id, type, description } = view;
    return { id, type, description, summary: ended, durationMs: 2500 };
  }

  tree(): readonly AgentView[] {
    return [...this.#views.values()];
  }

  send(_: ActorId, text: string): "queued" | "unknown" {
    if (this.#script.hears?.(this) !== true) return "unknown";
    this.sent.push(text);
    return "queued";
  }

  readonly watched: { readonly actor: ActorId; readonly on: boolean }[] = [];
  watch(actor: ActorId, on: boolean): void {
    this.watched.push({ actor, on });
  }
  toBackground(): number {
    return 0;
  }
  todos(): readonly Todo[] {
    return [];
  }

  unsend(): readonly string[] {
    return this.sent.splice(0);
  }

  cancel(actor: ActorId, reason: string, scope?: StopScope): void {
    this.cancelled.push({ actor, reason, ...(scope === undefined ? {} : { scope }) });
    this.#script.onCancel?.(actor, this);
  }

  resume(actor: ActorId, text: string, signal?: AbortSignal): Promise<AgentResult> {
    this.resumed.push({ actor, text });
    const before = this.#views.get(actor) ?? agentView({ id: actor });
    return this.#run({ ...before, state: "running", summary: null }, text, signal);
  }

  get actors(): never {
    throw new Error("This session has no actors.");
  }

  unfinished() {
    const left = this.#left;
    return (
      this.#script.unfinished ?? {
        main: left.some(({ id }) => id === MAIN),
        agents: left.filter(({ id }) => id !== MAIN),
      }
    );
  }

  async approveFanOut(
    ...[, signal = new AbortController().signal, confirm]: Parameters<SupervisorHandle["approveFanOut"]>
  ): Promise<FanOutQuote> {
    const { quote } = this.#script;
    return quote === undefined ? UNQUOTED : quote(signal, confirm);
  }

  async estimateScript(): Promise<never> {
    throw new Error("The fake session runs no scripts.");
  }

  async runScript(): Promise<never> {
    throw new Error("A fake session runs no scripts.");
  }

  async resumeUnfinished(signal?: AbortSignal): Promise<AgentResult | null> {
    this.wentOn += 1;
    this.#script.onGoOn?.(this);
    if (!this.unfinished().main) return null;
    const main = { id: MAIN, depth: 0, type: "main", description: "main conversation" };
    return this.#run(agentView(main), "", signal);
  }

  usage(): SessionUsage {
    const agents = this.tree();
    return {
      session: this.session,
      agents,
      usage: agents.reduce((sum, agent) => addUsage(sum, agent.usage), noUsage),
      apiMs: 1234.5,
      costUsd: 0.25,
      models: [],
      denials: this.#denials,
    };
  }

  warm(): void {}

  skillsThere: readonly Skill[] = [];
  skills(): readonly Skill[] {
    return this.skillsThere;
  }

  mcpServers(): readonly ServerStatus[] {
    return this.#script.servers ?? [];
  }

  serversLeftOut(): Readonly<Record<string, string>> {
    return {};
  }

  get mcp(): ServerService {
    const none = async () => ({ ok: false, message: "There is no MCP server." }) as const;
    return {
      ...{ prompts: () => [], signIn: none, signOut: none, restart: none },
      ...{ changes: () => [], accept: () => [], ...this.#script.service },
    };
  }

  detach(reason: string): void {
    this.left = reason;
    this.#left = this.tree().filter(({ state }) => state !== "ended");
    for (const { id } of this.#left) this.cancel(id, reason);
  }

  close(): Promise<void> {
    this.closed += 1;
    this.#onChange();
    return this.#onClose();
  }
}

export interface FakeScript {
  readonly servers?: readonly ServerStatus[];
  readonly service?: Partial<ServerService>;
  /** Whether the main conversation is there to hear what is said to it. */
  readonly hears?: (session: FakeSession) => boolean;
  readonly onGoOn?: (session: FakeSession) => void;
  readonly onCancel?: (actor: ActorId, session: FakeSession) => void;
  readonly unfinished?: ReturnType<SupervisorHandle["unfinished"]>;
  readonly restoring?: (request: ResumeRequest) => Restoring;
  readonly answer?: (prompt: string, session: FakeSession) => Answer;
  readonly denials?: readonly PermissionDenial[];
  readonly onClose?: () => Promise<void>;
  /** What a fan-out may cost. */
  readonly quote?: (signal: AbortSignal, confirm?: Confirm) => Promise<FanOutQuote>;
  /** Thrown instead of a session. */
  readonly broken?: Error;
}

const fakeAgents: readonly ListedAgent[] = [
  { name: "Explore", aliases: [], whenToUse: "Finds things.", tools: ["Read", "Glob", "Grep"] },
  {
    name: "code-reviewer",
    aliases: ["reviewer"],
    whenToUse: "Finds problems.",
    tools: ["Read"],
    model: "opus",
  },
];

/** A runtime that hands out such sessions; `sessions` are the ones that were started. */
export class FakeRuntime implements Runtime {
  readonly sessions: FakeSession[] = [];
  readonly restores: ResumeRequest[] = [];
  readonly #watchers = new Set<() => void>();
  readonly #script: FakeScript;

  constructor(script: FakeScript = {}) {
    this.#script = script;
  }

  get only(): FakeSession {
    const [session] = this.sessions;
    if (!session || this.sessions.length > 1)
      throw new Error(`${this.sessions.length} sessions were started, not 1`);
    return session;
  }

  /** Resolves when the session has been asked this many things in all. */
  asked(count: number): Promise<void> {
    return this.#until(({ prompts, spawns }) => prompts.length + spawns.length >= count);
  }

  closing(): Promise<void> {
    return this.#until(({ closed }) => closed > 0);
  }

  #until(condition: (session: FakeSession) => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!this.sessions.some(condition)) return;
        this.#watchers.delete(look);
        resolve();
      };
      this.#watchers.add(look);
      look();
    });
  }

  async createSupervisor() {
    return (options: SupervisorOptions): SupervisorHandle => {
      if (this.#script.broken) throw this.#script.broken;
      const session = new FakeSession(options, this.#script, () => {
        for (const look of [...this.#watchers]) look();
      });
      this.sessions.push(session);
      return session;
    };
  }

  async resumeSession(request: ResumeRequest): Promise<Restoring> {
    this.restores.push(request);
    return this.#script.restoring?.(request) ?? resumeSession(request);
  }

  async listAgents(_own?: readonly AgentDefinition[]): Promise<readonly ListedAgent[]> {
    return fakeAgents;
  }

  async checkBaseURL() {
    return checkBaseURL;
  }
}

/** The models of a session without actors. */
export function fakeModels(): ModelService {
  return new SessionModels({
    ...{ options: { source: { provider: "anthropic" } }, limits: limitsOf(), model: "claude-sonnet-5-5" },
    ...{ actors: { find: () => undefined, setModel() {} }, journal: { note() {} } },
  });
}
