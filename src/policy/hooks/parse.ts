import * as z from "zod/mini";
import { type HookEvent, isHookEvent, noHookEvent } from "../../mailbox/hook-events.ts";
import type { Scope } from "../../settings/rules.ts";
import type { Hook, Hooks } from "./hooks.ts";
import { matcherOf } from "./matcher.ts";

/** One settings file's `hooks`, as it stands there. Absent hooks are `undefined`. */
export interface HookSource {
  readonly scope: Scope;
  readonly file: string;
  readonly value: unknown;
  /** They run for agents of this type alone. */
  readonly agentType?: string;
}

export interface ParsedHooks {
  readonly hooks: Hooks;
  /** One sentence for each entry that cannot be used, with its file. The others are used. */
  readonly problems: readonly string[];
}

export const DEFAULT_TIMEOUT_S = 60;
const MAX_TIMEOUT_S = 3_600;

const Group = z.object(
  {
    matcher: z.optional(z.string("must be a text")),
    hooks: z.array(z.unknown(), "must be a list"),
  },
  "must be an object",
);

const Entry = z.object(
  {
    type: z.literal("command", 'must be "command", the only kind of hook there is'),
    command: z.string("must be a command line").check(z.regex(/\S/, "must be a command line")),
    timeout: z.optional(
      z
        .number(`must be a number of seconds up to ${MAX_TIMEOUT_S}`)
        .check(
          z.positive(`must be a number of seconds up to ${MAX_TIMEOUT_S}`),
          z.lte(MAX_TIMEOUT_S, `must be a number of seconds up to ${MAX_TIMEOUT_S}`),
        ),
    ),
    failClosed: z.optional(z.boolean("must be true or false")),
  },
  "must be an object",
);

/** The hooks of all settings files, in the order of the sources and of what stands in them (A5.12). */
export function parseHooks(sources: readonly HookSource[]): ParsedHooks {
  const hooks = new Map<HookEvent, Hook[]>();
  const problems: string[] = [];
  for (const source of sources) {
    const reading = new Reading(source, problems);
    for (const hook of reading.hooks()) {
      const known = hooks.get(hook.event);
      if (known) known.push(hook);
      else hooks.set(hook.event, [hook]);
    }
  }
  return { hooks, problems };
}

class Reading {
  readonly #source: HookSource;
  readonly #problems: string[];

  constructor(source: HookSource, problems: string[]) {
    this.#source = source;
    this.#problems = problems;
  }

  *hooks(): Generator<Hook> {
    const { value } = this.#source;
    if (value === undefined) return;
    const events = z.record(z.string(), z.unknown()).safeParse(value);
    if (!events.success) return this.#problem("hooks", "must be an object");
    for (const [name, groups] of Object.entries(events.data)) {
      if (!isHookEvent(name)) this.#problem(`hooks.${name}`, noHookEvent(name));
      else if (!Array.isArray(groups)) this.#problem(`hooks.${name}`, "must be a list");
      else
        for (const [at, group] of groups.entries()) yield* this.#group(name, `hooks.${name}[${at}]`, group);
    }
  }

  *#group(event: HookEvent, place: string, value: unknown): Generator<Hook> {
    const group = this.#checked(Group, place, value);
    if (group === null) return;
    const matches = this.#matcher(place, group.matcher ?? "");
    if (matches === null) return;
    for (const [at, value] of group.hooks.entries()) {
      const entry = this.#checked(Entry, `${place}.hooks[${at}]`, value);
      if (entry === null) continue;
      const { scope, file, agentType } = this.#source;
      const whose = agentType === undefined ? {} : { agentType };
      const { command, timeout = DEFAULT_TIMEOUT_S } = entry;
      const failClosed = entry.failClosed ?? (scope === "enterprise" && event === "PreToolUse");
      yield { event, matches, command, timeoutMs: timeout * 1_000, failClosed, scope, file, ...whose };
    }
  }

  #matcher(place: string, text: string): Hook["matches"] | null {
    try {
      return matcherOf(text);
    } catch {
      this.#problem(`${place}.matcher`, `is neither a name nor a regular expression (${text})`);
      return null;
    }
  }

  #checked<T>(schema: z.ZodMiniType<T>, place: string, value: unknown): T | null {
    const parsed = z.safeParse(schema, value);
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    const within = issue && issue.path.length > 0 ? `.${z.core.toDotPath(issue.path)}` : "";
    this.#problem(`${place}${within}`, issue?.message ?? "is not valid");
    return null;
  }

  #problem(place: string, what: string): void {
    this.#problems.push(
      `${this.#source.file}: ${place} ${what}; correct it, until then what stands there does not run.`,
    );
  }
}
