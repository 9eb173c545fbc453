import { homedir } from "node:os";
import { type ActorId, MAIN } from "../../mailbox/ids.ts";
import { confinement } from "../../policy/confinement/confinement.ts";
import type { AddedDirs, WriteScope } from "../../policy/confinement/write-scope.ts";
import { engineOf, type PolicyEngine } from "../../policy/engine/engine.ts";
import { type Anchors, bothOf, isIn } from "../../policy/engine/place.ts";
import { isToolDenied } from "../../policy/engine/rule-syntax.ts";
import { allowedByMode, PRIMARY } from "../../policy/engine/tool-table.ts";
import type { HookCaller } from "../../policy/hooks/hook-results.ts";
import type { HookRunner } from "../../policy/hooks/hook-runner.ts";
import { sandboxRules } from "../../policy/sandbox/patterns.ts";
import type { SandboxSettings } from "../../policy/sandbox/sandbox.ts";
import { type AskBrokerOptions, UserRequestBroker } from "../../policy/user-request-broker.ts";
import type { UserHandler } from "../../policy/user-requests.ts";
import type { Shell } from "../../processes/platform-shell.ts";
import { userPlaces } from "../../settings/paths.ts";
import type { PermissionMode, Rule } from "../../settings/permissions.ts";
import type { Actors } from "../../supervisor/actors.ts";
import { hookCaller, type SkillsOf } from "../hooks/session-hooks.ts";
import { type SessionAsks, sessionAsks } from "./asking.ts";
import { type TrackedParts, trackedLookUp } from "./ever-tracked.ts";
import { Gate, type GateParts } from "./gate.ts";
import { modeFrom, rulesFrom, type SessionMode, SessionRules } from "./session-rules.ts";

export interface GateOptions {
  /** Permission rules of settings, each with its file. */
  readonly rules?: readonly Rule[];
  /** Only the organisation's rules allow something: not those of flags, and none for the session (default false). */
  readonly managedRulesOnly?: boolean;
  /** True to ask for every Bash command, whatever allows it; denied ones stay denied (default false). */
  readonly askEveryCommand?: boolean;
  readonly allowedTools?: readonly string[];
  readonly grants?: readonly string[];
  readonly disallowedTools?: readonly string[];
  readonly permissionMode?: PermissionMode;
  /** What its `denyRead` and `denyWrite` name, file tools may not read or write either. */
  readonly sandbox?: Partial<SandboxSettings>;
  /** Returns why settings do not allow a mode, or null; used if an approved plan would change it. */
  readonly whyNotMode?: (mode: PermissionMode) => string | null;
  /**
   * Returns what git would run in this directory without the user's trust, as a clause, or null. If not null, git
   * needs permission unless a rule allows it. By default git is trusted.
   */
  readonly foreignGit?: (directory: string) => string | null;
}

/** Tools that could only refuse if no user can be asked. */
const NEEDS_USER: readonly string[] = ["AskUserQuestion", "EnterPlanMode", "ExitPlanMode"];

export function openRules(options: GateOptions, folders: readonly string[]): SessionRules {
  const { rules, managedRulesOnly, allowedTools, disallowedTools } = options;
  const given = [
    ...sandboxRules(options.sandbox ?? {}, homedir(), folders),
    ...rulesFrom(allowedTools ?? [], "allow", "cli"),
    ...rulesFrom(disallowedTools ?? [], "deny", "cli"),
  ];
  const managedDomainsOnly = options.sandbox?.managedDomainsOnly ?? false;
  const all = new SessionRules(rules ?? [], given, { managedRulesOnly, managedDomainsOnly });
  all.grant(options.grants ?? []);
  return all;
}

/** Returns whether a tool is forbidden altogether or could only refuse, and so is not offered. */
export function toolSwitch(
  rules: Pick<SessionRules, "all">,
  hasUser: boolean,
): (names: readonly string[]) => boolean {
  return (names) =>
    isToolDenied(rules.all, names) || (!hasUser && names.some((name) => NEEDS_USER.includes(name)));
}

