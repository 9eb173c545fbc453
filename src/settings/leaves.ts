import { dirname, join } from "node:path";
import { isPattern } from "../lib/globs.ts";
import { isObject, type JsonObject, parseJson, textsIn, valueAt } from "../lib/json.ts";
import { isHookEvent, isHookEventElsewhere, noHookEvent } from "./hook-events.ts";
import type { FileScope, SettingsPath } from "./paths.ts";
import { schema, settings } from "./schema.ts";
import { type Setting, settingName } from "./setting.ts";

/** One value of one file: of a setting, of an entry of one, or of a key that is not a setting. */
export interface Leaf {
  readonly path: readonly string[];
  /** Checked if there is a setting. */
  readonly value: unknown;
  /** Null if Troupe has no such setting. */
  readonly setting: Setting<unknown> | null;
  readonly scope: FileScope;
  readonly file: string;
  /** Environment variables of the plug-in that it belongs to. */
  readonly plugin?: Readonly<Record<string, string>>;
}

/** A value that cannot be used. */
export interface Problem {
  readonly path: readonly string[];
  /** What is wrong, after the name. */
  readonly message: string;
  /** The valid part of it counts. */
  readonly partly?: boolean;
}

export interface CheckedLeaves {
  readonly leaves: readonly Leaf[];
  readonly problems: readonly Problem[];
  /** Names of keys that neither Troupe nor the tools that share these files know. */
  readonly unknown: readonly string[];
  /** Names of keys that restrict something elsewhere and that Troupe does not enforce. */
  readonly unenforced: readonly string[];
  /** Names of keys that mean something elsewhere only. */
  readonly unused: readonly string[];
  /** Names of hook events that exist elsewhere only. */
  readonly absentEvents: readonly string[];
}

/** Splits a file's value into leaves and checks them. What cannot be used is left out alone. */
export function checkLeaves(value: JsonObject, from: SettingsPath): CheckedLeaves {
  const leaves: Leaf[] = [];
  const problems: Problem[] = [];
  const unknown: string[] = [];
  const unenforced: string[] = [];
  const unused: string[] = [];
  const absentEvents: string[] = [];

  function visit(inner: unknown, path: readonly string[]): void {
    const setting = settingAt(path);
    if (setting?.merge === "entries" && isObject(inner))
      for (const name of Object.keys(inner)) check(setting, { [name]: inner[name] }, [...path, name]);
    else if (setting) check(setting, inner, path);
    else if (!isGroup(path)) keep(inner, path);
    else if (!isObject(inner)) problems.push({ path, message: "must be an object" });
    else for (const [key, member] of Object.entries(inner)) visit(member, [...path, key]);
  }

  function keep(inner: unknown, path: readonly string[]): void {
    const meant = translateKey(path, inner);
    if (meant !== null) {
      // First, so that Troupe's own name in the same file wins.
      leaves.unshift(...meant.leaves.map((leaf) => ({ ...from, ...leaf })));
      problems.push(...meant.problems);
      return;
    }
    const isLogin = LOGINS.includes(path.join("."));
    if (includes(UNENFORCED, path)) unenforced.push(settingName({ path }));
    else if (includes(IGNORED, path) || (isLogin && from.scope !== "enterprise"))
      unused.push(settingName({ path }));
    else if (!isLogin && !isRemark(path) && !COUNTED.includes(path.join(".")))
      unknown.push(settingName({ path }));
    leaves.push({ ...from, path, value: inner, setting: null });
  }

  function check(setting: Setting<unknown>, input: unknown, path: readonly string[]): void {
    // A mode of Claude Code that asks a model; there, only the user's file chooses it. An organisation's file stays strict.
    if (setting === schema.permissions.mode && input === "auto" && from.scope !== "enterprise") {
      unused.push(`${settingName({ path })} "auto"`);
      return;
    }
    const checked = setting.schema.safeParse(input);
    const value = path.length > setting.path.length ? valueAt(checked.data, path.slice(-1)) : checked.data;
    if (checked.success && value !== undefined) {
      leaves.push({ ...from, path, value: setting === schema.hooks ? knownHooks(input) : value, setting });
      return;
    }
    const rest = restrictionIn(setting, input);
    problems.push({ path, message: `must be ${setting.what}`, partly: rest !== null });
    if (rest !== null) leaves.push({ ...from, path, value: rest, setting });
  }

  /** Hooks of events that exist: the user is not asked about others, which never run. */
  function knownHooks(hooks: unknown): JsonObject {
    const entries = isObject(hooks) ? Object.entries(hooks) : [];
    for (const [event] of entries)
      if (isHookEventElsewhere(event)) absentEvents.push(`hooks.${event}`);
      else if (!isHookEvent(event) && !isRemark([event]))
        problems.push({ path: ["hooks", event], message: noHookEvent(event) });
    return Object.fromEntries(entries.filter(([event]) => isHookEvent(event)));
  }

  const { sandbox, ...others } = value;
  if (sandbox !== undefined) {
    const translated = translateSandbox(sandbox, from);
    unenforced.push(...translated.unenforced);
    // First, so that values of `troupe.sandbox` in the same file win.
    visit(translated.sandbox, ["troupe", "sandbox"]);
  }
  for (const [key, member] of Object.entries(others)) visit(member, [key]);
  return { leaves, problems, unknown, unenforced, unused, absentEvents };
}

