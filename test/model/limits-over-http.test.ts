import { afterEach, describe, expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { ActorId, MAIN } from "../../src/mailbox/ids.ts";
import { anthropicModel } from "../../src/model/anthropic.ts";
import { governed } from "../../src/model/governor.ts";
import { apiError, type MessagesServer, startMessagesServer } from "../support/messages-server.ts";
import { replyIn, requestOf } from "./asking.ts";
import { Bucket } from "./limited-server.ts";

let server: MessagesServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const never = new AbortController().signal;

describe("a real server of 25 requests a second, in bursts of 8", { tags: ["long"] }, () => {
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
      if (taken) return { text: "Some words of a reply.", chunks: 3, chunkDelayMs: 5 };
      refusals += 1;
      refused.add(who);
      return {
        ...apiError(429, "rate_limit_error", "slow"),
        headers: { "retry-after-ms": "100" },
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
});
