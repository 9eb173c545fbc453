import type { ToolUseBlock } from "../../mailbox/conversation.ts";
import { ActorId, callId } from "../../mailbox/ids.ts";
import type { Reply } from "../../mailbox/messages.ts";
import type { Actor } from "../../supervisor/actor-record.ts";
import type { SessionAsks } from "../gate/asking.ts";
import {
  approvalNeeded,
  type CostEstimate,
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
  /** `asker`: null for the user. */
  known(asker: ActorId | null): EstimateInput;
  say(sentence: string): void;
}

/** Asks a user whom the session itself cannot ask. */
export type Confirm = (question: string, signal: AbortSignal) => Promise<boolean>;

/** What agents that the user starts together may cost, and whether they may start. */
export interface FanOutQuote {
  /** Null if they cost nothing, if a price is not known, or for a single agent. */
  readonly estimate: CostEstimate | null;
  /** The estimate as a sentence, if no question or notice has said it; or null. */
  readonly unsaid: string | null;
  /** Why none of them must start, or null. */
  readonly declined: string | null;
}

/** Of what needs no approval. */
export const UNQUOTED: FanOutQuote = { estimate: null, unsaid: null, declined: null };

/** An index that no call of a reply has: the question is about several calls. */
const NO_CALL = 1_000_000;
/** Who asks if it is no actor: the user has started a fan-out. */
const SESSION = ActorId.parse("session");
const START = "Start them";
const LEAVE = "Do not";
const DECLINED = "The user does not want these agents started because of what they may cost.";
const FEWER = "Do it with fewer agents, or yourself.";

type AskContext = Parameters<SessionAsks["question"]>[1];

interface Decision {
  /** True if a question or a notice says the estimate. */
  readonly isSaid: boolean;
  /** Resolves with why none must start, or null; null if no user is asked. */
  readonly declined: Promise<string | null> | null;
}

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
  #quoted = 0;

  constructor(ports: QuotingPorts) {
    this.#ports = ports;
  }

  /** Called when the calls of a reply are about to run. */
  replied(asker: Actor, { turn }: Reply, calls: readonly ToolUseBlock[]): void {
    const { candidates, known } = this.#ports;
    const { id, stopping } = asker;
    this.#answers.delete(id);
    if (calls.length < 2) return;
    const estimate = estimateCost(candidates(calls, asker), known(id));
    if (!estimate) return;
    const call = callId(id, turn, NO_CALL);
    const { declined } = this.#decide(estimate, { actor: id, call, signal: stopping.signal });
    if (declined === null) return;
    this.#answers.set(id, { turn, declined: declined.then((why) => why && `${why} ${FEWER}`) });
  }

  /** Resolves with why an agent of this reply must not start, or null if it may. */
  async declined(asker: ActorId, turn: number): Promise<string | null> {
    const answer = this.#answers.get(asker);
    return answer?.turn === turn ? answer.declined : null;
  }

  /** Decides about agents that the user starts together. `confirm` is used if the session cannot ask. */
  async approve(
    planned: readonly PlannedAgent[],
    signal: AbortSignal,
    confirm?: Confirm,
  ): Promise<FanOutQuote> {
    const estimate = estimateCost(planned, this.#ports.known(null));
    if (!estimate) return UNQUOTED;
    this.#quoted += 1;
    const call = callId(SESSION, 0, this.#quoted);
    const { isSaid, declined } = this.#decide(estimate, { actor: SESSION, call, signal }, confirm);
    const unsaid = isSaid ? null : quoteSentence(estimate);
    return { estimate, unsaid, declined: declined === null ? null : await declined };
  }

  #decide(estimate: CostEstimate, context: AskContext, confirm?: Confirm): Decision {
    const { asks, aboveUsd, say } = this.#ports;
    const canAsk = asks.hasPerson || confirm !== undefined;
    const how = approvalNeeded(estimate, { aboveUsd, asks: canAsk });
    if (how === null) return { isSaid: false, declined: null };
    const sentence = quoteSentence(estimate);
    if (how === "say") {
      say(sentence);
      return { isSaid: true, declined: null };
    }
    const question = `${sentence} Start them?`;
    const declined =
      confirm === undefined || asks.hasPerson
        ? this.#ask(sentence, question, context)
        : confirm(question, context.signal).then((agreed) => (agreed ? null : DECLINED));
    return { isSaid: true, declined };
  }

  async #ask(sentence: string, question: string, context: AskContext): Promise<string | null> {
    const outcome = await this.#ports.asks.question(
      [
        {
          question,
          header: "Cost",
          multiSelect: false,
          yesOrNo: true,
          options: [
            { label: START, description: "All of them, within the limits that hold." },
            { label: LEAVE, description: "None of them." },
          ],
        },
      ],
      context,
    );
    if (outcome.type === "deny" && outcome.by === "person") return `${DECLINED}${outcome.reason}`;
    if (outcome.type === "deny") {
      // If the user cannot be asked after all, they get a notice and nothing is refused.
      if (outcome.by === "nobody") this.#ports.say(sentence); // word-ok: as recorded
      return null;
    }
    const answer = outcome.answers[question];
    if (answer === START) return null;
    return answer === LEAVE || answer === undefined ? DECLINED : `${DECLINED} They say: ${String(answer)}`;
  }
}
