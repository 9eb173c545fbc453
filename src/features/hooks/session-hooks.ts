import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { AgentDefinition } from "../../context/agents/definition.ts";
import type { Clock } from "../../lib/clock.ts";
import { errorMessage } from "../../lib/errors.ts";
import { isObject } from "../../lib/json.ts";
import { type ActorId, MAIN, type SessionId } from "../../mailbox/ids.ts";
import { pathHere } from "../../mailbox/worktree.ts";
import type { HookCaller } from "../../policy/hooks/hook-results.ts";
import { type HookRunner, hookRunner } from "../../policy/hooks/hook-runner.ts";
import {
  type ReadHooks as AgentHooks,
  type Hooks,
  parseHooks,
  type ReadHooks,
} from "../../policy/hooks/parse-hooks.ts";
import type { Processes } from "../../processes/processes.ts";
import { narrower, type PermissionMode } from "../../settings/permissions.ts";
import type { HookSource } from "../../settings/read-settings.ts";
import type { Actor } from "../../supervisor/actor-record.ts";
import type { Actors } from "../../supervisor/actors.ts";
import type { AskModel, HookModelOptions, RunAgent } from "./hook-models.ts";
import { hookNotice } from "./hook-words.ts";

export interface HookOptions {
  readonly sources: readonly HookSource[];
  /** Hooks of agent definitions. */
  readonly ofAgents: readonly AgentHooks[];
  readonly session: SessionId;
  /** The main conversation's model. */
  readonly model: string;
  /** The directory of the session's journal. */
  readonly folder: string;
  readonly cwd: string;
  readonly processes: Pick<Processes, "run">;
  readonly options: HookModelOptions;
  readonly ask: AskModel;
  readonly runAgent: RunAgent;
  readonly actors: Pick<Actors, "find" | "notify">;
  readonly clock: Clock;
  /** Makes the worktree of an agent on a runner if a directory is in one that does not exist yet. Rejects with the reason. */
  readonly needDir: (directory: string) => Promise<unknown>;
  readonly onWarning: (message: string) => void;
}

/** Hooks that settings can change while the session runs. */
export interface SessionHooks extends HookRunner {
  /** What commands have in their environment from this session, with what SessionStart hooks have added. */
  readonly variables: Readonly<Record<string, string>>;
  /** The conversation waits for its user: Notification hooks of `idle_prompt` run after a minute, unless something still works. */
  startIdle(caller: HookCaller, isBusy: () => boolean): void;
  /** It no longer waits. */
  stopIdle(): void;
  replace(sources: readonly HookSource[]): void;
  replaceAgents(ofAgents: readonly AgentHooks[]): void;
  replaceSkills(ofSkills: readonly AgentHooks[]): void;
  /** Returns what runs after calls, as it is in settings. `skills`: those in use. */
  afterCalls(skills: readonly string[]): AgentHooks[];
}

/** Milliseconds after which a user who does not write may be elsewhere. */
const IDLE_MS = 60_000;
const NEVER = new AbortController().signal;
const AFTER_CALLS = ["PostToolUse", "PostToolUseFailure"];

