import * as z from "zod/mini";
import { isObject } from "../../lib/json.ts";
import {
  type HookEvent,
  isHookEvent,
  isHookEventElsewhere,
  noHookEvent,
} from "../../settings/hook-events.ts";
import type { Scope } from "../../settings/permissions.ts";
import { type HookCondition, parseCondition } from "./hook-condition.ts";

/** What settings run at an event (A5.12): a command, one request to a model, or an agent that only reads. */
export interface Hook {
  readonly type: "command" | "prompt" | "agent";
  readonly event: HookEvent;
  /** True for the names it applies to: of a tool, or what some events pass (see `HookRunner`). */
  readonly matches: (name: string) => boolean;
  /** True for the calls it applies to; absent for every call. */
  readonly condition?: HookCondition;
  /** The command line, or the prompt. */
  readonly command: string;
  /** Of a prompt or an agent; by default the small one. */
  readonly model?: string;
  /** The user decides if its model gives no answer, as far as a user can. */
  readonly asksIfUnclear?: true;
  readonly timeoutMs: number;
  /** If it decides and fails, the answer is no (A22.21). */
  readonly failClosed: boolean;
  readonly scope: Scope;
  /** The settings file that contains it. */
  readonly file: string;
  /** It runs only for agents of this type. */
  readonly agentType?: string;
  /** It runs only for actors that use the skill of this file. */
  readonly skill?: string;
  /** It runs once in a session. */
  readonly once?: true;
  /** Arguments of `command`, which is then a program that no shell starts. */
  readonly args?: readonly string[];
  /** Environment variables of the plug-in that it belongs to. */
  readonly plugin?: Readonly<Record<string, string>>;
  /** It is not awaited, and decides nothing. `wakes`: its no (exit code 2) starts a turn of its agent. */
  readonly async?: "quiet" | "wakes";
}

/** By event, in the order of configuration. An event without hooks is absent. */
export type Hooks = ReadonlyMap<HookEvent, readonly Hook[]>;

/** The raw `hooks` of one settings file; undefined if it has no hooks. */
export interface ReadHooks extends Pick<Hook, "scope" | "file" | "agentType" | "skill" | "plugin"> {
  readonly value: unknown;
}

interface ParsedHooks {
  readonly hooks: Hooks;
  /** One sentence for each entry that cannot be used as it stands, with its file. The others are used. */
  readonly problems: readonly string[];
}

/** The type of the agents that hooks start. Hooks with a model do not run for them: they would start one another. */
export const HOOK_AGENT = "hook-agent";

const DEFAULT_TIMEOUT_S = { command: 600, prompt: 30, agent: 60 } as const;
/** Of a command at UserPromptSubmit: the user waits for it. */
const PROMPT_TIMEOUT_S = 30;
const MAX_TIMEOUT_S = 3_600;

