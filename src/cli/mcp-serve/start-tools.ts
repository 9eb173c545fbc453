import * as z from "zod/mini";
import type { ListedAgent } from "../../features/agents/listing.ts";
import type { Clock } from "../../lib/clock.ts";
import { errorMessage } from "../../lib/errors.ts";
import { given } from "../../lib/json.ts";
import type { ActorId } from "../../mailbox/ids.ts";
import { MODEL_ALIASES } from "../../mailbox/model.ts";
import type { MergeMode } from "../../mailbox/worktree.ts";
import type { SpawnRequest } from "../../session/options.ts";
import type { SupervisorHandle } from "../../session/supervisor-handle.ts";
import { assertNoneLeft } from "../../session/validate-request.ts";
import { counted } from "../../terminal/figures.ts";
import { agentType } from "../agents/session-agents.ts";
import { endWithoutAgent, type JobEnd } from "../jobs.ts";
import { taskName } from "../user-text.ts";
import { AgentsData, formatEnds, formatViews } from "./agent-results.ts";
import { type Hints, type ServedCall, type ServedResult, type ServedTool, serveTool } from "./mcp-server.ts";
import { tellProgress } from "./progress-notes.ts";
import type { ServedSession } from "./served-session.ts";

/** What the tools work with. */
export interface ServeContext {
  readonly session: ServedSession;
  readonly agents: readonly ListedAgent[];
  /** The server's flags, for every agent. */
  readonly isolation: "worktree" | undefined;
  readonly merge: MergeMode | undefined;
  /** True if the definition of this agent type gives each agent a worktree. */
  isolates(type: string): boolean;
  readonly clock: Clock;
}

const A_WEEK = 7 * 24 * 3600;
const A_BILLION = 1_000_000_000;
const MOST_PROMPTS = 100;

/** The server's permissions bound what agents do; only those know whether that can destroy something. */
export const WORKS: Hints = { readOnlyHint: false, destructiveHint: true, openWorldHint: true };

const described = <T extends z.ZodMiniType>(schema: T, text: string): T => schema.check(z.describe(text));

/** What a client may choose; what agents may do is not part of it. */
const startOptions = {
  agent_type: z.optional(
    described(
      z.string(),
      "The agent type, see list_agent_types. Default: Explore, which only reads; general-purpose with isolation",
    ),
  ),
  model: z.optional(described(z.enum(MODEL_ALIASES), "Another model than the agent type's or the server's")),
  isolation: z.optional(
    described(
      z.enum(["worktree"]),
      "Each agent edits in a git worktree of its own, and its edits are merged when it ends: for agents that edit at the same time",
    ),
  ),
  timeout_seconds: z.optional(
    described(
      z.int().check(z.minimum(1), z.maximum(A_WEEK)),
      "An agent is stopped after this time, and its report says so",
    ),
  ),
  token_budget: z.optional(
    described(
      z.int().check(z.minimum(1), z.maximum(A_BILLION)),
      "Tokens after which an agent writes its report with what it has",
    ),
  ),
  output_schema: z.optional(
    // Not a record: its JSON Schema is more than some clients understand.
    described(z.looseObject({}), "A JSON Schema: the report is then data that was checked against it"),
  ),
  background: z.optional(
    described(z.boolean(), "Return ids immediately; agent_result has the reports. For work of many minutes"),
  ),
};
const StartOptions = z.strictObject(startOptions);
type StartOptions = z.infer<typeof StartOptions>;

const prompt = described(
  z.string().check(z.minLength(1), z.maxLength(1_000_000)),
  "The task, complete in itself: the agent sees nothing else of this conversation (required)",
);
const SpawnInput = z.strictObject({
  prompt,
  description: z.optional(described(z.string(), "The task in three to five words, for displays")),
  ...startOptions,
});
const FanOutInput = z.strictObject({
  prompts: described(
    z.array(prompt).check(z.minLength(1), z.maxLength(MOST_PROMPTS)),
    `One agent for each; at most ${MOST_PROMPTS} (required)`,
  ),
  ...startOptions,
});

