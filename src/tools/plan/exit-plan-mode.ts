import * as z from "zod/mini";
import { naming } from "../prompt.ts";
import { type CallContext, failed, type Tool, type ToolPrompt } from "../tool.ts";
import { promptKinds } from "./allowed-prompts.ts";
import {
  type Approved,
  MAX_ALLOWED_PROMPTS,
  MAX_PLAN_CHARS,
  MAX_PROMPT_CHARS,
  type PlanService,
} from "./service.ts";

const AllowedPrompt = z.object({
  tool: z.enum(["Bash"]).check(z.describe("The tool it is for (required)")),
  prompt: z.string().check(
    z.describe("What to allow, in a few words, such as “run tests” (required)"),
    z.refine((text) => text.length <= MAX_PROMPT_CHARS, `must have at most ${MAX_PROMPT_CHARS} characters`),
  ),
});

const Input = z.strictObject({
  allowedPrompts: z.optional(
    z.array(AllowedPrompt).check(
      z.describe("Commands that the plan needs; shown with the plan"),
      z.refine(
        (all) => all.length <= MAX_ALLOWED_PROMPTS,
        `must have at most ${MAX_ALLOWED_PROMPTS} entries`,
      ),
    ),
  ),
  plan: z.optional(z.string().check(z.describe("The whole plan, in Markdown (default: the plan file)"))),
});
type Input = z.infer<typeof Input>;

/** The result has the plan if the call did not. */
interface Output extends Approved {
  readonly wasGiven: boolean;
}

const prompt: ToolPrompt = {
  what: "Shows your plan to the user and asks whether to carry it out; once it is approved, plan mode is off and the work begins.",
  when: "when plan mode is on and your plan is complete, without open questions.",
  whenNot: [
    "for research that changes nothing: reply instead. Do not ask “is this plan all right?” in your reply: this call asks it.",
    naming`Settle open choices first with ${"AskUserQuestion"}.`,
  ],
  how: [
    `plan is the whole plan in Markdown, at most ${MAX_PLAN_CHARS} characters; it is saved in a file; without plan, that file is used.`,
    `allowedPrompts names the commands that the work needs, as plain text. These become rules for the session: ${promptKinds.map(({ name }) => name).join(", ")}, if the project has a command for them. Anything else is asked about when it comes up.`,
  ],
  recover:
    "if the plan is not approved, plan mode stays on and the result has the user's comment: change the plan and call it again. If no user is available, give the plan in your reply and end your turn.",
  limits: `only the main conversation can do it; an agent returns its plan as its report. At most ${MAX_ALLOWED_PROMPTS} allowedPrompts of ${MAX_PROMPT_CHARS} characters.`,
};

export function exitPlanModeTool(service: PlanService): Tool<Input, Output, CallContext> {
  return {
    name: "ExitPlanMode",
    description: prompt,
    inputSchema: Input,
    permissionLevel: "read",
    // Other calls would not know in which mode they run.
    parallel: false,
    title: () => "carry out this plan?",
    async call({ plan, allowedPrompts = [] }, context) {
      const prompts = allowedPrompts.map((allowed) => allowed.prompt);
      const left = await service.leave(plan ?? null, prompts, context);
      return left.type === "refused" ? failed(left.reason) : { ...left, wasGiven: plan !== undefined };
    },
    mapToolResultToToolResultBlockParam: resultText,
  };
}

function resultText({ mode, plan, file, allows, wasGiven }: Output): string {
  const edits =
    mode === "acceptEdits" ? "edits in the workspace are not asked about" : "edits are asked about";
  const allowed = allows.filter(({ rules }) => rules.length > 0);
  const others = allows.filter(({ rules }) => rules.length === 0);
  return [
    `The user approved the plan, which is saved in ${file}. Plan mode is off; the mode is now ${mode}: ${edits}.`,
    ...allowed.map(
      (one) => `Allowed for the session, ${JSON.stringify(one.prompt)}: ${one.rules.join(", ")}.`,
    ),
    ...others.map((one) => `Will still be asked about: ${JSON.stringify(one.prompt)}.`),
    "Begin with the first step and follow the plan; say so if you have to deviate from it.",
    ...(wasGiven ? [] : ["", plan]),
  ].join("\n");
}
