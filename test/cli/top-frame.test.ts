import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { inColour, plain } from "../../src/cli/colour.ts";
import { displayWidth } from "../../src/cli/display-width.ts";
import { topFrame } from "../../src/cli/top/top-frame.ts";
import { viewOf, type Watched } from "../../src/cli/top/watched.ts";
import { LiveTree } from "../../src/features/live/live-tree.ts";
import type { LiveAgent } from "../../src/features/live/protocol.ts";
import { MAIN, SessionId } from "../../src/mailbox/ids.ts";
import type { AgentView } from "../../src/supervisor/view.ts";
import { view } from "../features/live/views.ts";
import { actor } from "../support/agent-view.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { summary, usage } from "./fake-session.ts";

const NOW = 60_000;

const agents: readonly AgentView[] = [
  view(0, {
    ...{ id: MAIN, type: "main", description: "main conversation", state: "waiting", depth: 0, turns: 2 },
    ...{
      activity: { type: "tool", tool: "Agent", title: "2 at once" },
      lastSignAt: NOW - 4_000,
      hasThread: false,
    },
    ...{ usage: usage(12_000, 345), costUsd: 0.0421 },
  }),
  view(1, {
    ...{
      parent: MAIN,
      description: "where is the wire format",
      turns: 3,
      lastSignAt: NOW - 200,
      costUsd: 0.31,
    },
    ...{ activity: { type: "tool", tool: "Grep", title: '"wire format"' }, usage: usage(4_000, 90) },
  }),
  view(2, {
    ...{ parent: MAIN, description: "the spinning one", turns: 1, lastSignAt: NOW - 42_000 },
    ...{
      activity: { type: "tool", tool: "Grep", title: "(a+)+$" },
      trouble: "Its thread has been busy for 42 s",
    },
  }),
  view(3, { parent: actor(1), state: "queued", description: "你好世界 一个很长的中文标题", startedAt: null }),
  view(4, {
    ...{ parent: MAIN, state: "ended", endedAt: 900, description: "evil \u001b[2J\u202e\ntitle" },
    summary: summary("failed", "", "The model \u001b[31mrefused."),
  }),
  view(5, { parent: MAIN, state: "ended", endedAt: 900, description: "done", summary: summary("done") }),
];

function watched(views: readonly AgentView[], clock: FakeClock): Watched {
  const live: readonly LiveAgent[] = new LiveTree().look(views);
  return {
    hello: {
      ...{
        type: "hello",
        protocol: 1,
        session: SessionId.parse("abcd1234"),
        cwd: "/w/\u001b[2Jrepo",
        pid: 77,
      },
      ...{ model: "opus", startedAt: "2029-12-31T23:58:00.000Z" },
    },
    look: { type: "look", now: NOW, costUsd: 1.234, changed: live, agents: live },
    heardAt: clock.now(),
  };
}

function frame(columns: number, rows = 40, paint = plain): string[] {
  const clock = new FakeClock();
  return topFrame(watched(agents, clock), clock, { columns, rows, paint });
}

