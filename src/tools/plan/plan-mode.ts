import * as z from "zod/mini";
import type { Approval } from "../../policy/asking/questions.ts";
import type { PlanRequest } from "../../policy/user-requests.ts";
import { type CallContext, failed, naming, type Tool, type ToolPrompt } from "../tool.ts";
import { promptKinds } from "./allowed-prompts.ts";

/** Characters of a plan: what a user can still read before approving it. */
export const MAX_PLAN_CHARS = 50_000;
/** Entries of `allowedPrompts`, and characters of one. */
export const MAX_ALLOWED_PROMPTS = 20;
export const MAX_PROMPT_CHARS = 200;

/** Switches plan mode, which applies to the main conversation and every agent below it. */
export interface PlanService {
  enter(context: CallContext): Promise<Entered>;
  /** `plan` is null if it is already in its file. */
  leave(plan: string | null, allowedPrompts: readonly string[], context: CallContext): Promise<PlanEnd>;
}

/** `reason` says what to do instead. */
export interface PlanRefused {
  readonly type: "refused";
  readonly reason: string;
}

/** `file`: the one file that may be written in plan mode. */
export type Entered = { readonly type: "entered"; readonly file: string } | PlanRefused;
export type PlanEnd = Approved | PlanRefused;

export interface Approved {
  readonly type: "approved";
  readonly mode: Approval;
  /** As it was shown. */
  readonly plan: string;
  readonly file: string;
  readonly allows: PlanRequest["allows"];
}

const EnterInput = z.strictObject({});
type EnterInput = z.infer<typeof EnterInput>;

const enterPrompt: ToolPrompt = {
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
): Tool<EnterInput, Exclude<Entered, { type: "refused" }>, CallContext> {
  return {
    name: "EnterPlanMode",
    description: enterPrompt,
    inputSchema: EnterInput,
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

const AllowedPrompt = z.object({
  tool: z.enum(["Bash"]).check(z.describe("The tool it is for (required)")),
  prompt: z.string().check(
    z.describe("What to allow, in a few words, such as “run tests” (required)"),
    z.refine((text) => text.length <= MAX_PROMPT_CHARS, `must have at most ${MAX_PROMPT_CHARS} characters`),
  ),
});

const ExitInput = z.strictObject({
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
type ExitInput = z.infer<typeof ExitInput>;

/** The result has the plan if the call did not. */
interface Output extends Approved {
  readonly wasGiven: boolean;
}

const exitPrompt: ToolPrompt = {
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

export function exitPlanModeTool(service: PlanService): Tool<ExitInput, Output, CallContext> {
  return {
    name: "ExitPlanMode",
    description: exitPrompt,
    inputSchema: ExitInput,
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
