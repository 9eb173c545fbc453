import * as z from "zod/mini";
import { naming } from "../prompt.ts";
import { type CallContext, failed, type Tool, type ToolPrompt } from "../tool.ts";
import { type Entered, MAX_PLAN_CHARS, type PlanService } from "./service.ts";

const Input = z.strictObject({});
type Input = z.infer<typeof Input>;

const prompt: ToolPrompt = {
  what: "Switches the conversation to plan mode if the user agrees: you and your agents only read, and nothing is changed until the user has approved a plan.",
  when: "before work that is more than a few edits: a new feature with several ways to build it, a change to many files or to something that others rely on, a task whose requirements must first be understood.",
  whenNot: [
    "for a small or obvious change, for a task that says step by step what to do, or for research that ends in an answer and not in changes.",
    naming`For one open question use ${"AskUserQuestion"}.`,
  ],
  how: [
    "it takes no arguments. Then read what matters, compare the ways to do it, and write down the one you choose.",
    naming`Then call ${"ExitPlanMode"} with the plan.`,
  ],
  recover:
    "if the user says no, or no user is available, plan without this mode and continue the task as it was given.",
  limits: `only the main conversation can do it, and it applies to every agent below it. In plan mode only the plan file can be changed; commands that only read still run. The plan has at most ${MAX_PLAN_CHARS} characters.`,
};

export function enterPlanModeTool(
  service: PlanService,
): Tool<Input, Exclude<Entered, { type: "refused" }>, CallContext> {
  return {
    name: "EnterPlanMode",
    description: prompt,
    inputSchema: Input,
    permissionLevel: "read",
    // Other calls would not know in which mode they run.
    parallel: false,
    title: () => "plan before anything is changed",
    async call(_, context) {
      const entered = await service.enter(context);
      return entered.type === "refused" ? failed(entered.reason) : entered;
    },
    mapToolResultToToolResultBlockParam: ({ file }) =>
      [
        "Plan mode is on, for you and for every agent below you: nothing is changed until the user has approved your plan.",
        "1. Read the code that the task touches and what depends on it; agents can look at several parts at the same time.",
        "2. Compare at least two ways to do it, and ask the user if the choice is theirs.",
        `3. Write the plan to ${file}, the only file that may be written now: the goal, the steps in order with their files, how to check each, what could go wrong.`,
        "4. Call ExitPlanMode. Only then does the work begin.",
      ].join("\n"),
  };
}
