// @module-tag long
import { expect, onTestFinished, test } from "vitest";
import { ActorError } from "../../../src/features/user-actors/actor-ref.ts";
import { defineActor } from "../../../src/features/user-actors/define-actor.ts";
import { MAIN } from "../../../src/mailbox/ids.ts";
import type { ModelRequest } from "../../../src/model/client.ts";
import type { ScriptedTurn } from "../../../src/model/scripted.ts";
import { repliesIn, takenUp, taskOf, textsOf, world } from "../../supervisor/resume-world.ts";
import { counter, log } from "./counter.ts";

const answers = (request: ModelRequest): ScriptedTurn => ({ text: `report of ${taskOf(request)}` });

const open = (script = answers) => world("in-thread", script);

/** Why an actor did not take a message, or has no reply. */
async function problemOf(request: Promise<unknown>): Promise<string> {
  const error: unknown = await request.then(
    () => "it was taken",
    (thrown: unknown) => thrown,
  );
  return error instanceof ActorError ? `${error.kind}: ${error.message}` : String(error);
}

test("handles one message at a time, in order, with the state after the one before", async () => {
  const { supervisor } = open();
  const actor = await supervisor.actors.start(counter, { state: { sum: 10 } });
  const replies = await Promise.all([1, 2, 3].map((n) => actor.ask("add", { n })));
  expect(replies).toEqual([{ sum: 11 }, { sum: 13 }, { sum: 16 }]);
  expect(await actor.ask("sum", {})).toBe(16);
  expect(supervisor.actors.names).toEqual(["counter"]);
});

test("messages between actors arrive in order, and only if their sender's handler returned", async () => {
  const { supervisor } = open();
  const lines = await supervisor.actors.start(log);
  const actor = await supervisor.actors.start(counter);
  await actor.tell("relay", { text: "one" });
  await actor.tell("relay", { text: "two", ending: "throw" });
  await actor.tell("relay", { text: "three" });
  expect(await actor.ask("sum", {})).toBe(2);
  await expect.poll(() => lines.ask("lines", {})).toEqual(["counter: one", "counter: three"]);
});

test.each([
  ["nothing", {}, "invalid: The message add to counter is invalid"],
  ["a string for a number", { n: "1" }, "invalid: The message add to counter is invalid"],
])("refuses a message with %s at its sender", async (_what, input, problem) => {
  const { supervisor } = open();
  const actor = await supervisor.actors.start(counter);
  expect(await problemOf(actor.ask("add", input as never))).toContain(problem);
  expect(await problemOf(actor.tell("constructor" as never, {} as never))).toContain(
    "has no message constructor",
  );
  expect(actor.status()).toEqual({ ended: null, waiting: 0 });
});

test.each([
  ["throw", "crashed at the message fail: thrown"],
  ["exit", "exit code 3"],
  ["loop", "did not answer within"],
  ["state", "does not fit its schema"],
] as const)(
  "a handler that ends with %s costs its message, and the state before it stays",
  async (how, why) => {
    const { supervisor, warnings } = open();
    const actor = await supervisor.actors.start(counter);
    await actor.ask("add", { n: 5 });
    await actor.tell("fail", { how });
    expect(await actor.ask("add", { n: 1 })).toEqual({ sum: 6 });
    expect(warnings().join()).toContain(why);
  },
);

test("a thread that dies between two messages is started again", async () => {
  const { supervisor, warnings } = open();
  const actor = await supervisor.actors.start(counter, { state: { sum: 3 } });
  await actor.tell("fail", { how: "later" });
  await expect.poll(warnings).toHaveLength(1);
  expect(await actor.ask("sum", {})).toBe(3);
});

test("fails at the crash after the limit; every message that waits is refused, and so is every later one", async () => {
  const { supervisor, warnings } = open();
  const actor = await supervisor.actors.start(counter);
  const crashes = [1, 2, 3].map(() => actor.tell("fail", { how: "throw" }));
  const waiting = problemOf(actor.ask("sum", {}));
  await Promise.all(crashes);
  expect(await waiting).toContain("ended: counter has ended: It crashed 3 times");
  expect(await problemOf(actor.tell("add", { n: 1 }))).toContain("ended");
  expect(actor.status().ended?.status).toBe("failed");
  expect(warnings().at(-1)).toContain("The actor counter has failed");
  const again = await supervisor.actors.start(counter);
  expect(await again.ask("sum", {})).toBe(0);
});

