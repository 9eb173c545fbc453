/** Whose name a definition of the project takes. */
export type ReplacedOwner = "built-in" | "user";

/** A name that a definition of the project takes. */
export interface ReplacedName {
  readonly name: string;
  readonly of: ReplacedOwner;
}

/** What trusting the directory lets a definition do. */
export function formatReplacing(kind: "agent" | "skill", { name, of }: ReplacedName): string {
  return `use its ${kind} ${name} instead of ${OTHER[of]}`;
}

/** Names the definitions that an untrusted directory does not get to use; null if there are none. */
export function formatLeftOut(kind: "agents" | "skills", replaced: readonly ReplacedName[]): string | null {
  const parts = [...new Set(replaced.map(({ name, of }) => `${name} (${OTHER[of]} stays)`))];
  if (parts.length === 0) return null;
  const more = parts.length > MOST_NAMED ? ` and ${parts.length - MOST_NAMED} more` : "";
  return `This directory is not trusted, so its ${kind} do not replace others of the same name; left out: ${parts.slice(0, MOST_NAMED).join(", ")}${more}. --trust lets them count for this run.`;
}

const OTHER: Readonly<Record<ReplacedOwner, string>> = { "built-in": "the built-in one", user: "yours" };
const MOST_NAMED = 5;
