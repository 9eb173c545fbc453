import type { AgentDefinition } from "../context/agents/definition.ts";
import { troupeHome } from "../journal/paths.ts";
import { homeProblem } from "../journal/private-files.ts";
import { given } from "../lib/json.ts";
import {
  agentModelsFrom,
  aliasesFrom,
  DEFAULT_MODEL,
  firstAvailable,
  modelRefusal,
} from "../model/model-names.ts";
import type { SupervisorOptions } from "../session/options.ts";
import type { ResumableSession } from "../session/resume-session.ts";
import { limitRanges } from "../settings/limits.ts";
import { userPlaces } from "../settings/paths.ts";
import { type PermissionMode, whyNotMode } from "../settings/permissions.ts";
import type { ReadSettings, Settings } from "../settings/read-settings.ts";
import { settingName } from "../settings/setting.ts";
import { listText } from "../settings/settings-file.ts";
import {
  agentLibraryIn,
  agentListing,
  agentsFlagIn,
  secretsOfAgents,
  sessionAgents,
} from "./agents/session-agents.ts";
import { hostedRunner, keyFromHelper } from "./api-key-helper.ts";
import type { Arguments } from "./arguments.ts";
import type { Context } from "./command.ts";
import { addedDirs, managedDir, settingsDirs, workingDir } from "./directories.ts";
import { UsageError } from "./exit-codes.ts";
import { INBOX, inboxUser } from "./inbox/inbox-user.ts";
import { assertOneRole, findMainAgent, readAppendedPrompt, readSystemPrompt } from "./main-role.ts";
import { sessionServers } from "./mcp/configured-servers.ts";
import { chooseModel, type Env, lacksKey, type ModelChoice } from "./model-choice.ts";
import { type CliIO, rootRefusal } from "./process-io.ts";
import type { ChosenRunners } from "./runners/choose-runners.ts";
import { sessionFlags as flags, limitPatience, permissionPromptTool } from "./session-flags.ts";
import {
  type AskTrust,
  assertFlagsMayAllow,
  languageServersHere,
  type SessionSettings,
  sessionSettings,
} from "./session-settings.ts";
import { skillsOptions } from "./skills.ts";

/** What a session is started with, and notes that the user must see before it starts. */
export interface SessionSetup {
  readonly options: SupervisorOptions;
  readonly notes: readonly string[];
  /** Where the settings come from, so that changes are picked up while the session runs. */
  readonly settings: SessionSettings;
  /** Milliseconds that a model may be paused before a command that runs alone is left, to be resumed. */
  readonly limitPatienceMs: number;
  /** The engine that a flag named, without its password: the command that resumes the session must name it again. */
  readonly engine?: string;
}

export interface OwnSetup {
  /** Absent: the first prompt. */
  readonly title?: string;
  readonly maxAgents?: number | undefined;
  /** If a user can be asked whether the directory is trusted. */
  readonly askTrust?: AskTrust;
  /** A resumed session keeps its own directory, title and model. */
  readonly resume?: ResumableSession;
}

/**
 * Makes a session's options of flags, environment and settings. Throws a `UsageError` for bad input, and another error
 * if no session can be kept.
 */
