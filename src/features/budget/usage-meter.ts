import type { AgentView } from "../../events/event.ts";
import type { OnEvent } from "../../events/listener.ts";
import type { SessionEvent } from "../../journal/session-events.ts";
import type { Clock } from "../../lib/clock.ts";
import { addUsage, noUsage, type Usage } from "../../mailbox/conversation.ts";
import type { ActorId, SessionId } from "../../mailbox/ids.ts";
import type { ModelPause } from "../../mailbox/model.ts";
import type { GatewayNotice } from "../../model/client.ts";
import type { PermissionDenial } from "../../policy/judgement.ts";
import type { Actors } from "../../supervisor/actors.ts";
import type { Spending } from "./spending.ts";

type UsageNotice = Extract<GatewayNotice, { type: "usage" }>;

/** Usage of a session that is reported at its end. */
export interface SessionUsage {
  readonly session: SessionId;
  readonly agents: readonly AgentView[];
  /** Of the main conversation and all agents. */
  readonly usage: Usage;
  /** Milliseconds spent in requests, all agents together. */
  readonly apiMs: number;
  readonly costUsd: number;
  /** The same by model: an agent may have asked several. */
  readonly models: readonly ModelUsage[];
  readonly denials: readonly PermissionDenial[];
}

export interface ModelUsage {
  readonly model: string;
  readonly usage: Usage;
  readonly costUsd: number;
}

export interface UsageParts {
  readonly session: SessionId;
  readonly clock: Pick<Clock, "now" | "date">;
  readonly spending: Pick<Spending, "spend" | "ledger" | "workTime">;
  readonly actors: Pick<Actors, "noteSign" | "showWait" | "charge">;
  readonly onEvent: OnEvent;
  /** A request was paid for whose reply is in no turn. */
  readonly onLost: (lost: Extract<SessionEvent, { type: "lost-reply" }>) => void;
  /** A model is paused; called once for each time that it is paused until. */
  readonly onPause: (pause: ModelPause) => void;
  /** A model that was paused has answered. */
  readonly onPauseEnd: (model: string) => void;
}

/** What a session has used of its model, as the gateway reports it, and the calls that were denied. */
export class UsageMeter {
  readonly denials: PermissionDenial[] = [];
  readonly #parts: UsageParts;
  /** In dollars, including from before the session was resumed. */
  #costUsd = 0;
  readonly #byModel = new Map<string, ModelUsage>();
  #apiMs = 0;
  #saidOdd = false;
  /** Until when each model is paused, as it was reported. */
  readonly #pauses = new Map<string, number>();

  constructor(parts: UsageParts) {
    this.#parts = parts;
  }

  /** Prices are fractions of a cent: anything below a millionth of a dollar is a rounding error. */
  get costUsd(): number {
    return Math.round(this.#costUsd * 1e6) / 1e6;
  }

  /** Adds a reply, also one that the journal of a resumed session has. */
  add(model: string, usage: Usage, costUsd: number): void {
    this.#costUsd += costUsd;
    const { usage: used, costUsd: spent } = this.#byModel.get(model) ?? { usage: noUsage, costUsd: 0 };
    this.#byModel.set(model, { model, usage: addUsage(used, usage), costUsd: spent + costUsd });
  }

  hear(notice: GatewayNotice): void {
    const { spending, onEvent, actors, clock } = this.#parts;
    if (notice.type === "unused") {
      spending.ledger.unused(notice.reservation);
      return;
    }
    if (notice.type === "restarted") {
      spending.ledger.lost();
      onEvent({ type: "warning", message: notice.reason });
      return;
    }
    actors.noteSign(notice.actor);
    switch (notice.type) {
      case "open":
        return;
      case "usage":
        this.#book(notice);
        break;
      case "waiting": {
        const { reason, attempt, ms } = notice;
        actors.showWait(notice.actor, { type: "retrying", reason, until: clock.now() + ms, attempt });
        onEvent(notice);
        break;
      }
      case "paused":
        this.#pause(notice.actor, notice.pause);
        break;
      case "unpaused":
        spending.workTime.go();
        actors.showWait(notice.actor, null);
        break;
      default:
        notice satisfies never;
    }
  }

  #pause(actor: ActorId, pause: ModelPause): void {
    const { spending, actors, clock, onPause } = this.#parts;
    const { model, until, reason } = pause;
    const ms = Math.max(0, until - Date.parse(clock.date()));
    const from = clock.now();
    const at = new Date(until).toISOString();
    actors.showWait(actor, { type: "paused", model, reason, from, until: from + ms, at });
    spending.workTime.stop(ms);
    if (this.#pauses.get(model) === until) return;
    this.#pauses.set(model, until);
    onPause(pause);
  }

  account(agents: readonly AgentView[]): SessionUsage {
    return {
      ...{ session: this.#parts.session, agents, apiMs: this.#apiMs },
      usage: agents.reduce((sum, agent) => addUsage(sum, agent.usage), noUsage),
      costUsd: this.costUsd,
      models: [...this.#byModel.values()],
      denials: [...this.denials],
    };
  }

  /** Books a reply that was paid for, even if its actor no longer exists. */
  #book({ actor, model, usage, apiMs, odd, ...more }: UsageNotice): void {
    const { spending, actors, onEvent, onPauseEnd, onLost } = this.#parts;
    if (!more.broken && this.#pauses.delete(more.asked)) onPauseEnd(more.asked);
    this.#apiMs += apiMs;
    const { usd, note } = spending.spend(actor, model, usage, more);
    this.add(more.asked, usage, usd);
    if (more.broken) onLost({ type: "lost-reply", actor, model: more.asked, usage });
    if (note !== null) onEvent({ type: "warning", message: note });
    if (odd && !this.#saidOdd) {
      this.#saidOdd = true;
      const message = `The server's token counts for ${model} are not possible ones, so what this session costs is known roughly only; check the server at the base URL.`;
      onEvent({ type: "warning", message });
    }
    actors.charge(actor, usage, usd);
  }
}