/** Parses the hooks of all settings files, in the order of the files and of their content (A5.12). */
export function parseHooks(sources: readonly ReadHooks[]): ParsedHooks {
  const { Group, Entry, ModelEntry } = schemas();
  const hooks: Hook[] = [];
  const problems: string[] = [];
  for (const { value, ...source } of sources) {
    const reject = (path: string, what: string) => {
      problems.push(`${source.file}: ${path} ${what}; correct it, until then this hook does not run.`);
    };
    const check = <T>(schema: z.ZodMiniType<T>, path: string, given: unknown): T | undefined => {
      const { data, error } = z.safeParse(schema, given);
      const [issue] = error?.issues ?? [];
      const within = issue && issue.path.length > 0 ? `.${z.core.toDotPath(issue.path)}` : "";
      if (error) reject(`${path}${within}`, issue?.message ?? "is not valid");
      return data;
    };
    const matcher = (path: string, text: string): Hook["matches"] | undefined => {
      try {
        return parseMatcher(text);
      } catch {
        reject(`${path}.matcher`, `is neither a name nor a regular expression (${text})`);
        return undefined;
      }
    };
    /** What cannot be understood is no condition: a hook that was meant to guard something must not stay silent. */
    const readCondition = (
      event: HookEvent,
      path: string,
      given: unknown,
    ): HookCondition | undefined | "never" => {
      if (given === undefined) return undefined;
      if (!CALL_EVENTS.includes(event)) {
        const why = `is about a tool call, and ${event} has none, so this hook never runs; remove the condition`;
        problems.push(`${source.file}: ${path} ${why}.`);
        return "never";
      }
      const read = typeof given === "string" ? parseCondition(given, source.scope) : { problem: "" };
      if (typeof read === "function") return read;
      const what = typeof given === "string" ? `(${given}) ${read.problem}` : "must be a text";
      const then = "correct it, until then this hook runs for each call that its matcher accepts";
      problems.push(`${source.file}: ${path} ${what}; ${then}.`);
      return undefined;
    };
    const addGroup = (event: HookEvent, path: string, given: unknown): void => {
      const group = check(Group, path, given);
      const matches = group && matcher(path, group.matcher ?? "");
      if (matches === undefined) return;
      for (const [at, one] of group?.hooks.entries() ?? []) {
        if (isObject(one) && TYPES_ELSEWHERE.some((known) => known === one["type"])) {
          const name = `${source.file}: ${path}.hooks[${at}] is of the type "${one["type"]}"`;
          problems.push(
            `${name} of Claude Code, which does not exist here, so this hook does not run; use a command instead.`,
          );
          continue;
        }
        const hasModel = isObject(one) && (one["type"] === "prompt" || one["type"] === "agent");
        const entry = hasModel
          ? check(ModelEntry, `${path}.hooks[${at}]`, one)
          : check(Entry, `${path}.hooks[${at}]`, one);
        if (entry === undefined) continue;
        const { type } = entry;
        if (type !== "command" && !MODEL_EVENTS.includes(event)) {
          reject(`${path}.hooks[${at}].type`, `must be "command" at ${event}, where a model decides nothing`);
          continue;
        }
        const usualTimeout =
          event === "UserPromptSubmit" && type === "command" ? PROMPT_TIMEOUT_S : DEFAULT_TIMEOUT_S[type];
        const timeout = Math.min(entry.timeout ?? usualTimeout, MAX_TIMEOUT_S);
        if (timeout !== (entry.timeout ?? timeout))
          problems.push(
            `${source.file}: ${path}.hooks[${at}].timeout is in seconds and ${entry.timeout} is too long, so ${timeout} s count; if you meant milliseconds, write ${(entry.timeout ?? 0) / 1_000}.`,
          );
        const condition = readCondition(event, `${path}.hooks[${at}].if`, entry.if);
        if (condition === "never") continue;
        // Elsewhere, a WorktreeCreate hook that fails has made no worktree.
        const usually =
          event === "WorktreeCreate" || (source.scope === "enterprise" && event === "PreToolUse");
        if (entry.once && source.skill === undefined)
          problems.push(
            `${source.file}: ${path}.hooks[${at}].once counts only in a skill, so this hook runs each time; remove the key.`,
          );
        const own = ownPart(entry);
        // What is not awaited decides nothing.
        const failClosed = own.async === undefined && (entry.failClosed ?? usually);
        hooks.push({
          ...{ ...source, event, matches, type, timeoutMs: timeout * 1_000, failClosed },
          ...own,
          ...(condition && { condition }),
          ...(entry.once && source.skill !== undefined && { once: true }),
        });
      }
    };
    const events =
      value === undefined
        ? {}
        : check(z.record(z.string(), z.unknown(), "must be an object"), "hooks", value);
    for (const [event, groups] of Object.entries(events ?? {})) {
      if (isHookEventElsewhere(event))
        problems.push(`${source.file}: hooks.${event} ${noHookEvent(event)}, so its hooks do not run.`);
      else if (!isHookEvent(event)) reject(`hooks.${event}`, noHookEvent(event));
      else if (!Array.isArray(groups)) reject(`hooks.${event}`, "must be a list");
      else for (const [at, group] of groups.entries()) addGroup(event, `hooks.${event}[${at}]`, group);
    }
  }
  return { hooks: Map.groupBy(hooks, ({ event }) => event), problems };
}

type Parsed = ReturnType<typeof schemas>;

/** Returns what only a command has, or only a hook with a model. */
function ownPart(
  entry: z.infer<Parsed["Entry"]> | z.infer<Parsed["ModelEntry"]>,
): Pick<Hook, "command" | "args" | "model" | "asksIfUnclear" | "async"> {
  if (entry.type === "command") {
    const { command, args, async, asyncRewake } = entry;
    return {
      command,
      ...(args === undefined ? {} : { args }),
      ...(asyncRewake ? { async: "wakes" } : async ? { async: "quiet" } : {}),
    };
  }
  const { prompt, model, failClosed } = entry;
  return {
    command: prompt,
    ...(model === undefined ? {} : { model }),
    ...(failClosed === undefined ? { asksIfUnclear: true } : {}),
  };
}

