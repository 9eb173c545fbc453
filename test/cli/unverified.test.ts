import { describe, expect, test } from "vitest";
import { doing } from "../../src/cli/agent-text.ts";
import { fanoutJson } from "../../src/cli/result-json.ts";
import { fanoutText } from "../../src/cli/results.ts";
import { noUsage } from "../../src/mailbox/conversation.ts";
import { SessionId } from "../../src/mailbox/ids.ts";
import type { Summary } from "../../src/mailbox/messages.ts";
import { noReceipts } from "../../src/mailbox/turns.ts";
import { actor, agentView } from "../support/agent-view.ts";

const summary: Summary = {
  ...{ status: "done", text: "See src/a.ts:9.", turns: 1, usage: noUsage, receipts: noReceipts },
  unverified: [{ kind: "lines", said: "src/a.ts:9", why: "it was never read" }],
};
const end = (of: Summary) => ({
  ...{ id: actor(1), type: "Explore", description: "look", summary: of, durationMs: 5 },
});
const finished = (of: Summary) => ({
  ends: [end(of)],
  account: {
    ...{
      session: SessionId.parse("session1"),
      agents: [],
      usage: noUsage,
      apiMs: 0,
      costUsd: 0,
      denials: [],
    },
  },
  durationMs: 5,
  unfinished: [],
});
const io = { stdout: { isTTY: false }, env: {} };

describe("what could not be verified, for people and programs (D10)", () => {
  test("the live tree says how much", () => {
    expect(doing(agentView({ id: actor(1), state: "ended", summary }), 0)).toContain("done · unverified: 1");
    const toolless: Summary = { ...summary, unverified: [], unfounded: true };
    expect(doing(agentView({ id: actor(1), state: "ended", summary: toolless }), 0)).toContain("no tool run");
  });

  test("JSON says how much, and what", () => {
    expect(fanoutJson(["look"], finished(summary) as never)).toMatchObject({
      results: [{ unverified: 1, unverified_claims: summary.unverified }],
    });
    const { unverified: _, ...fine } = summary;
    const [result] = (fanoutJson(["look"], finished(fine) as never) as { results: object[] }).results;
    expect(result).toMatchObject({ unverified: 0 });
    expect(result).not.toHaveProperty("unverified_claims");
  });

  test("text names it under the report", () => {
    expect(fanoutText(["look"], [end(summary)], io as never)).toContain('- "src/a.ts:9": it was never read');
    expect(
      fanoutText(["look"], [end({ ...summary, unverified: [], unfounded: true })], io as never),
    ).toContain("No tool was run for this");
  });
});
