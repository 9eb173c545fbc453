import { listSome } from "../../lib/text.ts";

/** Whose name a definition of the project takes. */
export type ReplacedOwner = "built-in" | "user";

/** A definition of the project that takes the name of another one. */
export interface Replacing<T> {
  readonly definition: T;
  readonly of: ReplacedOwner;
}

export interface ChosenByName<T> {
  readonly chosen: readonly T[];
  readonly shadowed: readonly T[];
  /** Among `chosen` only if the directory is trusted. */
  readonly replacing: readonly Replacing<T>[];
  /** Definitions of one origin with the same name; `first` counts. */
  readonly duplicates: readonly { readonly definition: T; readonly first: T }[];
}

/** Keeps the first definition of each name; an untrusted project takes no one else's name (semantics §1). */
export function chooseByName<T>(
  definitions: readonly T[],
  {
    keyOf,
    replacedOf,
    isDuplicate,
    trusted,
  }: {
    readonly keyOf: (definition: T) => string;
    /** Whose name the definition takes; null if its name is its own. */
    readonly replacedOf: (definition: T) => ReplacedOwner | null;
    /** True if a second definition of the name is a mistake; a user who writes one elsewhere means to replace it. */
    readonly isDuplicate: (definition: T, first: T) => boolean;
    readonly trusted: boolean;
  },
): ChosenByName<T> {
  const byName = new Map<string, T>();
  const shadowed: T[] = [];
  const replacing: Replacing<T>[] = [];
  const duplicates: { definition: T; first: T }[] = [];
  for (const definition of definitions) {
    const first = byName.get(keyOf(definition));
    const of = first === undefined ? replacedOf(definition) : null;
    if (of !== null) replacing.push({ definition, of });
    if (first === undefined && (of === null || trusted)) byName.set(keyOf(definition), definition);
    else shadowed.push(definition);
    if (first !== undefined && isDuplicate(definition, first)) duplicates.push({ definition, first });
  }
  return { chosen: [...byName.values()], shadowed, replacing, duplicates };
}

const OTHER: Readonly<Record<ReplacedOwner, string>> = { "built-in": "the built-in one", user: "yours" };
const MAX_NAMED = 5;

/** Says what trusting the directory lets a definition do. */
export function formatReplacing(kind: "agent" | "skill", name: string, of: ReplacedOwner): string {
  return `use its ${kind} ${name} instead of ${OTHER[of]}`;
}

/** Names the definitions that an untrusted directory does not get to use; null if there are no such definitions. */
export function formatLeftOut(
  kind: "agents" | "skills",
  replacing: readonly Replacing<{ readonly name: string }>[],
): string | null {
  const parts = [
    ...new Set(replacing.map(({ definition, of }) => `${definition.name} (${OTHER[of]} stays)`)),
  ];
  if (parts.length === 0) return null;
  return `This directory is not trusted, so its ${kind} do not replace others of the same name; left out: ${listSome(parts, MAX_NAMED)}. --trust lets them count for this run.`;
}
