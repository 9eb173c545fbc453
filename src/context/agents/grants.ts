import { hash } from "node:crypto";
import { canonicalJson } from "../../lib/json.ts";
import { plainName } from "../../lib/near-name.ts";
import type { MergeMode } from "../../mailbox/worktree.ts";
import { serverWords } from "../../settings/server-words.ts";
import { formatReplacing, type ReplacedOwner, type Replacing } from "../markdown/choose-by-name.ts";
import { formatHooks, shown } from "../markdown/hook-grant.ts";
import { builtInAgents } from "./built-in.ts";
import type { AgentDefinition, AgentMode } from "./definition.ts";

/** One privilege of a project's definition, which needs the user's agreement. */
export interface AgentGrant {
  /** For the user, such as `run "./check.sh" as a hook (PreToolUse) of the agent deployer`. */
  readonly words: string;
  /** The same for the same grant, and different for every other. */
  readonly digest: string;
  /** What it lets the agent do. */
  readonly group: "unchecked" | "runs" | "servers" | "edits" | "others";
  readonly agent: true;
}

/** What needs a grant: the hooks of one event, one server, the mode, how edits are merged. */
export type Privilege =
  /** `name`: the event. */
  | { readonly type: "hook"; readonly name: string; readonly hooks: unknown }
  | { readonly type: "server"; readonly name: string; readonly server: unknown }
  | { readonly type: "mode"; readonly name: AgentMode }
  | { readonly type: "merge"; readonly name: MergeMode };

/** Returns the grants for the project's own definitions; the user installed the others. */
export function agentGrants(definitions: readonly AgentDefinition[]): readonly AgentGrant[] {
  return definitions.flatMap((definition) =>
    privilegesOf(definition).map((privilege) => grantOf(definition, privilege)),
  );
}

export function privilegesOf(definition: AgentDefinition): readonly Privilege[] {
  const { source, hooks = {}, mcpServers, permissionMode: mode, merge } = definition;
  if (source?.scope !== "project") return [];
  const narrows = mode === undefined || mode === "plan" || mode === "dontAsk";
  return [
    ...Object.entries(hooks).map(([event, one]) => ({ type: "hook" as const, name: event, hooks: one })),
    ...Object.entries(mcpServers?.own ?? {}).map(([name, server]) => ({
      ...{ type: "server" as const, name, server },
    })),
    ...(narrows ? [] : [{ type: "mode" as const, name: mode }]),
    // Settings may ask the user, or keep edits on their branch.
    ...(merge === "apply" || merge === "commit" ? [{ type: "merge" as const, name: merge }] : []),
  ];
}

export function grantOf({ name }: Pick<AgentDefinition, "name">, privilege: Privilege): AgentGrant {
  const agent = shown(name);
  switch (privilege.type) {
    case "hook": {
      const { name: event, hooks } = privilege;
      return grant(`${formatHooks(event, hooks)} of the agent ${agent}`, "runs", [
        ...["hook", name, event, hooks],
      ]);
    }
    case "server":
      return grant(
        `start the MCP server ${shown(privilege.name)} for the agent ${agent}: ${shown(serverWords(privilege.server))}`,
        "servers",
        ["server", name, privilege.name, privilege.server],
      );
    case "mode":
      return grant(
        `let the agent ${agent} work in the mode ${privilege.name}, unless the session's is narrower`,
        privilege.name === "bypassPermissions" ? "unchecked" : "edits",
        ["mode", name, privilege.name],
      );
    case "merge":
      return grant(
        `merge the edits of the agent ${agent} without a question (merge: ${privilege.name})`,
        "edits",
        ["merge", name, privilege.name],
      );
    default:
      return privilege satisfies never;
  }
}

/** Its prompt may change later, like that of any agent. */
export function agentGrant({ definition: { name }, of }: Replacing<AgentDefinition>): AgentGrant {
  return grant(formatReplacing("agent", name, of), "others", ["replace", plainName(name), of]);
}

/**
 * Returns a function that says whose name a project's definition would take. Aliases count as names: an agent that is
 * called by one would be replaced as well.
 */
export function agentReplacements(
  definitions: readonly AgentDefinition[],
): (definition: AgentDefinition) => ReplacedOwner | null {
  const builtIn = new Set(builtInAgents.flatMap(plainNames));
  const users = new Set(definitions.filter(({ source }) => source?.scope !== "project").flatMap(plainNames));
  return (definition) => {
    if (definition.source?.scope !== "project") return null;
    const names = plainNames(definition);
    if (names.some((name) => users.has(name))) return "user";
    return names.some((name) => builtIn.has(name)) ? "built-in" : null;
  };
}

function plainNames({ name, aliases = [] }: AgentDefinition): readonly string[] {
  return [name, ...aliases].map(plainName);
}

function grant(words: string, group: AgentGrant["group"], what: readonly unknown[]): AgentGrant {
  return { words, digest: hash("sha256", canonicalJson(["agent", ...what]), "hex"), group, agent: true };
}
