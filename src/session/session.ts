import type { AgentDefinition } from "../actors/definitions/definition.ts";
import type { ActorHost } from "../actors/hosts.ts";
import { boundsOf } from "../context/compaction/bounds.ts";
import { charsIn } from "../context/compaction/tokens.ts";
import { type AgentIndex, type AgentTypes, agentIndex, agentLooks } from "../features/agents/agent-types.ts";
import type { Common } from "../features/agents/specs.ts";
import { Background } from "../features/background/background.ts";
import { type Actors, backgroundService } from "../features/background/background-service.ts";
import { type Commands, commandsOf } from "../features/background/commands.ts";
import { Spending } from "../features/budget/spending.ts";
import { windowFor } from "../features/compaction/windows.ts";
import { gitStatus } from "../features/context/git-status.ts";
import { sessionContext } from "../features/context/session-context.ts";
import { showDocument } from "../features/context/show-document.ts";
import { WriteLedger } from "../features/file-locks/write-ledger.ts";
import type { Gate } from "../features/gate/gate.ts";
import { type Permissions, sessionPermissions } from "../features/gate/permissions.ts";
import { definitionHooks } from "../features/hooks/definition-hooks.ts";
import { hookCaller, type SessionHooks, sessionHooks } from "../features/hooks/session-hooks.ts";
import type { Isolation } from "../features/isolation/isolation.ts";
import { openIsolation } from "../features/isolation/open-isolation.ts";
import {
  type SessionLanguages,
  sessionLanguages,
  whyNoLanguages,
} from "../features/languages/session-languages.ts";
import type { Radar } from "../features/overlap/session-radar.ts";
import { planFilesIn } from "../features/plan-mode/plan-files.ts";
import { planService } from "../features/plan-mode/plan-mode.ts";
import { commandSandbox } from "../features/sandbox/session-sandbox.ts";
import { type LazyServers, lazyServers } from "../features/servers/lazy-servers.ts";
import { openSkills, skillFolders } from "../features/skills/open-skills.ts";
import type { SessionSkills } from "../features/skills/session-skills.ts";
import { Tasks } from "../features/tasks/tasks.ts";
import { hasServerSideSearch, pageModel } from "../features/web/page-model.ts";
import type { Clock } from "../mailbox/clock.ts";
import { type ActorId, type Ids, MAIN, type SessionId } from "../mailbox/ids.ts";
import type { TaskGraph } from "../mailbox/task-graph.ts";
import type { Gateway, GatewayNotice } from "../model/client.ts";
import type { UserHandler } from "../policy/asks.ts";
import type { HookCaller } from "../policy/hooks/results.ts";
import type { UserRequestBroker } from "../policy/user-request-broker.ts";
import { platformShell } from "../processes/platform-shell.ts";
import type { Processes } from "../processes/processes.ts";
import { narrower } from "../settings/modes.ts";
import type { ActorRecord } from "../supervisor/actor-record.ts";
import type { Outputs } from "../supervisor/outputs.ts";
import { Toolbox } from "../supervisor/toolbox.ts";
import { openTimers, type Timers } from "../timers/timers.ts";
import { agentTool, type Spawner } from "../tools/agent.ts";
import { bindTool } from "../tools/bind-tool.ts";
import type { MessageService } from "../tools/messages/service.ts";
import { openWeb } from "../web/open-web.ts";
import type { LeavableJournal } from "./detachable-journal.ts";
import type { SupervisorOptions } from "./options.ts";
import { openResources } from "./session-resources.ts";
import { type SessionParts, sessionTools } from "./session-tools.ts";

