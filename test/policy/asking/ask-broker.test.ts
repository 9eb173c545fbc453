import { describe, expect, test } from "vitest";
import { ActorId } from "../../../src/mailbox/ids.ts";
import type { Recheck } from "../../../src/policy/user-request-broker.ts";
import { settled } from "../../support/fake-clock.ts";
import { aPlan, askerNamed, brokerWith, never, nextCall, Someone, toRun, which } from "./someone.ts";

const allowOnce = { type: "allow", span: "once" };
const allowSession = { type: "allow", span: "session" };
const denyOnce = { type: "deny", span: "once" };
const denySession = { type: "deny", span: "session" };
const said = (type: string, by?: string) => expect.objectContaining(by ? { type, by } : { type });

describe("the four answers (A6.3)", () => {
  /** Rules as they are after the answer: what was granted is not asked again. */
  function session() {
    const person = new Someone();
    const rules = new Set<string>();
    const { broker, told } = brokerWith(person, {
      onGrant: (given) => {
        for (const rule of given) rules.add(rule);
      },
      recheck: ({ grants }) => ({ type: grants.every((rule) => rules.has(rule)) ? "allow" : "ask" }),
    });
    return { person, broker, told, rules };
  }

  test.each([
    ["allow once", allowOnce, "allow", 1],
    ["allow for the session", allowSession, "allow", 0],
    ["deny once", denyOnce, "deny", 1],
    ["deny for the session", denySession, "deny", 0],
  ] as const)("%s: the next identical call", async (_, answer, type, asked) => {
    const { person, broker } = session();
    const first = broker.permission(toRun("make"), never);
    await person.say(answer);
    expect(await first).toEqual(said(type));
    const second = broker.permission(toRun("make"), never);
    await settled();
    expect(person.seen.length - 1).toBe(asked);
    if (asked === 1) person.now().answer(answer);
    expect(await second).toEqual(said(type));
  });

  test.each([allowOnce, allowSession, denyOnce, denySession])(
    "%j says nothing about another call",
    async (answer) => {
      const { person, broker } = session();
      void broker.permission(toRun("make"), never);
      await person.say(answer);
      void broker.permission(toRun("make install"), never);
      await settled();
      expect(person.seen.length).toBe(2);
    },
  );

  test("what is allowed for the session are the rules that were shown, or those of them that were chosen", async () => {
    const person = new Someone();
    const { broker, told } = brokerWith(person);
    const question = toRun("a && b", { grants: ["Bash(a)", "Bash(b)"] });
    const outcome = broker.permission(question, never);
    await person.say({ ...allowSession, grants: ["Bash(b)", "Bash(*)"] });
    expect(await outcome).toEqual({ type: "allow", grants: ["Bash(b)"] });
    expect(told.grants).toEqual([["Bash(b)"]]);
  });

  test("each request says how many others wait (issue 21, 7)", async () => {
    const person = new Someone();
    const { broker } = brokerWith(person);
    for (const command of ["make", "ls", "ls -l"]) void broker.permission(toRun(command), never);
    for (const _ of ["make", "ls", "ls -l"]) await person.say(allowOnce);
    expect(person.asks.map(({ waiting }) => waiting)).toEqual([2, 1, undefined]);
  });

  test("a call for which no rule can be given is allowed this once, whatever was said", async () => {
    const person = new Someone();
    const { broker, told } = brokerWith(person);
    const outcome = broker.permission(toRun("eval x", { grants: [] }), never);
    await person.say(allowSession);
    expect(await outcome).toEqual({ type: "allow", grants: [] });
    expect(told.grants).toEqual([]);
  });

  test("a denial for the session counts before any allow, for every agent, whatever order the fields come in", async () => {
    const person = new Someone();
    const { broker } = brokerWith(person);
    const scope = { root: "/work", additionalDirs: [], tree: null };
    const call = { tool: "Write", cwd: "/work", scope, input: { file_path: "/a", content: "x" } };
    expect(broker.denied(call)).toBeNull();
    void broker.permission(toRun("", { ...call, grants: ["Write(/a)"] }), never);
    await person.say({ ...denySession, message: "That file is mine." });
    const again = { ...call, input: { content: "x", file_path: "/a" } };
    expect(broker.denied(again)).toContain("That file is mine.");
    expect(broker.denied({ ...again, cwd: "/elsewhere" })).toBeNull();
    expect(broker.denied({ ...again, scope: { ...scope, root: "/tree" } })).toBeNull();
    const other = toRun("", { ...again, asker: askerNamed("bob1"), grants: [] });
    expect(await broker.permission(other, never)).toMatchObject({ type: "deny", by: "person" });
    expect(person.seen.length).toBe(1);
  });

  test("the agent receives the user's text (A6.9)", async () => {
    const person = new Someone();
    const { broker } = brokerWith(person);
    const outcome = broker.permission(toRun("rm x"), never);
    await person.say({ ...denyOnce, message: " Move it instead. " });
    expect(await outcome).toMatchObject({ reason: "The user said no: Move it instead." });
    const silent = broker.permission(toRun("rm y"), never);
    await person.say({ ...denyOnce, message: " " });
    expect(await silent).toMatchObject({ reason: expect.stringMatching(/^The user said no\. .+/) });
  });
});

