import { boundsOf } from "../context/compaction/bounds.ts";
import { charsIn } from "../context/compaction/tokens.ts";
import type { OnEvent } from "../events/listener.ts";
import { AcceptanceChecks } from "../features/accept/acceptance.ts";
import { AcceptanceVerdicts, acceptFeature } from "../features/accept/index.ts";
import { agentLooks, listAgentTypes } from "../features/agents/agent-types.ts";
import { fanOutFeature } from "../features/agents/index.ts";
import type { Common } from "../features/agents/own-parts.ts";
import { formatResult } from "../features/agents/report.ts";
import { StartAgents } from "../features/agents/start-agents.ts";
import { Background } from "../features/background/background.ts";
import { backgroundService, userTasks } from "../features/background/background-service.ts";
import { backgroundCommands } from "../features/background/commands.ts";
import { backgroundFeature } from "../features/background/index.ts";
import { openBrake } from "../features/brake/index.ts";
import { budgetFeature } from "../features/budget/index.ts";
import { Spending } from "../features/budget/spending.ts";
import { UsageMeter } from "../features/budget/usage-meter.ts";
import { checkpointsFeature } from "../features/checkpoints/index.ts";
import { compactionFeature } from "../features/compaction/index.ts";
import { windowFor } from "../features/compaction/windows.ts";
import { gitStatus } from "../features/context/git-status.ts";
import { contextFeature } from "../features/context/index.ts";
import { namedFiles, type SessionContext, sessionContext } from "../features/context/session-context.ts";
import { showDocument } from "../features/context/show-document.ts";
import { eventsFeature } from "../features/events/index.ts";
import { gateFeature } from "../features/gate/index.ts";
import {
  openGate,
  openPermissions,
  openRules,
  type Permissions,
  toolSwitch,
  warnOfMistyped,
} from "../features/gate/permissions.ts";
import type { SessionRules } from "../features/gate/session-rules.ts";
import { hooksFeature, worktreeHooks } from "../features/hooks/index.ts";
import { definitionHooks, type SessionHooks, sessionHooks } from "../features/hooks/session-hooks.ts";
import { openInbox } from "../features/inbox/index.ts";
import { isolationFeature, openIsolation, openTrees, type Trees } from "../features/isolation/index.ts";
import { worktreeDefaults } from "../features/isolation/worktree-settings.ts";
import { sessionLanguages, whyNoLanguages } from "../features/languages/index.ts";
import { messageService } from "../features/messages/index.ts";
import { SessionModels } from "../features/models/index.ts";
import { planService } from "../features/plan-mode/index.ts";
import { planFilesIn } from "../features/plan-mode/plan-files.ts";
import { receiptsFeature } from "../features/receipts/index.ts";
import { runnersFeature } from "../features/runners/index.ts";
import { commandSandbox } from "../features/sandbox/index.ts";
import { type OpenedServers, openServers } from "../features/servers/index.ts";
import { openSkills, skillFolders } from "../features/skills/index.ts";
import type { SessionSkills } from "../features/skills/session-skills.ts";
import { SkillRules } from "../features/skills/skill-rules.ts";
import { SharedTasks } from "../features/tasks/index.ts";
import { UserActors } from "../features/user-actors/index.ts";
import { watchFeature } from "../features/watch/index.ts";
import { hasServerSideSearch, pageModel } from "../features/web/index.ts";
import { whereIs, worktreeService } from "../features/worktree/index.ts";
import { writersFeature } from "../features/writers/index.ts";
import { lazy } from "../lib/lazy.ts";
import { MAIN } from "../mailbox/ids.ts";
import { AddedDirs, type ScopedActor, writeScope } from "../policy/confinement/write-scope.ts";
import type { UserHandler } from "../policy/user-requests.ts";
import { platformShell } from "../processes/platform-shell.ts";
import { commandLimitsOf, turnsWithin } from "../settings/limits.ts";
import { narrower } from "../settings/permissions.ts";
import { ActorSystem } from "../supervisor/actor-system.ts";
import { decideCall } from "../supervisor/calls.ts";
import { Spawn } from "../supervisor/spawn.ts";
import { openTimers, type Timers } from "../timers/timers.ts";
import { agentTool } from "../tools/agent.ts";
import { bindTool } from "../tools/bind-tool.ts";
import { undeclaredPlace } from "../tools/define-tool.ts";
import { sessionTools } from "../tools/session-tools.ts";
import { Toolbox, type WithheldTool } from "../tools/toolbox.ts";
import { openWeb } from "../web/open-web.ts";
import { joinPromises, openResources, type SessionResources } from "./open-resources.ts";
import type { SessionScripts, StartAgent } from "./open-scripts.ts";
import type { SupervisorOptions } from "./options.ts";
import { readEndedIn } from "./read-ended.ts";
import type { CloseReason } from "./supervisor-handle.ts";