export interface PermissionParts {
  readonly options: Pick<GateOptions, "permissionMode" | "whyNotMode">;
  /** Null if no user can be asked. */
  readonly user: UserHandler | null;
  readonly rules: SessionRules;
  readonly cwd: string;
  readonly hooks: Pick<HookRunner, "has" | "notification">;
  readonly actors: Pick<Actors, "find" | "whileWaiting">;
  /** The skills that an actor uses now. */
  readonly skillsOf?: SkillsOf;
  /** Shows each request elsewhere, too. */
  readonly post?: NonNullable<AskBrokerOptions["post"]>;
  readonly onWarning: (message: string) => void;
}

/** The permission requests of a session, and the mode that the user has chosen. */
export interface Permissions {
  readonly mode: SessionMode;
  readonly broker: UserRequestBroker;
  readonly asks: SessionAsks;
  /** On whose behalf hooks run. */
  readonly caller: (actor: ActorId, cwd: string) => HookCaller;
}

export function openPermissions(parts: PermissionParts): Permissions {
  const { options, user, rules, cwd, hooks, actors } = parts;
  const mode = modeFrom(options.permissionMode ?? "default", options.whyNotMode);
  const caller = hookCaller(actors, mode.current, parts.skillsOf);
  const broker = new UserRequestBroker({
    person: user && notifying(user, hooks, (actor) => caller(actor, cwd)),
    ...(parts.post ? { post: parts.post } : {}),
    onGrant: (texts) => rules.grant(texts),
    recheck: (question) => question.recheck?.() ?? { type: "ask" },
    onLate: (ask) =>
      parts.onWarning(
        `An answer came too late and changed nothing: ${"title" in ask ? ask.title : ask.type}.`,
      ),
  });
  mode.onChange(() => void broker.changed());
  return { mode, broker, asks: sessionAsks(broker, actors), caller };
}

export interface OpenGateParts
  extends Pick<EngineParts, "cwd" | "added" | "readable" | "shell" | "path" | "onWarning">,
    Pick<GateParts, "hooks" | "sandbox" | "planFile" | "toolbox"> {
  readonly options: GateOptions;
  readonly rules: SessionRules;
  readonly permissions: Pick<Permissions, "caller"> & {
    readonly mode: Pick<SessionMode, "current">;
    readonly broker: Pick<UserRequestBroker, "denied">;
    readonly asks: GateParts["asks"];
  };
  /** The process that runs git. */
  readonly tracked: Pick<TrackedParts, "worktrees" | "clock">;
}

export interface OpenedGate {
  readonly gate: Gate;
  /** True if a rule allows WebFetch for this very host or address. */
  namesHost(host: string): boolean;
}

export function openGate(parts: OpenGateParts): OpenedGate {
  const { options, rules, permissions, hooks, sandbox, planFile, toolbox, added } = parts;
  const { mode, broker, asks, caller } = permissions;
  const foreignGit = options.foreignGit ?? (() => null);
  const rulesFor = ({ lent }: WriteScope) => rules.withLent(lent);
  const engine = enginesFor(rules, parts);
  // At the start, while a user still looks.
  const here = () => ({ root: parts.cwd, additionalDirs: added.now, tree: null });
  engine(here());
  const gate = new Gate({
    ...{ mode: mode.current, planFile, engine, confinement: confinement(homedir()), hooks, asks },
    ...{ rules: rulesFor, sandbox, foreignGit, caller, toolbox },
    denied: (call) => broker.denied(call),
    deniesAny: () => rules.all.some(({ behaviour }) => behaviour === "deny"),
    canGrant: () => rules.canGrant,
    asksEveryCommand: options.askEveryCommand ?? false,
    lookUpTracked: trackedLookUp({ ...parts.tracked, foreignGit, rules: rulesFor }),
  });
  return { gate, namesHost: (host) => engine(here()).namesHost(host) };
}

/** Warns of rules that forbid nothing, because no tool has their name. */
export function warnOfMistyped(
  { disallowedTools = [] }: GateOptions,
  known: ReadonlySet<string>,
  onWarning: (message: string) => void,
): void {
  for (const text of disallowedTools) {
    if (isMistyped(text, known))
      onWarning(`The rule ${text} forbids nothing, because there is no such tool; check its spelling.`);
  }
}

