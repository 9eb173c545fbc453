import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ActorId, callId } from "../../../src/mailbox/ids.ts";
import { actor } from "../../support/agent-view.ts";
import { settled } from "../../support/fake-clock.ts";
import { file, fileWriters } from "./writers.ts";

const [A, B, C] = [actor(1), actor(2), actor(3)];
const never = new AbortController().signal;

/** A table of leased files, and calls with what has come of each so far. */
function leases(change: Parameters<typeof fileWriters>[0] = {}) {
  const table = fileWriters({ rule: "wait", ...change });
  const claim = (who: ActorId, paths: readonly string[], signal = never) => {
    const state = { outcome: "waits" as "waits" | "go" | "aborted" | string };
    const files = paths.map((path) => file(path));
    void table.write(who, files, signal).then((end) => {
      state.outcome = end === null ? "aborted" : end.type === "go" ? "go" : end.reason;
    });
    return state;
  };
  return { ...table, claim };
}

describe("a file that is leased (D8)", () => {
  test("belongs to the first until it has ended; the second waits, and the live tree says for which agent", async () => {
    const { writers, claim, changed } = leases();
    const first = claim(A, ["src/a.ts"]);
    const second = claim(B, ["src/a.ts"]);
    await settled();
    expect([first.outcome, second.outcome]).toEqual(["go", "waits"]);
    expect([writers.phrase(A), writers.phrase(B)]).toEqual([null, "waits for src/a.ts: the task of agent1"]);
    writers.wrote(A, [file("src/a.ts")]);
    writers.ended(A);
    await settled();
    expect([second.outcome, writers.phrase(B), changed]).toEqual(["go", null, [B, B]]);
  });

  test("is refused immediately if agents must choose other work, with what to do", async () => {
    const { claim } = leases({ rule: "refuse" });
    await claim(A, ["a.ts"]);
    const second = claim(B, ["b.ts", "a.ts"]);
    await settled();
    expect(second.outcome).toBe(
      'a.ts is being changed by "the task of agent1" (agent agent1), and its edits are not merged yet, so nothing was written. Do other work first and try this file later, or leave this part to that agent: SendMessage reaches it by its ID.',
    );
    const third = claim(C, ["b.ts"]);
    await settled();
    expect(third.outcome, "what was claimed beside it is given back").toBe("go");
  });

  test.each(["tell", "off"] as const)("is free for all if the setting is %s", async (rule) => {
    const { claim } = leases({ rule });
    const all = [A, B].map((who) => claim(who, ["a.ts"]));
    await settled();
    expect(all.map(({ outcome }) => outcome)).toEqual(["go", "go"]);
  });

  test("belongs to the agent that wrote it, by a command too; both get a notice if it was another's", async () => {
    const { writers, claim, news } = leases();
    writers.wrote(A, [file("a.ts")]);
    const second = claim(B, ["a.ts"]);
    writers.wrote(C, [file("a.ts")]);
    await settled();
    expect([second.outcome, news().length]).toEqual(["waits", 2]);
  });

  test("is not awaited in a circle: the agent that closes it must do without", async () => {
    const { writers, claim } = leases();
    claim(A, ["a.ts"]);
    claim(B, ["b.ts"]);
    const one = claim(A, ["b.ts"]);
    const two = claim(B, ["a.ts"]);
    await settled();
    expect(one.outcome).toBe("waits");
    expect(two.outcome).toContain(
      "which itself waits for you, so waiting would never end; nothing was written",
    );
    writers.ended(B);
    await settled();
    expect(one.outcome).toBe("go");
  });

  test("is lent to a child that its holder awaits, to one at a time, before any other in line", async () => {
    const children = new Map<ActorId, ActorId[]>([[A, [B, C]]]);
    const { writers, claim } = leases({ awaits: (one) => children.get(one) ?? [] });
    claim(A, ["a.ts"]);
    const stranger = claim(actor(4), ["a.ts"]);
    const [b, c] = [claim(B, ["a.ts"]), claim(C, ["a.ts"])];
    await settled();
    expect([stranger.outcome, b.outcome, c.outcome]).toEqual(["waits", "go", "waits"]);
    writers.ended(B);
    await settled();
    expect([stranger.outcome, c.outcome]).toEqual(["waits", "go"]);
    children.set(A, []);
    for (const one of [C, A]) writers.ended(one);
    await settled();
    expect(stranger.outcome).toBe("go");
  });

  test("is lent as soon as its holder waits for the next in line", async () => {
    const awaited: ActorId[] = [];
    const { writers, claim } = leases({ awaits: (one) => (one === A ? awaited : []) });
    claim(A, ["a.ts"]);
    const child = claim(B, ["a.ts"]);
    await settled();
    expect(child.outcome).toBe("waits");
    awaited.push(B);
    writers.reconsider();
    await settled();
    expect(child.outcome).toBe("go");
  });

  test("closes a circle if a child would wait for an agent that waits for its parent", async () => {
    const children = new Map<ActorId, ActorId[]>([[A, [C]]]);
    const { claim } = leases({ awaits: (one) => children.get(one) ?? [] });
    claim(A, ["a.ts"]);
    claim(B, ["b.ts"]);
    const one = claim(B, ["a.ts"]);
    const child = claim(C, ["b.ts"]);
    await settled();
    expect([one.outcome, child.outcome]).toEqual(["waits", expect.stringContaining("would never end")]);
  });

  test("frees what an agent got when it is stopped in the line", async () => {
    const { writers, claim } = leases();
    const stop = new AbortController();
    claim(A, ["z.ts"]);
    const stopped = claim(B, ["a.ts", "z.ts"], stop.signal);
    const [beside, behind] = [claim(C, ["a.ts"]), claim(actor(4), ["z.ts"])];
    await settled();
    // In the same moment: the file that is free by now must not go to the one that was stopped.
    stop.abort();
    writers.ended(A);
    await settled();
    expect([stopped, beside, behind].map(({ outcome }) => outcome)).toEqual(["aborted", "go", "go"]);
    const late = claim(B, ["b.ts"], stop.signal);
    await settled();
    expect(late.outcome).toBe("aborted");
  });

  test("is written by one call at a time, though its agent may write it", async () => {
    const { writers, claim } = leases();
    const call = callId(A, 0, 0);
    const writer = { actor: A, description: "", call };
    expect(await writers.claim(writer, [file("a.ts")], never)).toMatchObject({ type: "go" });
    const second = claim(A, ["a.ts"]);
    await settled();
    expect(second.outcome).toBe("waits");
    writers.release(call, A, true);
    await settled();
    expect(second.outcome).toBe("go");
  });

  test("gives nothing to an ended agent, which holds nothing", async () => {
    const { writers, claim } = leases();
    claim(A, ["a.ts"]);
    const waits = claim(B, ["a.ts", "b.ts"]);
    writers.ended(B);
    writers.ended(A);
    const next = claim(C, ["a.ts", "b.ts"]);
    await settled();
    expect([waits.outcome, next.outcome]).toEqual(["This agent has ended, so nothing was written.", "go"]);
  });
});

