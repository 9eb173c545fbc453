import { hash } from "node:crypto";
import * as z from "zod/mini";
import type { AgentDefinition } from "../../context/agents/definition.ts";
import { nearName } from "../../lib/near-name.ts";
import { defaultTitle } from "../../lib/text.ts";
import { Accept } from "../../mailbox/acceptance.ts";

const Options = z.object({
  /** Three to five words that name the call. */
  label: z.optional(z.string()),
  phase: z.optional(z.string()),
  /** A JSON Schema: the call resolves to data that fits it. */
  schema: z.optional(z.record(z.string(), z.unknown())),
  agentType: z.optional(z.string()),
  model: z.optional(z.string()),
  isolation: z.optional(z.enum(["worktree"])),
  /** What must be true of its work. */
  accept: z.optional(Accept),
});

export const USUAL_AGENT = "general-purpose";

/** One call of `agent` in a script. */
export interface ScriptCall {
  /** Of its agent. */
  readonly type: string;
  readonly prompt: string;
  readonly options: z.infer<typeof Options>;
}

/** Throws a sentence for the script if the call cannot be obeyed as it is. */
export function readCall(prompt: unknown, options: unknown): ScriptCall {
  if (typeof prompt !== "string" || prompt.trim() === "")
    throw new Error("agent() needs a prompt: a text that is not empty.");
  const given = options ?? {};
  if (typeof given !== "object" || Array.isArray(given))
    throw new Error("The second argument of agent() is an object of options.");
  const known = Object.keys(Options.def.shape);
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue;
    const near = nearName(name, known);
    throw new Error(
      `agent() has no option ${name}${near ? `; did you mean ${near}?` : `; it has ${known.join(", ")}.`}`,
    );
  }
  const parsed = z.safeParse(Options, given);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Error(`The option ${issue?.path.join(".")} of agent(): ${issue?.message}.`);
  }
  return { type: parsed.data.agentType ?? USUAL_AGENT, prompt, options: parsed.data };
}

/**
 * Names the calls of one run of a script by what they ask for and how often that was asked before, not by their place: after an edit of
 * the script, calls that stayed the same keep their names.
 */
export class CallKeys {
  readonly #seen = new Map<string, number>();
  /** Calls that must run again, and how often that was said. */
  readonly #forced: Readonly<Record<string, number>>;

  readonly #run: string;

  /** `run`: of one of several scripts in a session; their calls are not each other's. */
  constructor(forced: Readonly<Record<string, number>>, run: string | null) {
    this.#forced = forced;
    this.#run = run === null ? "" : `${run}.`;
  }

  next({ prompt, options }: ScriptCall, definition: AgentDefinition): string {
    const { label, phase: _, ...asked } = options;
    const digest = hash("sha256", JSON.stringify([prompt, sorted(asked), sorted(definition)])).slice(0, 12);
    const count = (this.#seen.get(digest) ?? 0) + 1;
    this.#seen.set(digest, count);
    const forced = this.#forced[label ?? defaultTitle(prompt)] ?? this.#forced[`${digest}.${count}`] ?? 0;
    return `${this.#run}${digest}.${count}${forced === 0 ? "" : `.${forced}`}`;
  }
}

/** The same text for the same data, whatever the order of its keys. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return typeof value === "function" ? null : value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}