export async function setUpSession(args: Arguments, context: Context, own: OwnSetup): Promise<SessionSetup> {
  const { io } = context;
  const { resume } = own;
  assertOneRole(args, resume !== undefined);
  const systemPrompt = await readSystemPrompt(args, io.cwd);
  const appendSystemPrompt = await readAppendedPrompt(args, io.cwd);
  const cwd = await workingDir(args, io);
  const added = await addedDirs(args, io);
  // Of the process's own environment: settings must not move what they are kept with.
  const home = troupeHome(io.env, io.homedir);
  const trusts = args.value(flags.trust);
  const agentsFlag = await agentsFlagIn(args, io);
  const settings = await sessionSettings(io, {
    ...{ cwd, home, trusts, askTrust: own.askTrust, agentsFlag },
    pluginDirs: args.value(flags.pluginDir),
  });
  const { read, reader, plugins } = settings;
  assertFlagsMayAllow(args.value(flags.allowedTools), read);
  const env = { ...io.env, ...read.settings.env };
  const here = await environmentSettings(args, env, read.settings);
  const limits = limitsOf(args, own, env, here.settings);
  const permissionMode = chooseMode(args.value(flags.permissionMode), read, io);
  const problem = homeProblem(home);
  if (problem !== null) throw new Error(problem);
  const choice = await modelOf(args, context, env, { cwd, read });
  const extra = await settingsDirs(read.settings.additionalDirectories, { cwd, homedir: io.homedir });
  const servers = await sessionServers(args, io, env, read);
  // What the user agreed to is about this directory, not about the one a resumed session works in.
  const worksElsewhere = resume !== undefined && resume.cwd !== cwd;
  const trusted = trusts || (!worksElsewhere && read.trust.type === "trusted");
  const agreed = (digest: string) => reader.agreed(digest);
  const agents = await sessionAgents(
    worksElsewhere
      ? await agentLibraryIn(io, resume.cwd, agentsFlag, {
          ...{ trusted: () => trusted, agreed, plugins: plugins.sources },
        })
      : settings.agents,
    { withServers: !args.value(flags.strictMcpConfig), withHooks: !read.hooksOff },
  );
  const agentModels = agentModelsFrom(env, read.settings);
  const mainAgent = await findMainAgent(args, agents.agents, agentModels);
  const aliases = { ...choice.aliases, ...aliasesFrom(env, read.settings.aliases) };
  const { availableModels } = read.settings;
  const model = availableModel(
    modelOfResumed(args, choice, resume) ?? args.value(flags.model) ?? mainAgent?.model ?? choice.model,
    choice,
    { availableModels, aliases },
  );
  const agentSecrets = await secretsOfAgents(agents.agents, env);
  const skills = skillsOptions(io, resume?.home ?? home, {
    settings: read.settings,
    plugins: plugins.sources,
    ...{ trusted, agreed, withHooks: !read.hooksOff },
  });
  const languageServers = await languageServersHere(io, resume?.cwd ?? cwd, read.settings, (digest) =>
    worksElsewhere ? trusts : agreed(digest),
  );
  const title = resume?.title || own.title;
  const { runners, engine } = await runnersOf(args, io, read.settings.runners, resume);
  const { forks, checkReports, commandEnv, sandbox, fileRules } = read.settings;
  const { compaction } = here.settings;
  const effort = args.value(flags.effort) ?? here.settings.effort;
  const { webSearch, worktree, deferTools } = read.settings;
  const waitsInInbox = args.value(permissionPromptTool) === INBOX;
  return {
    settings,
    ...(engine === undefined ? {} : { engine }),
    limitPatienceMs:
      args.value(limitPatience) ?? read.settings.limits.limitPatienceMs ?? limitRanges.limitPatienceMs.usual,
    notes: [
      ...settings.notes,
      ...here.notes,
      ...extra.notes,
      ...servers.notes,
      ...agents.notes,
      ...modelNote(agents.agents, { availableModels, aliases }),
      ...languageServers.notes,
      ...(choice.note === undefined ? [] : [choice.note]),
      ...(waitsInInbox ? ["What agents ask waits for your answer in another terminal: troupe inbox."] : []),
    ],
    options: {
      ...{ cwd: resume?.cwd ?? cwd, home, clock: io.clock, limits, source: choice.source },
      ...given({
        model,
        permissionMode,
        mainAgent,
        systemPrompt,
        appendSystemPrompt,
        runners,
        title,
        resume,
      }),
      ...given({ effort, forks, checkReports }),
      ...{ aliases, availableModels },
      ...agentModels,
      additionalDirs: [...added, ...extra.dirs],
      allowedTools: args.value(flags.allowedTools),
      disallowedTools: args.value(flags.disallowedTools),
      askEveryCommand: read.settings.askEveryCommand ?? false,
      whyNotMode: (mode) => whyNotMode(mode, read),
      ...{ rules: read.rules, managedRulesOnly: read.managedRulesOnly, hooks: read.hooks },
      foreignGit: (folder) => reader.foreignGit(folder),
      env: read.settings.env,
      redact: [...read.settings.redact, ...servers.secrets, ...agentSecrets],
      ...servers.options,
      ...(waitsInInbox ? { person: inboxUser } : {}),
      languageServers: languageServers.option,
      ...{ commandEnv, sandbox, fileRules, compaction, webSearch, worktree, deferTools },
      agentListing: agentListing(env, read.settings.agentListing),
      context: contextOf(io, home, trusted),
      ...{ agents: agents.agents, agentsNow: agents.agentsNow, skills },
      ...budgetOf(args, read),
    },
  };
}

