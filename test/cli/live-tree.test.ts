import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { renderTree } from "../../src/cli/live-tree.ts";
import type { AgentView } from "../../src/events/event.ts";
import { MAIN } from "../../src/mailbox/ids.ts";
import { inColour, plain } from "../../src/terminal/colour.ts";
import { displayWidth } from "../../src/terminal/display-width.ts";
import { actor, agentView } from "../support/agent-view.ts";
import { summary, usage } from "./fake-session.ts";

const NOW = 4_200;
const grep = { type: "tool", tool: "Grep", title: '"wire format"' } as const;
const views: readonly AgentView[] = [
  agentView({ id: MAIN, type: "main", description: "main conversation", state: "waiting", turns: 1 }),
  agentView({
    id: actor(1),
    parent: MAIN,
    description: "where is the wire format",
    activity: grep,
    turns: 3,
    usage: usage(12_000, 345),
  }),
  agentView({
    id: actor(2),
    parent: actor(1),
    type: "Plan",
    description: "你好世界 一个很长的中文标题 一个很长的中文标题",
    activity: { type: "model" },
    depth: 2,
  }),
  agentView({ id: actor(3), parent: MAIN, state: "queued", startedAt: null, description: "next" }),
  agentView({
    id: actor(4),
    parent: MAIN,
    state: "ended",
    endedAt: 65_000,
    description: "done one",
    summary: summary("done", "text"),
    turns: 12,
  }),
  agentView({
    id: actor(5),
    parent: MAIN,
    state: "ended",
    endedAt: 900,
    description: "evil \u001b[2J\u202e\ntitle",
    summary: summary("out_of_turns", "", "It used all 3 turns."),
  }),
  agentView({
    id: actor(6),
    parent: actor(99),
    description: "orphan",
    activity: { type: "retrying", reason: "server overloaded", until: NOW + 3_400, attempt: 2 },
  }),
];

test("agents of one type can be distinguished by what they do, if there is no room for both", () => {
  const parts = [1, 2].map((n) =>
    agentView({
      id: actor(n),
      type: "general-purpose",
      description: `part ${n}`,
      activity: { type: "model" },
    }),
  );
  for (const columns of [18, 60])
    expect(renderTree(parts, NOW, { columns, rows: 4, paint: plain })).toEqual([
      expect.stringMatching(/^● part 1/),
      expect.stringMatching(/^● part 2/),
    ]);
});

const render = (columns: number, rows = 40, paint = plain) =>
  renderTree(views, NOW, { columns, rows, paint });

