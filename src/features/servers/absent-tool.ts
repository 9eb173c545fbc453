import { MAIN } from "../../mailbox/ids.ts";
import type { ServerStatus } from "../../mcp/mcp.ts";
import { serverSlug } from "../../mcp/names.ts";
import { matchesToolName } from "../../policy/gate.ts";
import type { Actor } from "../../supervisor/actor-record.ts";
import { SEARCH } from "../../tools/deferred/resolve-call.ts";
import { namedTools } from "../agents/definition-tools.ts";
import { whyMissing } from "./agent-servers.ts";
import { shownName } from "./named-servers.ts";
import { type KindsOf, kindOf } from "./tools-after-start.ts";

export interface AbsentParts extends KindsOf {
  /** Its servers, in any state. */
  readonly there: readonly ServerStatus[];
  /** Names of known servers that are not started, each with the reason. */
  readonly leftOut: Readonly<Record<string, string>>;
}

const GO_ON = "Continue without it, and say so in your report where it matters.";
const WAIT = "You are notified when they are ready; until then do what needs none of them.";

const JUST_COME = "It is ready now: make the call again.";

/**
 * Returns why an actor was not offered a server's tool, and what to do. Returns null if it may not have it anyway, or
 * if nothing is known of such a server or tool.
 */
export function absenceReason(actor: Actor, tool: string, parts: AbsentParts): string | null {
  if (!mayHave(actor, tool, parts)) return null;
  const isOf = (slug: string) => tool.startsWith(`mcp__${slug}__`);
  const status = parts.there.find(({ slug }) => isOf(slug));
  if (status !== undefined) {
    const [why] = whyMissing(status);
    const isOffered = actor.spec.tools.some(({ name }) => name === tool);
    if (why === undefined) return isOffered ? JUST_COME : null;
    return `${why} ${status.state.type === "starting" && hears(actor) ? WAIT : GO_ON}`;
  }
  const left = Object.entries(parts.leftOut).find(([name]) => isOf(serverSlug(name)));
  return left === undefined
    ? null
    : `The MCP server ${shownName(left[0])} is not started: ${left[1]}. ${GO_ON}`;
}

function mayHave(actor: Actor, tool: string, of: KindsOf): boolean {
  const kind = kindOf(actor, of);
  if (kind === null || kind === "main") return kind !== null;
  const allowed = namedTools(kind);
  const isNamed = (names: readonly string[]) => names.some((one) => matchesToolName(one, tool));
  return (allowed === "all" || isNamed(allowed)) && !isNamed(kind.disallowedTools ?? []);
}

/** True if it gets notices of new tools. */
function hears({ id, spec }: Actor): boolean {
  return id === MAIN || spec.tools.some(({ name }) => name === SEARCH);
}
