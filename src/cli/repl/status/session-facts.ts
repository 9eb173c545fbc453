import { join } from "node:path";
import type { AgentView, SupervisorEvent } from "../../../events/event.ts";
import type { Clock } from "../../../lib/clock.ts";
import { troupeVersion } from "../../../lib/version.ts";
import type { Usage } from "../../../mailbox/conversation.ts";
import { type ActorId, MAIN } from "../../../mailbox/ids.ts";
import type { SupervisorHandle } from "../../../session/supervisor-handle.ts";
import type { SessionStatus } from "../../../terminal/live/prompt-rows.ts";

export interface FactsOf {
  readonly session: Pick<SupervisorHandle, "session" | "folder" | "mode" | "usage" | "describe" | "tasks">;
  readonly cwd: string;
  /** Returns the tokens of a model's window. */
  readonly windowOf: (model: string) => number;
  readonly clock: Pick<Clock, "now">;
}

/** What is known of a session for the line below the prompt. */
export function createSessionFacts({ session, cwd, windowOf, clock }: FactsOf) {
  const startedAt = clock.now();
  let context: Usage | number | null = null;
  const changed = { added: 0, removed: 0 };
  /** Agents that a question for the user is about, by its ID. */
  const asking = new Map<string, readonly ActorId[]>();
  /** The session's totals; events make them old. */
  let totals: ReturnType<FactsOf["session"]["usage"]> | null = null;

  const known = () => (totals ??= session.usage());
  const model = () => known().agents.find(({ id }) => id === MAIN)?.model ?? session.describe().model;
  const tokens = (): number | null =>
    context === null || typeof context === "number" ? context : inputOf(context) + context.output_tokens;

  return {
    onEvent(event: SupervisorEvent) {
      switch (event.type) {
        case "message":
          if (event.actor === MAIN && event.usage !== undefined) context = event.usage;
          break;
        case "compacted":
          if (event.actor === MAIN) context = event.after;
          break;
        case "call-end":
          changed.added += event.diff?.added ?? 0;
          changed.removed += event.diff?.removed ?? 0;
          return;
        case "asked":
          if ("askers" in event.what)
            asking.set(
              event.id,
              event.what.askers.map(({ actor }) => actor),
            );
          return;
        case "settled":
          asking.delete(event.id);
          return;
        case "agent":
          break;
        default:
          return;
      }
      totals = null;
    },
    status(branch: string | null, vim: SessionStatus["vim"]): SessionStatus {
      const { agents, costUsd } = known();
      const working = agents.filter(({ id, state }) => id !== MAIN && state !== "ended");
      const asked = new Set([...asking.values()].flat());
      const used = tokens();
      const main = agents.find(({ id }) => id === MAIN);
      return {
        ...{ vim, model: model(), mode: session.mode(), costUsd, branch },
        context: used === null ? null : used / windowOf(model()),
        agents: {
          working: working.length,
          waiting: working.filter((view) => asked.has(view.id) || isHeldUp(view)).length,
        },
        tasks: session.tasks.list().filter(({ state }) => state === "running").length,
        isWorking: main !== undefined && main.state !== "ended" && main.hasLoop,
      };
    },
    /** Returns what a user's command reads, under the names that such commands expect. */
    commandInput(vim: SessionStatus["vim"]): Readonly<Record<string, unknown>> {
      const { costUsd, apiMs, usage } = known();
      const id = model();
      const used = tokens();
      const size = windowOf(id);
      const percentage = used === null ? null : Math.round((used / size) * 100);
      return {
        hook_event_name: "Status",
        session_id: session.session,
        transcript_path: join(session.folder, "journal.jsonl"),
        cwd,
        permission_mode: session.mode(),
        model: { id, display_name: id },
        workspace: { current_dir: cwd, project_dir: cwd },
        version: troupeVersion(),
        output_style: { name: "default" },
        ...(vim === null ? {} : { vim: { mode: vim } }),
        cost: {
          total_cost_usd: costUsd,
          total_duration_ms: Math.round(clock.now() - startedAt),
          total_api_duration_ms: Math.round(apiMs),
          total_lines_added: changed.added,
          total_lines_removed: changed.removed,
        },
        context_window: {
          total_input_tokens: inputOf(usage),
          total_output_tokens: usage.output_tokens,
          context_window_size: size,
          current_usage: context === null || typeof context === "number" ? null : context,
          used_percentage: percentage,
          remaining_percentage: percentage === null ? null : Math.max(0, 100 - percentage),
        },
        exceeds_200k_tokens: (used ?? 0) > 200_000,
      };
    },
  };
}

function inputOf(usage: Usage): number {
  return usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens;
}

/** True if an agent can do nothing now, and not because it waits for agents of its own. */
function isHeldUp({ state, activity }: AgentView): boolean {
  return state === "queued" || state === "paused" || activity.type === "retrying";
}