/** Most sessions are new and have no runners: they load nothing for it. */
async function runnersOf(
  args: Arguments,
  io: CliIO,
  settings: ReadSettings["settings"]["runners"],
  resume: ResumableSession | undefined,
): Promise<ChosenRunners> {
  const isNamed = [flags.engine, flags.runners].some((flag) => args.given(flag).length > 0);
  if (!isNamed && settings.engine === undefined && resume === undefined) return {};
  const { chooseRunners } = await import("./runners/choose-runners.ts");
  return chooseRunners(args, io, settings, resume);
}

/** Memory is read in an untrusted directory too; only what it imports from elsewhere is not. */
function contextOf(io: CliIO, home: string, trusted: boolean): NonNullable<SupervisorOptions["context"]> {
  return {
    memory: { ...userPlaces(io.env, io.homedir), home, managed: managedDir(io), trusted: () => trusted },
    surroundings: true,
  };
}

type Availability = Required<Pick<SupervisorOptions, "aliases" | "availableModels">>;

/** Returns the model, or the first available one if none is chosen. Throws a `UsageError` if it is not available. */
export function availableModel(
  model: string | undefined,
  { source }: ModelChoice,
  { availableModels, aliases }: Availability,
): string | undefined {
  if (source.provider === "offline") return model;
  const refusal = modelRefusal(model ?? DEFAULT_MODEL, availableModels, aliases);
  if (refusal === null) return model;
  const other = model === undefined ? firstAvailable(availableModels, aliases) : undefined;
  if (other === undefined) throw new UsageError(refusal);
  return other;
}

/** Says which agent types use the session's model, because theirs is not available. */
function modelNote(agents: readonly AgentDefinition[], { availableModels, aliases }: Availability): string[] {
  const without = agents.filter(
    ({ model }) => model !== undefined && modelRefusal(model, availableModels, aliases) !== null,
  );
  return without.length === 0
    ? []
    : [
        `Models of these agents are not among availableModels of your settings, so they use the session's: ${listText(without.map(({ name, model }) => `${name} (${model})`))}.`,
      ];
}

/** A resumed conversation keeps its model, unless the user names another or it is not available now. */
function modelOfResumed(
  args: Arguments,
  { source }: ModelChoice,
  resume: ResumableSession | undefined,
): string | undefined {
  if (resume === undefined || args.value(flags.model) !== undefined) return undefined;
  return source.provider === "offline" || resume.model === "offline" ? undefined : resume.model;
}

/** Most environments have none of these: they load nothing for it. */
const OF_CLAUDE_CODE =
  /^(?:BASH_(?:DEFAULT|MAX)_TIMEOUT_MS|MAX_THINKING_TOKENS|API_TIMEOUT_MS|DISABLE_AUTO_COMPACT|CLAUDE_CODE_(?:MAX_OUTPUT_TOKENS|EFFORT_LEVEL|USE_(?:BEDROCK|VERTEX|FOUNDRY)))$/;

async function environmentSettings(args: Arguments, env: Env, settings: Settings) {
  if (!Object.keys(env).some((name) => OF_CLAUDE_CODE.test(name))) return { settings, notes: [] };
  const { providerNotes, settingsWithEnvironment } = await import("./environment-settings.ts");
  const { notes, ...here } = settingsWithEnvironment(env, settings);
  return { ...here, notes: [...notes, ...(args.value(flags.offline) ? [] : providerNotes(env))] };
}

