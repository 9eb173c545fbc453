import { homedir } from "node:os";
import { resolve } from "node:path";
import type { AgentDefinition } from "../actors/definitions/definition.ts";
import type { ActorHost } from "../actors/hosts.ts";
import { threadHost } from "../actors/thread-host.ts";
import { type SessionPlace, sessionPlace, troupeHome } from "../journal/place.ts";
import { processIdentity } from "../journal/process-identity.ts";
import { lockSession } from "../journal/session-lock.ts";
import { startJournal } from "../journal/thread-journal.ts";
import { type Clock, systemClock } from "../mailbox/clock.ts";
import { type ActorId, type Ids, MAIN, randomIds, type SessionId } from "../mailbox/ids.ts";
import { JOURNAL_VERSION } from "../mailbox/session-events.ts";
import type { TaskGraph } from "../mailbox/task-graph.ts";
import { DEFAULT_MODEL, resolveModel } from "../model/aliases.ts";
import type { Gateway, GatewayNotice } from "../model/client.ts";
import { localGateway, threadGateway } from "../model/gateway.ts";
import type { AskBroker } from "../policy/ask-broker.ts";
import type { Person } from "../policy/asks.ts";
import type { HookCaller } from "../policy/hooks/results.ts";
import { credentialsIn } from "../policy/secrets/credentials.ts";
import { redactionOf, redactor, type Secrets } from "../policy/secrets/redactor.ts";
import { startProcesses } from "../processes/client.ts";
import { platformShell } from "../processes/platform-shell.ts";
import type { Processes } from "../processes/processes.ts";
import { agentTool, type Spawner } from "../tools/agent.ts";
import type { MailDesk } from "../tools/mail/desk.ts";
import { seal } from "../tools/sealed.ts";
import { type AgentIndex, AgentKinds, agentIndex, agentLooks } from "./agent-kinds.ts";
import { Background } from "./background.ts";
import { type Commands, commandsOf } from "./commands.ts";
import { definitionHooks } from "./definition-hooks.ts";
import { type Actors, backgroundDesk } from "./desk.ts";
import type { Gate } from "./gate.ts";
import { gitStatus } from "./git-status.ts";
import type { Isolation } from "./isolation/isolation.ts";
import { openIsolation } from "./isolation/open-isolation.ts";
import { type LeavableJournal, untilLeft } from "./journal-until-left.ts";
import { sessionKnowledge } from "./knowledge.ts";
import { limitsOf } from "./limits.ts";
import type { SupervisorOptions } from "./options.ts";
import { type Outputs, outputsIn } from "./outputs.ts";
import type { Radar } from "./overlap/session-radar.ts";
import { type Permissions, sessionPermissions } from "./permissions.ts";
import { planFilesIn } from "./plan-files.ts";
import { planDesk } from "./plan-mode.ts";
import { type LateServers, lateServers } from "./servers/late-servers.ts";
import { hookCaller, type SessionHooks, sessionHooks } from "./session-hooks.ts";
import { commandSandbox } from "./session-sandbox.ts";
import { type SessionParts, sessionTools } from "./session-tools.ts";
import { openSkills, skillFolders } from "./skills/open-skills.ts";
import type { SessionSkills } from "./skills/session-skills.ts";
import type { Common } from "./specs.ts";
import { Spending } from "./spending.ts";
import { Tasks } from "./tasks.ts";
import { Toolbox } from "./toolbox.ts";
import { windowFor } from "./windows.ts";
import { WriteLedger } from "./write-ledger.ts";

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
  readonly broker: AskBroker;
  readonly gate: Gate;
  /** On whose behalf hooks run. */
  readonly caller: (actor: ActorId, cwd: string) => HookCaller;
  readonly isolation: Isolation;
  readonly radar: Radar;
  readonly servers: Omit<LateServers, "known" | "close">;
  /** As they are now. */
  readonly definitions: readonly AgentDefinition[];
  /** Null: it has none. */
  readonly skills: SessionSkills | null;
  readonly common: Common;
  /** Resolves when all is known that the first agent is told; null where it is known already. */
  readonly known: Promise<void> | null;
  /** Boots idle threads ahead of need, no more than may run. */
  warm(count: number): void;
  close(): Promise<void>;
}

