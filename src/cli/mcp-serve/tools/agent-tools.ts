import * as z from "zod/mini";
import { viewLine } from "../agent-texts.ts";
import { refusedTools } from "../descendants.ts";
import { endsResult, viewsResult } from "../ends-result.ts";
import { type Hints, type ServedTool, servedTool } from "../served-tool.ts";
import { agentsNamed, type Serving, whenBegun, whenEnded } from "../serving.ts";
import { ShownAgents, shownView } from "../shown-agent.ts";
import { telling } from "../started-agents.ts";

const LOOKS: Hints = { readOnlyHint: true, idempotentHint: true, openWorldHint: false };
const STOPS: Hints = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
const WORKS: Hints = { readOnlyHint: false, destructiveHint: true, openWorldHint: true };

/** Below the minute after which many clients give up on a call. */
const WAIT_SECONDS = 30;
const MOST_WAIT_SECONDS = 600;
/** Beyond the agents' own grace. */
const STOP_MS = 10_000;

const agent_ids = z
  .array(z.string())
  .check(z.minLength(1), z.maxLength(100), z.describe("Ids of agents, as other tools name them (required)"));

const ResultInput = z.strictObject({
  agent_ids,
  wait_seconds: z.optional(
    z
      .number()
      .check(
        z.minimum(0),
        z.maximum(MOST_WAIT_SECONDS),
        z.describe(`How long to wait for their ends; ${WAIT_SECONDS} where absent, 0 to look only`),
      ),
  ),
});
const ContinueInput = z.strictObject({
  agent_id: z.string().check(z.describe("The agent (required)")),
  message: z.string().check(z.minLength(1), z.describe("What it is told (required)")),
  background: z.optional(
    z.boolean().check(z.describe("Answer as soon as it works on it; agent_result has the report")),
  ),
});
const StopInput = z.strictObject({
  agent_ids,
  reason: z.optional(z.string().check(z.describe("A sentence that stands in its summary"))),
});
const ListInput = z.strictObject({
  running_only: z.optional(z.boolean().check(z.describe("Leave out those that have ended"))),
});

/** What there is to do with agents that were started: ask for results, go on, stop, list. */
export function toolsOnAgents(serving: Serving): readonly ServedTool[] {
  return [resultTool(serving), continueTool(serving), stopTool(serving), listTool(serving)];
}

function resultTool(serving: Serving): ServedTool {
  return servedTool({
    name: "agent_result",
    title: "Reports of agents",
    description:
      "Waits until these agents have ended, or for wait_seconds, and answers with the report of each that has, and with what the others are doing. For agents that were started in the background; a report can be asked for any number of times.",
    input: ResultInput,
    output: ShownAgents,
    hints: LOOKS,
    async run({ agent_ids, wait_seconds = WAIT_SECONDS }, { signal, tell }) {
      const ids = agentsNamed(serving, agent_ids).map(({ id }) => id);
      const session = await serving.session();
      const stopTelling = telling(serving, session, new Set(ids), tell);
      await whenEnded(serving, ids, { ms: wait_seconds * 1000, signal });
      stopTelling();
      return viewsResult(session, agentsNamed(serving, agent_ids), serving.clock.now());
    },
  });
}

function continueTool(serving: Serving): ServedTool {
  return servedTool({
    name: "continue_agent",
    title: "Go on with an agent",
    description:
      "Tells an agent something more: one that has ended goes on with all it knew, one that still runs hears it at its next turn. Answers with its next report. Cheaper than a new agent for a question about what it has found.",
    input: ContinueInput,
    output: ShownAgents,
    hints: WORKS,
    async run({ agent_id, message, background = false }, { signal, tell }) {
      const ids = agentsNamed(serving, [agent_id]).map(({ id }) => id);
      const session = await serving.session();
      const ends = ids.map((id) => session.resume(id, message, background ? undefined : signal));
      if (background) {
        const over = new AbortController();
        const begun = whenBegun(serving, ids, AbortSignal.any([signal, over.signal]));
        await Promise.race([Promise.all(ends), begun]).finally(() => over.abort());
        return viewsResult(session, agentsNamed(serving, [agent_id]), serving.clock.now());
      }
      const stopTelling = telling(serving, session, new Set(ids), tell);
      try {
        return endsResult(session, await Promise.all(ends), serving.clock.now());
      } finally {
        stopTelling();
      }
    },
  });
}

function stopTool(serving: Serving): ServedTool {
  return servedTool({
    name: "stop_agents",
    title: "Stop agents",
    description:
      "Stops these agents and all they have started, and answers with one summary each: what they had said so far. One that has ended already stays as it is.",
    input: StopInput,
    output: ShownAgents,
    hints: STOPS,
    async run({ agent_ids, reason = "The client stopped it." }, { signal }) {
      const ids = agentsNamed(serving, agent_ids).map(({ id }) => id);
      const session = await serving.session();
      for (const id of ids) session.cancel(id, reason);
      await whenEnded(serving, ids, { ms: STOP_MS, signal });
      return viewsResult(session, agentsNamed(serving, agent_ids), serving.clock.now());
    },
  });
}

function listTool(serving: Serving): ServedTool {
  return servedTool({
    name: "list_agents",
    title: "Agents of this connection",
    description:
      "Every agent that was started through this connection, and those that they have started: where each stands, what it does, what it has used. Without their reports; agent_result has those.",
    input: ListInput,
    output: ShownAgents,
    hints: LOOKS,
    async run({ running_only = false }) {
      const opened = serving.opened();
      if (opened === null) return { texts: ["No agent was started yet."], data: { agents: [] } };
      const now = serving.clock.now();
      const views = opened.tree().filter(({ state }) => !running_only || state !== "ended");
      const none = running_only ? "No agent is running." : "No agent was started yet.";
      const agents = views.map((view) => {
        const { report: _, output: __, ...shown } = shownView(view, refusedTools(opened, view.id), now);
        return shown;
      });
      return {
        texts: [views.length === 0 ? none : views.map((view) => viewLine(view, now)).join("\n")],
        data: { agents },
      };
    },
  });
}
