import type { AgentResult } from "../events/agent-result.ts";
import type { StartAgents } from "../features/agents/start-agents.ts";
import { ScriptRuns, type ScriptRunsParts } from "../features/scripts/script-runs.ts";
import { Workflows, type WorkflowsParts } from "../features/scripts/workflows.ts";
import { given } from "../lib/json.ts";
import type { WorkflowService } from "../tools/workflow.ts";
import type { SpawnRequest } from "./options.ts";

export interface ScriptsParts
  extends Omit<ScriptRunsParts, "startCall" | "actors" | "definition" | "estimate">,
    Omit<WorkflowsParts, "runs"> {
  readonly spawn: StartAgent;
  readonly agents: Pick<StartAgents, "definition" | "estimate">;
}

/** How the calls of scripts start their agents. */
export type StartAgent = (request: SpawnRequest) => Promise<AgentResult>;

/** The scripts of a session: what runs them, and how models start them. */
export interface SessionScripts {
  readonly runs: ScriptRuns;
  readonly workflows: WorkflowService;
}

/** Loaded with the first script. */
export function openScripts({ spawn, agents, ...parts }: ScriptsParts): SessionScripts {
  const runs = new ScriptRuns({
    ...parts,
    definition: (type) => agents.definition(type),
    estimate: (calls) => agents.estimate(calls),
    startCall(
      { type, prompt, options: { label, schema, model, isolation, accept } },
      { key, signal, onStart },
    ) {
      return spawn({
        ...{ type, prompt, key, signal, onStart },
        ...given({ description: label, output: schema, model, isolation, accept }),
      });
    },
  });
  return { runs, workflows: new Workflows({ ...parts, runs }) };
}
