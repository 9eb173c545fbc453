// @module-tag long
import { describe, expect, test } from "vitest";
import type { ModelRequest } from "../../../src/model/client.ts";
import type { ScriptedTurn } from "../../../src/model/scripted.ts";
import type { SupervisorOptions } from "../../../src/session/options.ts";
import { supervised } from "../../support/supervised.ts";
import { textsOf } from "../../support/texts-of.ts";

const taskOf = (request: ModelRequest) => Number(/task (\d+)/.exec(textsOf(request))?.[1] ?? 0);
const SPENT = { kind: "spend_limit", message: "The limit is reached" } as const;

/** Forty tasks at once, one at work at a time. */
async function fanOut(script: (n: number) => ScriptedTurn, options: Partial<SupervisorOptions> = {}) {
  const asked: number[] = [];
  const { supervisor, events } = supervised(
    "in-thread",
    (request) => {
      asked.push(taskOf(request));
      return script(taskOf(request));
    },
    { ...options, limits: { maxAgents: 1, patienceMs: 0, ...options.limits } },
  );
  const all = Array.from({ length: 40 }, (_, n) => supervisor.spawn({ prompt: `task ${n + 1}` }));
  const summaries = (await Promise.all(all)).map(({ summary }) => summary);
  const warnings = events.flatMap((event) => (event.type === "warning" ? [event.message] : []));
  return { asked, summaries, warnings, supervisor };
}

const answering = (label: string, questions: string[]): NonNullable<SupervisorOptions["person"]> => ({
  async ask(request) {
    if (request.type !== "question") throw new Error("a question was expected");
    const [{ question } = { question: "" }] = request.questions;
    questions.push(question);
    return { type: "answers", answers: { [question]: label } };
  },
});

describe("agents that fail in a row for the same reason (issue 19, 4)", () => {
  test("stop the others without a user: they end as cancelled, with the reason, and nothing is asked for them", async () => {
    const { asked, summaries, warnings } = await fanOut((n) => ({
      failure: { ...SPENT, message: `Spent at ${n}` },
    }));
    expect(asked).toEqual([1, 2, 3]);
    expect(summaries.slice(0, 3).map(({ status }) => status)).toEqual(["failed", "failed", "failed"]);
    for (const { status, reason } of summaries.slice(3)) {
      expect(status).toBe("cancelled");
      expect(reason).toMatch(
        /^3 agents in a row failed for the same reason, so no more are started: .*Spent at 3/,
      );
    }
    expect(warnings).toHaveLength(1);
  });

  test("stop nothing if one of them succeeds, or fails for another reason", async () => {
    const { asked, summaries } = await fanOut((n) => {
      if (n % 3 === 0) return { text: "Done." };
      return { failure: n % 2 === 0 ? SPENT : { kind: "auth", message: "No key" } };
    });
    expect(asked).toHaveLength(40);
    expect(summaries.some(({ status }) => status === "cancelled")).toBe(false);
  });

  test("stop as many as the setting says, or never with 0", async () => {
    const five = await fanOut(() => ({ failure: SPENT }), { limits: { sameFailures: 5 } });
    expect(five.asked).toHaveLength(5);
    const never = await fanOut(() => ({ failure: SPENT }), { limits: { sameFailures: 0 } });
    expect(never.asked).toHaveLength(40);
  });

  test("ask a user once, and the answer holds: none, or all until three more have failed", async () => {
    const questions: string[] = [];
    const none = await fanOut(() => ({ failure: SPENT }), { person: answering("Do not", questions) });
    expect(none.asked).toHaveLength(3);
    expect(questions).toEqual([
      expect.stringMatching(/failed for the same reason: .*\nStart the other 37\?$/),
    ]);
    questions.length = 0;
    const all = await fanOut((n) => (n <= 4 ? { failure: SPENT } : { text: "Done." }), {
      person: answering("Start them", questions),
    });
    expect(all.asked).toHaveLength(40);
    expect(questions).toHaveLength(1);
  });

  test("do not keep a later fan-out from starting", async () => {
    const { supervisor, asked } = await fanOut((n) => (n > 40 ? { text: "Done." } : { failure: SPENT }));
    const { summary } = await supervisor.spawn({ prompt: "task 41" });
    expect(summary.status).toBe("done");
    expect(asked).toEqual([1, 2, 3, 41]);
  });
});