test("serves the line in order of arrival (D8)", async () => {
  const step = fc.record({ who: fc.nat(5), what: fc.constantFrom("claim", "claim", "end") });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const { writers, write } = leases();
      const line: number[] = [];
      const served: number[] = [];
      for (const { who, what } of steps) {
        const place = line.indexOf(who);
        if (what === "claim" && place < 0) {
          line.push(who);
          void write(actor(who), [file("a.ts")]).then(() => served.push(who));
        } else if (what === "end" && place === 0) {
          line.shift();
          writers.ended(actor(who));
        }
        await settled();
        expect(served.at(-1)).toBe(line[0] ?? served.at(-1));
      }
    }),
    { seed: 20261122, numRuns: 200 },
  );
});

test("has one holder for each file, and no endless wait, for any sequence of claims, loans and ends (D8)", async () => {
  const step = fc.record({
    what: fc.constantFrom("claim", "claim", "claim", "claim", "abort", "end", "await"),
    who: fc.nat(6),
    files: fc.uniqueArray(fc.nat(3), { minLength: 1, maxLength: 3 }),
  });
  // Whom each was started by: always one with a smaller number.
  const parents = fc.tuple(...[1, 2, 3, 4, 5, 6].map((own) => fc.option(fc.nat(own - 1))));
  await fc.assert(
    fc.asyncProperty(parents, fc.array(step, { maxLength: 60 }), async (above, steps) => {
      const all = [0, 1, 2, 3, 4, 5, 6];
      const parentOf = (one: number) => (one === 0 ? null : (above[one - 1] ?? null));
      const ended = new Set<number>();
      const beside = new Set<number>();
      const awaited = (one: number) =>
        all.filter((child) => parentOf(child) === one && !ended.has(child) && !beside.has(child));
      const isAwaited = (one: number, by: number): boolean =>
        awaited(by).some((child) => child === one || isAwaited(one, child));
      const number = (id: ActorId) => Number(id.slice("agent".length));
      const { writers, write } = leases({ awaits: (one) => awaited(number(one)).map(actor) });

      const has = new Map<number, Set<number>>();
      const open: { who: number; stop: AbortController }[] = [];
      const begin = (who: number, files: readonly number[]) => {
        const mine = { who, stop: new AbortController() };
        open.push(mine);
        const over = () => void open.splice(open.indexOf(mine), 1);
        const wanted = files.map((at) => file(`f${at}`));
        void write(actor(who), wanted, mine.stop.signal).then((end) => {
          over();
          if (end?.type !== "go") return;
          for (const at of files) {
            for (const [other, theirs] of has)
              if (other !== who && theirs.has(at))
                expect(isAwaited(who, other) || isAwaited(other, who)).toBe(true);
            has.set(who, (has.get(who) ?? new Set()).add(at));
          }
        });
      };
      const mayEnd = (who: number) =>
        !ended.has(who) && awaited(who).length === 0 && !open.some((one) => one.who === who);
      const end = async (who: number) => {
        ended.add(who);
        has.delete(who);
        writers.ended(actor(who));
        await settled();
      };

      for (const { what, who, files } of steps) {
        if (what === "claim" && !ended.has(who)) begin(who, files);
        else if (what === "abort") open.find((one) => one.who === who)?.stop.abort();
        else if (what === "end" && mayEnd(who)) await end(who);
        else if (what === "await" && beside.delete(who) === false && !ended.has(who)) {
          beside.add(who);
          writers.reconsider();
        } else if (what === "await") writers.reconsider();
        await settled();
      }
      // Whoever waits for nobody ends; that must bring everybody to an end.
      for (let left = all.length; left >= 0; left--) {
        const next = all.find(mayEnd);
        if (next !== undefined) await end(next);
      }
      expect([open.length, ended.size]).toEqual([0, all.length]);
      begin(0, [0, 1, 2, 3]);
      await settled();
      expect(open.length, "every file is free").toBe(0);
    }),
    { seed: 20261122, numRuns: 500 },
  );
});
