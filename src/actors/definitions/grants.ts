import { hash } from "node:crypto";
import type { MergeMode } from "../../mailbox/worktree.ts";
import type { AgentDefinition, AgentMode } from "./definition.ts";

/** One thing that a folder's definition of agents may do only where the person has agreed to it. */
export interface AgentGrant {
  /** For a person, such as `run "./check.sh" as a hook (PreToolUse) of the agent deployer`. */
  readonly words: string;
  /** The same for the same grant, another for any other. */
  readonly digest: string;
  readonly agent: true;
}

/** What of a definition is a grant: one hook's event, one server, its mode, how its edits come back. */
export type Privilege =
  | { readonly type: "hook"; readonly event: string; readonly hooks: unknown }
  | { readonly type: "server"; readonly name: string; readonly server: unknown }
  | { readonly type: "mode"; readonly mode: AgentMode }
  | { readonly type: "merge"; readonly mode: MergeMode };

/** A list for a person need not hold a whole script. */
const SHOWN_CHARS = 200;

/** What a folder's own definitions ask for; those of others were put where they are by the person. */
export function agentGrants(definitions: readonly AgentDefinition[]): readonly AgentGrant[] {
  return definitions.flatMap((definition) => powersOf(definition).map((power) => grantOf(definition, power)));
}

/** Those of the folder's own. */
export function powersOf(definition: AgentDefinition): readonly Privilege[] {
  const { source, hooks, mcpServers, permissionMode, merge } = definition;
  if (source?.scope !== "project") return [];
  return [
    ...Object.entries(hooks ?? {}).map(([event, one]) => ({ type: "hook" as const, event, hooks: one })),
    ...Object.entries(mcpServers?.own ?? {}).map(([name, server]) => ({
      ...{ type: "server" as const, name, server },
    })),
    ...(permissionMode === undefined || narrows(permissionMode)
      ? []
      : [{ type: "mode" as const, mode: permissionMode }]),
    // Settings may say that the user is asked, or that edits stay on their branch.
    ...(merge === "apply" || merge === "commit" ? [{ type: "merge" as const, mode: merge }] : []),
  ];
}

export function grantOf({ name }: Pick<AgentDefinition, "name">, power: Privilege): AgentGrant {
  switch (power.type) {
    case "hook": {
      const what = commandsIn(power.hooks)
        .map((command) => `"${shown(command)}"`)
        .join(", ");
      const words = `run ${what || shown(json(power.hooks))} as a hook (${shown(power.event)}) of the agent ${shown(name)}`;
      return grant(words, ["hook", name, power.event, power.hooks]);
    }
    case "server":
      return grant(
        `start the MCP server ${shown(power.name)} for the agent ${shown(name)}: ${shown(json(power.server))}`,
        ["server", name, power.name, power.server],
      );
    case "mode":
      return grant(
        `let the agent ${shown(name)} work in the mode ${power.mode}, where the session's is no narrower`,
        ["mode", name, power.mode],
      );
    case "merge":
      return grant(`merge the edits of the agent ${shown(name)} without a question (merge: ${power.mode})`, [
        "merge",
        name,
        power.mode,
      ]);
    default:
      return power satisfies never;
  }
}

function grant(words: string, what: readonly unknown[]): AgentGrant {
  return { words, digest: hash("sha256", json(["agent", ...what]), "hex"), agent: true };
}

/** The same whatever the order in which somebody has written it down. */
function json(value: unknown): string {
  return (
    JSON.stringify(value, (_, inner: unknown) =>
      typeof inner === "object" && inner !== null && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
        : inner,
    ) ?? ""
  );
}

/** However a hook is written: what it would run is under `command`. */
function commandsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(commandsIn);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === "command" ? [typeof inner === "string" ? inner : json(inner)] : commandsIn(inner),
  );
}

function shown(text: string): string {
  const line = text.replace(/[\s\p{Cc}\p{Cf}]+/gu, " ");
  return line.length <= SHOWN_CHARS ? line : `${line.slice(0, SHOWN_CHARS - 1).toWellFormed()}…`;
}

/** Below what a session without settings does. */
function narrows(mode: AgentMode): boolean {
  return mode === "plan" || mode === "dontAsk";
}
