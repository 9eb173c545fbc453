import * as z from "zod/mini";
import type { AskDetail } from "../policy/user-requests.ts";
import { type CallContext, failed, naming, type Tool, type ToolPrompt } from "./tool.ts";

/** Characters of a script. */
export const MAX_SCRIPT_CHARS = 524_288;

/** Begins the ID of each run of a script that a model has started, and so the keys of its calls. */
export const RUN_PREFIX = "wf_";

/** The script that a model has written or named. `scriptPath` wins over `script`, and that over `name`. */
export interface WorkflowRequest {
  readonly script?: string | undefined;
  readonly name?: string | undefined;
  readonly scriptPath?: string | undefined;
  /** Any JSON value. */
  readonly args?: unknown;
  readonly resumeFromRunId?: string | undefined;
}

/** A script that runs in the background. */
export interface WorkflowStarted {
  readonly task: string;
  readonly run: string;
  /** Where the script is. */
  readonly path: string;
  /** The file of its lines and of what it returns. */
  readonly output: string;
}

/** Orchestration scripts as the main conversation starts them. */
export interface WorkflowService {
  /** Returns the script and what it is likely to cost, for the user who decides. Never rejects. */
  preview(request: WorkflowRequest, cwd: string): Promise<readonly AskDetail[]>;
  /** Returns why nothing was started, as sentences, if it was not. */
  start(request: WorkflowRequest, context: CallContext): Promise<WorkflowStarted | string>;
}

const Input = z.strictObject({
  script: z.optional(
    z.string().check(
      z.describe("The script itself"),
      z.refine((text) => text.length <= MAX_SCRIPT_CHARS, `must have at most ${MAX_SCRIPT_CHARS} characters`),
    ),
  ),
  name: z.optional(
    z
      .string()
      .check(
        z.describe("A script in .claude/workflows of the project or of the user's home, by its file name"),
      ),
  ),
  scriptPath: z.optional(z.string().check(z.describe("The file of a script; it wins over script and name"))),
  args: z.optional(z.unknown().check(z.describe("Any JSON value: the script's global `args`"))),
  resumeFromRunId: z.optional(
    z
      .string()
      .check(
        z.describe(
          "The run id (wf_…) of an earlier run in this session: calls that finished keep their results",
        ),
      ),
  ),
  description: z.optional(z.string().check(z.describe("What it is for; for the user only"))),
  title: z.optional(z.string().check(z.describe("Ignored"))),
});
type Input = z.infer<typeof Input>;

const prompt: ToolPrompt = {
  what: "Runs an orchestration script in the background: plain JavaScript or TypeScript that starts agents. The user sees the script and its likely cost first.",
  when: "only if the user asked for orchestration (a workflow, a script, many agents in steps) or named a script.",
  whenNot: ["for a few independent tasks.", naming`Call ${"Agent"} several times in one reply for those.`],
  how: [
    "give one of script, name and scriptPath. A script begins with `export const meta = { name, description }`, a pure literal, and may `await` and `return` at its top level.",
    "It has `agent(prompt, { label, phase, schema, agentType, model, isolation, accept })`, which resolves to the report (data if `schema` is a JSON Schema) or to null if the agent failed; `parallel([() => …])`; `pipeline(items, stage1, stage2, …)`, each stage with (value, item, index); `phase(title)`; `log(text)`; `budget`; `args`. Filter results with `.filter(Boolean)`. It has no files, network, modules, timers or clock: agents do the work. Prefer 10 to 15 agents.",
    "The result has a task id, a run id and the path of the script; a notification with what it returned follows, so do not wait. To change a run, edit that file and call this again with scriptPath and resumeFromRunId: only new, changed and failed calls run.",
  ],
  recover:
    "a script that failed says why and where; edit it and resume the run. Nothing was started if the message says so.",
  limits: `only the main conversation can do it. At most ${MAX_SCRIPT_CHARS} characters and 1,000 calls.`,
};

/** `load`: no conversation needs it before its first script. */
export function workflowTool(
  load: () => Promise<WorkflowService>,
): Tool<Input, WorkflowStarted, CallContext> {
  return {
    name: "Workflow",
    description: prompt,
    inputSchema: Input,
    permissionLevel: "execute",
    title: ({ scriptPath, script, name, resumeFromRunId }) =>
      scriptPath ?? (script === undefined ? (name ?? resumeFromRunId ?? "no script") : titleOf(script)),
    preview: async (input, cwd) => ({ details: await (await load()).preview(input, cwd) }),
    async call(input, context) {
      const started = await (await load()).start(input, context);
      return typeof started === "string" ? failed(`Nothing was started. ${started}`) : started;
    },
    mapToolResultToToolResultBlockParam: ({ task, run, path, output }) =>
      `The script runs in the background. You will be notified once, when it has ended; its result is not known before.
task_id: ${task}
run_id: ${run}
script: ${path}
output_file: ${output}`,
  };
}

/** The name in its `meta`, for lists. */
function titleOf(script: string): string {
  return /\bname\s*:\s*["'`]([^"'`\n]{1,60})["'`]/.exec(script)?.[1] ?? "a script of the model";
}