/** An open session: what the public `Supervisor` uses. */
export interface OpenSession
  extends Pick<
    SessionResources,
    "id" | "ids" | "clock" | "home" | "journal" | "gateway" | "types" | "limits"
  > {
  readonly options: SupervisorOptions;
  readonly actors: ActorSystem;
  readonly spawn: Spawn;
  readonly agents: StartAgents;
  readonly toolbox: Toolbox;
  readonly rules: SessionRules;
  readonly permissions: Permissions;
  readonly hooks: SessionHooks;
  readonly servers: OpenedServers;
  readonly skills: SessionSkills | null;
  /** Null: the program ends with its answer. */
  readonly timers: Timers | null;
  readonly userActors: UserActors;
  readonly context: SessionContext;
  readonly common: Common;
  readonly spending: Spending;
  readonly usage: UsageMeter;
  readonly models: SessionModels;
  readonly tasks: ReturnType<typeof userTasks>;
  readonly steps: SharedTasks;
  /** Loaded when they are first asked for. */
  readonly scripts: () => Promise<SessionScripts>;
  /** Tools that cannot work here, and so are not offered. */
  readonly withheld: readonly WithheldTool[];
  /** Resolves when all is known that the first agent must know; null if it is known already. */
  readonly known: Promise<void> | null;
  onWarning(message: string): void;
  close(reason: CloseReason): Promise<void>;
}

const TIMER_TOOLS = ["CronCreate", "CronList", "CronDelete", "ScheduleWakeup"];
const WHY_NO_TIMERS = "Prompts wait only in a conversation that stays open, as troupe in a terminal is.";
/** Dollars above which a fan-out is a question. */
const QUOTE_ABOVE_USD = 1;
/** Milliseconds that SessionEnd hooks have: a user who leaves is not kept waiting. */
const SESSION_END_MS = 5_000;

