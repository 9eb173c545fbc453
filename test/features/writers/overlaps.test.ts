import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { TouchedLines } from "../../../src/features/writers/overlap-text.ts";
import { actor } from "../../support/agent-view.ts";
import { settled } from "../../support/fake-clock.ts";
import { file, fileWriters, heldLines } from "./writers.ts";

const [A, B, C] = [actor(1), actor(2), actor(3)];

describe("two agents that write to the same file (D8)", () => {
  test("both get one notice, and the live tree shows it immediately", async () => {
    const { writers, news, changed } = fileWriters();
    writers.wrote(A, [file("a.ts")]);
    expect([changed, writers.phrase(A)]).toEqual([[], null]);
    writers.wrote(B, [file("a.ts")]);
    expect(changed).toEqual([A, B]);
    expect(writers.phrase(A)).toBe("also in a.ts: the task of agent2");
    await settled();
    for (const one of [A, B, A]) writers.wrote(one, [file("a.ts")]);
    await settled();
    expect(news()).toEqual(["agent1: agent2 in a.ts, others", "agent2: agent1 in a.ts, others"]);
  });

  test("get one more notice if they write the same lines", async () => {
    let lines: TouchedLines = "others";
    const { writers, news } = fileWriters({ sameLines: async () => lines });
    const write = async () => {
      writers.wrote(A, [file("a.ts")]);
      writers.wrote(B, [file("a.ts")]);
      await settled();
      return news();
    };
    expect(await write()).toHaveLength(2);
    lines = "same";
    expect(await write()).toEqual(["agent1: agent2 in a.ts, same", "agent2: agent1 in a.ts, same"]);
    expect(writers.phrase(B)).toBe("also in a.ts (same lines): the task of agent1");
    lines = "others";
    expect(await write()).toEqual([]);
    lines = "same";
    expect(await write()).toEqual([]);
  });

  test("get a notice within a second even if their lines are unknown, and another when they are known", async () => {
    const { asked, sameLines } = heldLines();
    const { writers, clock, news } = fileWriters({ sameLines });
    writers.wrote(A, [file("a.ts")]);
    writers.wrote(B, [file("a.ts")]);
    await clock.advance(999);
    expect(news()).toEqual(["agent1: agent2 in a.ts, unknown", "agent2: agent1 in a.ts, unknown"]);
    asked[0]?.answer("same");
    await settled();
    expect(news()).toEqual(["agent1: agent2 in a.ts, same", "agent2: agent1 in a.ts, same"]);
    expect(clock.pending).toBe(0);
  });

  test("get a notice if their lines cannot be compared", async () => {
    const { writers, news } = fileWriters({ sameLines: () => Promise.reject(new Error("no git")) });
    writers.wrote(A, [file("a.ts")]);
    writers.wrote(B, [file("a.ts")]);
    await settled();
    expect(news()).toEqual(["agent1: agent2 in a.ts, unknown", "agent2: agent1 in a.ts, unknown"]);
  });

  test("are compared once at a time, and again for later writes", async () => {
    const { asked, sameLines } = heldLines();
    const { writers, news } = fileWriters({ sameLines });
    writers.wrote(A, [file("a.ts")]);
    for (let write = 0; write < 50; write++) writers.wrote(B, [file("a.ts")]);
    expect(asked).toHaveLength(1);
    asked[0]?.answer("others");
    await settled();
    expect(asked).toHaveLength(2);
    expect(news()).toHaveLength(2);
    asked[1]?.answer("same");
    await settled();
    expect([asked.length, news().length]).toEqual([2, 2]);
  });

  test("get one notice for many files, of which git compares only some", async () => {
    const { asked, sameLines } = heldLines();
    const { writers, clock, told } = fileWriters({ sameLines });
    const many = Array.from({ length: 500 }, (_, at) => file(`f${at}.ts`));
    writers.wrote(A, many);
    writers.wrote(B, [...many, file("own.ts")]);
    expect(asked).toHaveLength(20);
    await clock.advance(999);
    expect(told.map(({ to, touches }) => [to, touches.length])).toEqual([
      [A, 500],
      [B, 500],
    ]);
    expect(writers.phrase(A)).toBe("also in f0.ts and 499 more: the task of agent2");
  });

  test("are three: each gets a notice of both others", async () => {
    const { writers, news } = fileWriters();
    for (const one of [A, B, C]) writers.wrote(one, [file("a.ts")]);
    await settled();
    expect(news().toSorted()).toEqual([
      "agent1: agent2 in a.ts, others",
      "agent1: agent3 in a.ts, others",
      "agent2: agent1 in a.ts, others",
      "agent2: agent3 in a.ts, others",
      "agent3: agent1 in a.ts, others",
      "agent3: agent2 in a.ts, others",
    ]);
    expect(writers.phrase(A)).toBe("also in a.ts: the task of agent2 and 1 more");
  });

  test.each([
    ["of different repositories", [file("a.ts", "/one"), file("a.ts", "/two")] as const],
    ["of different names", [file("a.ts"), file("b.ts")] as const],
  ])("%s are not the same file", async (_, [one, other]) => {
    const { writers, news } = fileWriters();
    writers.wrote(A, [one]);
    writers.wrote(B, [other]);
    await settled();
    expect(news()).toEqual([]);
  });

  test("get no notice if the first has ended, even during the comparison", async () => {
    const { asked, sameLines } = heldLines();
    const { writers, news } = fileWriters({ sameLines });
    writers.wrote(A, [file("a.ts")]);
    writers.wrote(B, [file("a.ts")]);
    writers.ended(A);
    asked[0]?.answer("same");
    writers.wrote(B, [file("a.ts")]);
    writers.wrote(C, [file("b.ts")]);
    await settled();
    expect([news(), writers.phrase(A), writers.phrase(B)]).toEqual([[], null, null]);
  });

  test("take turns without a notice if one waits for the other", async () => {
    const { writers, news } = fileWriters({ awaits: (one) => (one === A ? [B] : one === B ? [C] : []) });
    for (const one of [A, B, C]) writers.wrote(one, [file("a.ts")]);
    await settled();
    expect(news()).toEqual([]);
  });

  test("get no notice if the setting is off", async () => {
    const { writers, news } = fileWriters({ rule: "off" });
    for (const one of [A, B]) writers.wrote(one, [file("a.ts")]);
    await settled();
    expect(news()).toEqual([]);
  });
});