export interface SessionListeners {
  readonly spawn: Spawner["spawn"];
  onNotice(notice: GatewayNotice): void;
  onWarning(message: string): void;
  onTasks(graph: TaskGraph): void;
  readonly actors: Actors;
  readonly mail: MailDesk;
}

export function openSession(given: SupervisorOptions, unredacted: SessionListeners): Session {
  // Whatever the process's folder becomes, a session's folders stay what they were.
  const additionalDirs = (given.additionalDirs ?? []).map((folder) => resolve(folder));
  const options: SupervisorOptions = { ...given, cwd: resolve(given.cwd), additionalDirs };
  const clock = options.clock ?? systemClock;
  const ids = options.ids ?? randomIds();
  const id = options.resume?.id ?? ids.session();
  const limits = limitsOf(options.limits);
  const secrets = secretsOf(options);
  const redact = redactor(secrets);
  // What goes wrong may quote what a hook or a command said.
  const listeners: SessionListeners = {
    ...unredacted,
    onWarning: (message) => unredacted.onWarning(redact(message)),
  };
  const model =
    options.source.provider === "offline"
      ? "offline"
      : resolveModel(options.model ?? DEFAULT_MODEL, options.aliases);
  const home = options.resume?.home ?? options.home ?? troupeHome(process.env, homedir());
  const place = options.resume ?? sessionPlace(home, options.cwd, id);
  const release = options.resume?.release ?? locked(place, listeners.onWarning);
  const outputs = outputsIn(home, place.folder, ids);
  const kinds = new AgentKinds(options.agents ?? []);
  // Every agent that may run, the main conversation, and one that is about to give its thread back.
  const maxThreads = limits.maxAgents + 2;
  const host = options.host ?? threadHost({ maxThreads, onFault: listeners.onWarning });
  const gateway = openGateway(options, limits, clock);
  gateway.onNotice(listeners.onNotice);
  gateway.onClosed(listeners.onWarning);
  const goOn = options.resume?.end;
  const journal = untilLeft(
    startJournal({
      ...{ home: place.home, folder: place.folder, clock, redaction: redactionOf(secrets) },
      onWarning: listeners.onWarning,
      ...(goOn ? { goOn } : {}),
    }),
  );
  journal.note({
    type: "session",
    version: JOURNAL_VERSION,
    id,
    cwd: options.cwd,
    model,
    title: options.title ?? "",
  });
  const { actors, spawn } = listeners;
  const processes = startProcesses({
    env: { ...process.env, ...options.env },
    clock,
    onGivenUp: listeners.onWarning,
    commandEnv: [...(options.commandEnv ?? []), ...Object.keys(options.env ?? {})],
  });
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
    ...{ home, processes, clock, actors, onWarning: listeners.onWarning },
    readable: [outputs.folder],
    treeAt: (root) => isolation.trees.at(root)?.tree ?? null,
  });
  const person = personOf(options, () => servers.person);
  const permissions = sessionPermissions({
    ...{ options: { ...options, ...person }, hooks, actors, onWarning: listeners.onWarning },
    folders: [options.cwd, ...additionalDirs],
    readable: [outputs.folder, plans.folder, ...skillFolders(options)],
    sandbox: held,
  });
  const shell = platformShell(process.platform, process.env);
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
  const { isolation, radar, desk } = openIsolation({
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
  const parts: SessionParts = {
    tasks: new Tasks(journal, listeners.onTasks, options.resume?.state.tasks),
    // Where nothing can be run there is nothing in the background to look after.
    background: permissions.isOff(["Bash"]) ? null : backgroundDesk(background, actors, clock),
    questions: asks,
    plan: planDesk({ mode, asks, files: plans, cwd: options.cwd }),
    mail: listeners.mail,
    worktree: desk,
    skills,
  };
  const { toolbox, agents } = toolboxOf(options, { permissions, kinds, model, spawn, parts });
  const servers = lateServers({
    ...{ options, home, clock, outputs, toolbox, actors, onWarning: listeners.onWarning },
    ...{ broker: permissions.broker, isOff: permissions.isOff, startMs: limits.mcpStartMs },
    kinds: () => kinds.all,
    kind: (type) => kinds.find(type),
    folders: [options.cwd, ...additionalDirs],
  });
  const caller = hookCaller(actors, () => mode.current());
  const gate = permissions.gate(toolbox);
  const territory = { root: options.cwd, additionalDirs, tree: null };
  const denied = (path: string) =>
    gate.filters && gate.hidden([path], { cwd: options.cwd, territory }).length > 0;
  const lookAtAgents = agentLooks(kinds, {
    now: options.agentsNow,
    onWarning: listeners.onWarning,
    onChange: () => hooks.replaceAgents(definitionHooks(kinds.all)),
  });
  const knowledge = sessionKnowledge({
    ...{ options: options.context ?? {}, cwd: options.cwd, clock, onWarning: listeners.onWarning },
    folders: [options.cwd, ...additionalDirs],
    gitStatus() {
      // The first thread boots meanwhile.
      host.warm(1);
      return gitStatus(options.cwd, {
        ...{ processes, newId: () => ids.actor() },
        foreignGit: options.foreignGit ?? (() => null),
      });
    },
    seesMemory: (type) => kinds.find(type)?.memory ?? true,
    ...{ denied, skills, agents, lookAtAgents, skillListing: options.skills?.listing ?? "attached" },
  });
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
    spending: new Spending({ ...options, kind: (type) => kinds.find(type) }, limits, clock),
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
    servers,
    known: together(held.known, servers.known, skills?.known ?? null),
    common: { options, limits, toolbox, model, knowledge, skills, heldBy: held.describe },
    warm: (count) => host.warm(Math.min(count, limits.maxAgents)),
    async close() {
      // Actors first: what they still owe goes through the others.
      await host.close();
      await hooks.sessionEnd("other", caller(MAIN, options.cwd), AbortSignal.timeout(SESSION_END_MS));
      await Promise.all([gateway.close(), processes.close(), servers.close(), isolation.close()]);
      await held.close();
      await outputs.remove().catch((error: Error) => listeners.onWarning(error.message));
      await journal.close().catch((error: Error) => listeners.onWarning(error.message));
      release();
    },
  };
}