/** Opens a session from top to bottom: what it needs, the core, the features, and what they plug into the core. */
export function openSession(given: SupervisorOptions, onEvent: OnEvent, forScripts: StartAgent): OpenSession {
  // ---- what it needs -----------------------------------------------------------------------------
  const resources = openResources(given, onEvent);
  const { options, onWarning, folders, id, ids, clock, limits, home, place } = resources;
  const { outputs, model, types, host, gateway, journal, processes } = resources;
  const { cwd } = options;
  const added = new AddedDirs(folders.slice(1));
  const foreignGit = options.foreignGit ?? (() => null);
  const newId = () => ids.actor();
  const wakesMain = options.background === "wake";

  // ---- the core ------------------------------------------------------------------------------------
  const rules = openRules(options, folders);
  const isOff = toolSwitch(rules, Boolean(options.person ?? options.permissionPromptTool));
  const toolbox = new Toolbox(isOff);
  const actors = new ActorSystem({
    ...{ journal, gateway, host, processes, clock, limits, toolbox, outputs, formatResult, wakesMain },
    onEvent,
  });
  const spawn = new Spawn({
    ...{ actors, journal, ids, clock, onWarning },
    read: readEndedIn(journal.folder),
    turnsOf: (type) => turnsWithin(limits, types.find(type)?.maxTurns),
  });

  // ---- who decides: hooks, the user, rules ------------------------------------------------------------
  const small = pageModel(gateway, model, options);
  /** What is made further down: hooks start agents, which have hooks. */
  const later = Promise.withResolvers<Pick<OpenSession, "agents" | "scripts"> & { git: Trees }>();
  const hooks = sessionHooks({
    ...{ options, ask: small.ask, sources: options.hooks ?? [], ofAgents: definitionHooks(types.all) },
    ...{ session: id, model, folder: place.folder, cwd, processes, actors, clock, onWarning },
    runAgent: async (...hook) => (await later.promise).agents.runForHook(...hook),
    needDir: async (dir) => (await later.promise).git.need(dir),
  });
  const promptTool = Promise.withResolvers<UserHandler>();
  const user: UserHandler | null =
    options.permissionPromptTool === undefined
      ? (options.person ?? null)
      : { ask: async (ask, signal) => (await promptTool.promise).ask(ask, signal) };
  const inbox = openInbox({ folder: place.folder, clock, redact: resources.redact, onEvent });
  const lent = new SkillRules();
  const permissions = openPermissions({
    ...{ options, user, rules, cwd, hooks, actors, onWarning, skillsOf: lent.skillsOf },
    post: (ask, answer) => inbox.post(ask, answer),
  });
  const { mode, asks, broker, caller } = permissions;
  mode.onChange((next) => resources.records.setMode(next).forEach(onEvent));
  const git = openTrees(clock, onWarning, worktreeHooks(hooks, caller));
  const treeAt = (root: string) => git.trees.at(root)?.tree ?? null;
  const plans = planFilesIn(home, place.folder);
  const readable = [outputs.folder, plans.folder, `${place.folder}/scripts`, ...skillFolders(options)];
  const scopeOf = (actor: ScopedActor) => writeScope(actor, treeAt(actor.root), added);
  const sandbox = commandSandbox(options, {
    ...{ home, processes, actors, onWarning, treeAt, added },
    readable: [outputs.folder],
    shown: [plans.folder, ...skillFolders(options)],
  });
  const shell = platformShell(process.platform, process.env);
  const { gate, namesHost } = openGate({
    ...{ options, rules, permissions, hooks, sandbox, toolbox, cwd, added, readable, onWarning },
    ...{ planFile: () => plans.current, shell: shell?.kind ?? "bash", path: () => hooks.variables["PATH"] },
    tracked: { clock, worktrees: git.worktrees },
  });
  const here = () => ({ cwd, scope: { root: cwd, additionalDirs: added.now, tree: null } });
  const denied = (path: string) => gate.filters && gate.filterResults([path], here()).length > 0;

  // ---- what agents can do --------------------------------------------------------------------------------
  const commands = backgroundCommands(processes, outputs, shell, sandbox.commands, () => hooks.variables);
  const settings = { ...worktreeDefaults, ...options.worktree };
  const acceptance = new AcceptanceChecks({
    ...{ commands, journal, timeoutMs: settings.checkTimeoutMs },
    shell: () => toolbox.find("Bash"),
    evaluate: (call) => decideCall(actors.joints, call),
  });
  const verdicts = new AcceptanceVerdicts(acceptance);
  const isolation = openIsolation({
    ...{ ...git, verdicts, settings, session: id, clock, commands, asks, actors, foreignGit },
    ...{ onWarning, onEvent },
  });
  const background = new Background({
    ...{ commands, processes, clock, note: (event) => journal.note(event) },
    tell: (owner, notice) => actors.notify(owner, notice),
    forget: (owner, notice) => actors.withdraw(owner, notice),
    onEnded: (owner) => isolation.commandEnded(actors.find(owner)),
  });
  const resultChars = charsIn(boundsOf(windowFor(model, options.compaction), limits).result);
  const servers = openServers({
    ...{ options, home, clock, outputs, toolbox, actors, onWarning, broker, isOff, folders, resultChars },
    startMs: limits.mcpStartMs,
    kinds: () => types.all,
    kind: (type) => types.find(type),
  });
  if (servers.person !== null) promptTool.resolve(servers.person);
  const models = new SessionModels({ options, limits, model, actors, journal });
  const skills = openSkills(options, {
    ...{ session: id, actors, journal, commands, gate, toolbox, lent, models, added, scopeOf, denied },
    onWarning,
    named: namedFiles({ options: options.context ?? {}, cwd, folders, denied }),
    prompted: async (line, signal) => (await servers.prompted?.(line, signal)) ?? null,
    hooked: (tool) => hooks.has("PreToolUse", [tool]),
    onHooks: (ofSkills) => hooks.replaceSkills(ofSkills),
  });
  const userActors = new UserActors({
    ...{ journal, ids, clock, onWarning },
    before: options.resume?.state.userActors ?? new Map(),
  });
  const web = openWeb({
    ...{ search: options.webSearch ?? {}, hasServerSide: hasServerSideSearch(options), clock, namesHost },
    ...{ env: { ...process.env, ...options.env }, model: small },
  });
  const timers = wakesMain
    ? openTimers({
        ...{ project: cwd, home, clock, newId: () => ids.actor().slice(0, 8), onWarning },
        onDue: () => actors.emit({ type: "idle" }),
      })
    : null;
  const seen = { processes, clock, actors, cwd, newId, gate, scopeOf };
  const languages = sessionLanguages(options.languageServers, seen);
  const steps = new SharedTasks({ journal, actors, hooks, caller }, options.resume?.state.tasks);
  const ours = sessionTools({
    tasks: steps,
    background: isOff(["Bash"]) ? null : backgroundService(background, actors, clock), // Bash starts them
    questions: asks,
    plan: planService({ mode, asks, files: plans, cwd }),
    workflows: async () => (await (await later.promise).scripts()).workflows,
    mail: messageService(actors, spawn, userActors),
    worktree: worktreeService({
      ...{ worktrees: git.worktrees, foreignGit, settings, workspace: folders },
      where: (actor) => whereIs(actors, actor, cwd),
      home: (actor) => actors.find(actor)?.spec.root ?? cwd,
      move: (actor, to) => isolation.moved(actors.find(actor), to),
      ownerOf: (actor) => isolation.ownerOf(actor),
      newName: () => `session-${ids.actor()}`,
    }),
    ...{ skills, web, timers, languages: languages.service },
  });
  const withheld = [
    { tool: "WebSearch", reason: web.whyNoSearch },
    { tool: "LSP", reason: whyNoLanguages(options.languageServers) },
    ...TIMER_TOOLS.map((tool) => ({ tool, reason: timers === null ? WHY_NO_TIMERS : null })),
  ].flatMap(({ tool, reason }) => (reason === null ? [] : [{ tool, reason }]));

  // ---- agents: what they know, what they may spend, how they start ------------------------------------------
  const custom = (options.tools ?? []).map((tool) => ({
    ...tool,
    timeoutMs: tool.timeoutMs ?? limits.toolMs,
  }));
  const agentList = listAgentTypes(resources, { ours, custom }, isOff);
  const context = sessionContext({
    ...{ options: options.context ?? {}, cwd, folders, clock, denied, skills, agents: agentList, onWarning },
    gitStatus: () => gitStatus(cwd, { processes, newId, foreignGit }),
    situation: (atMost) => ({
      ...{ mode: narrower(mode.current(), atMost), planFile: plans.current, hasUser: asks.hasPerson },
    }),
    showDocument: (path, among) => showDocument(path, { cwd, resultChars: Math.floor(resultChars / among) }),
    seesMemory: (type) => types.find(type)?.memory ?? true,
    lookAtAgents: agentLooks(types, {
      ...{ now: options.agentsNow, onWarning },
      onChange: () => hooks.replaceAgents(definitionHooks(types.all)),
    }),
    skillListing: options.skills?.listing ?? "attached",
  });
  const common: Common = {
    ...{ options, added, limits, toolbox, models, skills, knowledge: context, heldBy: sandbox.describe },
  };
  const spending = new Spending(
    {
      ...options,
      kind: (type) => types.find(type),
      onMoney: (reserve) => gateway.meter(reserve),
    },
    ...[limits, clock, home],
  );
  const usage = new UsageMeter({
    ...{ session: id, clock, spending, actors, onEvent },
    onLost: (lost) => journal.note(lost),
    onPause(pause) {
      journal.note({ type: "paused", pause });
      inbox.pause(pause);
    },
    onPauseEnd: (model) => inbox.endPause(model),
  });
  gateway.onNotice((notice) => usage.hear(notice));
  const fanOut = fanOutFeature({
    ...{ actors, common, types, spending, asks, say: onWarning },
    aboveUsd: options.quoteAboveUsd ?? QUOTE_ABOVE_USD,
  });
  const brake = openBrake({ actors, asks, mostSame: limits.sameFailures, onWarning });
  const scripts = lazy(async () =>
    (await import("./open-scripts.ts")).openScripts({
      ...{ folder: place.folder, cwd, clock, ids, actors, background, outputs, denied, model },
      ...{ redaction: resources.redaction, spending, spawn: forScripts, stopped: brake.stopped },
      ...{ startThread: options.startThread, budgetTokens: options.budget?.tokens ?? null, agents },
    }),
  );
  const forks = options.forks ?? true;
  const agents = new StartAgents({
    ...{ actors, spawn, ids, common, types, spending, outputs, forks, fanOut },
    missingServers: servers.named.missing,
  });
  const agent = agentTool({
    get agents() {
      return agentList.agents;
    },
    ...{ list: agentList.inline, resolve: agentList.listing, forks },
    spawn: (type, input, call) => agents.spawn(type, input, call),
  });
  later.resolve({ agents, git, scripts });
  toolbox.fill({ ours: [bindTool(agent), ...ours], custom, commandLimits: commandLimitsOf(limits) });
  toolbox.explainWith(servers.whyAbsent);
  toolbox.explainWith((_, name) => withheld.find(({ tool }) => tool === name)?.reason ?? null);
  warnOfMistyped(options, toolbox.known, onWarning);
  for (const { name } of custom.filter(({ undeclared }) => undeclared)) onWarning(undeclaredPlace(name));

  // ---- what plugs into the core, in the order in which it is called --------------------------------------------
  const watch = watchFeature({ clock, limits, actors, onWarning });
  const events = eventsFeature({ clock, onEvent });
  actors.plugIn([
    // First: a call has begun before anything waits for it, and has ended before hooks look at it.
    events.joints,
    backgroundFeature({
      ...{ background, processes, toolbox, outputs, actors, onLines: events.onLines },
      note: (event) => journal.note(event),
    }),
    // Hooks speak before the results of a call are released, and before edits are merged.
    hooksFeature({ hooks, actors, caller }),
    languages.joints,
    receiptsFeature({ ...options, onWarning }),
    acceptFeature(acceptance, verdicts),
    // Who may write a file, and that nothing is written over what is not saved.
    writersFeature({ ...git, clock, rule: settings.overlap, cwd, actors }),
    checkpointsFeature({ ...git, folder: journal.folder, actors, onWarning }),
    isolationFeature(isolation),
    servers.joints,
    // Before the budget, which counts in prices of the model that is asked next.
    models.joints,
    budgetFeature({ spending, usage, clock, actors }),
    runnersFeature({ ...git, session: id, options, usage, rules, mode, hooks, caller, onWarning }),
    ...(skills === null ? [] : [skills]),
    contextFeature(context),
    compactionFeature({ clock, journal, outputs, hooks, caller }),
    ...[inbox.joints, fanOut.joints, brake.joints, watch.joints],
    // Last: rules may have changed while a call waited for the others.
    gateFeature({
      ...{ gate, broker, actors, scopeOf, lent: (actor) => lent.of(actor, actor.id) },
      onDenied: (denial) => usage.denials.push(denial),
    }),
  ]);

  return {
    ...{ id, ids, clock, home, journal, gateway, types, limits, options, actors, spawn, agents, toolbox },
    ...{ rules, permissions, hooks, servers, skills, timers, userActors, context, common, spending, usage },
    ...{ models, scripts, withheld, onWarning, steps, tasks: userTasks(background, clock) },
    known: joinPromises(sandbox.known, servers.known, skills?.known ?? null),
    async close(reason) {
      watch.close();
      inbox.close();
      // Actors first: what they still have to say goes through the others.
      await host.close();
      spending.past.save();
      await hooks.sessionEnd(reason, caller(MAIN, cwd), AbortSignal.timeout(SESSION_END_MS));
      // Before the host that they run in: a server that is asked to end tidies up.
      const children = languages.close().then(() => processes.close());
      await Promise.all([gateway.close(), children, servers.close(), isolation.close(), web.close()]);
      await sandbox.close();
      await outputs.remove().catch((error: Error) => onWarning(error.message));
      await journal.close().catch((error: Error) => onWarning(error.message));
      resources.release();
    },
  };
}
