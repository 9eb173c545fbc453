import { expect, onTestFinished, test } from "vitest";
import { definedBy } from "../../../src/context/agents/from-fields.ts";
import { defineAgent } from "../../../src/index.ts";
import { startMessagesServer } from "../../support/messages-server.ts";
import { supervised } from "../../support/supervised.ts";

test("thinking and effort are the session's, and an agent's own win, in what is sent (A1.15)", async () => {
  const server = await startMessagesServer(() => ({ text: "Found." }));
  onTestFinished(() => server.close());
  const own = defineAgent({
    ...{ name: "quick", whenToUse: "Small things.", prompt: "Look.", tools: ["Read"] },
    ...{ effort: "low", thinkingTokens: 0 },
  });
  const { supervisor } = supervised("in-thread", [], {
    ...{ agents: [own], effort: "high", limits: { thinkingTokens: 2_000 } },
    source: { provider: "anthropic", apiKey: "key", baseURL: server.url },
  });
  await supervisor.prompt("hi");
  await supervisor.spawn({ type: "quick", prompt: "look" });
  await supervisor.spawn({ type: "Explore", prompt: "look" });
  const sent = server.requests.map(({ body }) => [body["output_config"], body["thinking"]]);
  const thoughts = (display: string) => ({ type: "adaptive", display });
  expect(sent).toEqual([
    [{ effort: "high" }, thoughts("summarized")],
    // What it does between calls is for the user.
    [{ effort: "low" }, thoughts("updates")],
    [{ effort: "high" }, thoughts("summarized")],
  ]);
});

test("without a setting neither is sent", async () => {
  const server = await startMessagesServer(() => ({ text: "Found." }));
  onTestFinished(() => server.close());
  const { supervisor } = supervised("in-thread", [], {
    source: { provider: "anthropic", apiKey: "key", baseURL: server.url },
  });
  await supervisor.prompt("hi");
  expect(Object.keys(server.requests[0]?.body ?? {})).not.toContain("output_config");
});

test("an agent's file says both, and what cannot be read is named", () => {
  const fields = new Map([
    ["description", { value: "Small things.", line: 2 }],
    ["effort", { value: "Low", line: 3 }],
    ["thinking-tokens", { value: 1_500, line: 4 }],
  ]);
  const given = {
    fields,
    prompt: "Look.",
    line: 6,
    fallbackName: "quick",
    source: { scope: "flag" },
  } as const;
  expect(definedBy(given).definition).toMatchObject({ effort: "low", thinkingTokens: 1_500 });
  const odd = new Map([...fields, ["effort", { value: "extreme", line: 3 }] as const]);
  const { definition, problems } = definedBy({ ...given, fields: odd });
  expect(definition).not.toHaveProperty("effort");
  expect(problems).toEqual([{ line: 3, message: expect.stringContaining("must be one of low, medium") }]);
});