/** Returns the user's hooks, which run in the supervisor for every agent. */
export function sessionHooks(options: HookOptions): SessionHooks {
  const { session, model, folder, cwd, processes, actors, clock, onWarning } = options;
  let { sources, ofAgents } = options;
  let ofSkills: readonly AgentHooks[] = [];
  /** What the last look has reported: another file that changes is no reason to repeat it. */
  let reported: ReadonlySet<string> = new Set();
  const parsed = (): Hooks => {
    const { hooks, problems } = parseHooks([...sources, ...ofAgents, ...ofSkills]);
    const found = new Set(problems);
    for (const problem of found) if (!reported.has(problem)) onWarning(problem);
    reported = found;
    return hooks;
  };
  let hooks = parsed();
  const dir = join(folder, "hooks");
  // What a killed process lent to hooks, such as the content of a file.
  rmSync(dir, { recursive: true, force: true });
  let stopIdle = (): void => {};
  const envFile = join(dir, "session.env");
  const own = { CLAUDE_CODE_SESSION_ID: session };
  let variables: Readonly<Record<string, string>> = own;
  const readVariables = async (): Promise<void> => {
    if (!existsSync(envFile)) return;
    try {
      const { readSessionVariables } = await import("./session-variables.ts");
      variables = { ...(await readSessionVariables(envFile, cwd, processes.run)), ...own };
    } catch (error) {
      const why = errorMessage(error);
      onWarning(
        `What SessionStart hooks wrote into CLAUDE_ENV_FILE could not be read: ${why}. Commands run without it; correct the hook.`,
      );
    }
  };
  const runner = hookRunner({
    get hooks() {
      return hooks;
    },
    async run(request, signal) {
      // Without its directory the hook cannot start, and its error says so, too.
      await options.needDir(request.cwd).catch((error: Error) => onWarning(error.message));
      return processes.run(request, signal);
    },
    async models() {
      const { hookModels } = await import("./hook-models.ts");
      return hookModels(options.options, options.ask, options.runAgent);
    },
    session: {
      id: session,
      model,
      transcriptPath: join(folder, "journal.jsonl"),
      projectDir: cwd,
      dir,
      envFile,
    },
    clock,
    onProblem: onWarning,
    onMessage: onWarning,
    onLater(actor, event, text, wakes) {
      // An agent that has ended takes no further turn.
      const to = actors.find(actor)?.hasEnded === false ? actor : MAIN;
      actors.notify(to, { ...hookNotice(event, text), ...(wakes ? {} : { isQuiet: true }) });
    },
  });
  return {
    ...runner,
    get variables() {
      return variables;
    },
    startIdle(caller, isBusy) {
      stopIdle();
      stopIdle = () => {};
      if (!runner.has("Notification", ["idle_prompt"])) return;
      stopIdle = clock.after(IDLE_MS, () => {
        if (!isBusy()) void runner.notification("idle_prompt", "Troupe waits for your input.", caller, NEVER);
      });
    },
    stopIdle: () => stopIdle(),
    sessionEnd(reason, caller, signal) {
      stopIdle();
      return runner.sessionEnd(reason, caller, signal);
    },
    async sessionStart(source, caller, signal) {
      const said = await runner.sessionStart(source, caller, signal);
      await readVariables();
      return said;
    },
    afterCalls: (skills) =>
      [...sources, ...ofAgents, ...ofSkills].flatMap(({ value, ...one }) => {
        const { skill } = { skill: undefined, ...one };
        if (!isObject(value) || (skill !== undefined && !skills.includes(skill))) return [];
        const own = AFTER_CALLS.filter((event) => event in value);
        if (own.length === 0) return [];
        return { ...one, value: Object.fromEntries(own.map((event) => [event, value[event]])) };
      }),
    replace(changed) {
      sources = changed;
      hooks = parsed();
    },
    replaceSkills(changed) {
      const all = changed.map((one) => ({ ...one, value: forBoth(one.value) }));
      if (isDeepStrictEqual(all, ofSkills)) return;
      ofSkills = all;
      hooks = parsed();
    },
    replaceAgents(changed) {
      ofAgents = changed;
      hooks = parsed();
    },
  };
}

/** Returns the files of the skills that an actor uses now. */
export type SkillsOf = (actor: Actor | undefined, id: ActorId) => readonly string[];

/** Returns the caller as hooks receive it. */
export function hookCaller(
  actors: Pick<Actors, "find">,
  mode: () => PermissionMode,
  skillsOf: SkillsOf = () => [],
): (actor: ActorId, cwd: string) => HookCaller {
  return (owner, cwd) => {
    const actor = actors.find(owner);
    const spec = owner === MAIN ? undefined : actor?.spec;
    const { type, isolation } = spec ?? {};
    return {
      owner,
      cwd: isolation === undefined ? cwd : pathHere(isolation, cwd),
      ...(actor === undefined ? {} : { root: actor.rootHere }),
      permissionMode: narrower(mode(), spec?.permissionMode),
      ...(type === undefined ? {} : { agentType: type }),
      ...(isolation?.away === undefined ? {} : { away: { runner: isolation.away, session: isolation.path } }),
      skills: skillsOf(actor, owner),
    };
  };
}

/** Returns the hooks of definitions, each for agents of its type alone. */
export function definitionHooks(definitions: readonly AgentDefinition[]): ReadHooks[] {
  return definitions.flatMap(({ name, hooks, source }) => {
    if (hooks === undefined) return [];
    const scope = source === undefined ? "library" : source.scope === "flag" ? "cli" : source.scope;
    if (scope === "built-in" || scope === "plugin") return [];
    const file = source !== undefined && "file" in source ? source.file : `the agent ${name}`;
    return [{ scope, file, value: forAgents(hooks), agentType: name }];
  });
}

/** Maps `Stop`, which users write as in settings, to the end of an agent. */
function forAgents({ Stop: stop, ...hooks }: Readonly<Record<string, unknown>>): object {
  if (stop === undefined) return hooks;
  const { SubagentStop: own, ...others } = hooks;
  return { ...others, SubagentStop: Array.isArray(own) && Array.isArray(stop) ? [...own, ...stop] : stop };
}

/** Returns the hooks of a skill, whose `Stop` is the end of the main conversation and of an agent. */
export function forBoth(hooks: unknown): unknown {
  return isObject(hooks) && "Stop" in hooks ? { ...forAgents(hooks), Stop: hooks["Stop"] } : hooks;
}
