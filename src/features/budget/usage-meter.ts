import { addUsage, noUsage } from "../../mailbox/conversation.ts";
import type { ActorId } from "../../mailbox/ids.ts";
import type { GatewayNotice } from "../../model/client.ts";
import type { SessionUsage } from "../../session/options.ts";
import type { Session } from "../../session/session.ts";
import type { ActorRecord } from "../../supervisor/actor-record.ts";
import type { OnEvent } from "../../supervisor/listener.ts";
import type { AgentView, PermissionDenial } from "../../supervisor/view.ts";

type UsageNotice = Extract<GatewayNotice, { type: "usage" }>;

export interface BillParts {
  readonly session: Pick<Session, "id" | "clock" | "spending">;
  readonly onEvent: OnEvent;
  find(id: ActorId): ActorRecord | undefined;
  /** Something to show of this one is new. */
  changed(actor: ActorRecord): void;
}

/** What a session has used of its model, as the gateway tells, and what it was refused. */
export class UsageMeter {
  readonly denials: PermissionDenial[] = [];
  /** In dollars, of all there was, also before the session was taken up. */
  costUsd = 0;
  readonly #parts: BillParts;
  #apiMs = 0;
  #saidOdd = false;

  constructor(parts: BillParts) {
    this.#parts = parts;
  }

  hear(notice: GatewayNotice): void {
    const { session, onEvent, find, changed } = this.#parts;
    if (notice.type === "unused") {
      session.spending.purses.unused(notice.reservation);
      return;
    }
    if (notice.type === "restarted") {
      session.spending.purses.lost();
      onEvent({ type: "warning", message: notice.reason });
      return;
    }
    const actor = find(notice.actor);
    if (actor) actor.lastSignAt = session.clock.now();
    switch (notice.type) {
      case "open":
        return;
      case "usage":
        this.#book(notice, actor);
        break;
      case "waiting": {
        const { reason, attempt, ms } = notice;
        const until = session.clock.now() + ms;
        if (actor) actor.wait = { type: "retrying", reason, until, attempt };
        onEvent(notice);
        break;
      }
      default:
        notice satisfies never;
    }
    if (actor) changed(actor);
  }

  account(agents: readonly AgentView[]): SessionUsage {
    return {
      ...{ session: this.#parts.session.id, agents, apiMs: this.#apiMs },
      usage: agents.reduce((sum, agent) => addUsage(sum, agent.usage), noUsage),
      // Prices are fractions of a cent: what lies below a millionth of a dollar is the arithmetic's own.
      costUsd: Math.round(this.costUsd * 1e6) / 1e6,
      denials: [...this.denials],
    };
  }

  /** A reply was paid for, whoever asked and whether it is there to have it. */
  #book({ actor: id, model, usage, apiMs, odd, ...more }: UsageNotice, actor: ActorRecord | undefined): void {
    this.#apiMs += apiMs;
    const { usd, note } = this.#parts.session.spending.spend(id, model, usage, more);
    this.costUsd += usd;
    actor?.answered(usage, usd);
    if (note !== null) this.#parts.onEvent({ type: "warning", message: note });
    if (odd && !this.#saidOdd) {
      this.#saidOdd = true;
      const message = `The server's token counts for ${model} are not possible ones, so what this session costs is known roughly only; check the server at the base URL.`;
      this.#parts.onEvent({ type: "warning", message });
    }
  }
}