describe("one line for the whole session", () => {
  test("one ask at a time, in the order they came, each with its agent (A6.10)", async () => {
    const person = new Someone();
    const { broker } = brokerWith(person);
    const names = ["ann1", "bob1", "cid1"];
    const outcomes = names.map((name) =>
      broker.permission(toRun(`make ${name}`, { asker: askerNamed(name), description: "Builds it" }), never),
    );
    for (const name of names) {
      await settled();
      expect(person.open.size).toBe(1);
      expect(person.now().ask).toMatchObject({
        type: "permission",
        askers: [{ actor: name, path: ["main conversation", `Explore · ${name}`] }],
        title: `make ${name}`,
        level: "execute",
        description: "Builds it",
      });
      await person.say(allowOnce);
    }
    expect(await Promise.all(outcomes)).toEqual(names.map(() => said("allow")));
    expect(new Set(person.asks.map(({ id }) => id)).size).toBe(3);
  });

  test("the same ask of several agents is one question, and its answer serves all", async () => {
    const person = new Someone();
    const { broker } = brokerWith(person);
    const names = ["ann1", "bob1", "cid1"];
    const outcomes = names.map((name) =>
      broker.permission(toRun("npm test", { asker: askerNamed(name) }), never),
    );
    await settled();
    expect(person.now().ask.askers.map(({ actor }) => actor)).toEqual(names);
    // One more, while it is shown.
    outcomes.push(broker.permission(toRun("npm test", { asker: askerNamed("dan1") }), never));
    await person.say(allowOnce);
    expect(await Promise.all(outcomes)).toEqual([...names, "dan1"].map(() => said("allow")));
    expect(person.seen.length).toBe(1);
  });

  test.each([
    ["input", { input: { command: "npm test", timeout: 1 } }],
    ["folder", { cwd: "/other" }],
    ["rules to choose from", { grants: [] }],
    ["tool", { tool: "Monitor" }],
  ])("with another %s it is another question", async (_, other) => {
    const person = new Someone();
    const { broker } = brokerWith(person);
    void broker.permission(toRun("npm test"), never);
    void broker.permission(toRun("npm test", { asker: askerNamed("bob1"), ...other }), never);
    await person.say(allowOnce);
    await person.say(allowOnce);
    expect(person.seen.length).toBe(2);
  });

  test("one agent that wants the same thing twice is asked about twice", async () => {
    const person = new Someone();
    const { broker } = brokerWith(person);
    void broker.permission(toRun("npm publish"), never);
    void broker.permission(toRun("npm publish"), never);
    await person.say(allowOnce);
    await person.say(denyOnce);
    expect(person.seen.length).toBe(2);
  });

  test("does not show what a grant settles, and denies what new rules deny", async () => {
    const person = new Someone();
    const rules = new Map<string, Recheck>();
    const { broker } = brokerWith(person, {
      onGrant: () => {
        rules.set("b", { type: "allow" }).set("c", { type: "deny", reason: "Plan mode is on." });
      },
      recheck: ({ title }) => rules.get(title) ?? { type: "ask" },
    });
    const [a, b, c, d] = ["a", "b", "c", "d"].map((title) => broker.permission(toRun(title), never));
    await person.say(allowSession);
    expect(await a).toEqual(said("allow"));
    expect(await b).toEqual({ type: "allow", grants: [] });
    expect(await c).toEqual({ type: "deny", by: "rules", reason: "Plan mode is on." });
    expect(person.asks).toMatchObject([{ title: "a" }, { title: "d" }]);
    await person.say(denyOnce);
    expect(await d).toEqual(said("deny", "person"));
  });

  test("what a grant settles does not wait behind a question that it does not settle", async () => {
    const person = new Someone();
    const rules = new Set<string>();
    const { broker } = brokerWith(person, {
      onGrant: () => void rules.add("c"),
      recheck: ({ title }) => ({ type: rules.has(title) ? "allow" : "ask" }),
    });
    const [, , c] = ["a", "b", "c"].map((title) => broker.permission(toRun(title), never));
    await person.say(allowSession);
    expect(person.now().ask).toMatchObject({ title: "b" });
    expect(await c).toEqual({ type: "allow", grants: [] });
  });

  test("each agent of a merged question is looked at by itself: one may have fewer rights", async () => {
    const person = new Someone();
    const { broker } = brokerWith(person, {
      recheck: ({ asker }) =>
        asker.actor === "bob1" ? { type: "deny", reason: "Not for bob." } : { type: "ask" },
    });
    const ann = broker.permission(toRun("x"), never);
    const bob = broker.permission(toRun("x", { asker: askerNamed("bob1") }), never);
    expect(await bob).toEqual({ type: "deny", by: "rules", reason: "Not for bob." });
    await person.say(allowOnce);
    expect(await ann).toEqual(said("allow"));
    expect(person.asks[0]?.askers.map(({ actor }) => actor)).toEqual(["ann1"]);
  });

  test("a change from elsewhere withdraws what is shown and no longer a question", async () => {
    const person = new Someone();
    let now: Recheck = { type: "ask" };
    const { broker, told } = brokerWith(person, { recheck: () => now });
    const outcome = broker.permission(toRun("x"), never);
    await settled();
    const shown = person.now();
    now = { type: "deny", reason: "Plan mode is on." };
    await broker.changed();
    expect(await outcome).toMatchObject({ type: "deny", by: "rules" });
    expect(shown.signal.aborted).toBe(true);
    shown.answer(allowSession);
    await settled();
    expect(told).toMatchObject({ grants: [], late: [{ answer: allowSession }] });
  });

  test("what cannot be decided again is denied", async () => {
    const person = new Someone();
    const recheck = async () => Promise.reject(new Error("no rules"));
    const { broker } = brokerWith(person, { recheck });
    expect(await broker.permission(toRun("x"), never)).toMatchObject({
      type: "deny",
      reason: expect.stringContaining("no rules"),
    });
    expect(person.seen).toEqual([]);
  });

  test("a question by its nature is put whatever the rules allow, and what it allows happens before the next is looked at", async () => {
    const person = new Someone();
    let mode = "default";
    const { broker } = brokerWith(person, {
      recheck: () => (mode === "plan" ? { type: "deny", reason: "Plan mode is on." } : { type: "allow" }),
    });
    const onAllowed = () => {
      mode = "plan";
    };
    const enter = broker.permission(toRun("enter", { always: true, onAllowed }), never);
    const write = broker.permission(toRun("write", { always: true }), never);
    await person.say(allowOnce);
    expect(await enter).toEqual(said("allow"));
    expect(await write).toEqual(said("deny", "rules"));
    expect(person.seen.length).toBe(1);
  });
});

