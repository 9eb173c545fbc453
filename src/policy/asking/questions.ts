import type { CallId } from "../../mailbox/ids.ts";
import type { WriteScope } from "../confinement/write-scope.ts";
import type { Answers, Asker, PermissionRequest, PlanRequest, QuestionRequest } from "../user-requests.ts";

/** What the rules and the mode now say of a waiting call: still a question, or not. */
export type Recheck =
  | { readonly type: "ask" }
  | { readonly type: "allow" }
  | { readonly type: "deny"; readonly reason: string };

/** The actor and call that ask; one call asks one thing at a time. */
export interface QuestionContext {
  readonly asker: Asker;
  readonly call: CallId;
}

export interface PermissionQuestion
  extends QuestionContext,
    Omit<PermissionRequest, "type" | "id" | "askers"> {
  /** The same input in another directory is another call. */
  readonly cwd: string;
  /** Where the caller works: other rules may apply there. */
  readonly scope: WriteScope;
  /** Always a question, by its nature or because a hook asks for it; rules can still deny it. */
  readonly always?: true;
  /** Called when the user has allowed it, before other questions are checked again. */
  onAllowed?(): void;
  /** Returns what rules and mode say of it now. Default: it stays a question. */
  recheck?(): Recheck;
}

export interface ChoiceQuestion extends QuestionContext, Pick<QuestionRequest, "questions"> {}

export interface PlanQuestion extends QuestionContext, Omit<PlanRequest, "type" | "id" | "askers"> {
  /** Called when the user has approved it, before other questions are checked again. */
  onApproved(mode: Approval): void;
}

/** The mode of a conversation after its plan is approved. */
export type Approval = "default" | "acceptEdits";

/**
 * A denial of any request. `by`: the user, no usable answer, the rules, which changed while it waited;
 * or the agent, which was stopped. `reason` is for the agent.
 */
export interface Denied {
  readonly type: "deny";
  readonly by: "person" | "nobody" | "rules" | "agent"; // word-ok: as recorded
  readonly reason: string;
}

/** `grants`: what the user also allowed for the session. `input`: allowed only with this input. */
export type PermissionOutcome =
  | {
      readonly type: "allow";
      readonly grants: readonly string[];
      readonly input?: Readonly<Record<string, unknown>>;
    }
  | Denied;
export type ChoiceOutcome = { readonly type: "answers"; readonly answers: Answers } | Denied;
export type PlanOutcome = { readonly type: "approved"; readonly mode: Approval } | Denied;