/** Returns what a wrong value still restricts, or null: a restriction is never dropped. */
function restrictionIn(setting: Setting<unknown>, input: unknown): unknown {
  const { deny, ask, disableBypass } = schema.permissions;
  if (setting === disableBypass) return "disable";
  if (setting === schema.strictKnownMarketplaces) return [];
  if (setting === schema.blockedMarketplaces) return EVERY_MARKETPLACE;
  if (setting === schema.availableModels) return textsIn(input);
  const rules = setting === deny || setting === ask ? textsIn(input) : [];
  return rules.length > 0 ? rules : null;
}

/** What it blocks is not known then. */
const EVERY_MARKETPLACE = [
  { source: "hostPattern", hostPattern: "" },
  { source: "pathPattern", pathPattern: "" },
];

/** Returns the setting at a path, if there is one. */
function settingAt(path: readonly string[]): Setting<unknown> | undefined {
  return settings.find((one) => one.path.length === path.length && isBelow(one.path, path));
}

/** True if settings are below this path. */
function isGroup(path: readonly string[]): boolean {
  return settings.some((one) => one.path.length > path.length && isBelow(one.path, path));
}

/** True if a path starts with these keys. A key with a dot in it is another one. */
export function isBelow(path: readonly string[], keys: readonly string[]): boolean {
  return keys.every((key, at) => path[at] === key);
}

/** What a name such as `permissions.allow` or `env.PATH` refers to. */
export type SettingsKey =
  /** A setting, or an entry of one. */
  | { readonly type: "setting"; readonly path: readonly string[]; readonly setting: Setting<unknown> }
  | { readonly type: "group"; readonly path: readonly string[] }
  | { readonly type: "unknown" };

/** The name of an entry is whatever follows its setting's, with its dots. */
export function settingsKey(name: string): SettingsKey {
  const keys = name.split(".");
  if (keys.includes("")) return { type: "unknown" };
  const setting = settingAt(keys);
  if (setting) return { type: "setting", path: keys, setting };
  if (isGroup(keys)) return { type: "group", path: keys };
  const above = settings.find(({ merge, path }) => merge === "entries" && isBelow(keys, path));
  if (above === undefined) return { type: "unknown" };
  const path = [...above.path, keys.slice(above.path.length).join(".")];
  return { type: "setting", path, setting: above };
}

/** Parses an argument of a command line as a value of this setting: as JSON if that is valid for it, else as text. */
export function parseValue(
  { path, setting }: { readonly path: readonly string[]; readonly setting: Setting<unknown> },
  argument: string,
): { readonly value: unknown } | { readonly problem: string } {
  const isEntry = path.length > setting.path.length;
  const value = [parseJson(argument), argument].find((one) => {
    return (
      one !== undefined && setting.schema.safeParse(isEntry ? { [path.at(-1) ?? ""]: one } : one).success
    );
  });
  return value === undefined ? { problem: `${settingName({ path })} must be ${setting.what}` } : { value };
}