describe("the live tree", () => {
  test("shows state, type, description, tool and argument, turns, tokens and time in 80 columns", () => {
    expect(render(80)).toMatchInlineSnapshot(`
      [
        "◐ main conversation      waiting                          1 turn · 0 tok · 4.2 s",
        "  ● where is the wire…   Grep "wire format"          3 turns · 12.3k tok · 4.2 s",
        "    ● 你好世界 一个很…   asking the model                0 turns · 0 tok · 4.2 s",
        "  ○ Explore · next       queued                          0 turns · 0 tok · 4.2 s",
        "  ✓ Explore · done one   done                      12 turns · 0 tok · 1 min 05 s",
        "  ✗ evil <U+202E> title  out of turns: It used a…        0 turns · 0 tok · 0.9 s",
        "● Explore · orphan       trying again in 4 s: se…        0 turns · 0 tok · 4.2 s",
      ]
    `);
  });

  test("fits 20 columns", () => {
    expect(render(20)).toMatchInlineSnapshot(`
      [
        "◐ main conversation…",
        "  ● where is the wi…",
        "    ● 你好世界 一个…",
        "  ○ Explore · next…",
        "  ✓ done one  done…",
        "  ✗ evil <U+202E> t…",
        "● Explore · orphan…",
      ]
    `);
  });

  test("fits one column", () => {
    expect(render(1)).toMatchInlineSnapshot(`
      [
        "◐",
        "●",
        "●",
        "○",
        "✓",
        "✗",
        "●",
      ]
    `);
  });

  test("says the same in colour, with the same width", () => {
    const coloured = render(80, 40, inColour);
    expect(coloured.map((line) => stripVTControlCharacters(line))).toEqual(render(80));
    expect(coloured.join("")).toContain("\u001b[");
  });

  test("folds what does not fit, keeping what works or went wrong with its parents", () => {
    expect(render(60, 5)).toMatchInlineSnapshot(`
      [
        "◐ main conver…  waiting               1 turn · 0 tok · 4.2 s",
        "  ● where is…   Grep "wire for…  3 turns · 12.3k tok · 4.2 s",
        "    ● 你好世…   asking the mod…      0 turns · 0 tok · 4.2 s",
        "● orphan        trying again i…      0 turns · 0 tok · 4.2 s",
        "… and 3 more (queued 1, done 1, ended otherwise 1)",
      ]
    `);
  });

  test("says who writes to the same file before what an agent does, on one line and made safe (D8)", () => {
    const overlap = "also in src/a.ts: Fix the \u001b[2Jparser";
    const both = [
      agentView({ id: actor(1), description: "rename it", activity: grep, overlap }),
      agentView({ id: actor(2), description: "is stuck", overlap }),
    ];
    expect(renderTree(both, NOW, { columns: 110, rows: 4, paint: plain })).toMatchInlineSnapshot(`
      [
        "● Explore · rename it  also in src/a.ts: Fix the parser · Grep "wire format"           0 turns · 0 tok · 4.2 s",
        "● Explore · is stuck   also in src/a.ts: Fix the parser                                0 turns · 0 tok · 4.2 s",
      ]
    `);
    expect(renderTree(both, NOW, { columns: 110, rows: 4, paint: inColour })[0]).toContain(
      "\u001b[2malso in src/a.ts",
    );
  });

  test("counts 32 running, 60 queued and 8 done agents on a small terminal", () => {
    const many = Array.from({ length: 100 }, (_, index) => {
      const id = actor(index);
      if (index < 8) return agentView({ id, state: "ended", endedAt: 10, summary: summary("done") });
      return agentView({ id, state: index < 40 ? "running" : "queued" });
    });
    const lines = renderTree(many, NOW, { columns: 80, rows: 10, paint: plain });
    expect(lines).toHaveLength(10);
    expect(lines.at(-1)).toBe("… and 91 more (running 23, queued 60, done 8)");
  });

  test("is empty without agents, and without rows", () => {
    expect(renderTree([], NOW, { columns: 80, rows: 24, paint: plain })).toEqual([]);
    expect(render(80, 0)).toEqual([]);
  });

  test("never makes a line too wide or too many of them, whatever agents are called", {
    tags: ["long"],
  }, () => {
    const view = fc.record({
      description: fc.string({ unit: "binary", maxLength: 30 }),
      type: fc.string({ unit: "binary" }),
      title: fc.string({ unit: "binary" }),
      overlap: fc.option(fc.string({ unit: "binary" })),
      parent: fc.option(fc.nat(1)),
      state: fc.constantFrom("queued", "starting", "running", "waiting", "cancelling", "ended"),
    });
    fc.assert(
      fc.property(
        fc.array(view, { maxLength: 12 }),
        fc.integer({ min: 1, max: 130 }),
        fc.nat(14),
        (all, columns, rows) => {
          const agents = all.map(({ title, parent, ...rest }, index) =>
            agentView({
              ...rest,
              id: actor(index),
              parent: parent !== null && index > 0 ? actor(Math.max(0, index - 1 - parent)) : null,
              activity: { type: "tool", tool: "Read", title },
            }),
          );
          const lines = renderTree(agents, NOW, { columns, rows, paint: plain });
          expect(lines).toHaveLength(Math.min(rows, all.length));
          for (const line of lines) {
            expect(displayWidth(line)).toBeLessThanOrEqual(columns);
            expect(line).not.toMatch(/\p{Cc}/u);
          }
        },
      ),
      { seed: 20261120, numRuns: 100 },
    );
  });
});

test.each([
  [grep, true],
  [{ type: "idle" } as const, true],
  // Its pieces are not reported, and a server that says nothing is shown as a wait.
  [{ type: "model" } as const, false],
])("an agent with %j that reported nothing for a minute is called silent: %s", (activity, isSilent) => {
  const tree = renderTree([agentView({ id: actor(1), activity })], 60_000, {
    columns: 120,
    rows: 4,
    paint: plain,
  });
  expect(tree.join("\n").includes("quiet for 1 min")).toBe(isSilent);
});
