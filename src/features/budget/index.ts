import type { SessionState } from "../../journal/session-state.ts";
import type { Clock } from "../../lib/clock.ts";
import { addUsage, noUsage, type Usage } from "../../mailbox/conversation.ts";
import { type ActorId, MAIN } from "../../mailbox/ids.ts";
import type { Actor } from "../../supervisor/actor-record.ts";
import type { Actors } from "../../supervisor/actors.ts";
import type { Joints } from "../../supervisor/joints.ts";
import type { Spending } from "./spending.ts";
import type { UsageMeter } from "./usage-meter.ts";

export interface BudgetFeatureParts {
  readonly spending: Spending;
  readonly usage: Pick<UsageMeter, "add">;
  readonly clock: Clock;
  readonly actors: Pick<Actors, "find" | "stop">;
}

/**
 * What agents may spend. Joints: `reserve` (an allowance from the parent's), `prepareStart` (starts its time),
 * `beforeTurn` (whether the next reply is the last), `onEvent` (returns what is left). The gateway asks `spending`
 * before each request.
 */
export function budgetFeature({ spending, usage, clock, actors }: BudgetFeatureParts): Joints {
  const { ledger } = spending;
  /** The run whose deadline was set, by actor. */
  const timed = new Map<ActorId, number>();
  return {
    reserve(spec, definition) {
      if (spec.id === MAIN) return spending.adopt(spec);
      const refused = definition ? spending.open(spec, spending.budgetOf(definition)) : spending.open(spec);
      if (refused !== null) throw new Error(refused);
    },
    prepareStart(actor) {
      ledger.begin(actor.id);
      if (timed.get(actor.id) === actor.run) return null;
      timed.set(actor.id, actor.run);
      watchDeadline(actor);
      return null;
    },
    beforeTurn: (actor) => ({ last: spending.decideLastTurn(actor) }),
    onEvent(event) {
      if (event.type === "released") {
        if (event.actor) spending.ended(event.actor.spec);
        else ledger.release(event.id);
      }
      if (event.type === "replayed") replay(event.state);
    },
  };

  /** Looks again if it was put off, as a pause of its model does. */
  function watchDeadline(actor: Actor): void {
    let withdraw = () => {};
    const look = () => {
      const deadline = ledger.deadline(actor.id);
      if (deadline === null) return;
      if (deadline.ms > 0) withdraw = clock.after(deadline.ms, look);
      else actors.stop(actor.id, { status: "timed_out", reason: deadline.reason });
    };
    look();
    actor.ended.then(() => withdraw());
  }

  /** Books what the actors of a resumed session have spent. */
  function replay({ actors: all }: SessionState): void {
    for (const { spec, turns, summaries, lostReplies, models, lentModel, reply, summary } of all.values()) {
      spending.adopt(spec);
      let cost = 0;
      let lost = noUsage;
      // Each by itself: the price of a request can depend on its length.
      const pay = (model: string, one: Usage) => {
        const { usd } = spending.spend(spec.id, model, one);
        cost += usd;
        usage.add(model, one, usd);
      };
      const spend = (of: "turns" | "summaries", used: readonly Usage[]) => {
        for (const [at, one] of used.entries())
          pay(models.find((past) => at < past[of])?.model ?? lentModel ?? spec.model, one);
      };
      spend(
        "turns",
        [...turns, ...(reply === null ? [] : [reply])].map(({ usage: used }) => used),
      );
      spend("summaries", summaries);
      for (const { model, usage: used } of lostReplies) {
        pay(model, used);
        lost = addUsage(lost, used);
      }
      // Its record counts the others.
      actors.find(spec.id)?.charge(lost, cost);
      if (summary !== null) ledger.release(spec.id);
    }
  }
}
