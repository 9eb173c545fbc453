import fc from "fast-check";
import { expect, test } from "vitest";
import { ActorId, callId } from "../../../src/mailbox/ids.ts";
import type { Denied } from "../../../src/policy/asking/questions.ts";
import type { Recheck } from "../../../src/policy/user-request-broker.ts";
import { settled } from "../../support/fake-clock.ts";
import { aPlan, askerNamed, brokerWith, Someone, toRun, which } from "./someone.ts";

const SEED = 4096;
const names = ["ann1", "bob1", "cid1", "dan1"] as const;
const commands = ["a", "b", "c"] as const;

const answers = [
  { type: "allow", span: "once" },
  { type: "allow", span: "session" },
  { type: "allow", span: "session", grants: ["Bash(*)"] },
  { type: "deny", span: "once", message: "no" },
  { type: "deny", span: "session" },
  { type: "answers", answers: {} },
  { type: "approve", mode: "default" },
  { type: "unavailable", reason: "Gone." },
  null,
];

const who = fc.constantFrom(...names);
const command = fc.constantFrom(...commands);
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("ask" as const), who, command }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("question" as const, "plan" as const), who }) },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant("answer" as const), answer: fc.constantFrom(...answers) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("vanish" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("stop" as const), nth: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("withdraw" as const), who }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("late" as const), nth: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("plan-mode" as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("settle" as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

interface Asked {
  readonly command: string | null;
  readonly control: AbortController;
  readonly outcome: Promise<{ readonly type: string } | Denied>;
  /** Whether this very call was denied for the session when it was asked. */
  readonly wasDenied: boolean;
  answered: number;
  type: string | null;
}

/** Plays the steps over one broker, then answers what is left; what came of every ask. */
async function played(steps: readonly Step[]) {
  const person = new Someone();
  const rules = new Set<string>();
  let planning = false;
  const recheck = (title: string): Recheck => {
    if (planning) return { type: "deny", reason: "Plan mode is on." };
    return { type: rules.has(`Bash(${title})`) ? "allow" : "ask" };
  };
  const { broker, told } = brokerWith(person, {
    onGrant: (given) => {
      for (const rule of given) rules.add(rule);
    },
    // Deciding takes its time, in which anything can happen.
    recheck: async ({ title }) => {
      await settled();
      return recheck(title);
    },
  });
  const asked: Asked[] = [];
  const ask = (
    outcomeOf: (signal: AbortSignal) => Asked["outcome"],
    asks: string | null,
    wasDenied: boolean,
  ) => {
    const control = new AbortController();
    const one: Asked = {
      command: asks,
      control,
      outcome: outcomeOf(control.signal),
      wasDenied,
      answered: 0,
      type: null,
    };
    asked.push(one);
    void one.outcome.then(({ type }) => {
      one.answered += 1;
      one.type = type;
    });
  };
  const callOf = (actor: string) => callId(ActorId.parse(actor), asked.length, 0);

  const carryOut = async (one: Step): Promise<void> => {
    switch (one.do) {
      case "ask": {
        const question = toRun(one.command, { asker: askerNamed(one.who), call: callOf(one.who) });
        const wasDenied = broker.denied(question) !== null;
        return ask((signal) => broker.permission(question, signal), one.command, wasDenied);
      }
      case "question": {
        const question = { asker: askerNamed(one.who), call: callOf(one.who), questions: which };
        return ask((signal) => broker.question(question, signal), null, false);
      }
      case "plan":
        return ask(
          (signal) => broker.plan(aPlan({ call: callOf(one.who), asker: askerNamed(one.who) }), signal),
          null,
          false,
        );
      case "answer":
        if (person.open.size > 0) person.now().answer(one.answer);
        return;
      case "vanish":
        if (person.open.size > 0) person.now().vanish(new Error("gone"));
        return;
      case "stop":
        return asked[one.nth]?.control.abort();
      case "withdraw":
        return broker.withdraw(ActorId.parse(one.who));
      case "late":
        return person.seen[one.nth]?.answer({ type: "allow", span: "session" });
      case "plan-mode":
        planning = !planning;
        return void broker.changed();
      case "settle":
        return settled();
      default:
        return one satisfies never;
    }
  };
  for (const one of steps) await carryOut(one);
  for (let i = 0; i <= 2 * asked.length + 2 || person.open.size > 0; i++) {
    await settled();
    if (person.open.size > 0) person.now().answer({ type: "unavailable", reason: "The end." });
  }
  for (let i = 0; i < 10; i++) await settled();
  return { asked, person, told };
}

test("every ask is answered exactly once, whatever the order of answers, cancellations and grants", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const { asked, person } = await played(steps);
      for (const { answered } of asked) expect(answered).toBe(1);
      expect(person.most).toBeLessThanOrEqual(1);
    }),
    { seed: SEED, numRuns: 300 },
  );
});

test("nothing is allowed that was denied for the session, and nothing at all without a yes", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const { asked, told } = await played(steps);
      for (const { wasDenied, type } of asked) if (wasDenied) expect(type).toBe("deny");
      const saidYes = steps.some(
        (one) => one.do === "late" || (one.do === "answer" && one.answer?.type === "allow"),
      );
      if (!saidYes) {
        for (const { command: made, type } of asked)
          if (made !== null && !told.grants.length) expect(type).toBe("deny");
      }
      const shown = [...commands.map((one) => `Bash(${one})`), "Bash(npm test)", "Bash(npm run test)"];
      for (const rule of told.grants.flat()) expect(shown).toContain(rule);
    }),
    { seed: SEED + 1, numRuns: 300 },
  );
});

const folders = ["/work", "/trees/one"] as const;
const waiting = fc.uniqueArray(
  fc.record({ who, command, cwd: fc.constantFrom(...folders), description: fc.constantFrom("", "List it") }),
  { maxLength: 12, selector: (one) => `${one.who} ${one.command} ${one.cwd}` },
);

test("identical questions of several agents are one, and one answer answers them all; no other question is among them (issue 21, 7)", async () => {
  await fc.assert(
    fc.asyncProperty(waiting, fc.infiniteStream(fc.boolean()), async (asks, yes) => {
      const person = new Someone();
      const { broker } = brokerWith(person);
      const keyOf = ({ command: made, cwd }: { readonly command: string; readonly cwd: string }) =>
        `${made} ${cwd}`;
      const outcomes = asks.map(async (one) => {
        const { type } = await broker.permission(
          toRun(one.command, {
            ...{
              asker: askerNamed(one.who),
              cwd: one.cwd,
              scope: { root: one.cwd, additionalDirs: [], tree: null },
            },
            input: { command: one.command, ...(one.description ? { description: one.description } : {}) },
          }),
          new AbortController().signal,
        );
        return { key: keyOf(one), type };
      });
      const groups = Map.groupBy(asks, keyOf);
      const given = new Map<string, string>();
      for (let shown = 0; shown < groups.size; shown += 1) {
        await settled();
        const { ask, answer } = person.now();
        const [key] = [...groups.keys()].filter((one) => !given.has(one));
        expect(ask.askers.map(({ actor }) => String(actor))).toEqual(
          groups.get(key ?? "")?.map((one) => one.who),
        );
        const type = yes.next().value ? "allow" : "deny";
        given.set(key ?? "", type);
        answer({ type, span: "once" });
      }
      for (const { key, type } of await Promise.all(outcomes)) expect(type).toBe(given.get(key));
      expect(person.seen).toHaveLength(groups.size);
    }),
    { seed: SEED + 2, numRuns: 200 },
  );
});
