import type { ToolUseBlock } from "../../mailbox/conversation.ts";
import { type ActorId, callId } from "../../mailbox/ids.ts";
import type { Reply } from "../../mailbox/messages.ts";
import type { Actor } from "../../supervisor/actor-record.ts";
import type { SessionAsks } from "../gate/asking.ts";
import { approvalNeeded, type Candidate, estimateCost, type Known, quoteSentence } from "./cost-estimate.ts";

export interface QuotingPorts {
  readonly asks: Pick<SessionAsks, "hasPerson" | "question">;
  /** Dollars above which it is asked or said. */
  readonly aboveUsd: number;
  /** The agents that a reply wants to start. */
  candidates(calls: readonly ToolUseBlock[], asker: Actor): readonly Candidate[];
  known(asker: ActorId): Known;
  say(sentence: string): void;
}

/** A place in the reply that no call has: the question is about several. */
const NO_CALL = 1_000_000;
const START = "Start them";
const LEAVE = "Do not";

/**
 * What a fan-out may cost, before any of its agents is started (C5): above a threshold a question, where somebody is
 * there, and else one line, never a refusal.
 */
export class FanOutApproval {
  readonly #ports: QuotingPorts;
  /** By the asker: of the reply whose calls run now. */
  readonly #answers = new Map<
    ActorId,
    { readonly turn: number; readonly declined: Promise<string | null> }
  >();

  constructor(ports: QuotingPorts) {
    this.#ports = ports;
  }

  /** The calls of a reply are about to run. */
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

  /** Why an agent of this reply is not to be started; null: it is. */
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
            { label: LEAVE, description: "None of them; the model is told." },
          ],
        },
      ],
      { actor: id, call: callId(id, turn, NO_CALL), signal: stopping.signal },
    );
    if (outcome.type === "deny" && outcome.by === "person") return declinedWords(outcome.reason);
    if (outcome.type === "deny") {
      // Who cannot be asked after all is told, and nothing is refused for it.
      if (outcome.by === "nobody") this.#ports.say(sentence);
      return null;
    }
    const answer = outcome.answers[question];
    if (answer === START) return null;
    return declinedWords(answer === LEAVE || answer === undefined ? "" : ` They say: ${String(answer)}`);
  }
}

function declinedWords(more: string): string {
  return `The person does not want these agents started because of what they may cost.${more} Do it with fewer agents, or yourself.`;
}