/** True if no tool has this name, nor can get it from a server or an issue still to come. */
function isMistyped(text: string, known: ReadonlySet<string>): boolean {
  const name = text.replace(/\(.*/s, "").trim();
  if (name.startsWith("mcp__") || name.includes("*") || known.has(name)) return false;
  return !Object.hasOwn(PRIMARY, name) && !allowedByMode(name, {}, "default");
}

interface EngineParts {
  /** The session's own directory, and those that are added to it. */
  readonly cwd: string;
  readonly added: AddedDirs;
  /** Troupe's directories that may be read as well. */
  readonly readable: readonly string[];
  /** The shell that runs commands. */
  readonly shell: Shell["kind"];
  /** Where it searches programs, if not where Troupe does. */
  readonly path?: () => string | undefined;
  readonly onWarning: (message: string) => void;
}

/** Cached engines: one for each write scope. */
const MOST_ENGINES = 64;

/** Builds engines only when rules have changed, one for each write scope. Warns of each faulty rule once. */
function enginesFor(
  rules: SessionRules,
  { cwd, added, readable, shell, path: pathNow = () => undefined, onWarning }: EngineParts,
): (scope: WriteScope) => PolicyEngine {
  const warned = new Set<string>();
  const made = new Map<string, PolicyEngine>();
  let of: SessionRules["all"] | null = null;
  return (scope) => {
    if (of !== rules.all || made.size >= MOST_ENGINES) made.clear();
    of = rules.all;
    const { root, additionalDirs, tree, lent = [] } = scope;
    const folders = [cwd, ...added.now];
    const path = pathNow();
    const key = JSON.stringify([
      ...[root, additionalDirs, folders, path],
      tree?.path,
      lent.map(({ text, behaviour }) => `${behaviour} ${text}`),
    ]);
    const known = made.get(key);
    if (known !== undefined) return known;
    const anchors = { ...anchorsOf(scope, folders, readable), shell };
    const engine = engineOf(rules.withLent(lent), { ...anchors, ...(path === undefined ? {} : { path }) });
    made.set(key, engine);
    for (const problem of engine.problems) {
      if (!warned.has(problem)) onWarning(problem);
      warned.add(problem);
    }
    return engine;
  };
}

/**
 * Returns the anchors of rules. An actor in a worktree has that as its project and workspace. It may read files
 * outside, such as ignored files of the checkout (see `confinement` for limits).
 */
function anchorsOf(
  { root, additionalDirs, tree }: WriteScope,
  folders: readonly string[],
  readable: readonly string[],
): Anchors {
  const { homedir: home, claudeDir } = userPlaces(process.env, homedir());
  const common = { projectRoot: root, home, configDir: claudeDir, platform: process.platform };
  if (tree === null) return { ...common, additionalDirs, readable };
  const inTree = (folder: string) => isIn(bothOf(tree.path), folder);
  return {
    ...common,
    additionalDirs: additionalDirs.filter(inTree),
    readable: [...readable, ...folders, ...additionalDirs.filter((folder) => !inTree(folder))],
    twin: { tree: tree.path, checkout: tree.checkout },
  };
}

/** Runs Notification hooks for each question before the user sees it. */
function notifying(
  user: UserHandler,
  hooks: Pick<HookRunner, "has" | "notification">,
  caller: (actor: ActorId) => HookCaller,
): UserHandler {
  return {
    ask(ask, signal) {
      const kind = ask.type === "permission" ? "permission_prompt" : "elicitation_dialog";
      if (hooks.has("Notification", [kind])) {
        const actor: ActorId = ask.askers[0]?.actor ?? MAIN;
        const text =
          ask.type === "permission" ? `${ask.tool}: ${ask.title}` : "A question waits for an answer.";
        void hooks.notification(kind, text, caller(actor), signal);
      }
      return user.ask(ask, signal);
    },
  };
}