/** Types of hooks that Claude Code has and Troupe has not. */
const TYPES_ELSEWHERE = ["http", "mcp_tool"];

/** Events that have a call, with which an `if` is compared. */
const CALL_EVENTS: readonly HookEvent[] = [
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "PermissionRequest",
];

/** Events at which a model may decide: the others only take what a command prints. */
const MODEL_EVENTS: readonly HookEvent[] = [
  ...CALL_EVENTS,
  "UserPromptSubmit",
  "Stop",
  "SubagentStop",
  "TaskCreated",
  "TaskCompleted",
];

function schemas() {
  const time = "must be a positive number of seconds";
  const flag = z.optional(z.boolean("must be true or false"));
  const Group = z.object(
    {
      matcher: z.optional(z.string("must be a text")),
      hooks: z.array(z.unknown(), "must be a list"),
    },
    "must be an object",
  );
  const common = {
    timeout: z.optional(z.number(time).check(z.positive(time))),
    failClosed: flag,
    once: flag,
    if: z.optional(z.unknown()),
  };
  const text = (what: string) => z.string(what).check(z.regex(/\S/, what));
  const ModelEntry = z.object({
    ...common,
    type: z.enum(["prompt", "agent"]),
    prompt: text("must be a text"),
    model: z.optional(text("must be the name of a model")),
    async: z.optional(z.literal(false, "must be false: only commands run in the background")),
  });
  const Entry = z.object(
    {
      ...common,
      type: z.literal("command", 'must be "command", "prompt" or "agent"'),
      command: text("must be a command line"),
      args: z.optional(z.array(z.string("must be a text"), "must be a list of texts")),
      async: flag,
      asyncRewake: flag,
    },
    "must be an object",
  );
  return { Group, Entry, ModelEntry };
}

/** A longer name is not matched: a server chooses the name, a user the pattern. */
const MAX_NAME_LENGTH = 256;

/**
 * Returns what a hook's matcher matches: everything (`*`, nothing), one name, several (`Edit|Write`, `Edit, Write`), all tools of an
 * MCP server (`mcp__github`), or a regular expression found anywhere in the name. Throws the `SyntaxError` of an
 * invalid expression.
 */
export function parseMatcher(matcher: string): (name: string) => boolean {
  const text = matcher.trim();
  if (text === "" || text === "*") return () => true;
  if (!/^[\w\s-]+(?:[|,][\w\s-]+)*$/.test(text)) {
    const pattern = new RegExp(text);
    return (name) => pattern.test(name.slice(0, MAX_NAME_LENGTH));
  }
  const names = text.split(/[|,]/).map((name) => name.trim());
  const servers = names.filter((name) => /^mcp__(?:(?!__).)+$/.test(name)).map((name) => `${name}__`);
  return (name) => names.includes(name) || servers.some((server) => name.startsWith(server));
}

const MAX_COMMAND_LENGTH = 60;

/** Returns how the user recognises a hook. */
export function hookName({ event, command, args = [], file }: Hook): string {
  const line = [command, ...args].join(" ").trim().replace(/\s+/g, " ");
  const short = line.length > MAX_COMMAND_LENGTH ? `${line.slice(0, MAX_COMMAND_LENGTH)}…` : line;
  return `The ${event} hook "${short}" (${file})`;
}

/** Returns the hooks that match. A command that is configured several times runs once, by its strictest entry. */
export function matchHooks(hooks: readonly Hook[], names: readonly string[]): readonly Hook[] {
  const chosen = new Map<string, Hook>();
  for (const hook of hooks) {
    if (names.length > 0 && !names.some((name) => hook.matches(name))) continue;
    const key = JSON.stringify([hook.type, hook.command, hook.args]);
    const same = chosen.get(key);
    if (!same || strictness(hook) > strictness(same)) chosen.set(key, hook);
  }
  return [...chosen.values()];
}

function strictness({ async, failClosed }: Hook): number {
  return async ? 0 : failClosed ? 2 : 1;
}
