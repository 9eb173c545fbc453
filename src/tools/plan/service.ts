import type { Approval } from "../../policy/asking/questions.ts";
import type { PlanRequest } from "../../policy/user-requests.ts";
import type { CallContext } from "../tool.ts";

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
