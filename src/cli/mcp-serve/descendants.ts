import type { ActorId } from "../../mailbox/ids.ts";
import type { SupervisorHandle } from "../../session/options.ts";
import type { AgentView } from "../../supervisor/view.ts";

/** These agents and all below them. Views come in the order of their starts, so parents stand before their children. */
export function descendantsOf(views: readonly AgentView[], ids: ReadonlySet<ActorId>): readonly AgentView[] {
  const family = new Set(ids);
  return views.filter(({ id, parent }) => {
    if (parent !== null && family.has(parent)) family.add(id);
    return family.has(id);
  });
}

/** Tools of which a call of this agent, or of one below it, was refused; each once. */
export function refusedTools(session: SupervisorHandle, id: ActorId): readonly string[] {
  const { denials } = session.usage();
  if (denials.length === 0) return [];
  const family = new Set(descendantsOf(session.tree(), new Set([id])).map((view) => view.id));
  const refused = denials.filter(({ actor }) => family.has(actor));
  return [...new Set(refused.map(({ tool_name }) => tool_name))];
}
