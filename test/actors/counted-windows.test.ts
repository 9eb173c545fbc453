import { describe, expect, test } from "vitest";
import type { ModelRequest } from "../../src/model/client.ts";
import { scriptedModel } from "../../src/model/scripted.ts";
import { Supervisor } from "../../src/session/supervisor.ts";
import { isSummaryRequest, windowed } from "../features/compaction/compacting-sessions.ts";
import { supervised } from "../support/supervised.ts";

const WINDOW = { tokens: 60_000, compactAt: 0.9, auto: true };
/** About so many tokens by our estimate. */
const words = (tokens: number) => "many words ".repeat(Math.round((tokens * 3.5) / 11));

/** One prompt of a size, in a window of 60,000; what the model's count says of a request is the test's. */
async function asked(prompt: string, countTokens?: (request: ModelRequest) => number | null) {
  const counts: ModelRequest[] = [];
  const model = scriptedModel(
    (request) => ({ text: isSummaryRequest(request) ? "A summary." : "done", usage: { input_tokens: 10 } }),
    countTokens === undefined
      ? {}
      : {
          countTokens(request) {
            counts.push(request);
            return countTokens(request);
          },
        },
  );
  const { supervisor } = supervised("in-thread", [], {
    source: { provider: "client", client: model },
    host: windowed("in-thread", () => WINDOW),
  });
  expect(supervisor).toBeInstanceOf(Supervisor);
  const { summary } = await supervisor.prompt(prompt);
  return { summary, counts, requests: model.requests };
}

describe("uses the model's own count if an estimate is in doubt (A19.1)", () => {
  test("compacts nothing if the estimate exceeds the limit and the count does not", async () => {
    const { summary, counts, requests } = await asked(words(52_000), () => 20_000);
    expect(summary.status).toBe("done");
    expect(counts).toHaveLength(1);
    expect(counts[0]?.messages).toEqual(requests[0]?.messages);
    expect(counts[0]?.tools).toEqual(requests[0]?.tools);
    expect(requests).toHaveLength(1);
    expect(requests[0]?.withoutTools).toBe(false);
  });

  test("without a count the same conversation is taken to be too large", async () => {
    const { requests, summary } = await asked(words(62_000));
    expect(summary.status).not.toBe("done");
    expect(requests.every(({ withoutTools }) => withoutTools)).toBe(true);
  });

  test("no count in time: the estimate holds", async () => {
    const { counts, summary } = await asked(words(45_000), () => null);
    expect(counts).toHaveLength(1);
    expect(summary.text).toBe("done");
  });

  test("requests no count far below the limit", async () => {
    const { counts, requests } = await asked(words(5_000), () => 100);
    expect(counts).toEqual([]);
    expect(requests).toHaveLength(1);
  });
});
