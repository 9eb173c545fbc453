import type { Behaviour, Rule, Scope } from "../../settings/rules.ts";

/** The permission rules in force: those of settings and flags, and what the user granted for the session. */
export class SessionRules {
  #settings: readonly Rule[];
  readonly #given: readonly Rule[];
  #granted: readonly Rule[] = [];
  #all: readonly Rule[];

  constructor(settings: readonly Rule[], given: readonly Rule[]) {
    this.#settings = settings;
    this.#given = given;
    this.#all = [...settings, ...given];
  }

  /** The same array until something changes. */
  get all(): readonly Rule[] {
    return this.#all;
  }

  /** Adds rules that the user allows for the session. */
  grant(texts: readonly string[]): void {
    const known = new Set(this.#granted.map(({ text }) => text));
    const fresh = texts.filter((text) => !known.has(text));
    if (fresh.length === 0) return;
    this.#granted = [...this.#granted, ...rulesFrom(fresh, "allow", "session")];
    this.#all = [...this.#settings, ...this.#given, ...this.#granted];
  }

  /** Replaces the rules of settings that changed while the session runs. */
  replaceSettings(rules: readonly Rule[]): void {
    this.#settings = rules;
    this.#all = [...this.#settings, ...this.#given, ...this.#granted];
  }
}

export function rulesFrom(texts: readonly string[], behaviour: Behaviour, scope: Scope): Rule[] {
  return texts.map((text) => ({ text, behaviour, scope }));
}
