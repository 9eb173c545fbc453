import { systemClock } from "../src/lib/clock.ts";
import { ActorId, MAIN } from "../src/mailbox/ids.ts";
import type { Gateway, ModelRequest } from "../src/model/client.ts";
import { threadGateway } from "../src/model/gateway.ts";
import { GatewayClient } from "../src/model/gateway-client.ts";
import { Bucket } from "../test/model/limited-server.ts";
import { apiError, type Handler, startMessagesServer } from "../test/support/messages-server.ts";
import { atMost, type BenchOptions, type BenchResult, timesFloor } from "./result.ts";
import { quantile, rounded } from "./samples.ts";

const AGENTS = 32;
const LIMIT = { perSecond: 5, burst: 5 };
const REPLY_MS = 300;
const LEAD_EVERY_MS = 1500;
/** Until then the governor learns from refusals what nobody told it. */
const WARM_UP_MS = 15_000;

interface Seen {
  readonly at: number;
  readonly refused: boolean;
}

/** Many agents and the main conversation before a server of few requests a second, over real HTTP (demand D6). */
export async function run({ quick }: BenchOptions): Promise<BenchResult[]> {
  const calls = quick ? 3 : 10;
  return [
    ...(await underLimit(calls, "it tells them", true)),
    ...(await underLimit(calls, "it tells nothing", false)),
    await withoutLimit(),
  ];
}

async function underLimit(calls: number, how: string, tells: boolean): Promise<BenchResult[]> {
  const seen: Seen[] = [];
  const began = performance.now();
  const { wallMs, leadWaits } = await asked(AGENTS, calls, LEAD_EVERY_MS, limited(seen, began, tells));
  const replies = seen.filter(({ refused }) => !refused).length;
  const warm = seen.filter(({ at }) => at > WARM_UP_MS);
  const share = (part: readonly Seen[]) =>
    part.length === 0 ? 0 : (100 * part.filter(({ refused }) => refused).length) / part.length;
  const { perSecond, burst } = LIMIT;
  return [
    {
      name: `${AGENTS} agents x ${calls} calls at ${perSecond} requests a second, ${how}`,
      unit: "ms",
      ours: wallMs,
      floor: ((replies - burst) / perSecond) * 1000 + REPLY_MS,
      target: timesFloor(1.2),
      note: `${replies} replies`,
    },
    {
      name: "  refused after the warm-up",
      unit: "%",
      ours: share(warm),
      floor: null,
      target: atMost(2),
      note: `${rounded(share(seen))} % of all; the warm-up takes ${WARM_UP_MS / 1000} s`,
    },
    {
      name: "  the main conversation's wait for its reply to begin, p99",
      unit: "ms",
      ours: quantile(leadWaits, 0.99),
      floor: null,
      target: atMost(3000),
      note: `median ${rounded(quantile(leadWaits, 0.5))}, ${leadWaits.length} questions`,
    },
  ];
}

/** A server that limits nobody is asked as fast as it answers. */
async function withoutLimit(): Promise<BenchResult> {
  const [agents, calls] = [64, 5];
  const { wallMs } = await asked(agents, calls, null, () => ({ text: "Hi.", delayMs: REPLY_MS }));
  return {
    name: `${agents} agents x ${calls} calls of ${REPLY_MS} ms without a limit`,
    unit: "ms",
    ours: wallMs,
    floor: calls * REPLY_MS,
    target: null,
    note: "first connections included",
  };
}

function limited(seen: Seen[], began: number, tells: boolean): Handler {
  const bucket = new Bucket(systemClock, LIMIT);
  return () => {
    const refused = !bucket.take();
    seen.push({ at: performance.now() - began, refused });
    const headers = tells ? { "retry-after": "1" } : {};
    // The head comes at once, the reply in two pieces: what is waited for is a place, not the model.
    return refused
      ? { ...apiError(429, "rate_limit_error", "Too many requests."), headers }
      : { text: "Some words of a reply.", chunks: 2, chunkDelayMs: REPLY_MS / 6, headers };
  };
}

async function asked(agents: number, calls: number, leadEveryMs: number | null, handler: Handler) {
  const server = await startMessagesServer(handler, { record: false });
  const gateway = threadGateway({
    source: { provider: "anthropic", apiKey: "test-key", baseURL: server.url },
    limits: { concurrency: agents + 1 },
  });
  try {
    const done = new AbortController();
    const leadWaits = leadEveryMs === null ? null : lead(gateway, leadEveryMs, done.signal);
    const from = performance.now();
    const ids = Array.from({ length: agents }, (_, n) => ActorId.parse(`agent${n}`));
    await Promise.all(ids.map((actor) => agent(gateway, actor, calls)));
    const wallMs = performance.now() - from;
    done.abort();
    return { wallMs, leadWaits: (await leadWaits) ?? [] };
  } finally {
    await gateway.close();
    await server.close();
  }
}

async function agent(gateway: Gateway, actor: ActorId, calls: number): Promise<void> {
  const lane = new GatewayClient(gateway.connect(actor, false));
  for (let call = 0; call < calls; call++) {
    const outcome = await lane.ask(requestOf(actor), () => {}, new AbortController().signal);
    if (outcome.type === "failure") throw new Error(outcome.failure.message);
  }
  lane.close();
}

/** Milliseconds from each question of the main conversation to the first words of its reply. */
async function lead(gateway: Gateway, everyMs: number, done: AbortSignal): Promise<number[]> {
  const lane = new GatewayClient(gateway.connect(MAIN, true));
  const waits: number[] = [];
  while (!done.aborted) {
    const from = performance.now();
    let begunAt: number | undefined;
    const on = () => {
      begunAt ??= performance.now();
    };
    await lane.ask(requestOf(MAIN), (event) => event.type === "text" && on(), done);
    if (begunAt !== undefined) waits.push(begunAt - from);
    const { promise, resolve } = Promise.withResolvers<void>();
    const withdraw = systemClock.after(everyMs, resolve);
    done.addEventListener("abort", () => resolve(), { once: true });
    await promise;
    withdraw();
  }
  lane.close();
  return waits;
}

function requestOf(actor: ActorId): ModelRequest {
  return {
    ...{ actor, model: "test-model", maxTokens: 100, streamText: true },
    ...{ system: ["You are measured."], tools: [], messages: [{ role: "user", content: "Hello" }] },
  };
}
