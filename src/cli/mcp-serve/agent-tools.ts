import * as z from "zod/mini";
import { formatAgentLine } from "../../tools/agent.ts";
import { AgentsData, formatEnds, formatList, formatViews } from "./agent-results.ts";
import { type Hints, type ServedTool, serveTool } from "./mcp-server.ts";
import { reportProgress, type ServeContext, WORKS } from "./start-tools.ts";

const LOOKS: Hints = { readOnlyHint: true, idempotentHint: true, openWorldHint: false };
const STOPS: Hints = { ...LOOKS, readOnlyHint: false, destructiveHint: false };

/** Below the minute after which many clients give up on a call. */
const WAIT_SECONDS = 30;
const MOST_WAIT_SECONDS = 600;
/** Longer than the agents' own grace. */
const STOP_MS = 10_000;

const agent_ids = z
  .array(z.string())
  .check(z.minLength(1), z.maxLength(100), z.describe("Ids of agents, from other tools (required)"));

/** The tools for agents that were started: get results, continue, stop, list. */
export function controlTools(serving: ServeContext): readonly ServedTool[] {
  return [resultTool, continueTool, stopTool, listTool, typesTool].map((tool) => tool(serving));
}

function resultTool(serving: ServeContext): ServedTool {
  return serveTool({
    name: "agent_result",
    title: "Reports of agents",
    description:
      "Waits until these agents have ended, or for wait_seconds, and returns the report of each that has, and what the others are doing. For agents that were started in the background; a report can be read any number of times.",
    input: z.strictObject({
      agent_ids,
      wait_seconds: z.optional(
        z
          .number()
          .check(
            z.minimum(0),
            z.maximum(MOST_WAIT_SECONDS),
            z.describe(`How long to wait for their ends; default ${WAIT_SECONDS}, 0 does not wait`),
          ),
      ),
    }),
    output: AgentsData,
    hints: LOOKS,
    async run({ agent_ids, wait_seconds = WAIT_SECONDS }, call) {
      const ids = serving.session.find(agent_ids).map(({ id }) => id);
      const session = await serving.session.open();
      const stopReporting = reportProgress(serving, session, new Set(ids), call);
      await serving.session.waitUntil("ended", ids, { ms: wait_seconds * 1000, signal: call.signal });
      stopReporting();
      return formatViews(session, serving.session.find(agent_ids), serving.clock.now());
    },
  });
}

function continueTool(serving: ServeContext): ServedTool {
  return serveTool({
    name: "continue_agent",
    title: "Continue an agent",
    description:
      "Sends an agent a further message: one that has ended resumes with all it knew, one that still runs receives it at its next turn. Returns its next report. Cheaper than a new agent for a question about what it has found.",
    input: z.strictObject({
      agent_id: z.string().check(z.describe("The agent (required)")),
      message: z.string().check(z.minLength(1), z.describe("The message (required)")),
      background: z.optional(
        z.boolean().check(z.describe("Return as soon as it works on it; agent_result has the report")),
      ),
    }),
    output: AgentsData,
    hints: WORKS,
    async run({ agent_id, message, background = false }, call) {
      const { signal } = call;
      const ids = serving.session.find([agent_id]).map(({ id }) => id);
      const session = await serving.session.open();
      const ends = ids.map((id) => session.resume(id, message, background ? undefined : signal));
      if (background) {
        const ended = new AbortController();
        const either = AbortSignal.any([signal, ended.signal]);
        const working = serving.session.waitUntil("working", ids, { signal: either });
        await Promise.race([Promise.all(ends), working]).finally(() => ended.abort());
        return formatViews(session, serving.session.find([agent_id]), serving.clock.now());
      }
      const stopReporting = reportProgress(serving, session, new Set(ids), call);
      try {
        return formatEnds(session, await Promise.all(ends), serving.clock.now());
      } finally {
        stopReporting();
      }
    },
  });
}

function stopTool(serving: ServeContext): ServedTool {
  return serveTool({
    name: "stop_agents",
    title: "Stop agents",
    description:
      "Stops these agents and their descendants, and returns one summary each: what they had reported so far. One that has ended already stays as it is.",
    input: z.strictObject({
      agent_ids,
      reason: z.optional(z.string().check(z.describe("A sentence for its summary"))),
    }),
    output: AgentsData,
    hints: STOPS,
    async run({ agent_ids, reason = "The client stopped it." }, { signal }) {
      const ids = serving.session.find(agent_ids).map(({ id }) => id);
      const session = await serving.session.open();
      for (const id of ids) session.cancel(id, reason);
      await serving.session.waitUntil("ended", ids, { ms: STOP_MS, signal });
      return formatViews(session, serving.session.find(agent_ids), serving.clock.now());
    },
  });
}

function listTool({ session, clock }: ServeContext): ServedTool {
  return serveTool({
    name: "list_agents",
    title: "Agents of this connection",
    description:
      "Lists every agent that was started through this connection, and their descendants: state, activity, usage. Without their reports; agent_result has those.",
    input: z.strictObject({
      running_only: z.optional(z.boolean().check(z.describe("Leave out those that have ended"))),
    }),
    output: AgentsData,
    hints: LOOKS,
    async run({ running_only = false }) {
      const { handle } = session;
      const views = handle?.tree().filter(({ state }) => !running_only || state !== "ended") ?? [];
      if (handle !== null && views.length > 0) return formatList(handle, views, clock.now());
      const none = handle !== null && running_only ? "No agent is running." : "No agent was started yet.";
      return { texts: [none], data: { agents: [] } };
    },
  });
}

function typesTool({ agents }: ServeContext): ServedTool {
  return serveTool({
    name: "list_agent_types",
    title: "Agent types",
    description:
      "Lists the agent types that can be started here, with their purpose and their tools: the built-in ones and those of .claude/agents.",
    input: z.strictObject({}),
    output: z.object({
      agent_types: z.array(
        z.object({
          name: z.string(),
          when_to_use: z.string(),
          tools: z.array(z.string()),
          model: z.optional(z.string()),
          traits: z.optional(z.array(z.string())),
        }),
      ),
    }),
    hints: LOOKS,
    async run() {
      const agent_types = agents.map(({ name, whenToUse, tools, model, traits }) => ({
        ...{ name, when_to_use: whenToUse, tools: [...tools] },
        ...(model === undefined ? {} : { model }),
        ...(traits === undefined ? {} : { traits: [...traits] }),
      }));
      return { texts: [agents.map(formatAgentLine).join("\n")], data: { agent_types } };
    },
  });
}
