import type { Behaviour, PermissionMode, Rule, Scope } from "../../settings/permissions.ts";

/** The permission rules in force: those of settings and flags, and what the user granted for the session. */
export class SessionRules {
  #settings: readonly Rule[];
  readonly #given: readonly Rule[];
  #granted: readonly Rule[] = [];
  #managedOnly: boolean;
  readonly #managedDomainsOnly: boolean;
  #all: readonly Rule[];

  /** `managedRulesOnly`: only the organisation's allow rules count; `managedDomainsOnly`: of WebFetch. */
  constructor(
    settings: readonly Rule[],
    given: readonly Rule[],
    only: { readonly managedRulesOnly?: boolean | undefined; readonly managedDomainsOnly?: boolean } = {},
  ) {
    this.#settings = settings;
    this.#given = given;
    this.#managedOnly = only.managedRulesOnly ?? false;
    this.#managedDomainsOnly = only.managedDomainsOnly ?? false;
    this.#all = this.#counted();
  }

  /** The same array until something changes. */
  get all(): readonly Rule[] {
    return this.#all;
  }

  /** False if only the organisation's rules allow something (allowManagedPermissionRulesOnly). */
  get canGrant(): boolean {
    return !this.#managedOnly;
  }

  /** Returns the rules in force for an actor to which a skill lends more. */
  withLent(lent: readonly Rule[] = []): readonly Rule[] {
    return lent.length === 0 ? this.#all : [...this.#all, ...lent.filter((rule) => this.#counts(rule))];
  }

  /** Adds rules that the user allows for the session. */
  grant(texts: readonly string[]): void {
    const known = new Set(this.#granted.map(({ text }) => text));
    const fresh = texts.filter((text) => !known.has(text));
    if (fresh.length === 0) return;
    this.#granted = [...this.#granted, ...rulesFrom(fresh, "allow", "session")];
    this.#all = this.#counted();
  }

  /** Replaces the rules of settings that changed while the session runs. */
  replaceSettings(rules: readonly Rule[], managedOnly = false): void {
    this.#settings = rules;
    this.#managedOnly = managedOnly;
    this.#all = this.#counted();
  }

  #counted(): readonly Rule[] {
    return [...this.#settings, ...this.#given, ...this.#granted].filter((rule) => this.#counts(rule));
  }

  #counts({ text, behaviour, scope }: Rule): boolean {
    if (behaviour !== "allow" || scope === "enterprise") return true;
    return !this.#managedOnly && !(this.#managedDomainsOnly && isAboutWebFetch(text));
  }
}

/** True for a rule of WebFetch, however it is written. */
function isAboutWebFetch(text: string): boolean {
  return /^\s*WebFetch\b/.test(text);
}

export function rulesFrom(texts: readonly string[], behaviour: Behaviour, scope: Scope): Rule[] {
  return texts.map((text) => ({ text, behaviour, scope }));
}

/** The session's permission mode for all its agents; the gate reads it at each call (A6.7). */
export interface SessionMode {
  current(): PermissionMode;
  /** Returns why settings do not allow this mode, or null. */
  whyNot(mode: PermissionMode): string | null;
  set(mode: PermissionMode): void;
  /** Registers a callback for each change of mode. */
  onChange(call: (mode: PermissionMode) => void): void;
}

export function modeFrom(
  initial: PermissionMode,
  whyNot: (mode: PermissionMode) => string | null = () => null,
): SessionMode {
  let mode = initial;
  const listeners: ((mode: PermissionMode) => void)[] = [];
  return {
    current: () => mode,
    whyNot,
    set(next) {
      if (next === mode) return;
      mode = next;
      for (const call of listeners) call(next);
    },
    onChange: (call) => void listeners.push(call),
  };
}