/** A flag wins over the environment, and that over settings. */
function limitsOf(
  args: Arguments,
  own: OwnSetup,
  env: Env,
  settings: Settings,
): SupervisorOptions["limits"] & object {
  const maxAgents = own.maxAgents ?? maxAgentsIn(env);
  const maxTurns = args.value(flags.maxTurns);
  // How long -p waits for the background is a limit of the command, not of the session.
  const { backgroundMinutes: _, ...limits } = settings.limits;
  return {
    ...limits,
    // The command acts on a long wait (run-session.ts): its agents never fail for a limit.
    limitPatienceMs: limitRanges.limitPatienceMs.max,
    ...given({ maxAgents, maxTurns }),
  };
}

/** Returns `TROUPE_MAX_AGENTS`; empty is not set. */
function maxAgentsIn(env: Env): number | undefined {
  const text = env["TROUPE_MAX_AGENTS"]?.trim();
  if (!text) return undefined;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  const { min, max } = limitRanges.maxAgents;
  if (value >= min && value <= max) return value;
  throw new UsageError(
    `TROUPE_MAX_AGENTS is "${text}"; set it to a whole number from ${min} to ${max}, or unset it.`,
  );
}

/** A flag wins over settings, but not over the organisation's bound. */
function budgetOf(
  args: Arguments,
  { settings: { budgets, agentBudgets, managedBudgetUsd } }: ReadSettings,
): Pick<SupervisorOptions, "budget" | "agentBudgets" | "prices" | "quoteAboveUsd"> {
  const { prices, quoteAboveUsd, maxBudgetUsd } = budgets;
  const bounds = [args.value(flags.maxBudgetUsd) ?? maxBudgetUsd, managedBudgetUsd].filter(
    (usd) => usd !== undefined,
  );
  return {
    budget: bounds.length === 0 ? {} : { usd: Math.min(...bounds) },
    ...{ agentBudgets, prices },
    ...(quoteAboveUsd === undefined ? {} : { quoteAboveUsd }),
  };
}

/** Returns the given mode, else that of settings. Throws a `UsageError` if it may not be chosen. */
export function chooseMode(
  given: PermissionMode | undefined,
  read: ReadSettings,
  io: CliIO,
): PermissionMode | undefined {
  const mode = given ?? read.mode;
  const refusal =
    (given === undefined ? null : whyNotMode(given, read)) ??
    (mode === undefined ? null : rootRefusal(mode, io));
  if (refusal !== null) throw new UsageError(refusal);
  return mode;
}

export async function modelOf(
  args: Arguments,
  { io, runtime }: Context,
  env: Env,
  { cwd, read }: { readonly cwd: string; readonly read: ReadSettings },
): Promise<ModelChoice> {
  const { model: settingsModel, provider, apiKeyHelper } = read.settings;
  const asked = {
    ...{ model: args.value(flags.model), offline: args.value(flags.offline), settingsModel, provider },
    aliases: aliasesFrom(env, read.settings.aliases),
  };
  const check = await runtime.checkBaseURL();
  if (apiKeyHelper === undefined || !lacksKey(asked, env))
    return assertNoLoginRequired(chooseModel(asked, env, check), read);
  const key = await keyFromHelper(apiKeyHelper, { homedir: io.homedir, root: cwd }, hostedRunner(env));
  // A gateway may look for it in either header.
  const token = env["ANTHROPIC_BASE_URL"] ? { ANTHROPIC_AUTH_TOKEN: key } : {};
  const choice = chooseModel(asked, { ...env, ANTHROPIC_API_KEY: key, ...token }, check);
  return assertNoLoginRequired(choice, read);
}

/** Returns the choice, or throws: whose key it is cannot be known. A server of another kind has no such login. */
function assertNoLoginRequired(choice: ModelChoice, { requiredLogin }: ReadSettings): ModelChoice {
  if (requiredLogin === undefined || choice.source.provider !== "anthropic") return choice;
  throw new UsageError(
    `${requiredLogin.file} sets ${settingName(requiredLogin)}, so only accounts of your organisation may be used; Troupe has no login and cannot tell whose a key or token is, so it sends nothing. Ask your administrator to remove that, or use --offline.`,
  );
}
