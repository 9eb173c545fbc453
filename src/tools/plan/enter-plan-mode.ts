import * as z from "zod/mini";
import { naming } from "../prompt.ts";
import { type CallContext, failed, type Tool, type ToolPrompt } from "../tool.ts";
import { type Entered, MAX_PLAN_CHARS, type PlanService } from "./service.ts";

const Input = z.strictObject({});
type Input = z.infer<typeof Input>;

const prompt: ToolPrompt = {
  what: "Switches the conversation to plan mode, once the person agrees: you and your agents look, and nothing is changed until the person has approved a plan.",
  when: "before work that is more than a few edits: a new feature with several ways to build it, a change that touches many files or what others rely on, a task whose requirements must first be understood.",
  whenNot: [
    "for a small or obvious change, for a task that says step by step what to do, or for research that ends in an answer and not in changes.",
    naming`For one open question use ${"AskUserQuestion"}.`,
  ],
  how: [
    "it takes no arguments. Afterwards read what matters, weigh the ways to do it, and write down the one you choose.",
    naming`Then call ${"ExitPlanMode"} with the plan.`,
  ],
  recover:
    "when the person says no, or nobody can be asked, plan in your own mind and go on with the task as it was given.",
  limits: `only the main conversation can do it, and it holds for every agent below it. Of files, only the plan file can be changed meanwhile; commands that only read still run. The plan has at most ${MAX_PLAN_CHARS} characters.`,
};

export function enterPlanModeTool(
  desk: PlanService,
): Tool<Input, Exclude<Entered, { type: "refused" }>, CallContext> {
  return {
    name: "EnterPlanMode",
    aliases: [],
    description: prompt,
    inputSchema: Input,
    permissionLevel: "read",
    // Calls beside it would not know which mode they run in.
    parallel: false,
    title: () => "plan before anything is changed",
    accesses: () => [],
    async call(_, context) {
      const entered = await desk.enter(context);
      return entered.type === "refused" ? failed(entered.reason) : entered;
    },
    mapToolResultToToolResultBlockParam: ({ file }) =>
      [
        "Plan mode is on, for you and for every agent below you: nothing is changed until the person has approved your plan.",
        "1. Read the code that the task touches and what depends on it; agents may look at several places at once.",
        "2. Weigh at least two ways to do it, and ask the person where the choice is theirs.",
        `3. Write the plan to ${file}, the one file that may be written now: the goal, the steps in order with their files, how to see that each works, what could go wrong.`,
        "4. Call ExitPlanMode. Only then does the work begin.",
      ].join("\n"),
  };
}