/** Everything a session owns besides its actors, wired from its options. */
export interface Session {
  readonly id: SessionId;
  /** Where it is kept. */
  readonly home: string;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly journal: LeavableJournal;
  readonly processes: Processes;
  readonly commands: Commands;
  readonly background: Background;
  readonly writes: WriteLedger;
  readonly outputs: Outputs;
  readonly gateway: Gateway;
  readonly host: ActorHost;
  /** So many threads it has at most; a library user's own host may have fewer. */
  readonly maxThreads: number;
  readonly spending: Spending;
  readonly toolbox: Toolbox;
  readonly permissions: Permissions;
  readonly hooks: SessionHooks;
  readonly broker: UserRequestBroker;
  readonly gate: Gate;
  /** On whose behalf hooks run. */
  readonly caller: (actor: ActorId, cwd: string) => HookCaller;
  readonly isolation: Isolation;
  readonly radar: Radar;
  readonly servers: Omit<LazyServers, "known" | "close">;
  /** As they are now. */
  readonly definitions: readonly AgentDefinition[];
  /** Null: it has none. */
  readonly skills: SessionSkills | null;
  /** Null: the program ends with its answer. */
  readonly timers: Timers | null;
  /** Tools that cannot work here, and so are not offered, each with the reason as sentences. */
  readonly withheld: readonly WithheldTool[];
  /** Why an actor was not offered a tool, as sentences; null: nothing is known of that. */
  absenceReason(actor: ActorRecord, tool: string): string | null;
  readonly languages: SessionLanguages;
  readonly common: Common;
  /** Resolves when all is known that the first agent is told; null where it is known already. */
  readonly known: Promise<void> | null;
  /** Boots idle threads ahead of need, no more than may run. */
  warm(count: number): void;
  close(): Promise<void>;
}

/** A tool that the session does not offer. */
export interface WithheldTool {
  readonly tool: string;
  readonly reason: string;
}

export interface SessionListeners {
  readonly spawn: Spawner["spawn"];
  onNotice(notice: GatewayNotice): void;
  onWarning(message: string): void;
  onTasks(graph: TaskGraph): void;
  /** A scheduled prompt can be taken. */
  onDue(): void;
  readonly actors: Actors;
  readonly mail: MessageService;
}

const TIMER_TOOLS = ["CronCreate", "CronList", "CronDelete", "ScheduleWakeup"];
const WHY_NO_TIMERS = "Prompts wait only in a conversation that stays open, as troupe in a terminal is.";

