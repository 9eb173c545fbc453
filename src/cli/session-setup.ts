import { dirname } from "node:path";
import { troupeHome } from "../journal/paths.ts";
import { homeProblem } from "../journal/usable-home.ts";
import { agentModelsFrom } from "../model/agent-models.ts";
import { aliasesFrom } from "../model/aliases.ts";
import { whyNotAsRoot } from "../policy/root-bypass.ts";
import type { SupervisorOptions } from "../session/options.ts";
import type { ResumableSession } from "../session/resume-session.ts";
import { maxAgentsIn } from "../settings/max-agents.ts";
import { whyNotMode } from "../settings/mode-of.ts";
import { managedSettingsFile } from "../settings/places.ts";
import type { ReadSettings } from "../settings/read-settings.ts";
import type { PermissionMode } from "../settings/rules.ts";
import { agentLibraryIn } from "./agents/agent-library.ts";
import { agentListing } from "./agents/agent-listing.ts";
import { secretsOfAgents, withoutHooks, withoutServers } from "./agents/agents-servers.ts";
import { agentsFlagIn, sessionAgents } from "./agents/session-agents.ts";
import { hostedRunner, keyFromHelper } from "./api-key-helper.ts";
import type { Arguments } from "./arguments.ts";
import type { Context } from "./command.ts";
import { extraFolders } from "./extra-folders.ts";
import { existingFolder } from "./folders.ts";
import type { CliIO } from "./io.ts";
import { languageServersHere } from "./language-servers.ts";
import { assertOneRole, findMainAgent, readSystemPrompt } from "./main-role.ts";
import { sessionServers } from "./mcp/session-servers.ts";
import { chooseModel, lacksKey, type ModelChoice } from "./model-choice.ts";
import { sessionFlags as flags } from "./session-flags.ts";
import { type AskTrust, type SessionSettings, sessionSettings } from "./session-settings.ts";
import { sessionSkillsSetup } from "./skills/session-skills.ts";
import { UsageError } from "./usage-error.ts";

/** What a session is started with, and lines for the person that must be seen before it starts. */
export interface SessionSetup {
  readonly options: SupervisorOptions;
  readonly notes: readonly string[];
  /** Where what was read comes from, so that changes can be picked up while the session runs. */
  readonly settings: SessionSettings;
}

export interface OwnSetup {
  /** Absent: the first prompt. */
  readonly title?: string;
  readonly maxAgents?: number | undefined;
  /** Where there is a person to ask whether the folder is trusted. */
  readonly askTrust?: AskTrust;
  /** Taken up again: it goes on with its own folder, title and model. */
  readonly resume?: ResumableSession;
}

/**
 * From flags, environment and settings to a session. Throws a `UsageError` on bad input, and an ordinary one
 * where no session can be kept: said once, before any agent starts.
 */
export async function setUpSession(args: Arguments, context: Context, own: OwnSetup): Promise<SessionSetup> {
  const { io } = context;
  assertOneRole(args, own.resume !== undefined);
  const systemPrompt = await readSystemPrompt(args, io.cwd);
  const cwd = await existingFolder("--cwd", args.value(flags.cwd) ?? ".", io.cwd);
  const added = await Promise.all(
    args.value(flags.addDir).map((folder) => existingFolder("--add-dir", folder, io.cwd)),
  );
  // Of the process's own environment: what settings say must not move what they are kept with.
  const home = troupeHome(io.env, io.homedir);
  const trusts = args.value(flags.trust);
  const agentsFlag = await agentsFlagIn(args, io);
  const settings = await sessionSettings(io, { cwd, home, trusts, askTrust: own.askTrust, agentsFlag });
  const { read } = settings;
  const env = { ...io.env, ...read.settings.env };
  const limits = limitsOf(args, own, env, read);
  const permissionMode = modeOf(args, read, io);
  const why = homeProblem(home);
  if (why !== null) throw new Error(why);
  const choice = await modelOf(args, context, env, { cwd, read });
  const extra = await extraFolders(read.settings.additionalDirectories, { cwd, homedir: io.homedir });
  const title = own.resume?.title || own.title;
  // Budgets are the supervisor's: help and wrong usage load nothing of it.
  const { budgetOptions } = await import("./session-budget.ts");
  const servers = await sessionServers(args, io, env, read);
  const agreed = (digest: string) => settings.reader.agreed(digest);
  const worksElsewhere = own.resume !== undefined && own.resume.cwd !== cwd;
  // What the user agreed to is about this directory, not about the one a resumed session works in.
  const trusted = trusts || (!worksElsewhere && read.trust.type === "trusted");
  const found = await sessionAgents(
    worksElsewhere
      ? await agentLibraryIn(io, own.resume.cwd, agentsFlag, { trusted: () => trusted, agreed })
      : settings.agents,
  );
  const hooked = read.hooksOff ? withoutHooks(found) : found;
  const agents = args.value(flags.strictMcpConfig) ? withoutServers(hooked) : hooked;
  const agentModels = agentModelsFrom(env, read.settings);
  const mainAgent = await findMainAgent(args, agents.agents, agentModels);
  const model =
    ownModel(args, choice, own.resume) ?? args.value(flags.model) ?? mainAgent?.model ?? choice.model;
  const agentSecrets = await secretsOfAgents(agents.agents, env);
  const skills = await sessionSkillsSetup(io, own.resume ?? { cwd, home }, {
    settings: read.settings.skills,
    plugins: args.value(flags.pluginDir),
    trusted,
    agreed,
  });
  const languageServers = await languageServersHere(io, own.resume?.cwd ?? cwd, read.settings, (digest) =>
    worksElsewhere ? trusts : agreed(digest),
  );
  const appendSystemPrompt = args.value(flags.appendSystemPrompt);
  return {
    settings,
    notes: [
      ...settings.notes,
      ...extra.notes,
      ...servers.notes,
      ...agents.notes,
      ...skills.notes,
      ...languageServers.notes,
      ...(choice.note === undefined ? [] : [choice.note]),
    ],
    options: {
      cwd: own.resume?.cwd ?? cwd,
      source: choice.source,
      ...(model === undefined ? {} : { model }),
      aliases: aliasesFrom(env, read.settings.aliases),
      ...agentModels,
      ...(read.settings.effort === undefined ? {} : { effort: read.settings.effort }),
      additionalDirs: [...added, ...extra.folders],
      ...(permissionMode === undefined ? {} : { permissionMode }),
      allowedTools: args.value(flags.allowedTools),
      disallowedTools: args.value(flags.disallowedTools),
      askEveryCommand: read.settings.askEveryCommand ?? false,
      whyNotMode: (mode) => whyNotMode(mode, read),
      rules: read.rules,
      hooks: read.hooks,
      foreignGit: (folder) => settings.reader.foreignGit(folder),
      env: read.settings.env,
      commandEnv: read.settings.commandEnv,
      redact: [...read.settings.redact, ...servers.secrets, ...agentSecrets],
      ...servers.options,
      languageServers: languageServers.option,
      sandbox: read.settings.sandbox,
      fileRules: read.settings.fileRules,
      compaction: read.settings.compaction,
      webSearch: read.settings.webSearch,
      worktree: read.settings.worktree,
      ...read.settings.context,
      agentListing: agentListing(env, read.settings.context.agentListing),
      ...(mainAgent === undefined ? {} : { mainAgent }),
      ...(systemPrompt === undefined ? {} : { systemPrompt }),
      ...(appendSystemPrompt === undefined ? {} : { appendSystemPrompt }),
      context: contextOf(io, home, trusted),
      agents: agents.agents,
      agentsNow: agents.agentsNow,
      skills: skills.skills,
      limits,
      ...budgetOptions(args, read),
      home,
      ...(title === undefined ? {} : { title }),
      ...(own.resume === undefined ? {} : { resume: own.resume }),
      clock: io.clock,
    },
  };
}