/** Keys that other tools read from the same files, and that mean nothing here: a line says so. */
const IGNORED = `advisorModel agent agentPushNotifEnabled allowAllClaudeAiMcps alwaysThinkingEnabled apiProvider
  askUserQuestionTimeout attribution autoCompactWindow autoConnectIde autoInstallIdeExtension
  autoMemoryDirectory autoMemoryEnabled autoMode autoScrollEnabled autoUpdates autoUpdatesChannel
  awaySummaryEnabled awsAuthRefresh awsCredentialExport axScreenReader channelsEnabled claudeMd
  cleanupPeriodDays companyAnnouncements defaultShell diffTool disableArtifact disableAutoMode
  disableClaudeAiConnectors disableDeepLinkRegistration editorMode
  emojiCompletionEnabled enableAllProjectMcpServers enableArtifact enabledMcpjsonServers externalEditorContext
  fallbackModel fastMode fastModePerSessionOptIn feedbackSurveyRate fileCheckpointingEnabled fileSuggestion
  footerLinksRegexes gcpAuthRefresh includeCoAuthoredBy includeGitInstructions
  inputNeededNotifEnabled language modelOverrides modelSettings otelEnvironment otelHeadersHelper outputStyle
  permissionExplainerEnabled permissions.disableAutoMode permissions.skipDangerousModePermissionPrompt
  plansDirectory pluginSuggestionMarketplaces pluginTrustMessage prUrlTemplate preferredNotifChannel
  prefersReducedMotion processWrapper remoteControlAtStartup respectGitignore respondToBashCommands
  showClearContextOnPlanAccept showThinkingSummaries showTurnDuration skillListingBudgetFraction
  skillListingMaxDescChars skillOverrides skipAutoPermissionPrompt skipDangerousModePermissionPrompt
  skipWebFetchPreflight skippedMarketplaces skippedPlugins spellcheck spinnerTipsEnabled spinnerTipsOverride
  spinnerVerbs sshConfigs subagentStatusLine syntaxHighlightingDisabled teammateDefaultModel teammateMode
  terminalProgressBarEnabled theme timeFormat tui useAutoModeDuringPlan verbose viewMode vimInsertModeRemaps
  voice voiceEnabled wheelScrollAccelerationEnabled workflowKeywordTriggerEnabled workflowSizeGuideline
  worktree.bgIsolation worktree.sparsePaths wslInheritsWindowsSettings`;

/**
 * Keys of the organisation's file that let only accounts with a login be used, whatever their value. In other files they
 * choose what a login screen shows.
 */
export const LOGINS: readonly string[] = ["forceLoginMethod", "forceLoginOrgUUID"];

/** Keys that restrict something elsewhere, or could. Troupe does not enforce them, and says so. */
const UNENFORCED = `forceRemoteSettingsRefresh allowedMcpServers deniedMcpServers
  allowManagedMcpServersOnly allowedHttpHookUrls httpHookAllowedEnvVars disableSkillShellExecution deniedModels
  availableModelsMatch enforceAvailableModels disableRemoteControl disableAgentView claudeMdExcludes
  allowedChannelPlugins minimumVersion managedMcpServers requiredMinimumVersion requiredMaximumVersion
  strictPluginOnlyCustomization disableSideloadFlags policyHelper parentSettingsBehavior sshHostAllowlist
  browserExternalPageTools disableBrowserExternalNavigation disableMobileSimulatorTools
  requireCoworkFullVmSandbox disableBundledSkills disableWorkflows forceLoginGatewayUrl`;

/** Keys that are settings of nothing here, and that count where MCP servers are chosen. */
const COUNTED = ["disabledMcpjsonServers"];

/** True for keys to say nothing about: the schema, and remarks, which users write as `_comment` or `//`. */
function isRemark(path: readonly string[]): boolean {
  return /^(?:_(?!_proto__$)|\/\/|\$comment|\$schema)/.test(path.at(-1) ?? "");
}

function includes(names: string, path: readonly string[]): boolean {
  return names.split(/\s+/).includes(path.join("."));
}

/** A key of Claude Code as the settings of Troupe that mean the same. */
interface TranslatedKey {
  readonly leaves: readonly Pick<Leaf, "path" | "value" | "setting">[];
  readonly problems: readonly Problem[];
}