describe("what troupe top shows (C20, D13)", () => {
  test("is who waits for what, tool and argument, turns, tokens, cost, the last sign of life, and trouble", () => {
    expect(frame(110)).toMatchInlineSnapshot(`
      [
        "Session abcd1234  /w/repo  opus  pid 77",
        "6 agents · 16.4k tokens · $1.23 · up 2 min 00 s · 1 in trouble, 2 running, 1 waiting, 1 queued, 1 done, 1 end…",
        "  AGENT                         DOING                                     MODEL  TURNS  TOKENS     COST   SIGN",
        "◐ main conversation             waits: Agent 2 at once                  offline      2   12.3k  $0.0421  4.0 s",
        "  ● Explore · where is the wi…  Grep "wire format"                      offline      3    4.1k    $0.31  0.2 s",
        "    ○ Explore · 你好世界 一个…  queued                                  offline      1       0                ",
        "  ! Explore · the spinning one  Its thread has been busy for 42 s · G…  offline      1       0            42 s",
        "  ✗ Explore · evil <U+202E> t…  failed: The model refused.              offline      1       0                ",
        "  ✓ Explore · done              done                                    offline      1       0                ",
      ]
    `);
  });

  test("and who writes to the same file, after what is wrong and before what it does (D8)", () => {
    const clock = new FakeClock();
    const overlap = "also in src/a.ts: Fix the \u001b[2Jparser";
    const both = [view(1, { overlap }), view(2, { overlap, trouble: "Its thread has been busy for 42 s" })];
    const frame = { columns: 150, rows: 9, paint: plain };
    expect(topFrame(watched(both, clock), clock, frame).slice(3)).toMatchInlineSnapshot(`
      [
        "● Explore · task 1  also in src/a.ts: Fix the parser · asking the model                             offline      1       0        1 min 00 s",
        "! Explore · task 2  Its thread has been busy for 42 s · also in src/a.ts: Fix the parser · asking…  offline      1       0        1 min 00 s",
      ]
    `);
  });

  test("fits 80 and 30 columns, and one", () => {
    expect(frame(80)).toMatchInlineSnapshot(`
      [
        "Session abcd1234  /w/repo  opus  pid 77",
        "6 agents · 16.4k tokens · $1.23 · up 2 min 00 s · 1 in trouble, 2 running, 1 wa…",
        "  AGENT                DOING                       TURNS  TOKENS     COST   SIGN",
        "◐ main conversation    waits: Agent 2 at once          2   12.3k  $0.0421  4.0 s",
        "  ● Explore · where…   Grep "wire format"              3    4.1k    $0.31  0.2 s",
        "    ○ Explore · 你好…  queued                          1       0                ",
        "  ! Explore · the sp…  Its thread has been busy…       1       0            42 s",
        "  ✗ Explore · evil <…  failed: The model refused.      1       0                ",
        "  ✓ Explore · done     done                            1       0                ",
      ]
    `);
    expect(frame(30)).toMatchInlineSnapshot(`
      [
        "Session abcd1234  /w/repo  op…",
        "6 agents · 16.4k tokens · $1.…",
        "◐ main conversation  waits: A…",
        "  ● Explore · where is the wi…",
        "    ○ Explore · 你好世界 一个…",
        "  ! Explore · the spinning on…",
        "  ✗ Explore · evil <U+202E> t…",
        "  ✓ Explore · done  done",
      ]
    `);
    expect(frame(1)).toMatchInlineSnapshot(`
      [
        "…",
        "…",
        "◐",
        "●",
        "○",
        "!",
        "✗",
        "✓",
      ]
    `);
  });

  test("keeps trouble in sight where rows are few, and counts the rest", () => {
    expect(frame(80, 5)).toMatchInlineSnapshot(`
      [
        "6 agents · 16.4k tokens · $1.23 · up 2 min 00 s · 1 in trouble, 2 running, 1 wa…",
        "  AGENT                DOING                       TURNS  TOKENS     COST   SIGN",
        "◐ main conversation    waits: Agent 2 at once          2   12.3k  $0.0421  4.0 s",
        "  ! Explore · the sp…  Its thread has been busy…       1       0            42 s",
        "… and 4 more",
      ]
    `);
  });

  test("says the same in colour, with the same width", () => {
    expect(frame(100, 40, inColour).map((line) => stripVTControlCharacters(line))).toEqual(frame(100));
  });

  test("lets time pass while the session says nothing, and names that", async () => {
    const clock = new FakeClock();
    const seen = watched(agents, clock);
    await clock.advance(12_000);
    const lines = topFrame(seen, clock, { columns: 100, rows: 40, paint: plain });
    expect(lines).toContain("The session has not said anything for 12 s; its main thread is busy.");
    expect(lines.find((line) => line.includes("spinning"))).toMatch(/ 54 s$/);
  });

  test("a summary is shown as it ended, not what it found", () => {
    const [main, ...others] = new LiveTree().look(agents).map(viewOf);
    expect(main?.summary).toBeNull();
    expect(others.map((agent) => agent.summary?.status)).toEqual([
      undefined,
      undefined,
      undefined,
      "failed",
      "done",
    ]);
  });

  test("never has a line too wide, one too many, or a control character, whatever agents are called", {
    tags: ["long"],
  }, () => {
    const agent = fc.record({
      description: fc.string({ unit: "binary", maxLength: 30 }),
      type: fc.string({ unit: "binary" }),
      trouble: fc.option(fc.string({ unit: "binary" })),
      overlap: fc.option(fc.string({ unit: "binary" })),
      title: fc.string({ unit: "binary" }),
      parent: fc.option(fc.nat(1)),
      state: fc.constantFrom("queued", "starting", "running", "waiting", "cancelling", "ended"),
    });
    fc.assert(
      fc.property(
        fc.array(agent, { maxLength: 12 }),
        fc.integer({ min: 1, max: 150 }),
        fc.integer({ min: 1, max: 14 }),
        (all, columns, rows) => {
          const views = all.map(({ title, parent, ...rest }, index) =>
            view(index, {
              ...rest,
              parent: parent !== null && index > 0 ? actor(Math.max(0, index - 1 - parent)) : null,
              activity: { type: "tool", tool: "Read", title },
            }),
          );
          const clock = new FakeClock();
          const lines = topFrame(watched(views, clock), clock, { columns, rows, paint: plain });
          expect(lines.length).toBeLessThanOrEqual(rows);
          for (const line of lines) {
            expect(displayWidth(line)).toBeLessThanOrEqual(columns);
            expect(line).not.toMatch(/\p{Cc}/u);
          }
        },
      ),
      { seed: 20261122, numRuns: 200 },
    );
  });
});
