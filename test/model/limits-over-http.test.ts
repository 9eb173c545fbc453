import { afterEach, describe, expect, test } from "vitest";
import { systemClock } from "../../src/mailbox/clock.ts";
import { ActorId, MAIN } from "../../src/mailbox/ids.ts";
import { anthropicModel } from "../../src/model/anthropic.ts";
import type { ServerAnswer } from "../../src/model/client.ts";
import { governed } from "../../src/model/governor.ts";
import { type RateLimits, rateLimitsOf, serverNow } from "../../src/model/rate-limits.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { isLong } from "../support/long.ts";
import { apiError, type MessagesServer, startMessagesServer } from "../support/messages-server.ts";
import { replyIn, requestOf } from "./asking.ts";
import { Bucket } from "./limited-server.ts";

let server: MessagesServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const never = new AbortController().signal;

/** The headers of a bucket that is full again at a moment of the server's clock. */
function headersOf(bucket: Bucket, burst: number): Record<string, string> {
  return {
    "anthropic-ratelimit-requests-limit": String(burst),
    "anthropic-ratelimit-requests-remaining": String(Math.floor(bucket.level)),
    "anthropic-ratelimit-requests-reset": new Date(Date.now() + bucket.fullMs).toISOString(),
  };
}

describe("what a server says of its limits", { tags: ["long"] }, () => {
  const said = (headers: Record<string, string>) => (name: string) => headers[name];
  const now = Date.parse("2030-01-01T00:00:00Z");

  test("is read for requests and all kinds of tokens; what is missing or senseless is left out", () => {
    const headers = {
      "anthropic-ratelimit-requests-limit": "50",
      "anthropic-ratelimit-requests-remaining": "49",
      "anthropic-ratelimit-requests-reset": "2030-01-01T00:00:01.2Z",
      "anthropic-ratelimit-tokens-limit": "40000",
      "anthropic-ratelimit-tokens-remaining": "0",
      "anthropic-ratelimit-tokens-reset": "2030-01-01T00:01:00Z",
      "anthropic-ratelimit-input-tokens-limit": "30000",
      "anthropic-ratelimit-input-tokens-remaining": "many",
      "anthropic-ratelimit-output-tokens-limit": "8000",
      "anthropic-ratelimit-output-tokens-remaining": "7000",
      "anthropic-ratelimit-output-tokens-reset": "2030-01-01T00:00:01Z",
    };
    expect(rateLimitsOf(said(headers), now)).toEqual({
      requests: { limit: 50, remaining: 49, resetMs: 1200 },
      tokens: { limit: 40_000, remaining: 0, resetMs: 60_000 },
      // A whole second is too coarse for so short a time.
      "output-tokens": { limit: 8000, remaining: 7000, resetMs: null },
    } satisfies RateLimits);
    expect(rateLimitsOf(said({}), now)).toEqual({});
  });

  test("is of its own clock: ours may have gone back by a day (fault 28)", () => {
    const date = "Tue, 01 Jan 2030 00:00:00 GMT";
    expect(serverNow(said({ date }), now + 700)).toBe(now + 700);
    expect(serverNow(said({ date }), now - 24 * 3600_000)).toBe(now);
    expect(serverNow(said({}), now)).toBe(now);
  });

  test("is told with the head of each answer, before the reply, refusals included", async () => {
    const clock = new FakeClock();
    const headers = { date: clock.date(), ...headersOf(new Bucket(clock, { perSecond: 1, burst: 9 }), 9) };
    server = await startMessagesServer(({ n }) =>
      n === 0 ? { ...apiError(429, "rate_limit_error", "slow"), headers } : { text: "Hi.", headers },
    );
    const model = anthropicModel({ baseURL: server.url, clock });
    const told: string[] = [];
    const onAnswer = ({ accepted, limits }: ServerAnswer) =>
      told.push(`${accepted} ${limits.requests?.remaining}`);
    for (let n = 0; n < 2; n++) {
      await model.ask(requestOf(), ({ type }) => told.push(type), never, onAnswer);
      told.push("over");
    }
    expect(told).toEqual(["false 9", "over", "true 9", "text", "over"]);
  });
});

describe.each(isLong ? [true, false] : [false])(
  "a real server of 25 requests a second, in bursts of 8; it tells so: %s",
  { tags: ["long"] },
  (tells) => {
    const limits = { perSecond: 25, burst: 8 };

    test("16 agents x 3 calls all have their replies, refusals are few, retries do not stampede (D6)", async () => {
      const bucket = new Bucket(systemClock, limits);
      const refused = new Set<string>();
      let refusals = 0;
      let retrying = 0;
      let mostRetrying = 0;
      server = await startMessagesServer(async ({ body, ended }) => {
        const who = JSON.stringify(body.messages);
        const retry = refused.delete(who);
        if (retry) {
          retrying += 1;
          mostRetrying = Math.max(mostRetrying, retrying);
          void ended.then(() => {
            retrying -= 1;
          });
        }
        const taken = bucket.take();
        const headers = tells ? headersOf(bucket, limits.burst) : {};
        if (taken) return { text: "Some words of a reply.", chunks: 3, chunkDelayMs: 5, headers };
        refusals += 1;
        refused.add(who);
        return {
          ...apiError(429, "rate_limit_error", "slow"),
          headers: { ...headers, "retry-after-ms": "100" },
        };
      });
      const ask = governed(anthropicModel({ baseURL: server.url }), {
        clock: systemClock,
        random: Math.random,
      });
      const agent = async (n: number) => {
        const actor = n === 0 ? MAIN : ActorId.parse(`agent${n}`);
        for (let call = 0; call < 3; call++) {
          const messages = [{ role: "user" as const, content: `agent ${n}, call ${call}` }];
          replyIn(await ask(requestOf({ actor, messages }), n === 0, () => {}, never));
        }
      };
      await Promise.all(Array.from({ length: 16 }, (_, n) => agent(n)));
      // The first burst is refused but for 8; how many more is a matter of a busy machine's timers.
      expect(server.requests.length).toBe(16 * 3 + refusals);
      expect(refusals).toBeLessThan(32);
      expect(mostRetrying).toBeLessThanOrEqual(limits.burst);
    });
  },
);