/** Returns what such a key means here, checked, or null if nothing does. */
function translateKey(path: readonly string[], input: unknown): TranslatedKey | null {
  const [first, second, ...more] = path;
  if (first === "autoCompactEnabled" && second === undefined) {
    const setting = schema.compaction.auto;
    return typeof input === "boolean"
      ? { leaves: [{ path: setting.path, value: input, setting }], problems: [] }
      : { leaves: [], problems: [{ path, message: `must be ${setting.what}` }] };
  }
  if (first !== "worktree" || second !== "symlinkDirectories" || more.length > 0) return null;
  const setting = schema.worktree.dependencies;
  const given = Array.isArray(input) ? input : [];
  const names = textsIn(given).map((name) => name.replace(/^(?:\.\/)+/, ""));
  const dirs = names.filter((name) => setting.schema.safeParse({ [name]: "link" }).success);
  const isWhole = given === input && dirs.length === given.length;
  const message = "must be a list of directories below the top of the repository";
  return {
    leaves: dirs.map((name) => ({ path: [...setting.path, name], value: "link", setting })),
    problems: isWhole ? [] : [{ path, message, partly: dirs.length > 0 }],
  };
}

/** The `sandbox` object that users have from other tools, as settings of Troupe. */
interface TranslatedSandbox {
  /** Its equivalent under `troupe.sandbox`; the values are checked there. */
  readonly sandbox: JsonObject;
  /** Names of keys that Troupe does not enforce. */
  readonly unenforced: readonly string[];
}

const TRANSLATED: readonly string[] = [
  ...["enabled", "allowUnsandboxedCommands", "failIfUnavailable", "autoAllowBashIfSandboxed"],
  ...["filesystem.denyRead", "filesystem.denyWrite", "network.allowedDomains", "network.deniedDomains"],
  ...["network.allowManagedDomainsOnly", "credentials.files"],
];

/** What they ask for holds here without them: no host and no path is opened by a question. */
const ALWAYS_SO: readonly string[] = ["network.strictAllowlist", "filesystem.allowManagedReadPathsOnly"];

function translateSandbox(given: unknown, { scope, file }: SettingsPath): TranslatedSandbox {
  if (!isObject(given)) return { sandbox: {}, unenforced: ["sandbox"] };
  const at = (name: string) => valueAt(given, name.split("."));
  const enabled = at("enabled");
  const isRequired = at("allowUnsandboxedCommands") === false || at("failIfUnavailable") === true;
  const escaped = (path: string) => path.replace(/[\\*?[\]{}!]/g, "\\$&");
  // A path of the user's file is relative to that file, one of a project's to the project.
  const base = scope === "user" ? dirname(file) : dirname(dirname(file));
  const absolute = (given: string) => {
    // A directory is everything in it.
    const path = given.replace(/(?<=.)\/(?:\*\*)?\/*$/, "");
    return /^[~/]/.test(path) ? path : join(isPattern(path) ? escaped(base) : base, path);
  };
  const pathsOf = (name: string) => {
    const value = at(name);
    return Array.isArray(value) ? textsIn(value).map(absolute) : value;
  };
  const files = at("credentials.files");
  const credentials = (Array.isArray(files) ? files : []).flatMap((one) => textsIn([valueAt(one, ["path"])]));
  const denyRead = pathsOf("filesystem.denyRead");
  const values = {
    mode: enabled === true ? (isRequired ? "required" : "on") : enabled === false ? "off" : enabled,
    autoAllow: at("autoAllowBashIfSandboxed"),
    allowedDomains: at("network.allowedDomains"),
    deniedDomains: at("network.deniedDomains"),
    managedDomainsOnly: at("network.allowManagedDomainsOnly"),
    denyRead:
      credentials.length > 0 && (denyRead === undefined || Array.isArray(denyRead))
        ? [...(denyRead ?? []), ...credentials.map(absolute)]
        : denyRead,
    denyWrite: pathsOf("filesystem.denyWrite"),
  };
  const names = Object.entries(given).flatMap(([key, member]) =>
    isObject(member) ? Object.keys(member).map((inner) => `${key}.${inner}`) : [key],
  );
  const unenforced = names.filter((name) => !TRANSLATED.includes(name) && !ALWAYS_SO.includes(name));
  return {
    sandbox: Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)),
    unenforced: unenforced.map((name) => `sandbox.${name}`),
  };
}