export function openSession(given: SupervisorOptions, unredacted: SessionListeners): Session {
  const ground = openResources(given, unredacted);
  const { options, listeners, folders, id, ids, clock, limits, home, place, outputs, model, kinds } = ground;
  const { host, maxThreads, gateway, journal, processes } = ground;
  const { actors, spawn } = listeners;
  const hooks = sessionHooks({
    ...{
      sources: options.hooks ?? [],
      ofAgents: definitionHooks(kinds.all),
      session: id,
      folder: place.folder,
      cwd: options.cwd,
      processes,
      clock,
    },
    onWarning: listeners.onWarning,
  });
  const plans = planFilesIn(home, place.folder);
  const held = commandSandbox(options, {
    ...{ home, processes, actors, onWarning: listeners.onWarning },
    readable: [outputs.folder],
    shown: [plans.folder, ...skillFolders(options)],
    treeAt: (root) => isolation.trees.at(root)?.tree ?? null,
  });
  const person = personOf(options, () => servers.person);
  const shell = platformShell(process.platform, process.env);
  const permissions = sessionPermissions({
    ...{ options: { ...options, ...person }, hooks, actors, onWarning: listeners.onWarning },
    folders,
    readable: [outputs.folder, plans.folder, ...skillFolders(options)],
    planFile: () => plans.current,
    sandbox: held,
    shell: shell?.kind ?? "bash",
    tracked: { clock, worktrees: { everTracked: (request, signal) => everTracked(request, signal) } },
  });
  const commands = commandsOf(processes, outputs, shell, held.commands);
  const background = new Background({
    commands,
    processes,
    clock,
    tell: (owner, notice) => {
      if (notice.type === "ended") isolation.commandEnded(actors.find(owner));
      actors.tell(owner, notice);
    },
    forget: (owner, task) => actors.find(owner)?.owed.forget(task),
    note: (event) => journal.note(event),
  });
  const { mode, asks } = permissions;
  const { isolation, radar, desk, everTracked } = openIsolation({
    ...{ options, session: id, clock, ids, commands, asks, actors, onWarning: listeners.onWarning },
  });
  const skills = openSkills(options, {
    ...{ session: id, actors, spawn, journal, commands, onWarning: listeners.onWarning },
    ...{ gate: () => gate, toolbox: () => toolbox },
    treeAt: (root) => isolation.trees.at(root)?.tree ?? null,
    denied: (path) => denied(path),
    named: (text) => knowledge.named(text),
    prompted: async (line, signal) => (await servers.prompted?.(line, signal)) ?? null,
    hooked: (tool) => hooks.has("PreToolUse", [tool]),
  });
  const web = openWeb({
    ...{ search: options.webSearch ?? {}, hasServerSide: hasServerSideSearch(options), clock },
    env: { ...process.env, ...options.env },
    model: pageModel(gateway, model, options),
    namesHost: permissions.namesHost,
  });
  const timers =
    options.background === "wake"
      ? openTimers({
          ...{ project: options.cwd, home, clock, newId: () => ids.actor().slice(0, 8) },
          ...{ onDue: listeners.onDue, onWarning: listeners.onWarning },
        })
      : null;
  const withheld = [
    { tool: "WebSearch", reason: web.whyNoSearch },
    { tool: "LSP", reason: whyNoLanguages(options.languageServers) },
    ...TIMER_TOOLS.map((tool) => ({ tool, reason: timers === null ? WHY_NO_TIMERS : null })),
  ].flatMap(({ tool, reason }) => (reason === null ? [] : [{ tool, reason }]));
  const languages = sessionLanguages(options.languageServers, {
    ...{ processes, clock, actors, cwd: options.cwd, newId: () => ids.actor() },
    gate: () => gate,
    treeAt: (root) => isolation.trees.at(root)?.tree ?? null,
  });
  const parts: SessionParts = {
    tasks: new Tasks(journal, listeners.onTasks, options.resume?.state.tasks),
    // Where nothing can be run there is nothing in the background to look after.
    background: permissions.isOff(["Bash"]) ? null : backgroundService(background, actors, clock),
    questions: asks,
    plan: planService({ mode, asks, files: plans, cwd: options.cwd }),
    mail: listeners.mail,
    worktree: desk,
    skills,
    web,
    timers,
    languages: languages.desk,
  };
  const { toolbox, agents } = toolboxOf(options, {
    ...{ permissions, kinds, model, spawn, parts, toolMs: limits.toolMs },
  });
  for (const { name } of (options.tools ?? []).filter(({ undeclared }) => undeclared))
    listeners.onWarning(undeclaredPlace(name));
  const resultChars = charsIn(boundsOf(windowFor(model, options.compaction), limits).result);
  const servers = lazyServers({
    ...{ options, home, clock, outputs, toolbox, actors, onWarning: listeners.onWarning },
    ...{ broker: permissions.broker, isOff: permissions.isOff, startMs: limits.mcpStartMs },
    resultChars,
    kinds: () => kinds.all,
    kind: (type) => kinds.find(type),
    folders,
  });
  const caller = hookCaller(actors, () => mode.current());
  const gate = permissions.gate(toolbox);
  const [, ...additionalDirs] = folders;
  const territory = { root: options.cwd, additionalDirs, tree: null };
  const denied = (path: string) =>
    gate.filters && gate.filterResults([path], { cwd: options.cwd, territory }).length > 0;
  const lookAtAgents = agentLooks(kinds, {
    now: options.agentsNow,
    onWarning: listeners.onWarning,
    onChange: () => hooks.replaceAgents(definitionHooks(kinds.all)),
  });
  const knowledge = sessionContext({
    ...{ options: options.context ?? {}, cwd: options.cwd, clock, onWarning: listeners.onWarning },
    folders,
    gitStatus() {
      // The first thread boots meanwhile.
      host.warm(1);
      return gitStatus(options.cwd, {
        ...{ processes, newId: () => ids.actor() },
        foreignGit: options.foreignGit ?? (() => null),
      });
    },
    situation: (atMost) => ({
      ...{ mode: narrower(mode.current(), atMost), planFile: plans.current, hasUser: asks.hasPerson },
    }),
    showDocument: (path, among) =>
      showDocument(path, { cwd: options.cwd, resultChars: Math.floor(resultChars / among) }),
    seesMemory: (type) => kinds.find(type)?.memory ?? true,
    ...{ denied, skills, agents, lookAtAgents, skillListing: options.skills?.listing ?? "attached" },
  });
  const spending = new Spending(
    {
      ...options,
      kind: (type) => kinds.find(type),
      onMoney: (reserve) => gateway.meter(reserve),
    },
    limits,
    clock,
    home,
  );
  return {
    id,
    home,
    ids,
    clock,
    journal,
    processes,
    commands,
    background,
    writes: new WriteLedger(),
    outputs,
    gateway,
    host,
    maxThreads: options.host ? 0 : maxThreads,
    spending,
    toolbox,
    permissions,
    hooks,
    broker: permissions.broker,
    gate,
    caller,
    get definitions() {
      return kinds.all;
    },
    skills,
    ...{ isolation, radar },
    withheld,
    absenceReason: (actor, tool) =>
      servers.whyAbsent(actor, tool) ?? withheld.find((one) => one.tool === tool)?.reason ?? null,
    servers,
    timers,
    languages,
    known: together(held.known, servers.known, skills?.known ?? null),
    common: { options, limits, toolbox, model, knowledge, skills, heldBy: held.describe },
    warm: (count) => host.warm(Math.min(count, limits.maxAgents)),
    async close() {
      // Actors first: what they still owe goes through the others.
      await host.close();
      spending.past.save();
      await hooks.sessionEnd("other", caller(MAIN, options.cwd), AbortSignal.timeout(SESSION_END_MS));
      // Before the host that they run in: a server that is asked to end tidies up.
      const children = languages.close().then(() => processes.close());
      await Promise.all([gateway.close(), children, servers.close(), isolation.close(), web.close()]);
      await held.close();
      await outputs.remove().catch((error: Error) => listeners.onWarning(error.message));
      await journal.close().catch((error: Error) => listeners.onWarning(error.message));
      ground.release();
    },
  };
}

