import type { ActorId } from "../../mailbox/ids.ts";
import type { MeteredRequest, Reservation } from "../../model/client.ts";
import { type OwnPrices, type Prices, priceOf } from "../../model/known-models.ts";
import { type Account, type Allowance, drawnOn, hold, letGo } from "./account.ts";
import { amount, nanosOf } from "./budget.ts";

/** A request whose reply would be limited to less waits while other requests may release money. */
const DECENT_TOKENS = 4_000;
/** A reply may always have this many tokens; a longer one may take only a share of the money. */
const USUAL_TOKENS = 16_000;
const SHARE = 0.25;
/** A request whose reply would be shorter is not sent. */
const LEAST_TOKENS = 500;

interface Held {
  readonly account: Account;
  readonly allowance: Allowance;
  readonly nanos: number;
}

interface Waiting {
  readonly request: MeteredRequest;
  readonly lead: boolean;
  readonly allowance: Allowance;
  settle(answer: Reservation): void;
}

/** What one request gets now; `wait`: other requests may release money. */
type Attempt = Reservation | { readonly type: "wait" };

/**
 * Money for requests in flight: the most each may cost is held before it is sent, and released when its cost is
 * booked. So all spending stays within every limit (D5), for any number of agents.
 */
export class Reservations {
  readonly #find: (actor: ActorId) => Account;
  readonly #prices: OwnPrices;
  readonly #held = new Map<number, Held>();
  #waiting: Waiting[] = [];
  #counter = 0;

  constructor(find: (actor: ActorId) => Account, prices: OwnPrices) {
    this.#find = find;
    this.#prices = prices;
  }

  /** Resolves when the request fits; those that wait keep their order, the main conversation first. Never rejects. */
  reserve(request: MeteredRequest, lead: boolean, signal: AbortSignal): Promise<Reservation> {
    if (signal.aborted) return Promise.resolve(WITHDRAWN);
    const { allowance } = drawnOn(this.#find(request.actor), "usd");
    const isNext = lead || this.#waiting.every((one) => one.allowance !== allowance);
    const now: Attempt = isNext ? this.#attempt(request) : { type: "wait" };
    if (now.type !== "wait") return Promise.resolve(now);
    return new Promise((resolve) => {
      const withdraw = () => {
        this.#waiting = this.#waiting.filter((other) => other !== one);
        one.settle(WITHDRAWN);
        this.retry();
      };
      const one: Waiting = {
        ...{ request, lead, allowance },
        settle(answer) {
          signal.removeEventListener("abort", withdraw);
          resolve(answer);
        },
      };
      signal.addEventListener("abort", withdraw, { once: true });
      const after = lead ? this.#waiting.findIndex((other) => !other.lead) : -1;
      this.#waiting.splice(after < 0 ? this.#waiting.length : after, 0, one);
    });
  }

  /** Releases a request that is booked or was not used. Call it before `retry`. */
  settle(id: number): void {
    const held = this.#held.get(id);
    if (held === undefined) return;
    this.#held.delete(id);
    letGo(held.account, held.allowance, held.nanos);
  }

  /** Releases all requests in flight, which are lost with their gateway. */
  settleAll(): void {
    for (const id of [...this.#held.keys()]) this.settle(id);
    this.retry();
  }

  /** Tries the waiting requests again, in their order. */
  retry(): void {
    const blocked = new Set<Allowance>();
    for (const one of [...this.#waiting]) {
      const { allowance } = drawnOn(this.#find(one.request.actor), "usd");
      const now: Attempt = blocked.has(allowance) ? { type: "wait" } : this.#attempt(one.request);
      if (now.type === "wait") {
        blocked.add(allowance);
        continue;
      }
      this.#waiting = this.#waiting.filter((other) => other !== one);
      one.settle(now);
    }
  }

  #attempt(request: MeteredRequest): Attempt {
    const { actor, model, promptTokens, exact, maxTokens, last } = request;
    const account = this.#find(actor);
    const { owner, allowance } = drawnOn(account, "usd");
    const price = priceOf(model, promptTokens, this.#prices);
    if (price === undefined || allowance.limit === Number.POSITIVE_INFINITY)
      return this.#grant(account, allowance, 0, maxTokens);

    const costOf = mostCosting(price, promptTokens);
    const room = allowance.limit - allowance.committed - allowance.held;
    // An ordinary request leaves what is reserved for summaries as long as it can.
    const spare = room - (allowance.kept - (last ? account.kept.usd : 0));
    // One possibly very long reply must not keep all others waiting.
    const usual = Math.max(USUAL_TOKENS, affordable(costOf, spare * SHARE, maxTokens));
    const most = Math.min(maxTokens, usual);
    if (costOf(most) <= spare) return this.#grant(account, allowance, costOf(most), most);
    if (!exact) return { type: "count" };
    const granted = (within: number, least: number) => {
      const tokens = affordable(costOf, within, most);
      return tokens >= Math.min(least, maxTokens)
        ? this.#grant(account, allowance, costOf(tokens), tokens)
        : null;
    };
    const decent = granted(spare, DECENT_TOKENS);
    if (decent) return decent;
    if (allowance.held > 0) return { type: "wait" };
    const least = granted(spare, LEAST_TOKENS) ?? granted(room, LEAST_TOKENS);
    if (least) return least;
    const needs = amount("usd", costOf(Math.min(LEAST_TOKENS, maxTokens)));
    const whose = owner.id === null ? "this session's" : owner.id === actor ? "its" : "its starter's";
    const left = room > 0 ? `only ${amount("usd", room)} of` : "nothing of";
    const reason = `The request was not sent: it may cost ${needs}, and ${left} ${whose} budget of ${amount("usd", allowance.limit)} is left; set a higher budget, or give a smaller task.`;
    return { type: "refused", reason };
  }

  #grant(account: Account, allowance: Allowance, nanos: number, maxTokens: number): Reservation {
    const id = this.#counter++;
    hold(account, allowance, nanos);
    this.#held.set(id, { account, allowance, nanos });
    return { type: "granted", id, maxTokens };
  }
}

const WITHDRAWN: Reservation = { type: "refused", reason: "The request was cancelled." };

/** Returns the highest cost in billionths of a dollar, by tokens of the reply: nothing comes from a cache. */
function mostCosting({ input, output, cacheWrite, cacheRead }: Prices, promptTokens: number) {
  const prompt = promptTokens * Math.max(input, cacheWrite, cacheRead);
  return (tokens: number): number => nanosOf((prompt + tokens * output) / 1_000_000);
}

/** Returns the most reply tokens that fit; 0 if the prompt alone does not. */
function affordable(costOf: (tokens: number) => number, within: number, most: number): number {
  const perToken = (costOf(1_000_000) - costOf(0)) / 1_000_000;
  if (costOf(0) > within) return 0;
  if (perToken <= 0) return most;
  return Math.min(most, Math.floor((within - costOf(0)) / perToken));
}
