import { expect, test } from "vitest";
import type { SupervisorEvent } from "../../src/events/event.ts";
import type { ScriptedTurn } from "../../src/model/scripted.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { supervised } from "../support/supervised.ts";

const MINUTE = 60_000;

/** Each reply of the main conversation; the first one schedules a prompt. */
function conversation(second: ScriptedTurn = { text: "scheduled" }, more: object = {}) {
  const clock = new FakeClock();
  const schedule = { cron: "* * * * *", prompt: "look at the build", recurring: false };
  const session = supervised(
    "in-thread",
    (_, n) => {
      if (n === 0) return { calls: [{ name: "CronCreate", input: schedule }] };
      return n === 1 ? second : { text: `answer ${n}` };
    },
    { clock, background: "wake", ...more },
  );
  const told = (type: SupervisorEvent["type"]) => session.events.filter((event) => event.type === type);
  /** A look at the jobs reads a file in real time, so time passes step by step. */
  const untilTold = async (type: SupervisorEvent["type"]) => {
    const stepped = async () => {
      await clock.advance(MINUTE);
      return told(type).length;
    };
    await expect.poll(stepped).toBeGreaterThan(0);
  };
  const decideLastTurn = () => JSON.stringify(session.model.requests.at(-1)?.messages.at(-1));
  return { ...session, clock, told, untilTold, decideLastTurn };
}

test("a scheduled prompt wakes an idle conversation, and its answer is reported (A15.1)", async () => {
  const { supervisor, clock, told, untilTold, decideLastTurn } = conversation();
  expect((await supervisor.prompt("begin")).summary.text).toBe("scheduled");
  await clock.advance(MINUTE / 2);
  expect(told("woken")).toEqual([]);
  await untilTold("answered");
  expect(told("answered")).toMatchObject([{ result: { summary: { text: "answer 2" } } }]);
  expect(told("woken")).toEqual([
    { type: "woken", because: "a scheduled prompt (* * * * *): look at the build" },
  ]);
  expect(decideLastTurn()).toContain("look at the build");
});

test("a prompt that is due during a turn is sent only after the turn has ended (A15.5)", async () => {
  const opened = Promise.withResolvers<void>();
  const { supervisor, model, clock, told, untilTold } = conversation({
    text: "scheduled",
    after: () => opened.promise,
  });
  const first = supervisor.prompt("begin");
  await expect.poll(() => model.requests.length).toBe(2);
  for (let minutes = 0; minutes < 3; minutes += 1) await clock.advance(MINUTE);
  expect(told("woken")).toEqual([]);
  expect(model.requests).toHaveLength(2);
  opened.resolve();
  expect((await first).summary.text).toBe("scheduled");
  await untilTold("answered");
  expect(model.requests).toHaveLength(3);
});

test("words that the user types while a scheduled prompt begins are heard in its turn (A15.5)", async () => {
  const { supervisor, untilTold, model } = conversation();
  await supervisor.prompt("begin");
  await untilTold("woken");
  expect((await supervisor.prompt("and the tests?")).summary.status).toBe("done");
  await untilTold("answered");
  const said = JSON.stringify(model.requests.at(-1)?.messages);
  expect(said).toContain("look at the build");
  expect(said).toContain("and the tests?");
});

test("a program that ends with its answer offers no timers, and neither does an agent (A15.1)", async () => {
  const { supervisor, model } = conversation({ text: "scheduled" }, { background: "wait" });
  await supervisor.prompt("begin");
  const names = model.requests[0]?.tools?.map(({ name }) => name) ?? [];
  expect(names).toContain("Read");
  expect(names.filter((name) => /Cron|Wakeup/.test(name))).toEqual([]);
  const second = conversation();
  await second.supervisor.spawn({ type: "general-purpose", prompt: "look" });
  const offered = second.model.requests[0]?.tools?.map(({ name }) => name) ?? [];
  expect(offered).toContain("Read");
  expect(offered.filter((name) => /Cron|Wakeup/.test(name))).toEqual([]);
});

test("a session that is closed says how many scheduled prompts end with it (A15.2)", async () => {
  const { supervisor, told } = conversation();
  await supervisor.prompt("begin");
  await supervisor.close();
  expect(told("warning")).toContainEqual({
    ...{ type: "warning", message: "One scheduled prompt ended with this session." },
  });
});
