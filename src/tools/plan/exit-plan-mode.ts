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
    z.describe("What is to be allowed, in a few words, such as “run tests” (required)"),
    z.refine((text) => text.length <= MAX_PROMPT_CHARS, `must have at most ${MAX_PROMPT_CHARS} characters`),
  ),
});

const Input = z.strictObject({
  allowedPrompts: z.optional(
    z.array(AllowedPrompt).check(
      z.describe("What carrying out the plan needs to run; shown with the plan"),
      z.refine(
        (all) => all.length <= MAX_ALLOWED_PROMPTS,
        `must have at most ${MAX_ALLOWED_PROMPTS} entries`,
      ),
    ),
  ),
  plan: z.optional(
    z.string().check(z.describe("The whole plan, in Markdown; absent: the plan file as it is")),
  ),
});
type Input = z.infer<typeof Input>;

/** Where the plan was not in the call itself, the result has it. */
interface Output extends Approved {
  readonly wasGiven: boolean;
}

const prompt: ToolPrompt = {
  what: "Shows your plan to the person and asks whether to carry it out; once it is approved, plan mode is off and the work begins.",
  when: "when plan mode is on, your plan is complete, and nothing in it is still open.",
  whenNot: [
    "for research that changes nothing: answer instead. Do not ask “is this plan all right?” in your reply: this call asks it.",
    naming`Settle open choices first with ${"AskUserQuestion"}.`,
  ],
  how: [
    `plan is the whole plan in Markdown, at most ${MAX_PLAN_CHARS} characters; it is kept in a file, and without plan that file is taken as it is.`,
    `allowedPrompts names what the work needs to run, in plain words. These become rules for the session: ${promptKinds.map(({ name }) => name).join(", ")}, as far as the project has a command for them. Anything else is asked about when it comes.`,
  ],
  recover:
    "when the plan is not approved, plan mode stays on and the result has the person's words: change the plan and call it again. When nobody can be asked, give the plan in your reply and end your turn.",
  limits: `only the main conversation can do it; an agent returns its plan as its report. At most ${MAX_ALLOWED_PROMPTS} allowedPrompts of ${MAX_PROMPT_CHARS} characters.`,
};

export function exitPlanModeTool(desk: PlanService): Tool<Input, Output, CallContext> {
  return {
    name: "ExitPlanMode",
    aliases: [],
    description: prompt,
    inputSchema: Input,
    permissionLevel: "read",
    // Calls beside it would not know which mode they run in.
    parallel: false,
    title: () => "is this plan to be carried out?",
    accesses: () => [],
    async call({ plan, allowedPrompts = [] }, context) {
      const prompts = allowedPrompts.map((allowed) => allowed.prompt);
      const left = await desk.leave(plan ?? null, prompts, context);
      return left.type === "refused" ? failed(left.reason) : { ...left, wasGiven: plan !== undefined };
    },
    mapToolResultToToolResultBlockParam: told,
  };
}

function told({ mode, plan, file, allows, wasGiven }: Output): string {
  const edits = mode === "acceptEdits" ? "edits in the workspace need no question" : "edits are asked about";
  const allowed = allows.filter(({ rules }) => rules.length > 0);
  const others = allows.filter(({ rules }) => rules.length === 0);
  return [
    `The person approved the plan, which is kept in ${file}. Plan mode is off; the mode is ${mode} now: ${edits}.`,
    ...allowed.map(
      (one) => `Allowed for the session, ${JSON.stringify(one.prompt)}: ${one.rules.join(", ")}.`,
    ),
    ...others.map((one) => `Will still be asked about: ${JSON.stringify(one.prompt)}.`),
    "Begin with the first step, and keep to the plan; say so where you have to leave it.",
    ...(wasGiven ? [] : ["", plan]),
  ].join("\n");
}
