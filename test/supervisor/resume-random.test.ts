import fc from "fast-check";
import { expect, test } from "vitest";
import type { ModelRequest } from "../../src/model/client.ts";
import type { ScriptedTurn } from "../../src/model/scripted.ts";
import { fastClock, openLink } from "../support/link-host.ts";
import { long } from "../support/long.ts";
import { seeded } from "../support/supervised.ts";
import {
  broken,
  cutAfter,
  journalOf,
  recorded,
  recordsOf,
  repliesIn,
  stamping,
  takenUp,
  taskOf,
  textsOf,
  whyInvalid,
  world,
} from "./resume-world.ts";

/** What an agent does: in each of its turns some actions at once, at last a report. */
interface Plan {
  readonly turns: readonly (readonly Action[])[];
}

type Action =
  | { readonly type: "stamp" }
  /** Any of those before, whoever they are: by the order in which this agent has heard of them. */
  | { readonly type: "mail"; readonly to: number }
  | { readonly type: "resume"; readonly which: number; readonly background: boolean }
  | { readonly type: "agent"; readonly background: boolean; readonly plan: Plan };

const stamp = fc.constant<Action>({ type: "stamp" });
const mail = fc.nat(3).map((to): Action => ({ type: "mail", to }));
const resume = fc
  .tuple(fc.nat(3), fc.boolean())
  .map(([which, background]): Action => ({ type: "resume", which, background }));

const planOf = (depth: number): fc.Arbitrary<Plan> => {
  const agent = (): fc.Arbitrary<Action> =>
    fc
      .tuple(fc.boolean(), planOf(depth - 1))
      .map(([background, plan]): Action => ({ type: "agent", background, plan }));
  const action: fc.Arbitrary<Action> =
    depth === 0
      ? fc.oneof(stamp, mail)
      : fc.oneof(
          { weight: 2, arbitrary: stamp },
          { weight: 1, arbitrary: mail },
          { weight: 1, arbitrary: resume },
          { weight: 4, arbitrary: agent() },
        );
  return fc.record({ turns: fc.array(fc.array(action, { minLength: 1, maxLength: 3 }), { maxLength: 3 }) });
};

/** Agents are named by their way from the top; what they leave behind by the agent and the place. */
function scriptOf(main: Plan): (request: ModelRequest) => ScriptedTurn {
  const at = (name: string): Plan => {
    let plan = main;
    for (const step of name.split(" ").slice(1)) {
      const [turn = 0, place = 0] = step.split(".").map(Number);
      const action = plan.turns[turn]?.[place];
      if (action?.type === "agent") plan = action.plan;
    }
    return plan;
  };
  return (request) => {
    const name = taskOf(request).split("\n")[0] ?? "";
    const replies = repliesIn(request);
    const said = textsOf(request);
    const known = [...said.matchAll(/(?:agent_id: |Agent )(\w{16})\b/g)].map(([, id]) => id);
    const actions = at(name).turns[replies];
    if (actions === undefined) return { text: `report of ${name} after ${replies}` };
    return {
      calls: actions.map((action, place) => {
        const mark = `${name} ${replies}.${place}`;
        switch (action.type) {
          case "stamp":
            return { name: "Stamp", input: { mark } };
          case "mail":
            return { name: "SendMessage", input: { to: known[action.to] ?? "parent", message: mark } };
          case "resume":
            return {
              name: "Agent",
              input: {
                ...{ description: mark, prompt: mark, subagent_type: "worker" },
                ...{ resume: known[action.which] ?? "nobody", run_in_background: action.background },
              },
            };
          case "agent":
            return {
              name: "Agent",
              input: {
                ...{ description: mark, prompt: mark, subagent_type: "worker" },
                run_in_background: action.background,
              },
            };
          default:
            return action satisfies never;
        }
      }),
    };
  };
}

const limits = { maxDepth: 3, maxTurns: 30 };

test("any session that dies at any time, and again while it is resumed, ends with all its promises kept (D1, C1, C23)", {
  tags: ["long"],
  timeout: 120_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      planOf(2),
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 2, maxLength: 2 }),
      fc.nat(1_000_000),
      async (plan, cuts, seed) => {
        const script = scriptOf(plan);
        const marks: string[] = [];
        const options = { limits, seed: seed + 1 };
        const first = world("in-thread", script, { ...options, tools: [stamping(marks)] });
        await first.supervisor.prompt("main");
        await first.supervisor.close();
        expect(broken(await journalOf(first))).toEqual([]);

        let whole = recorded(first);
        for (const [turn, cut] of cuts.entries()) {
          const count = 2 + Math.floor(cut * (whole.lines.length - 2));
          const begun = recordsOf(whole.lines.slice(0, count)).flatMap(({ event }) =>
            event.type === "before" && event.tool === "Stamp" && event.decision === "go"
              ? [(event.input as { mark: string }).mark]
              : [],
          );
          const after: string[] = [];
          const again = await takenUp("in-thread", script, {
            ...{ ...options, seed: seed + turn + 2, id: whole.id, home: cutAfter(whole, count) },
            tools: [stamping(after)],
          });
          await again.supervisor.resumeUnfinished();
          await again.supervisor.close();
          expect(broken(await journalOf(again))).toEqual([]);
          expect(again.warnings()).toEqual([]);
          expect(again.model.requests.flatMap(({ messages }) => whyInvalid(messages) ?? [])).toEqual([]);
          const all = [...begun, ...after];
          expect(all.filter((mark, place) => all.indexOf(mark) !== place)).toEqual([]);
          whole = recorded(again);
        }
      },
    ),
    { numRuns: long(12, 4), seed: 20260821 },
  );
});

test("any session whose runners die at any time ends with all its promises kept, and no effect happens twice", {
  tags: ["long"],
  timeout: 120_000,
}, async () => {
  let lost = 0;
  await fc.assert(
    fc.asyncProperty(
      planOf(2),
      fc.array(fc.nat(60), { minLength: 1, maxLength: 3 }),
      fc.nat(1_000_000),
      async (plan, kills, seed) => {
        const marks: string[] = [];
        const link = openLink({ random: seeded(seed + 1), clock: fastClock });
        let runner = link.addRunner("r0");
        let events = 0;
        const left = [...kills];
        let next = left.shift();
        const linked = world("in-thread", scriptOf(plan), {
          ...{ limits, host: link.host, tools: [stamping(marks)] },
          onEvent() {
            events += 1;
            if (events !== next) return;
            events = 0;
            next = left.shift();
            runner.kill();
            runner = link.addRunner(`r${left.length + 1}`);
          },
        });
        await linked.supervisor.prompt("main");
        await linked.supervisor.close();
        const records = await journalOf(linked);
        lost += records.filter(({ event }) => event.type === "start" && event.attempt > 1).length;
        expect(broken(records)).toEqual([]);
        expect(linked.model.requests.flatMap(({ messages }) => whyInvalid(messages) ?? [])).toEqual([]);
        expect(marks.filter((mark, place) => marks.indexOf(mark) !== place)).toEqual([]);
      },
    ),
    { numRuns: long(40, 6), seed: 20261128 },
  );
  expect(lost).toBeGreaterThan(0);
});