/** An untrusted folder's memory is read as well; only what it imports from elsewhere is not. */
function contextOf(
  { homedir, managedSettings }: CliIO,
  home: string,
  trusted: boolean,
): NonNullable<SupervisorOptions["context"]> {
  const managed = dirname(managedSettings ?? managedSettingsFile(process.platform));
  return { memory: { homedir, home, managed, trusted: () => trusted }, surroundings: true };
}

/** A conversation goes on with its model, unless the person names another or that one cannot be had now. */
function ownModel(args: Arguments, { source }: ModelChoice, resume?: ResumableSession): string | undefined {
  if (resume === undefined || args.value(flags.model) !== undefined) return undefined;
  return source.provider === "offline" || resume.model === "offline" ? undefined : resume.model;
}

type Env = Readonly<Record<string, string | undefined>>;

/** A flag wins over the environment, that one over settings. */
function limitsOf(
  args: Arguments,
  own: OwnSetup,
  env: Env,
  { settings }: ReadSettings,
): SupervisorOptions["limits"] & object {
  const fromEnv = maxAgentsIn(env);
  if ("problem" in fromEnv) throw new UsageError(fromEnv.problem);
  const maxAgents = own.maxAgents ?? fromEnv.value;
  const maxTurns = args.value(flags.maxTurns);
  return {
    ...forTheLibrary(settings.limits),
    ...(maxAgents === undefined ? {} : { maxAgents }),
    ...(maxTurns === undefined ? {} : { maxTurns }),
  };
}

/** How long `-p` waits for the background is no limit of a session's: it is the command that leaves. */
function forTheLibrary({ backgroundMinutes: _, ...limits }: ReadSettings["settings"]["limits"]) {
  return limits;
}

/** The flag's, where it is one that may be chosen. */
function modeOf(args: Arguments, read: ReadSettings, io: CliIO): PermissionMode | undefined {
  const wanted = args.value(flags.permissionMode);
  const why = wanted === undefined ? null : whyNotMode(wanted, read);
  if (why !== null) throw new UsageError(why);
  const mode = wanted ?? read.mode;
  const { runningAs = { uid: null, contained: false }, env } = io;
  const refused = mode === undefined ? null : whyNotAsRoot(mode, { ...runningAs, env });
  if (refused !== null) throw new UsageError(refused);
  return mode;
}

async function modelOf(
  args: Arguments,
  { io, runtime }: Context,
  env: Env,
  { cwd, read }: { readonly cwd: string; readonly read: ReadSettings },
): Promise<ModelChoice> {
  const asked = {
    model: args.value(flags.model),
    offline: args.value(flags.offline),
    settingsModel: read.settings.model,
  };
  const helper = read.settings.apiKeyHelper;
  const check = await runtime.checkBaseURL();
  if (helper === undefined || !lacksKey(asked, env)) return chooseModel(asked, env, check);
  const key = await keyFromHelper(helper, { homedir: io.homedir, root: cwd }, hostedRunner(env));
  return chooseModel(asked, { ...env, ANTHROPIC_API_KEY: key }, check);
}
