import type { Acceptance } from "../../mailbox/acceptance.ts";
import type { ActorId } from "../../mailbox/ids.ts";
import type { Summary } from "../../mailbox/messages.ts";
import type { Actor } from "../../supervisor/actor-record.ts";
import type { FinishDecision, Joints } from "../../supervisor/joints.ts";
import type { AcceptanceChecks } from "./acceptance.ts";

/** Times a rejected agent may correct its work. */
const MOST_REWORKS = 2;

/** What a check says of an agent's work. */
export type WorkVerdict =
  | { readonly type: "accepted"; readonly acceptance: Acceptance }
  | { readonly type: "rejected"; readonly acceptance: Acceptance }
  /** It is asked to correct its work. */
  | { readonly type: "rework"; readonly text: string };

/** Gives the verdicts, and counts how often each agent was sent back. */
export class AcceptanceVerdicts {
  readonly #checks: AcceptanceChecks;
  readonly #counts = new Map<ActorId, { readonly checks: number; readonly rejected: number }>();

  constructor(checks: AcceptanceChecks) {
    this.#checks = checks;
  }

  /** Null if nothing is stated of this agent's work, or it was stopped. */
  async of(actor: Actor, summary: Summary, signal: AbortSignal): Promise<WorkVerdict | null> {
    const { accept } = actor.spec;
    if (accept === undefined) return null;
    const reason = await this.#checks.check(actor, accept, summary, signal);
    return signal.aborted ? null : this.#verdict(actor, reason);
  }

  /** Its work could not be checked, as it cannot be merged. */
  unchecked(actor: Actor, why: string): Acceptance | null {
    if (actor.spec.accept === undefined) return null;
    const { checks } = this.#countsOf(actor.id);
    return { verdict: "rejected", checks, reason: `It was not checked: ${why}` };
  }

  forget(actor: ActorId): void {
    this.#counts.delete(actor);
  }

  #countsOf(actor: ActorId) {
    return this.#counts.get(actor) ?? { checks: 0, rejected: 0 };
  }

  #verdict(actor: Actor, reason: string | null): WorkVerdict {
    const before = this.#countsOf(actor.id);
    const checks = before.checks + 1;
    const rejected = before.rejected + (reason === null ? 0 : 1);
    this.#counts.set(actor.id, { checks, rejected });
    if (reason === null) return { type: "accepted", acceptance: { verdict: "accepted", checks } };
    if (rejected <= MOST_REWORKS && actor.mayTakeTurns)
      return { type: "rework", text: reworkText(reason, MOST_REWORKS + 1 - rejected) };
    return { type: "rejected", acceptance: { verdict: "rejected", checks, reason } };
  }
}

/** A summary with its verdict: rejected work is not done, whatever the report says. */
export function judgedSummary(summary: Summary, acceptance: Acceptance): Summary {
  if (acceptance.verdict === "accepted") return { ...summary, acceptance };
  return { ...summary, acceptance, status: "failed", reason: `Its work was rejected. ${acceptance.reason}` };
}

/**
 * Acceptance by check. What is stated is read with the spec (`stated.ts`). Joints: `prepareStart` (whether the check may run), `beforeFinish` (the check of an agent without a
 * worktree; isolation checks what it merges), `onEvent`.
 */
export function acceptFeature(checks: AcceptanceChecks, verdicts: AcceptanceVerdicts): Joints {
  return {
    prepareStart(actor) {
      const run = actor.spec.accept?.run;
      if (run === undefined) return null;
      return { tool: "Check", title: `whether ${run} may run`, ready: checks.allow(actor, run) };
    },
    async beforeFinish({ actor, summary, signal }): Promise<FinishDecision> {
      if (actor.spec.isolation) return { summary };
      const verdict = await verdicts.of(actor, summary, signal);
      if (verdict === null) return { summary };
      return verdict.type === "rework"
        ? { continueWith: verdict.text }
        : { summary: judgedSummary(summary, verdict.acceptance) };
    },
    onEvent(event) {
      if (event.type === "released") verdicts.forget(event.id);
    },
  };
}

function reworkText(reason: string, left: number): string {
  return `Your work was checked and is not accepted. ${reason}\n\nCorrect it, then end with your whole report, as it is now true; what you say does not replace the check. It is checked ${left === 1 ? "a last time" : `${left} more times`}.`;
}
