import type { CallId } from "../../mailbox/ids.ts";
import type { Answers, Asker, PermissionRequest, PlanRequest, QuestionRequest } from "../asks.ts";
import type { WriteScope } from "../confinement/write-scope.ts";

/** What the rules and the mode say now of a call that waits: still a question, or no longer one. */
export type Recheck =
  | { readonly type: "ask" }
  | { readonly type: "allow" }
  | { readonly type: "deny"; readonly reason: string };

/** Whose question it is; one call asks one thing at a time. */
export interface Asking {
  readonly asker: Asker;
  readonly call: CallId;
}

export interface PermissionQuestion extends Asking, Omit<PermissionRequest, "type" | "id" | "askers"> {
  /** The same input in another folder is another call. */
  readonly cwd: string;
  /** Where the one who asks works: other rules may hold there. */
  readonly territory: WriteScope;
  /** A question whatever the rules allow, by its nature or because a hook wants it put; they can still deny it. */
  readonly always?: true;
  /** Called as soon as the person has allowed it, before any other question is looked at. */
  onAllowed?(): void;
  /** What rules and mode say of it now. Default: it stays a question. */
  recheck?(): Recheck;
}

export interface ChoiceQuestion extends Asking, Pick<QuestionRequest, "questions"> {}

export interface PlanQuestion extends Asking, Omit<PlanRequest, "type" | "id" | "askers"> {
  /** Called as soon as the person has approved it, before any other question is looked at. */
  onApproved(mode: Approval): void;
}

/** What a conversation goes on in once its plan is approved. */
export type Approval = "default" | "acceptEdits";

/**
 * The answer that means no, whatever was asked. `by`: the person; nobody, because there was no usable answer;
 * the rules, which have changed while it waited; or the agent, which was stopped. `reason` is for the agent.
 */
export interface Denied {
  readonly type: "deny";
  readonly by: "person" | "nobody" | "rules" | "agent";
  readonly reason: string;
}

/** `grants`: what the person allowed for the session along with it. `input`: with this input and no other. */
export type PermissionOutcome =
  | {
      readonly type: "allow";
      readonly grants: readonly string[];
      readonly input?: Readonly<Record<string, unknown>>;
    }
  | Denied;
export type ChoiceOutcome = { readonly type: "answers"; readonly answers: Answers } | Denied;
export type PlanOutcome = { readonly type: "approved"; readonly mode: Approval } | Denied;
