import type { AgentDefinition } from "./definition.ts";
import { grantOf, type Privilege, powersOf } from "./grants.ts";

/** Whether the person has agreed to what this digest stands for. */
export type Agreed = (digest: string) => boolean;

/** A folder's definition: what it says is read; what would run or widen counts only where the person has agreed to it. */
export function restrictUntrusted(definition: AgentDefinition, agreed: Agreed): AgentDefinition {
  const left = leftOut(definition, agreed);
  if (left.length === 0) return definition;
  const { hooks, mcpServers, permissionMode, merge, ...rest } = definition;
  const isLeft = (type: Privilege["type"], name: string) =>
    left.some((power) => power.type === type && nameOf(power) === name);
  const stay = <Value>(type: Privilege["type"], entries: Readonly<Record<string, Value>>) =>
    Object.fromEntries(Object.entries(entries).filter(([name]) => !isLeft(type, name)));
  const kept = stay("hook", hooks ?? {});
  // Servers of the session, which the person has, are only named.
  const servers = { named: mcpServers?.named ?? [], own: stay("server", mcpServers?.own ?? {}) };
  const hasServers = servers.named.length > 0 || Object.keys(servers.own).length > 0;
  const hasMode = permissionMode !== undefined && !isLeft("mode", permissionMode);
  return {
    ...rest,
    ...(Object.keys(kept).length === 0 ? {} : { hooks: kept }),
    ...(hasServers ? { mcpServers: servers } : {}),
    ...(hasMode ? { permissionMode } : {}),
    ...(merge === undefined || isLeft("merge", merge) ? {} : { merge }),
  };
}

/** Which definitions that concerns, and what of them, in a sentence; null: none. */
export function inertIn(definitions: readonly AgentDefinition[], agreed: Agreed): string | null {
  const parts = definitions.flatMap((definition) => {
    const kinds = [...new Set(leftOut(definition, agreed).map(kindOf))];
    return kinds.length === 0 ? [] : [`${definition.name} (${kinds.join(", ")})`];
  });
  if (parts.length === 0) return null;
  const shown = parts.slice(0, MOST_NAMED).join("; ");
  const more = parts.length > MOST_NAMED ? ` and ${parts.length - MOST_NAMED} more` : "";
  return `This folder is not trusted, so some of what its agent definitions say does not count: ${shown}${more}. --trust lets it count for this run.`;
}

const MOST_NAMED = 5;

function leftOut(definition: AgentDefinition, agreed: Agreed): readonly Privilege[] {
  return powersOf(definition).filter((power) => !agreed(grantOf(definition, power).digest));
}

function nameOf(power: Privilege): string {
  switch (power.type) {
    case "hook":
      return power.event;
    case "server":
      return power.name;
    case "mode":
    case "merge":
      return power.mode;
    default:
      return power satisfies never;
  }
}

function kindOf(power: Privilege): string {
  switch (power.type) {
    case "hook":
      return "hooks";
    case "server":
      return "MCP servers";
    case "mode":
      return `permissionMode ${power.mode}`;
    case "merge":
      return `merge ${power.mode}`;
    default:
      return power satisfies never;
  }
}