/** spawn_agent and fan_out. */
export function startTools(serving: ServeContext): readonly ServedTool[] {
  return [
    serveTool({
      name: "spawn_agent",
      title: "Run one agent",
      description: [
        "Runs one agent on one task: a conversation of its own, with its own context window and tools, in the server's directory. Returns its one report and how it ended, in every case.",
        "Use it for work whose details are not needed here: a search over many files, a review, a change that can be described. Parallel calls run at the same time.",
      ].join("\n"),
      ...{ input: SpawnInput, output: AgentsData, hints: WORKS },
      run: ({ prompt, description, background, ...options }, call) =>
        startAgents(serving, [toRequest(serving, options, prompt, description)], background, call),
    }),
    serveTool({
      name: "fan_out",
      title: "Run several agents in parallel",
      description: [
        "Runs one agent for each prompt, all at the same time, and returns when all have ended: one report each, in the order of the prompts. One that fails does not end the others.",
        "Use it for independent questions or parts of one job. Agents do not see each other; if they edit, give each its own files, or use isolation.",
      ].join("\n"),
      ...{ input: FanOutInput, output: AgentsData, hints: WORKS },
      run: ({ prompts, background, ...options }, call) =>
        startAgents(
          serving,
          prompts.map((one) => toRequest(serving, options, one)),
          background,
          call,
        ),
    }),
  ];
}

type NamedRequest = SpawnRequest & { readonly type: string; readonly description: string };

/** Throws a sentence if the agent type does not exist, before anything is started. */
function toRequest(
  { agents, isolation: always, merge, isolates }: ServeContext,
  options: Omit<StartOptions, "background">,
  prompt: string,
  description = prompt,
): NamedRequest {
  const {
    agent_type,
    model,
    isolation = always,
    timeout_seconds,
    token_budget,
    output_schema,
    ...rest
  } = options;
  assertNoneLeft("An agent", rest);
  // Isolation is for edits.
  const usual = isolation === undefined ? "Explore" : "general-purpose";
  const type = agentType(agent_type ?? usual, agents);
  const hasWorktree = isolation !== undefined || isolates(type);
  return {
    ...{ prompt, type, description: taskName(description) },
    ...given({ model, isolation, merge: hasWorktree ? merge : undefined }),
    ...(timeout_seconds === undefined ? {} : { timeoutMs: timeout_seconds * 1000 }),
    ...given({ tokenBudget: token_budget, output: output_schema }),
  };
}

async function startAgents(
  serving: ServeContext,
  requests: readonly NamedRequest[],
  background: boolean | undefined,
  call: ServedCall,
): Promise<ServedResult<AgentsData>> {
  const session = await serving.session.open();
  const { declined } = await session.approveFanOut(requests, call.signal);
  if (declined !== null) throw new Error(declined);
  if (background) return startInBackground(session, requests, serving.clock);
  const ids = new Set<ActorId>();
  const onStart = (id: ActorId): void => void ids.add(id);
  const stopTelling = reportProgress(serving, session, ids, call);
  const ends = await Promise.all(
    requests.map((request) =>
      session
        .spawn({ ...request, signal: call.signal, onStart })
        .catch((error: unknown) => toFailure(request, error)),
    ),
  );
  stopTelling();
  return formatEnds(session, ends, serving.clock.now());
}

/** The agents continue when the call has returned. */
async function startInBackground(
  session: SupervisorHandle,
  requests: readonly NamedRequest[],
  clock: Clock,
): Promise<ServedResult<AgentsData>> {
  const started = await Promise.all(
    requests.map(
      (request) =>
        new Promise<ActorId | JobEnd>((resolve) => {
          session
            .spawn({ ...request, onStart: resolve })
            .catch((error: unknown) => resolve(toFailure(request, error)));
        }),
    ),
  );
  const failures = started.filter((one) => typeof one !== "string");
  const ids = new Set(started.filter((one) => typeof one === "string"));
  const views = session.tree().filter(({ id }) => ids.has(id));
  const first = `${counted(views.length, "agent")} started in the background. agent_result waits for reports; stop_agents ends them.`;
  const running = formatViews(session, views, clock.now(), views.length === 0 ? [] : [first]);
  if (failures.length === 0) return running;
  const { texts, data } = formatEnds(session, failures, clock.now());
  return {
    texts: [...running.texts, ...texts],
    data: { agents: [...running.data.agents, ...data.agents] },
    isError: views.length === 0,
  };
}

/** Reports the progress of these agents, and of those that are added, until the returned function is called. */
export function reportProgress(
  { clock, session: served }: ServeContext,
  session: SupervisorHandle,
  ids: ReadonlySet<ActorId>,
  { progress }: ServedCall,
): () => void {
  if (progress === null) return () => {};
  const onChange = (listener: () => void) => served.onChange(listener);
  return tellProgress({ clock, views: () => session.tree(), ids, onChange, tell: progress });
}

function toFailure(request: NamedRequest, error: unknown): JobEnd {
  return endWithoutAgent(request, "failed", errorMessage(error));
}
