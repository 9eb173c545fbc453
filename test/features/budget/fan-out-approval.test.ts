// @module-tag long
import { describe, expect, test } from "vitest";
import { UNQUOTED } from "../../../src/features/budget/fan-out-approval.ts";
import type { UserAnswer, UserHandler, UserRequest } from "../../../src/policy/user-requests.ts";
import { textsOf } from "../../supervisor/resume-world.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { byTask, COIN, costing, kind, PRICES, paying, start } from "./coins.ts";

const small = kind("small", 8);
const two = byTask({
  go: [
    () => costing(1, { calls: [start("small", "a"), start("small", "b")] }),
    () => costing(1, { text: "all done" }),
  ],
  a: [() => costing(1, { text: "a is done" })],
  b: [() => costing(1, { text: "b is done" })],
});

/** Answers every question like that, and keeps them. */
function someone(answer: (ask: UserRequest) => UserAnswer) {
  const asks: UserRequest[] = [];
  const person: UserHandler = {
    async ask(ask) {
      asks.push(ask);
      return answer(ask);
    },
  };
  return { person, asks };
}

function choosing(label: string) {
  return someone((ask) => {
    if (ask.type !== "question") throw new Error(`Nobody was to ask for ${ask.type}.`);
    return { type: "answers", answers: { [ask.questions[0]?.question ?? ""]: label } };
  });
}

test("a fan-out above the threshold is a question to the user, before any agent is started (C5)", async () => {
  const { person, asks } = choosing("Start them");
  const { supervisor, events, warnings } = paying(two, { agents: [small], quoteAboveUsd: 5, person });
  expect((await supervisor.prompt("go")).summary.text).toBe("all done");
  expect(asks).toHaveLength(1);
  expect(asks[0]).toMatchObject({
    type: "question",
    askers: [{ actor: "main", path: ["main conversation"] }],
    questions: [
      {
        question:
          "2 agents are likely to cost $8.00 (by typical runs), and $16.00 at most (their budgets). Start them?",
        options: [{ label: "Start them" }, { label: "Do not" }],
      },
    ],
  });
  expect(supervisor.tree()).toHaveLength(3);
  expect(warnings()).toEqual([]);
  expect(events.length).toBeGreaterThan(0);
});

test("“Do not” starts none of them, and the model gets the reason", async () => {
  const { person, asks } = choosing("Do not");
  const { supervisor, model } = paying(two, { agents: [small], quoteAboveUsd: 5, person });
  expect((await supervisor.prompt("go")).summary).toMatchObject({ status: "done", text: "all done" });
  expect(asks).toHaveLength(1);
  expect(supervisor.tree()).toHaveLength(1);
  const heard = textsOf(model.requests.at(-1) ?? never());
  expect(
    heard.split("The user does not want these agents started because of what they may cost."),
  ).toHaveLength(3);
});

test("passes the user's own text to the model", async () => {
  const { person } = choosing("one agent is enough");
  const { supervisor, model } = paying(two, { agents: [small], quoteAboveUsd: 5, person });
  await supervisor.prompt("go");
  expect(supervisor.tree()).toHaveLength(1);
  expect(textsOf(model.requests.at(-1) ?? never())).toContain("They say: one agent is enough");
});

test("starts everything if the user has left", async () => {
  const { person } = someone(() => ({ type: "unavailable", reason: "The window was closed." }));
  const { supervisor, warnings } = paying(two, { agents: [small], quoteAboveUsd: 5, person });
  expect((await supervisor.prompt("go")).summary.text).toBe("all done");
  expect(supervisor.tree()).toHaveLength(3);
  expect(warnings()).toEqual([
    "2 agents are likely to cost $8.00 (by typical runs), and $16.00 at most (their budgets).",
  ]);
});

test("notifies once if no user can be asked, and starts everything: never a refusal", async () => {
  const { supervisor, warnings } = paying(two, { agents: [small], quoteAboveUsd: 5 });
  expect((await supervisor.prompt("go")).summary.text).toBe("all done");
  expect(supervisor.tree()).toHaveLength(3);
  expect(warnings()).toEqual([
    "2 agents are likely to cost $8.00 (by typical runs), and $16.00 at most (their budgets).",
  ]);
});

