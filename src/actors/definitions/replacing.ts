import { hash } from "node:crypto";
import type { AgentDefinition } from "./definition.ts";
import type { AgentGrant } from "./grants.ts";
import { builtInAgents, plainName } from "./index.ts";

/** A project's definition that takes a name of another one. */
export interface Replacing {
  readonly definition: AgentDefinition;
  /** Whose name it takes. */
  readonly of: "built-in" | "user";
}

/** Returns whose name a project's definition would take, or null if its names and aliases are its own. */
export type FindReplaced = (definition: AgentDefinition) => Replacing["of"] | null;

/** Aliases count as names: an agent that is called by one would be replaced as well. */
export function replacedBy(definitions: readonly AgentDefinition[]): FindReplaced {
  const builtIn = new Set(builtInAgents.flatMap(plainNames));
  const others = definitions.filter(({ source }) => source?.scope !== "project");
  const users = new Set(others.flatMap(plainNames));
  return (definition) => {
    if (definition.source?.scope !== "project") return null;
    const names = plainNames(definition);
    if (names.some((name) => users.has(name))) return "user";
    return names.some((name) => builtIn.has(name)) ? "built-in" : null;
  };
}

/** The names that count as built-in, for what is kept between sessions. */
export const builtInNames: readonly string[] = builtInAgents.flatMap(plainNames);

function plainNames({ name, aliases = [] }: AgentDefinition): readonly string[] {
  return [name, ...aliases].map(plainName);
}

/** What the user agrees to when the directory is trusted; the prompt may change later, as that of any agent. */
export function replacingGrant({ definition: { name }, of }: Replacing): AgentGrant {
  const words = `use its agent ${name} instead of ${OTHER[of]}`;
  const digest = hash("sha256", JSON.stringify(["agent", "replace", plainName(name), of]), "hex");
  return { words, digest, agent: true };
}

/** Names the definitions that an untrusted directory does not get to use; null if there are none. */
export function leftOutIn(replacing: readonly Replacing[]): string | null {
  const parts = [
    ...new Set(replacing.map(({ definition, of }) => `${definition.name} (${OTHER[of]} stays)`)),
  ];
  if (parts.length === 0) return null;
  const more = parts.length > MOST_NAMED ? ` and ${parts.length - MOST_NAMED} more` : "";
  return `This directory is not trusted, so its agents do not replace others of the same name; left out: ${parts.slice(0, MOST_NAMED).join(", ")}${more}. --trust lets them count for this run.`;
}

const OTHER: Readonly<Record<Replacing["of"], string>> = {
  "built-in": "the built-in one",
  user: "yours",
};
const MOST_NAMED = 5;
