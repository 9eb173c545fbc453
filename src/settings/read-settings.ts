import { type BudgetSettings, budgetSettings } from "./budget-settings.ts";
import { catalogue } from "./catalogue.ts";
import { contextSettings, type SaidOfContext } from "./context-settings.ts";
import { type Counting, count } from "./counting.ts";
import type { JsonObject } from "./json.ts";
import type { Leaf } from "./leaves.ts";
import { modeOf } from "./mode-of.ts";
import { isForeign, type SettingsPlace } from "./places.ts";
import type { Behaviour, PermissionMode, Rule, Scope } from "./rules.ts";
import { nameOf, type Setting } from "./setting.ts";
import { readSettingsFile, type SettingsFile } from "./settings-file.ts";
import { shown } from "./shown.ts";
import { type SaidOfSkills, skillSettings } from "./skill-settings.ts";
import { entriesIn, leavesIn, type Said, said, valuesIn } from "./values-in.ts";
import { type SaidOfWorktrees, worktreeSettings } from "./worktree-settings.ts";

/** The hooks of one file, as they stand there: whoever runs hooks checks them. */
export interface HookSource {
  readonly scope: Scope;
  readonly file: string;
  readonly value: unknown;
}

/** A command or a folder, and the file that names it: what it means depends on who says it. */
export interface SaidBy {
  readonly text: string;
  readonly scope: Scope;
  readonly file: string;
}

/** What may be set about the sandbox; absent: nobody has. */
export interface SandboxSettings
  extends Said<Pick<typeof catalogue.sandbox, "mode" | "autoAllow" | "readOnly">> {
  readonly allowedDomains: readonly string[];
  readonly denyRead: readonly string[];
}

/** The values that count, all files together. */
export interface Settings
  extends Said<Pick<typeof catalogue, "model" | "smallModel" | "effort" | "askEveryCommand">> {
  readonly agentModels: Readonly<Record<string, string>>;
  readonly limits: Said<typeof catalogue.limits>;
  readonly aliases: Said<typeof catalogue.aliases>;
  readonly env: Readonly<Record<string, string>>;
  readonly apiKeyHelper?: SaidBy;
  readonly additionalDirectories: readonly SaidBy[];
  /** By name, as they stand in the file: whoever starts servers checks them. */
  readonly mcpServers: Readonly<Record<string, JsonObject>>;
  /** By language, as they stand in the file: whoever starts servers checks them. */
  readonly languageServers: Readonly<Record<string, JsonObject>>;
  readonly sandbox: SandboxSettings;
  /** How files are guarded (A22.8, A22.10); absent: nobody says. */
  readonly fileRules: Said<typeof catalogue.fileRules>;
  /** When conversations are made shorter; absent: nobody says. */
  readonly compaction: Said<Omit<typeof catalogue.compaction, "windows">> & {
    readonly windows: Readonly<Record<string, number>>;
  };
  readonly commandEnv: readonly string[];
  readonly budgets: BudgetSettings;
  readonly webSearch: Said<typeof catalogue.webSearch>;
  readonly worktree: SaidOfWorktrees;
  readonly context: SaidOfContext;
  readonly skills: SaidOfSkills;
  readonly redact: readonly string[];
  readonly trustedFolders: readonly string[];
}

/** What all settings files together say. */
export interface ReadSettings {
  readonly settings: Settings;
  /** Of every scope, the enterprise's first. */
  readonly rules: readonly Rule[];
  readonly hooks: readonly HookSource[];
  /** Nobody's hooks run but the organisation's, those of agents' definitions neither. */
  readonly hooksOff: boolean;
  /** The mode to start in; absent: nobody says. */
  readonly mode?: PermissionMode;
  /** The enterprise says the mode: nobody may go to a wider one. */
  readonly modeLocked: boolean;
  /** Nobody may go to `bypassPermissions`. */
  readonly bypassDisabled: boolean;
  /** Sentences for the person: what could not be used, and what to do. */
  readonly warnings: readonly string[];
  /** Every file that was looked for; a change of one changes the settings. */
  readonly files: readonly string[];
  /** The same value by value, with their files: for `troupe config`. */
  readonly leaves: readonly Leaf[];
  /** Of the folder's own files: what counts only where the folder is trusted, whether it is or not. */
  readonly granted: readonly Leaf[];
}

/** Reads all files side by side. Never rejects; what is wrong with one stands in its warnings. */
export async function readSettingsFiles(places: readonly SettingsPlace[]): Promise<readonly SettingsFile[]> {
  const files = await Promise.all(places.map(readSettingsFile));
  const own = new Set(files.filter(({ scope }) => !isForeign(scope)).map(({ identity }) => identity));
  // In the home itself the person's own file is also the project's: it is read once, as the person's.
  return files.map((file) =>
    isForeign(file.scope) && file.identity !== null && own.has(file.identity)
      ? { ...file, leaves: [], warnings: [], cautious: false }
      : file,
  );
}