test("whatever the order of writes, ends and answers: both of a pair learn once of each file, at most twice (D8)", async () => {
  const step = fc.record({
    what: fc.constantFrom("write", "write", "write", "answer", "time", "end"),
    who: fc.nat(3),
    files: fc.uniqueArray(fc.nat(3), { minLength: 1 }),
    lines: fc.constantFrom<TouchedLines>("same", "others", "unknown"),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const { asked, sameLines } = heldLines();
      const { writers, clock, told } = fileWriters({ sameLines });
      const wrote = new Map<string, Set<number>>();
      const due = new Set<string>();
      const heard = new Map<string, string[]>();
      const listen = () => {
        for (const { to, touches } of told.splice(0))
          for (const { other, path, lines } of touches) {
            const pair = `${to} ${other} ${path}`;
            expect(due).toContain(pair);
            heard.set(pair, [...(heard.get(pair) ?? []), lines]);
          }
      };
      for (const { what, who, files, lines } of steps) {
        if (what === "write") {
          for (const name of files.map((at) => `f${at}`)) {
            const writers = wrote.get(name) ?? new Set();
            wrote.set(name, writers.add(who));
            for (const other of writers)
              if (other !== who)
                due.add(`${actor(who)} ${actor(other)} ${name}`).add(`${actor(other)} ${actor(who)} ${name}`);
          }
          writers.wrote(
            actor(who),
            files.map((at) => file(`f${at}`)),
          );
        } else if (what === "answer") asked.shift()?.answer(lines);
        else if (what === "time") await clock.advance(600);
        else {
          await settled();
          listen();
          writers.ended(actor(who));
          for (const writers of wrote.values()) writers.delete(who);
          // What is told from now on is of a new run of it.
          for (const pair of [...due])
            if (pair.split(" ").includes(actor(who))) {
              due.delete(pair);
              heard.delete(pair);
            }
        }
        await settled();
        listen();
      }
      await clock.advance(2_000);
      listen();
      for (const pair of due) {
        const [to = "", other = "", name = ""] = pair.split(" ");
        const own = heard.get(pair) ?? [];
        expect(own.length).toBeGreaterThanOrEqual(1);
        expect(own.slice(1)).toEqual(own.length > 1 ? ["same"] : []);
        expect(own.filter((one) => one === "same").length).toBeLessThanOrEqual(1);
        expect(heard.get(`${other} ${to} ${name}`)).toEqual(own);
      }
      expect(clock.pending).toBe(0);
    }),
    { seed: 20261122, numRuns: 300 },
  );
});
