import type { Approval } from "../../policy/asking/questions.ts";
import type { PlanRequest } from "../../policy/asks.ts";
import type { CallContext } from "../tool.ts";

/** Characters of a plan: what a person can still read before they approve it. */
export const MAX_PLAN_CHARS = 50_000;
/** Entries of `allowedPrompts`, and characters of one. */
export const MAX_ALLOWED_PROMPTS = 20;
export const MAX_PROMPT_CHARS = 200;

/** Who keeps the session's mode: the supervisor. Plan mode is the main conversation's, and so everybody's below it. */
export interface PlanService {
  enter(context: CallContext): Promise<Entered>;
  /** `plan` null: the plan is in its file already. */
  leave(plan: string | null, allowedPrompts: readonly string[], context: CallContext): Promise<Left>;
}

/** `reason` is a sentence that says what to do instead. */
export interface Refused {
  readonly type: "refused";
  readonly reason: string;
}

/** `file`: the one file that may be written in plan mode. */
export type Entered = { readonly type: "entered"; readonly file: string } | Refused;
export type Left = Approved | Refused;

export interface Approved {
  readonly type: "approved";
  readonly mode: Approval;
  /** As it was shown. */
  readonly plan: string;
  readonly file: string;
  readonly allows: PlanRequest["allows"];
}
