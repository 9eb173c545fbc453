import { hash } from "node:crypto";
import type { AgentDefinition } from "../../context/agents/definition.ts";
import { defaultTitle } from "../../lib/text.ts";
import type { ScriptCall } from "./script-call.ts";

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
