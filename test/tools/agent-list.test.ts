import { expect, test } from "vitest";
import { listAgents } from "../../src/features/agents/listing.ts";
import { type AgentListing, agentList, formatAgentLine } from "../../src/tools/agent.ts";

const WORDS = "Plans and writes migrations of the database, and says how to roll each of them back. ".repeat(
  3,
);

function own(count: number): AgentListing[] {
  return Array.from({ length: count }, (_, n) => ({
    ...{ name: `own-${n}`, whenToUse: WORDS, tools: ["Read", "Grep"] },
  }));
}

const ours = listAgents();
const isOurs = ({ name }: AgentListing) => !name.startsWith("own-");
const wholeOurs = ours.map(formatAgentLine);

test("every agent has a line of the same form (A4.16)", () => {
  for (const agent of [...ours, ...own(1)])
    expect(formatAgentLine(agent)).toBe(
      `- ${agent.name}: ${agent.whenToUse} (Tools: ${agent.tools.join(", ")})`,
    );
  expect(agentList(ours, 100_000, isOurs)).toBe(wholeOurs.join("\n"));
});

test.each([
  { what: "few are told whole", count: 3, line: `- own-2: ${WORDS} (Tools: Read, Grep)` },
  { what: "more are told by shorter words", count: 60, line: /^- own-59: Plans and.*…$/m },
  { what: "many are only named", count: 300, line: /^- own-299$/m },
  {
    what: "a flood is counted",
    count: 2_000,
    line: /^- \(and \d{3,} more, which are started by their names\)$/m,
  },
])("$what, in the room there is, and the built-in ones stay whole", ({ count, line }) => {
  const budget = 8_000;
  const list = agentList([...ours, ...own(count)], budget, isOurs);
  expect(list.length).toBeLessThanOrEqual(budget);
  expect(list).toMatch(line);
  for (const one of wholeOurs) expect(list).toContain(one);
});

test("without any room the built-in ones stay and the others are counted", () => {
  const list = agentList([...ours, ...own(50)], 0, isOurs);
  expect(list).toMatch(/and \d+ more/);
  expect(list.split("\n").slice(0, wholeOurs.length)).toEqual(wholeOurs);
});
