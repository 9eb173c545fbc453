import { hash } from "node:crypto";
import { formatLeftOut, formatReplacing, type ReplacedOwner } from "../../context/replacing.ts";
import type { AgentDefinition } from "./definition.ts";
import type { AgentGrant } from "./grants.ts";
import { builtInAgents, plainName } from "./index.ts";

/** A project's definition that takes a name of another one. */
export interface Replacing {
  readonly definition: AgentDefinition;
  /** Whose name it takes. */
  readonly of: ReplacedOwner;
}

/** Returns whose name a project's definition would take, or null if its names and aliases are its own. */
export type FindReplaced = (definition: AgentDefinition) => ReplacedOwner | null;

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
  const digest = hash("sha256", JSON.stringify(["agent", "replace", plainName(name), of]), "hex");
  return { words: formatReplacing("agent", { name, of }), digest, agent: true };
}

/** Names the definitions that an untrusted directory does not get to use; null if there are none. */
export function leftOutIn(replacing: readonly Replacing[]): string | null {
  return formatLeftOut(
    "agents",
    replacing.map(({ definition, of }) => ({ name: definition.name, of })),
  );
}
