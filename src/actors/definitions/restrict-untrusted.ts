import type { AgentDefinition } from "./definition.ts";
import { grantOf, type Privilege, privilegesOf } from "./grants.ts";

/** True if the user has accepted the grant with this digest. */
type Agreed = (digest: string) => boolean;

const MAX_NAMED = 5;

/** Returns a project's definition without privileges that the user has not accepted. */
export function restrictUntrusted(definition: AgentDefinition, agreed: Agreed): AgentDefinition {
  const refused = refusedPrivileges(definition, agreed);
  if (refused.length === 0) return definition;
  const { hooks = {}, mcpServers, permissionMode, merge, ...rest } = definition;
  const isRefused = (type: Privilege["type"], name: string) =>
    refused.some((privilege) => privilege.type === type && nameOf(privilege) === name);
  const allowed = <Value>(type: Privilege["type"], entries: Readonly<Record<string, Value>>) =>
    Object.fromEntries(Object.entries(entries).filter(([name]) => !isRefused(type, name)));
  const allowedHooks = allowed("hook", hooks);
  // Named servers are the session's, and so the user's.
  const servers = { named: mcpServers?.named ?? [], own: allowed("server", mcpServers?.own ?? {}) };
  const hasServers = servers.named.length > 0 || Object.keys(servers.own).length > 0;
  return {
    ...rest,
    ...(Object.keys(allowedHooks).length === 0 ? {} : { hooks: allowedHooks }),
    ...(hasServers ? { mcpServers: servers } : {}),
    ...(permissionMode === undefined || isRefused("mode", permissionMode) ? {} : { permissionMode }),
    ...(merge === undefined || isRefused("merge", merge) ? {} : { merge }),
  };
}

/** Formats which definitions were restricted and in what, or returns null. */
export function formatRestricted(definitions: readonly AgentDefinition[], agreed: Agreed): string | null {
  const parts = definitions.flatMap((definition) => {
    const kinds = new Set(refusedPrivileges(definition, agreed).map(kindOf));
    return kinds.size === 0 ? [] : [`${definition.name} (${[...kinds].join(", ")})`];
  });
  if (parts.length === 0) return null;
  const more = parts.length > MAX_NAMED ? ` and ${parts.length - MAX_NAMED} more` : "";
  return `This directory is not trusted, so some of what its agent definitions say does not count: ${parts.slice(0, MAX_NAMED).join("; ")}${more}. --trust lets it count for this run.`;
}

function refusedPrivileges(definition: AgentDefinition, agreed: Agreed): readonly Privilege[] {
  return privilegesOf(definition).filter((privilege) => !agreed(grantOf(definition, privilege).digest));
}

function nameOf(privilege: Privilege): string {
  switch (privilege.type) {
    case "hook":
      return privilege.event;
    case "server":
      return privilege.name;
    case "mode":
    case "merge":
      return privilege.mode;
    default:
      return privilege satisfies never;
  }
}

function kindOf(privilege: Privilege): string {
  switch (privilege.type) {
    case "hook":
      return "hooks";
    case "server":
      return "MCP servers";
    case "mode":
      return `permissionMode ${privilege.mode}`;
    case "merge":
      return `merge ${privilege.mode}`;
    default:
      return privilege satisfies never;
  }
}