describe("no clear yes is a no, and never a hang (fault 55)", () => {
  test("denies everything immediately without a user", async () => {
    const { broker } = brokerWith(null);
    expect(broker.hasPerson).toBe(false);
    const denied = { type: "deny", by: "nobody", reason: expect.stringContaining("No user can be asked") };
    expect(await broker.permission(toRun("x"), never)).toEqual(denied);
    const asking = { asker: askerNamed("ann1"), call: nextCall() };
    expect(await broker.question({ ...asking, questions: which }, never)).toEqual(denied);
    expect(await broker.plan(aPlan(), never)).toEqual(denied);
  });

  test.each([
    ["an answer to a question", { type: "answers", answers: { "Which one?": "A" } }],
    ["an approval", { type: "approve", mode: "acceptEdits" }],
    ["nobody", { type: "unavailable", reason: "The terminal is gone." }],
    ["an unknown word", { type: "yes" }],
    ["a span there is not", { type: "allow", span: "always" }],
    ["rules that are no list", { type: "allow", span: "session", grants: "Bash" }],
    ["nothing", undefined],
    ["a bare word", "allow"],
  ])("%s is no leave for a call", async (_, answer) => {
    const person = new Someone();
    const { broker, told } = brokerWith(person);
    const outcome = broker.permission(toRun("x"), never);
    await person.say(answer);
    expect(await outcome).toEqual({ type: "deny", by: "nobody", reason: expect.stringMatching(/\.$/) });
    expect(told.grants).toEqual([]);
  });

  test.each([allowSession, { type: "approve", mode: "bypassPermissions" }, undefined, denyOnce])(
    "%j is no approval of a plan, and allows none of its rules",
    async (answer) => {
      const person = new Someone();
      const { broker, told } = brokerWith(person);
      let approved = 0;
      const outcome = broker.plan(aPlan({ onApproved: () => approved++ }), never);
      await person.say(answer);
      expect(await outcome).toEqual(said("deny"));
      expect([told.grants, approved]).toEqual([[], 0]);
    },
  );

  test("a user who vanishes, immediately or later, has said no; the next question is still asked", async () => {
    const person = new Someone();
    const { broker } = brokerWith(person);
    const first = broker.permission(toRun("x"), never);
    const second = broker.permission(toRun("y"), never);
    await settled();
    person.now().vanish(new Error("read EIO"));
    expect(await first).toMatchObject({ by: "nobody", reason: expect.stringContaining("read EIO") });
    await person.say(allowOnce);
    expect(await second).toEqual(said("allow"));
    const thrown = brokerWith({
      ask() {
        throw new Error("no terminal");
      },
    });
    expect(await thrown.broker.permission(toRun("x"), never)).toEqual(said("deny", "nobody"));
  });

  test("an agent that is stopped waits no longer; the others of the same question do", async () => {
    const person = new Someone();
    const { broker, told } = brokerWith(person);
    const [ann, bob] = [new AbortController(), new AbortController()];
    const a = broker.permission(toRun("x"), ann.signal);
    const b = broker.permission(toRun("x", { asker: askerNamed("bob1") }), bob.signal);
    await settled();
    ann.abort();
    expect(await a).toEqual(said("deny", "agent"));
    const shown = person.now();
    expect(shown.signal.aborted).toBe(false);
    bob.abort();
    expect(await b).toEqual(said("deny", "agent"));
    expect(shown.signal.aborted).toBe(true);
    shown.answer(denySession);
    await settled();
    expect(told.late).toHaveLength(1);
    expect(broker.denied(toRun("x"))).toBeNull();
    expect(await broker.permission(toRun("x"), AbortSignal.abort())).toEqual(said("deny", "agent"));
  });

  test("withdrawing an agent ends only its own requests, and the next is shown immediately", async () => {
    const person = new Someone();
    const { broker } = brokerWith(person);
    const gone = [broker.permission(toRun("x"), never), broker.permission(toRun("y"), never)];
    const bob = broker.permission(toRun("z", { asker: askerNamed("bob1") }), never);
    await settled();
    broker.withdraw(ActorId.parse("ann1"));
    expect(await Promise.all(gone)).toEqual([said("deny", "agent"), said("deny", "agent")]);
    await person.say(allowOnce);
    expect(await bob).toEqual(said("allow"));
    expect(person.asks).toMatchObject([{ title: "x" }, { title: "z" }]);
  });

  test("a call that another thread asks about again replaces the old one", async () => {
    const person = new Someone();
    const { broker } = brokerWith(person);
    const call = nextCall();
    const old = broker.permission(toRun("ls", { call }), never);
    await settled();
    const renewed = broker.permission(toRun("rm -r x", { call }), never);
    expect(await old).toEqual(said("deny", "agent"));
    await person.say(allowOnce);
    expect(await renewed).toEqual(said("allow"));
    expect(person.asks).toMatchObject([{ title: "ls" }, { title: "rm -r x" }]);
  });

  test("a grant that cannot be kept is a no for all who waited for it", async () => {
    const person = new Someone();
    const { broker } = brokerWith(person, {
      onGrant() {
        throw new Error("ENOSPC");
      },
    });
    const outcomes = ["ann1", "bob1"].map((name) =>
      broker.permission(toRun("x", { asker: askerNamed(name) }), never),
    );
    await person.say(allowSession);
    const denied = { type: "deny", by: "nobody", reason: expect.stringContaining("ENOSPC") };
    expect(await Promise.all(outcomes)).toEqual([denied, denied]);
  });
});