test("refuses messages above the limit of the mailbox, and takes them again later", async () => {
  const { supervisor } = open();
  const actor = await supervisor.actors.start(counter);
  const asked = [1, 2, 3, 4, 5, 6].map((n) => problemOf(actor.ask("add", { n })));
  expect((await Promise.all(asked)).filter((one) => one.startsWith("full"))).toHaveLength(1);
  expect(await actor.ask("sum", {})).toBe(15);
});

test("a request ends at its deadline, by its signal, and when the actor is asked by itself or in a circle", async () => {
  const { supervisor } = open();
  const actor = await supervisor.actors.start(counter);
  const slow = actor.ask("wait", {}, { deadlineMs: 20 });
  expect(await problemOf(slow)).toContain("late: counter did not reply to wait within 20 ms");
  const abort = new AbortController();
  const cancelled = problemOf(actor.ask("sum", {}, { signal: abort.signal }));
  abort.abort();
  expect(await cancelled).toContain("cancelled");
  expect(await problemOf(actor.ask("total", { of: "counter" }))).toContain("cannot ask itself");
  expect(await problemOf(actor.ask("total", { of: "nobody" }))).toContain("There is no actor nobody");
});

test("a name, a module or a state that cannot be used is refused with the reason", async () => {
  const { supervisor } = open();
  const { start } = supervisor.actors;
  const begin = start.bind(supervisor.actors);
  expect(await problemOf(begin(counter, { name: "Main Street" }))).toContain("lower-case letters");
  expect(await problemOf(begin(counter, { name: "main" }))).toContain("has a meaning of its own");
  expect(await problemOf(begin(counter, { state: { sum: "x" } as never }))).toContain(
    "does not fit its schema",
  );
  const gone = { ...counter, module: new URL("gone.ts", import.meta.url).href };
  expect(await problemOf(begin(gone))).toContain("could not be started");
  expect(await problemOf(begin({ ...counter, name: "other" }))).toContain("exports no actor other");
  await begin(counter);
  expect(await problemOf(begin(counter))).toContain("There is an actor counter already");
  expect(() =>
    defineActor({ name: "x", module: "nowhere", messages: {}, state: log.state, receive: {} }),
  ).toThrow("not the URL of a file");
});

test("no message reaches an actor before its start is durable, and its name is taken by then", async () => {
  const { supervisor } = open();
  const starting = supervisor.actors.start(counter, { state: { sum: 1 } });
  expect(() => supervisor.actors.find(counter)).toThrow("There is no actor counter");
  await expect(supervisor.actors.start(counter)).rejects.toThrow("There is an actor counter already");
  expect(await (await starting).ask("sum", {})).toBe(1);
  const late = supervisor.actors.start(log);
  await supervisor.close();
  await expect(late).rejects.toThrow("log could not be started");
});

test("stop handles the message in hand, refuses the others, and ends the thread", async () => {
  const { supervisor } = open();
  const actor = await supervisor.actors.start(counter);
  const [first, second] = [actor.ask("add", { n: 1 }), problemOf(actor.ask("add", { n: 2 }))];
  await actor.stop();
  expect(await first).toEqual({ sum: 1 });
  expect(await second).toContain("ended: counter has ended: It was stopped.");
  expect(supervisor.actors.names).toEqual([]);
});

test("an agent writes to an actor by its name; one without `text` says what it takes (C27)", async () => {
  const script = (request: ModelRequest): ScriptedTurn => {
    const send = (to: string) => ({ name: "SendMessage", input: { to, message: "hello" } });
    if (repliesIn(request) === 0)
      return { calls: [send("log"), send("counter"), { name: "ListAgents", input: {} }] };
    return { text: textsOf(request) };
  };
  const { supervisor } = open(script);
  const lines = await supervisor.actors.start(log);
  await supervisor.actors.start(counter);
  const { summary } = await supervisor.prompt("go");
  expect(summary.text).toContain("The actor log has your message.");
  expect(summary.text).toContain("counter has no message text; it has: add");
  expect(summary.text).toContain("log: an actor of the program");
  expect(await lines.ask("lines", {})).toEqual([`${MAIN}: hello`]);
});

