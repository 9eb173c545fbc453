import type { ToolUseBlock } from "../../mailbox/conversation.ts";
import { type ActorId, callId } from "../../mailbox/ids.ts";
import type { Reply } from "../../mailbox/messages.ts";
import type { Actor } from "../../supervisor/actor-record.ts";
import type { SessionAsks } from "../gate/asking.ts";
import {
  approvalNeeded,
  type EstimateInput,
  estimateCost,
  type PlannedAgent,
  quoteSentence,
} from "./cost-estimate.ts";

export interface QuotingPorts {
  readonly asks: Pick<SessionAsks, "hasPerson" | "question">;
  /** Dollars above which the user is asked or notified. */
  readonly aboveUsd: number;
  /** Returns the agents that a reply wants to start. */
  candidates(calls: readonly ToolUseBlock[], asker: Actor): readonly PlannedAgent[];
  known(asker: ActorId): EstimateInput;
  say(sentence: string): void;
}

/** An index that no call of a reply has: the question is about several calls. */
const NO_CALL = 1_000_000;
const START = "Start them";
const LEAVE = "Do not";

/**
 * Approval of a fan-out's cost before any of its agents starts (C5): above a threshold a question, or one notice if
 * no user can be asked; never a refusal.
 */
export class FanOutApproval {
  readonly #ports: QuotingPorts;
  /** By asker: the answer for the reply whose calls run now. */
  readonly #answers = new Map<
    ActorId,
    { readonly turn: number; readonly declined: Promise<string | null> }
  >();

  constructor(ports: QuotingPorts) {
    this.#ports = ports;
  }

  /** Called when the calls of a reply are about to run. */
  replied(asker: Actor, reply: Reply, calls: readonly ToolUseBlock[]): void {
    const { asks, aboveUsd, candidates, known, say } = this.#ports;
    this.#answers.delete(asker.id);
    if (calls.length < 2) return;
    const quoted = estimateCost(candidates(calls, asker), known(asker.id));
    const how = quoted && approvalNeeded(quoted, { aboveUsd, asks: asks.hasPerson });
    if (!quoted || how === null) return;
    const sentence = quoteSentence(quoted);
    if (how === "say") say(sentence);
    else this.#answers.set(asker.id, { turn: reply.turn, declined: this.#ask(asker, reply, sentence) });
  }

  /** Resolves with why an agent of this reply must not start, or null if it may. */
  async declined(asker: ActorId, turn: number): Promise<string | null> {
    const answer = this.#answers.get(asker);
    return answer?.turn === turn ? answer.declined : null;
  }

  async #ask({ id, stopping }: Actor, { turn }: Reply, sentence: string): Promise<string | null> {
    const question = `${sentence} Start them?`;
    const outcome = await this.#ports.asks.question(
      [
        {
          question,
          header: "Cost",
          multiSelect: false,
          yesOrNo: true,
          options: [
            { label: START, description: "All of them, within the limits that hold." },
            { label: LEAVE, description: "None of them; the model gets this answer." },
          ],
        },
      ],
      { actor: id, call: callId(id, turn, NO_CALL), signal: stopping.signal },
    );
    if (outcome.type === "deny" && outcome.by === "person") return declinedWords(outcome.reason);
    if (outcome.type === "deny") {
      // If the user cannot be asked after all, they get a notice and nothing is refused.
      if (outcome.by === "nobody") this.#ports.say(sentence); // word-ok: as recorded
      return null;
    }
    const answer = outcome.answers[question];
    if (answer === START) return null;
    return declinedWords(answer === LEAVE || answer === undefined ? "" : ` They say: ${String(answer)}`);
  }
}

function declinedWords(more: string): string {
  return `The user does not want these agents started because of what they may cost.${more} Do it with fewer agents, or yourself.`;
}