describe("questions and plans", () => {
  test("a question reaches the user from any depth, and the answers return (A14.3)", async () => {
    const person = new Someone();
    const { broker } = brokerWith(person);
    const asker = { ...askerNamed("deep1"), path: ["main conversation", "a · b", "c · d"] };
    const outcome = broker.question({ asker, call: nextCall(), questions: which }, never);
    await settled();
    expect(person.now().ask).toMatchObject({ type: "question", askers: [asker], questions: which });
    await person.say({ type: "answers", answers: { "Which one?": ["A", "B"] } });
    expect(await outcome).toEqual({ type: "answers", answers: { "Which one?": ["A", "B"] } });
  });

  test("an approved plan grants the rules that were shown, then changes the mode, then the rest is looked at (A14.9)", async () => {
    const person = new Someone();
    const order: string[] = [];
    const { broker } = brokerWith(person, {
      onGrant: (rules) => void order.push(rules.join()),
      recheck: () => {
        order.push("recheck");
        return { type: "allow" };
      },
    });
    const plan = broker.plan(aPlan({ onApproved: (mode) => void order.push(mode) }), never);
    const behind = broker.permission(toRun("x"), never);
    await person.say({ type: "approve", mode: "acceptEdits" });
    expect(await plan).toEqual({ type: "approved", mode: "acceptEdits" });
    expect(await behind).toEqual(said("allow"));
    expect(order.slice(0, 3)).toEqual(["Bash(npm test),Bash(npm run test)", "acceptEdits", "recheck"]);
  });

  test("a refused plan returns the user's text", async () => {
    const person = new Someone();
    const { broker } = brokerWith(person);
    const outcome = broker.plan(aPlan(), never);
    await person.say({ type: "deny", span: "once", message: "Smaller steps." });
    expect(await outcome).toEqual({
      type: "deny",
      by: "person",
      reason: "The user said no: Smaller steps.",
    });
  });
});
