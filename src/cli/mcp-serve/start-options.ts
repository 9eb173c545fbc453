import * as z from "zod/mini";
import type { SpawnRequest } from "../../session/options.ts";
import { assertNoneLeft } from "../../session/validate-request.ts";
import { agentType } from "../agent-type.ts";
import { taskName } from "../task-names.ts";
import type { Serving } from "./serving.ts";

const A_WEEK = 7 * 24 * 3600;
const A_BILLION = 1_000_000_000;

/** What spawn_agent and fan_out let a client choose; what agents may do is not among it. */
export const startOptions = {
  agent_type: z.optional(
    z
      .string()
      .check(
        z.describe(
          "The kind of agent, see list_agent_types. Absent: Explore, which only reads; general-purpose with isolation",
        ),
      ),
  ),
  model: z.optional(
    z
      .enum(["haiku", "sonnet", "opus"])
      .check(z.describe("Another model than the agent type's or the server's")),
  ),
  isolation: z.optional(
    z
      .enum(["worktree"])
      .check(
        z.describe(
          "Each agent edits in a git worktree of its own, and its edits are merged back when it ends: for agents that edit side by side",
        ),
      ),
  ),
  timeout_seconds: z.optional(
    z
      .int()
      .check(z.minimum(1), z.maximum(A_WEEK), z.describe("An agent is stopped after this time, and says so")),
  ),
  token_budget: z.optional(
    z
      .int()
      .check(
        z.minimum(1),
        z.maximum(A_BILLION),
        z.describe("Tokens after which an agent writes its report with what it has"),
      ),
  ),
  output_schema: z.optional(
    z
      // Not a record: what that comes to as JSON Schema is more than some clients take.
      .looseObject({})
      .check(z.describe("A JSON Schema: the report is then data that was checked against it")),
  ),
  background: z.optional(
    z
      .boolean()
      .check(z.describe("Answer at once with ids; agent_result has the reports. For work of many minutes")),
  ),
};

const StartOptions = z.strictObject(startOptions);
export type StartOptions = z.infer<typeof StartOptions>;

/** What the session is asked. Throws a sentence on a type that there is not, before anything is started. */
export function requestFor(
  { agents, isolation: always, merge, isolates }: Serving,
  options: Omit<StartOptions, "background">,
  { prompt, description }: { readonly prompt: string; readonly description?: string | undefined },
): SpawnRequest & { readonly type: string; readonly description: string } {
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
  // Whoever isolates edits wants some.
  const usual = isolation === undefined ? "Explore" : "general-purpose";
  const type = agentType(agent_type ?? usual, agents);
  const hasTree = isolation !== undefined || isolates(type);
  return {
    ...{ prompt, type },
    description: taskName(description ?? prompt),
    ...(model === undefined ? {} : { model }),
    ...(isolation === undefined ? {} : { isolation }),
    ...(merge === undefined || !hasTree ? {} : { merge }),
    ...(timeout_seconds === undefined ? {} : { timeoutMs: timeout_seconds * 1000 }),
    ...(token_budget === undefined ? {} : { tokenBudget: token_budget }),
    ...(output_schema === undefined ? {} : { output: output_schema }),
  };
}