/** What the files say together, where the folder is trusted and where it is not. */
export function combine(files: readonly SettingsFile[], trusted: boolean): ReadSettings {
  const counting = count(files, trusted);
  const { counted } = counting;
  const mode = modeOf(files, counted);
  return {
    settings: { ...valuesOf(counted), budgets: budgetSettings(files, counted) },
    rules: (["allow", "ask", "deny"] as const).flatMap((behaviour) => rulesOf(counted, behaviour)),
    ...hooksOf(counted),
    ...mode,
    warnings: [...files.flatMap(({ warnings }) => warnings), ...refusals(counting), ...mode.warnings],
    files: files.map(({ file }) => file),
    leaves: counted,
    granted: counting.granted,
  };
}

function hooksOf(leaves: readonly Leaf[]): Pick<ReadSettings, "hooks" | "hooksOff"> {
  const disabled = leavesIn(leaves, catalogue.disableHooks);
  const forAll = disabled.some(({ scope, value }) => scope === "enterprise" && value);
  const hooksOff = forAll || disabled.at(-1)?.value === true;
  const hooks = leavesIn(leaves, catalogue.hooks).flatMap(({ scope, file, value }) => {
    const runs = !hooksOff || (scope === "enterprise" && !forAll);
    return runs && Object.keys(value).length > 0 ? [{ scope, file, value }] : [];
  });
  return { hooks, hooksOff };
}

function valuesOf(leaves: readonly Leaf[]): Omit<Settings, "budgets"> {
  const [apiKeyHelper] = saidBy(leaves, catalogue.apiKeyHelper);
  const { allowedDomains, denyRead, ...sandbox } = catalogue.sandbox;
  const { windows, ...compaction } = catalogue.compaction;
  return {
    ...said(leaves, {
      ...{ model: catalogue.model, smallModel: catalogue.smallModel, effort: catalogue.effort },
      askEveryCommand: catalogue.askEveryCommand,
    }),
    agentModels: entriesIn(leaves, catalogue.agentModels),
    limits: said(leaves, catalogue.limits),
    aliases: said(leaves, catalogue.aliases),
    env: entriesIn(leaves, catalogue.env),
    ...(apiKeyHelper === undefined ? {} : { apiKeyHelper }),
    additionalDirectories: saidBy(leaves, catalogue.additionalDirectories),
    mcpServers: entriesIn(leaves, catalogue.mcpServers),
    languageServers: entriesIn(leaves, catalogue.languageServers),
    sandbox: {
      ...said(leaves, sandbox),
      allowedDomains: joined(leaves, allowedDomains),
      denyRead: joined(leaves, denyRead),
    },
    fileRules: said(leaves, catalogue.fileRules),
    compaction: { ...said(leaves, compaction), windows: entriesIn(leaves, windows) },
    commandEnv: joined(leaves, catalogue.commandEnv),
    webSearch: said(leaves, catalogue.webSearch),
    worktree: worktreeSettings(leaves),
    context: contextSettings(leaves),
    skills: skillSettings(leaves),
    redact: joined(leaves, catalogue.redact),
    trustedFolders: joined(leaves, catalogue.trustedFolders),
  };
}

function rulesOf(leaves: readonly Leaf[], behaviour: Behaviour): Rule[] {
  return leavesIn(leaves, catalogue[behaviour]).flatMap(({ value, scope, file }) =>
    value.map((text) => ({ text, behaviour, scope, file })),
  );
}

function joined(leaves: readonly Leaf[], setting: Setting<readonly string[]>): readonly string[] {
  return [...new Set(valuesIn(leaves, setting).flat())];
}

function saidBy(leaves: readonly Leaf[], setting: Setting<string | readonly string[]>): readonly SaidBy[] {
  return leavesIn(leaves, setting).flatMap(({ value, scope, file }) =>
    (typeof value === "string" ? [value] : value).map((text) => ({ text, scope, file })),
  );
}

/** One sentence for each file: some set dozens of variables. */
function refusals({ refused }: Counting): string[] {
  return [...Map.groupBy(refused, ({ file }) => file)].flatMap(([file, leaves]) => {
    const foreign = leaves.filter(({ scope }) => isForeign(scope));
    const strict = leaves.filter(({ scope }) => !isForeign(scope));
    return [
      ...(foreign.length === 0 ? [] : [`${file}: ${notTheirs(foreign)}`]),
      ...strict.map(
        (leaf) =>
          `${file}: ${shown(nameOf(leaf))} does not count, because your organisation's settings are stricter; remove it.`,
      ),
    ];
  });
}

const MOST_NAMED = 8;

function notTheirs(leaves: readonly Leaf[]): string {
  const all = [...new Set(leaves.map((leaf) => shown(nameOf(leaf))))];
  const one = all.length === 1;
  const names =
    all.length <= MOST_NAMED ? all : [...all.slice(0, MOST_NAMED), `${all.length - MOST_NAMED} more`];
  const before = names.slice(0, -1).join(", ");
  const [them, begin] = one ? ["it", `${names[0]} does`] : ["them", `${before} and ${names.at(-1)} do`];
  return `${begin} not count there, because a folder's own settings may not widen ${one ? "that" : them}; set ${them} in ~/.claude/settings.json if you want ${them}.`;
}