test("below the threshold, and for a single agent, nothing is asked or said", async () => {
  const { person, asks } = choosing("Do not");
  const below = paying(two, { agents: [small], quoteAboveUsd: 8, person });
  await below.supervisor.prompt("go");
  expect(below.supervisor.tree()).toHaveLength(3);
  const alone = paying(
    byTask({
      go: [() => ({ calls: [start("small", "a")] }), () => ({ text: "all done" })],
      a: [() => ({ text: "a" })],
    }),
    { agents: [small], quoteAboveUsd: 0, person },
  );
  await alone.supervisor.prompt("go");
  expect(alone.supervisor.tree()).toHaveLength(2);
  expect(asks).toEqual([]);
  expect([...below.warnings(), ...alone.warnings()]).toEqual([]);
});

test("what agents of the type cost before on this machine is likely, also in the next session (C5)", {
  tags: ["long"],
}, async () => {
  const home = temporaryFolder();
  const { person, asks } = choosing("Do not");
  const options = { agents: [small], quoteAboveUsd: 5, home };
  for (const _ of [1, 2]) {
    const before = paying(two, options);
    await before.supervisor.prompt("go");
    await before.supervisor.close();
  }
  const { supervisor } = paying(two, { ...options, person });
  await supervisor.prompt("go");
  // A dollar each, not the four of typical turns: that is no question.
  expect(asks).toEqual([]);
  const low = paying(two, { ...options, quoteAboveUsd: 1 });
  await low.supervisor.prompt("go");
  expect(low.warnings()).toEqual([
    "2 agents are likely to cost $2.00 (by past runs), and $16.00 at most (their budgets).",
  ]);
});

test("a fork is estimated by what was said so far", async () => {
  const dear = { [COIN]: { input: 1_000, output: 1_000, cacheWrite: 1_000, cacheRead: 0 } };
  const { supervisor, warnings } = paying(
    byTask({
      go: [
        () => ({ usage: { input_tokens: 6_000 }, calls: [start("fork", "a"), start("fork", "b")] }),
        () => ({ text: "all done" }),
      ],
      a: [() => ({ text: "a" })],
      b: [() => ({ text: "b" })],
    }),
    { prices: dear, quoteAboveUsd: 1 },
  );
  await supervisor.prompt("go");
  // 8 x 500 tokens said, 7 x 2,500 added, and a prefix of more than 6,000: at a dollar for a thousand.
  expect(warnings()[0]).toMatch(/^2 agents are likely to cost \$5[5-9]\.\d\d \(by typical runs\)/);
});

test("what is left of a budget bounds the figure", async () => {
  const { supervisor, warnings } = paying(two, { agents: [small], quoteAboveUsd: 1, budget: { usd: 12 } });
  await supervisor.prompt("go");
  expect(warnings()).toEqual([
    "2 agents are likely to cost $8.00 (by typical runs), and $11.00 at most (what is left of this session's budget).",
  ]);
});

test("the model that an agent would have decides, also where a call or its kind names it by its alias", async () => {
  const dear = { ...PRICES, "claude-opus-5-5": { input: 0, output: 9_000, cacheWrite: 0, cacheRead: 0 } };
  const more = { model: "opus" };
  const { supervisor, warnings } = paying(
    byTask({
      go: [() => ({ calls: [start("plain", "a", more), start("opera", "b")] }), () => ({ text: "all done" })],
      a: [() => ({ text: "a" })],
      b: [() => ({ text: "b" })],
    }),
    {
      ...{ model: COIN, prices: dear, quoteAboveUsd: 10 },
      agents: [
        { name: "plain", whenToUse: "never", prompt: "Work.", tools: ["Tick"], maxTurns: 1 },
        { name: "opera", whenToUse: "never", prompt: "Sing.", tools: ["Tick"], maxTurns: 1, model: "Opus" },
      ],
    },
  );
  await supervisor.prompt("go");
  // Two turns each (the summary is one) of 128,000 tokens at 9,000 dollars a million.
  expect(warnings()).toEqual([
    "2 agents are likely to cost $18.00 (by typical runs), and $4,608.00 at most (all their turns with a full window, at list prices).",
  ]);
});