/** Who answers for permissions: a tool, where the person named one. */
function personOf(
  { person, permissionPromptTool }: SupervisorOptions,
  tool: () => Person,
): { readonly person?: Person } {
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

/** Milliseconds that SessionEnd hooks have: whoever leaves is not kept waiting. */
const SESSION_END_MS = 5_000;

/** A new session is this process's as well; where it cannot be locked its journal says why. */
function locked(place: SessionPlace, onWarning: (message: string) => void): () => void {
  try {
    const lock = lockSession(place, processIdentity(process.pid));
    return lock.type === "locked" ? lock.release : () => {};
  } catch (error) {
    onWarning(error instanceof Error ? error.message : String(error));
    return () => {};
  }
}

function secretsOf({ source, env, redact = [] }: SupervisorOptions): Secrets {
  const own = source.provider === "anthropic" ? [source.apiKey, source.authToken] : [];
  const keys = own.filter((key) => key !== undefined);
  return { values: [...credentialsIn({ ...process.env, ...env }), ...keys, ...redact] };
}

function toolboxOf(
  options: SupervisorOptions,
  {
    permissions: { isOff },
    kinds,
    model,
    spawn,
    parts,
  }: {
    readonly permissions: Pick<Permissions, "isOff">;
    readonly kinds: AgentKinds;
    readonly model: string;
    readonly spawn: Spawner["spawn"];
    readonly parts: SessionParts;
  },
): { readonly toolbox: Toolbox; readonly agents: AgentIndex } {
  const { tools: own = [], agentListing: placement = "inline" } = options;
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
    forks: true,
    spawn,
  });
  return { toolbox: new Toolbox({ ours: [seal(agent), ...ours], foreign: own }, isOff), agents };
}

function openGateway(
  { source, aliases = {} }: SupervisorOptions,
  limits: Common["limits"],
  clock: Clock,
): Gateway {
  const { patienceMs, idleMs, maxAgents } = limits;
  // Slots bound the agents; the main conversation has a place of its own.
  const concurrency = maxAgents + 1;
  switch (source.provider) {
    case "client":
      return localGateway(source.client, { clock, patienceMs, concurrency });
    case "anthropic":
    case "offline":
      return threadGateway({ source, aliases, limits: { patienceMs, idleMs, concurrency } });
    default:
      return source satisfies never;
  }
}
