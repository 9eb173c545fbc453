import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import type { ContentBlock } from "../../src/mailbox/conversation.ts";
import { noUsage } from "../../src/mailbox/conversation.ts";
import type { ModelClient } from "../../src/model/client.ts";
import { long } from "../support/long.ts";
import { shippedHosts, supervised } from "../support/supervised.ts";

const AGENTS = long(300, 120);
/** What an agent reads, so often; kept for all of them it would be 60 MB, or 24. */
const PAGE = `${"x".repeat(99)}\n`.repeat(1_000);
const READS = 2;
const MOST_KEPT_MB = long(20, 12);

/** Reads the page, then ends. It remembers nothing, unlike a scripted model. */
const reader: ModelClient = {
  name: "reader",
  async ask(request) {
    const turns = request.messages.filter(({ role }) => role === "assistant").length;
    const content: ContentBlock[] =
      turns < READS
        ? [
            {
              type: "tool_use",
              id: `use_${turns}`,
              name: "Read",
              input: { file_path: request.messages[0]?.content },
              caller: { type: "direct" },
            },
          ]
        : [{ type: "text", text: "read", citations: null }];
    const stopReason = turns < READS ? "tool_use" : "end_turn";
    return { type: "reply", reply: { content, stopReason, usage: noUsage, model: request.model, apiMs: 0 } };
  },
};

describe.each(shippedHosts)("%s", (host) => {
  test(`${AGENTS} agents leave no port, no timer, no listener, and nothing of what they read`, {
    tags: ["long"],
    timeout: 120_000,
  }, async () => {
    const warnings: Error[] = [];
    const note = (warning: Error) => warnings.push(warning);
    process.on("warning", note);
    const { supervisor, cwd, events } = supervised(host, [], {
      source: { provider: "client", client: reader },
      files: { "page.txt": PAGE },
      limits: { maxAgents: 4 },
    });
    const run = async (count: number) => {
      const results = Array.from({ length: count }, () => supervisor.spawn({ prompt: `${cwd}/page.txt` }));
      for (const { summary } of await Promise.all(results))
        expect(summary).toMatchObject({ status: "done", receipts: { tools: { Read: READS } } });
      events.length = 0;
    };
    await run(20);
    const before = { handles: await handles(), heap: heapUsedMb() };
    await run(AGENTS);
    for (const [kind, count] of Object.entries(await handles()))
      expect(count - (before.handles[kind] ?? 0), kind).toBeLessThan(AGENTS / 10);
    const kept = heapUsedMb() - before.heap;
    expect(kept).toBeLessThan(MOST_KEPT_MB);
    process.off("warning", note);
    expect(warnings).toEqual([]);
  });
});

/** What is open, by kind, once the last threads have said goodbye; those of the pool come and go. */
async function handles(): Promise<Record<string, number>> {
  for (let n = 0; n < 20; n += 1) await new Promise((resolve) => setImmediate(resolve));
  const counts: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo().toSorted()) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

function heapUsedMb(): number {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect === "function") collect();
  return process.memoryUsage().heapUsed / 2 ** 20;
}
