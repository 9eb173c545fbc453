import fc from "fast-check";
import { expect, test } from "vitest";
import { type AttachedFacts, type Fact, factNews, knownFacts } from "../../src/context/facts.ts";
import { memoryFacts, memoryGone } from "../../src/context/memory/memory-text.ts";

const fact = (key: string, digest: string): Fact => ({ key, digest, text: `${key} is ${digest}` });
const gone = (key: string) => `${key} is gone`;

test("derives what a conversation knows from its records, whatever changes, in any order", () => {
  const keys = fc.constantFrom("memory:/a b=c/CLAUDE.md", "memory:/ü%25.md", "date", "git");
  const world = fc.dictionary(keys, fc.constantFrom("1", "2", "3"));
  fc.assert(
    fc.property(world, fc.array(world), fc.nat(), (began, steps, through) => {
      const turns: { turn: number; heard: { text: string; of: string[] }[] }[] = [];
      for (const [n, now] of steps.entries()) {
        const facts = Object.entries(now).map(([key, digest]) => fact(key, digest));
        const news = factNews(facts, knownFacts(began, turns, undefined), gone);
        if (news) turns.push({ turn: n + 1, heard: [{ text: news.text, of: [...news.of] }] });
        const known = knownFacts(began, turns, undefined);
        expect(factNews(facts, known, gone)).toBeNull();
        expect(Object.fromEntries(Object.entries(known).filter(([, digest]) => digest !== ""))).toEqual(now);
      }
      // What was told in turns that a summary stands for is not known any more.
      const last = turns.at(-1);
      const all = knownFacts(began, turns, { through: last?.turn ?? 0 });
      expect(all).toEqual(began);
      const rest = turns.filter(({ turn }) => turn > through);
      expect(knownFacts(began, turns, { through })).toEqual(knownFacts(began, rest, undefined));
    }),
    { seed: 7, numRuns: 200 },
  );
});

test("does not repeat a notice that is in no turn yet", () => {
  const began: AttachedFacts = { date: "1" };
  const handed = [{ text: "", of: ["fact:date=2", "result:a.1"] }];
  expect(factNews([fact("date", "2")], knownFacts(began, [], undefined, handed), gone)).toBeNull();
});

test("reports a deleted file, but not an unknown git status", () => {
  const files = memoryFacts(
    {
      files: [
        {
          scope: "project",
          path: "/p/CLAUDE.md",
          importedBy: null,
          text: "a",
          bytes: 1,
          cut: false,
          digest: "d",
        },
      ],
    },
    100,
  );
  const known = { [files[0]?.key ?? ""]: "d", git: "1" };
  expect(factNews([], known, memoryGone)).toEqual({
    text: "The memory file /p/CLAUDE.md was deleted; ignore its instructions.",
    of: ["fact:memory%3A%2Fp%2FCLAUDE.md="],
  });
  expect(factNews(files, known, memoryGone)).toBeNull();
});