test("an actor starts agents and gets each report as a message, also of one that cannot start", async () => {
  const { supervisor } = open();
  const actor = await supervisor.actors.start(counter);
  await actor.tell("work", { prompt: "a task" });
  await actor.tell("work", { prompt: "" });
  await expect
    .poll(async () => (await actor.ask("reports", {})).toSorted())
    .toEqual(["done: report of a task", "failed: The prompt is empty; say what the agent should do."]);
});

test("an actor writes to an agent, which reads it at its next turn", async () => {
  const heard = Promise.withResolvers<void>();
  const script = async (request: ModelRequest): Promise<ScriptedTurn> => {
    if (repliesIn(request) === 0) return { calls: [{ name: "TodoWrite", input: { todos: [] } }] };
    if (repliesIn(request) === 1) {
      await heard.promise;
      return { calls: [{ name: "TodoWrite", input: { todos: [] } }] };
    }
    return { text: textsOf(request) };
  };
  const { supervisor } = open(script as never);
  const actor = await supervisor.actors.start(counter);
  const result = supervisor.spawn({
    type: "worker",
    prompt: "listen",
    onStart: (agent) =>
      void actor.tell("say", { agent, text: "from the actor" }).then(async () => {
        await actor.ask("sum", {});
        heard.resolve();
      }),
  });
  expect((await result).summary.text).toContain("from the actor");
});

test("a resumed session has the state, the messages that wait and the agents of each actor that is started again", async () => {
  const first = open();
  const actor = await first.supervisor.actors.start(counter, { state: { sum: 4 } });
  await first.supervisor.actors.start(log);
  await actor.tell("relay", { text: "before" });
  expect(await actor.ask("sum", {})).toBe(5);
  // The handler at work when the session closes is given a moment, and what waits is handled later.
  const waits = actor.ask("wait", {});
  const late = problemOf(actor.ask("add", { n: 1 }));
  await actor.tell("add", { n: 1 });
  await first.supervisor.close();
  expect(await waits).toBe(true);
  expect(await late).toBe("closed: The session was closed.");
  expect(await problemOf(actor.tell("add", { n: 1 }))).toContain("closed");

  const again = await takenUp("in-thread", answers, { id: first.supervisor.session, home: first.home });
  onTestFinished(() => again.supervisor.close());
  expect(() => again.supervisor.actors.find(counter)).toThrow("start it again first");
  expect(await problemOf(again.supervisor.actors.start(log, { name: "counter" }))).toContain(
    "was an actor of counter",
  );
  const same = await again.supervisor.actors.start(counter, { state: { sum: 100 } });
  expect(await same.ask("sum", {})).toBe(7);
});

test.each([
  { how: "closed", report: /^cancelled: / },
  { how: "detached", report: /^done: report of a task/ },
])(
  "an agent that was at work when the session was $how reports to its actor in the resumed session",
  async ({ how, report }) => {
    const working = Promise.withResolvers<void>();
    const first = open(() => {
      working.resolve();
      return new Promise<never>(() => {}) as never;
    });
    const actor = await first.supervisor.actors.start(counter);
    await actor.tell("work", { prompt: "a task" });
    await working.promise;
    // Its ID is recorded by then: the actor has handled another message since.
    await actor.ask("add", { n: 1 });
    if (how === "detached") first.supervisor.detach("The program ends.");
    await first.supervisor.close();

    const again = await takenUp("in-thread", answers, { id: first.supervisor.session, home: first.home });
    const same = await again.supervisor.actors.start(counter);
    await again.supervisor.resumeUnfinished();
    await expect.poll(() => same.ask("reports", {})).toEqual([expect.stringMatching(report)]);
  },
);