/** Who answers for permissions: a tool, where the person named one. */
function personOf(
  { person, permissionPromptTool }: SupervisorOptions,
  tool: () => UserHandler,
): { readonly person?: UserHandler } {
  if (permissionPromptTool !== undefined)
    return { person: { ask: (ask, signal) => tool().ask(ask, signal) } };
  return person === undefined ? {} : { person };
}

function together(...known: readonly (Promise<void> | null)[]): Promise<void> | null {
  const waited = known.filter((one) => one !== null);
  if (waited.length === 0) return null;
  const all = Promise.all(waited).then(() => {});
  // Whoever prompts hears of it; nobody need.
  all.catch(() => {});
  return all;
}

/** Told when a session is opened with a definition from before tools had a place. */
function undeclaredPlace(name: string): string {
  return `${name} does not say where it runs, so it runs on the thread of the program, where it can stop all agents. Export it from a module of its own with \`module: import.meta.url\`, or declare \`runsIn: "caller"\`.`;
}

/** Milliseconds that SessionEnd hooks have: whoever leaves is not kept waiting. */
const SESSION_END_MS = 5_000;

function toolboxOf(
  options: SupervisorOptions,
  {
    permissions: { isOff },
    kinds,
    model,
    spawn,
    parts,
    toolMs,
  }: {
    readonly permissions: Pick<Permissions, "isOff">;
    readonly kinds: AgentTypes;
    readonly model: string;
    readonly spawn: Spawner["spawn"];
    readonly parts: SessionParts;
    readonly toolMs: number;
  },
): { readonly toolbox: Toolbox; readonly agents: AgentIndex } {
  const { tools = [], agentListing: placement = "inline" } = options;
  const own = tools.map((tool) => ({ ...tool, timeoutMs: tool.timeoutMs ?? toolMs }));
  const ours = sessionTools(parts);
  const without = new Toolbox({ ours, foreign: own }, isOff);
  const windowTokens = windowFor(model, options.compaction).tokens;
  const agents = agentIndex(kinds, without, { placement, windowTokens });
  const agent = agentTool({
    get agents() {
      return agents.agents;
    },
    list: agents.inline,
    resolve: (type) => agents.listing(type),
    forks: options.forks ?? true,
    spawn,
  });
  return { toolbox: new Toolbox({ ours: [bindTool(agent), ...ours], foreign: own }, isOff), agents };
}