test("an agent of an agent is quoted too, and shown with its way from the top", async () => {
  const { person, asks } = choosing("Do not");
  const { supervisor } = paying(
    byTask({
      go: [() => ({ calls: [start("worker", "manage")] }), () => ({ text: "all done" })],
      manage: [() => ({ calls: [start("small", "a"), start("small", "b")] }), () => ({ text: "alone" })],
    }),
    { agents: [small], quoteAboveUsd: 5, person, limits: { maxDepth: 3 } },
  );
  expect((await supervisor.prompt("go")).summary.text).toBe("all done");
  expect(supervisor.tree().map(({ summary }) => summary?.text)).toEqual(["all done", "alone"]);
  expect(asks).toMatchObject([{ askers: [{ path: ["main conversation", "worker · manage"] }] }]);
});

test("stops an agent during the question, and withdraws the question (C8)", async () => {
  const asked = Promise.withResolvers<AbortSignal>();
  const person: UserHandler = {
    ask: (_ask, signal) => {
      asked.resolve(signal);
      return new Promise(() => {});
    },
  };
  const { supervisor } = paying(two, { agents: [small], quoteAboveUsd: 5, person });
  const stop = new AbortController();
  const result = supervisor.prompt("go", stop.signal);
  const signal = await asked.promise;
  stop.abort();
  expect((await result).summary.status).toBe("cancelled");
  expect(signal.aborted).toBe(true);
  expect(supervisor.tree()).toHaveLength(1);
});

describe("a fan-out of the user", () => {
  const wanted = [{ type: "small" }, { type: "SMALL", tokenBudget: 1_000 }];
  const sentence = "2 agents are likely to cost $5.00 (by typical runs), and $9.00 at most (their budgets).";

  test("is estimated as one of the model is, with the budgets of its requests", async () => {
    const { supervisor, warnings } = paying(two, { agents: [small] });
    expect(await supervisor.approveFanOut(wanted)).toMatchObject({
      ...{ estimate: { agents: 2, mostUsd: 9 }, unsaid: sentence, declined: null },
    });
    expect(warnings()).toEqual([]);
  });

  test.each([
    ["of one agent", [{ type: "small" }], {}],
    ["that costs nothing", wanted, { prices: {} }],
  ])("has no estimate %s", async (_, requests, options) => {
    const { supervisor } = paying(two, { agents: [small], quoteAboveUsd: 0, ...options });
    expect(await supervisor.approveFanOut(requests)).toEqual(UNQUOTED);
  });

  test("is a question above the threshold, and a no is a reason", async () => {
    const { person, asks } = choosing("Do not");
    const { supervisor } = paying(two, { agents: [small], quoteAboveUsd: 1, person });
    const [first, other] = await Promise.all([
      supervisor.approveFanOut(wanted),
      supervisor.approveFanOut([...wanted, ...wanted]),
    ]);
    const declined = "The user does not want these agents started because of what they may cost.";
    expect([first, other]).toMatchObject([
      { unsaid: null, declined },
      { unsaid: null, declined },
    ]);
    expect(asks).toHaveLength(2);
    expect(asks[0]).toMatchObject({
      ...{ type: "question", askers: [{ path: ["session"] }] },
      questions: [{ question: `${sentence} Start them?` }],
    });
  });

  test("asks its caller if the session has no user, and else warns and starts", async () => {
    const { supervisor, warnings } = paying(two, { agents: [small], quoteAboveUsd: 1 });
    const asked: string[] = [];
    const confirm = (answer: boolean) => async (question: string) => {
      asked.push(question);
      return answer;
    };
    const never = new AbortController().signal;
    expect(await supervisor.approveFanOut(wanted, never, confirm(true))).toMatchObject({ declined: null });
    expect((await supervisor.approveFanOut(wanted, never, confirm(false))).declined).toContain("cost");
    expect(asked).toEqual([`${sentence} Start them?`, `${sentence} Start them?`]);
    expect(warnings()).toEqual([]);
    expect(await supervisor.approveFanOut(wanted)).toMatchObject({ unsaid: null, declined: null });
    expect(warnings()).toEqual([sentence]);
  });
});

function never(): never {
  throw new Error("There was no request.");
}
