import { describe, expect, test } from "vitest";
import { chooseProgress } from "../../src/cli/run-session.ts";
import { createWaits, waitLine } from "../../src/cli/waits.ts";
import type { AgentView } from "../../src/events/event.ts";
import { MAIN } from "../../src/mailbox/ids.ts";
import { actor, agentView } from "../support/agent-view.ts";
import { screenOf, terminalScreen } from "../support/terminal-screen.ts";
import { FakeIO } from "./fake-io.ts";
import { summary } from "./fake-session.ts";

const busy = { type: "tool", tool: "Grep", title: "needle" } as const;
const ended = agentView({ id: actor(1), state: "ended", endedAt: 2_000, summary: summary("done"), turns: 2 });
const waiting = {
  type: "waiting",
  actor: actor(1),
  reason: "The server is overloaded (529)",
  ms: 4_000,
  attempt: 3,
} as const;

describe("on a terminal", () => {
  test("the tree is painted over itself, at most five times a second", async () => {
    const io = new FakeIO({ stderrIsTTY: true });
    const progress = await chooseProgress(io);
    for (let turns = 0; turns < 50; turns++) {
      progress.onEvent({ type: "agent", view: agentView({ id: actor(1), activity: busy, turns }) });
      await io.clock.advance(20);
    }
    expect(io.err.text.split("\u001b[?2026h").length - 1).toBeLessThanOrEqual(6);
    expect(await screenOf(io.err.text)).toEqual([
      expect.stringMatching(/^● Explore · a task {2}Grep needle .* turns · 0 tok · \d\.\d s$/),
      "",
    ]);
    progress.stop();
  });

  test("time is shown to pass when nothing happens", async () => {
    const io = new FakeIO({ stderrIsTTY: true });
    const progress = await chooseProgress(io);
    progress.onEvent({ type: "agent", view: agentView({ id: actor(1) }) });
    await io.clock.advance(5_000);
    expect((await screenOf(io.err.text))[0]).toMatch(/ 5\.0 s$/);
    progress.stop();
  });

  test("a retry is counted down on one line that goes away", async () => {
    const io = new FakeIO({ stderrIsTTY: true });
    const progress = await chooseProgress(io);
    progress.onEvent({ type: "agent", view: agentView({ id: actor(1) }) });
    progress.onEvent(waiting);
    const seen = [];
    for (let second = 0; second < 6; second++) {
      await io.clock.advance(second === 0 ? 200 : 1_000);
      seen.push((await screenOf(io.err.text))[1]);
    }
    expect(seen).toEqual([
      "The server is overloaded (529); trying again in 4 s (attempt 3)",
      "The server is overloaded (529); trying again in 3 s (attempt 3)",
      "The server is overloaded (529); trying again in 2 s (attempt 3)",
      "The server is overloaded (529); trying again in 1 s (attempt 3)",
      "",
      "",
    ]);
    progress.stop();
  });

  test("notes and warnings stay above the tree", async () => {
    const io = new FakeIO({ stderrIsTTY: true, env: { NO_COLOR: "1" } });
    const progress = await chooseProgress(io);
    progress.onEvent({ type: "agent", view: ended });
    progress.note("first");
    progress.onEvent({ type: "warning", message: "second\u001b[2J" });
    progress.stop();
    progress.note("after");
    expect(await screenOf(io.err.text)).toEqual([
      "first",
      "second",
      expect.stringContaining("✓ Explore"),
      "",
      "after",
      "",
    ]);
  });

  test("a long note is wrapped, not cut", async () => {
    const io = new FakeIO({ stderrIsTTY: true });
    const progress = await chooseProgress(io);
    progress.note("x".repeat(100));
    expect(await screenOf(io.err.text)).toEqual(["x".repeat(80), "x".repeat(20), ""]);
  });

  test("stopping leaves the last tree, no timer and no listener, and the cursor below", async () => {
    const io = new FakeIO({ stderrIsTTY: true });
    const progress = await chooseProgress(io);
    progress.onEvent({ type: "agent", view: agentView({ id: actor(1) }) });
    await io.clock.advance(500);
    progress.onEvent({ type: "agent", view: ended });
    progress.stop();
    progress.stop();
    expect(io.clock.pending).toBe(0);
    expect(io.err.listenerCount("resize")).toBe(0);
    expect(await screenOf(io.err.text)).toEqual([
      expect.stringContaining("✓ Explore · a task  done"),
      "",
      "",
    ]);
    expect(io.err.text.endsWith("\u001b[?7h\u001b[?2026l")).toBe(true);
    expect(io.err.text).not.toContain("?25l");
    const before = io.err.text;
    progress.onEvent({ type: "agent", view: ended });
    await io.clock.advance(5_000);
    expect(io.err.text).toBe(before);
  });

  test("a resize repaints in the new width", async () => {
    const io = new FakeIO({ stderrIsTTY: true, columns: 80 });
    const progress = await chooseProgress(io);
    progress.onEvent({ type: "agent", view: agentView({ id: actor(1), description: "x".repeat(200) }) });
    await io.clock.advance(100);
    const screen = terminalScreen(80, 24);
    screen.write(io.err.text);
    const before = io.err.text.length;
    io.err.columns = 20;
    io.err.emit("resize");
    await new Promise<void>((resolve) => screen.write("", resolve));
    screen.resize(20, 24);
    await io.clock.advance(99);
    expect(io.err.text).toHaveLength(before);
    await io.clock.advance(1);
    await new Promise<void>((resolve) => screen.write(io.err.text.slice(before), resolve));
    expect(screen.lines()).toEqual(["● xxxxxxxxxxxxxxxx…", ""]);
    progress.stop();
  });

  test.each([
    { columns: 1, rows: 1 },
    { columns: 1, rows: 24 },
    { columns: 0, rows: 0 },
    { columns: 300, rows: 2 },
  ])("$columns columns and $rows rows are enough not to fail", async ({ columns, rows }) => {
    const io = new FakeIO({ stderrIsTTY: true, columns, rows });
    const progress = await chooseProgress(io);
    for (let n = 0; n < 5; n++) progress.onEvent({ type: "agent", view: agentView({ id: actor(n) }) });
    progress.onEvent(waiting);
    await io.clock.advance(1_000);
    progress.stop();
    expect((await screenOf(io.err.text, columns || 80)).length).toBeGreaterThan(1);
  });

  test("NO_COLOR takes the colours, FORCE_COLOR brings them back", async () => {
    const colours = async (env: Record<string, string>, stderrIsTTY = true) => {
      const io = new FakeIO({ stderrIsTTY, env });
      const progress = await chooseProgress(io);
      progress.onEvent({ type: "agent", view: ended });
      progress.stop();
      return io.err.text.includes("\u001b[32m");
    };
    expect(await colours({})).toBe(true);
    expect(await colours({ NO_COLOR: "1" })).toBe(false);
    expect(await colours({ NO_COLOR: "" })).toBe(true);
    expect(await colours({ NO_COLOR: "1", FORCE_COLOR: "1" })).toBe(true);
    expect(await colours({ FORCE_COLOR: "0" })).toBe(false);
    expect(await colours({ FORCE_COLOR: "1" }, false)).toBe(true);
    expect(await colours({ TERM: "dumb" })).toBe(false);
  });

  test("nothing breaks when standard error is no longer read", async () => {
    const io = new FakeIO({ stderrIsTTY: true });
    io.err.failure = Object.assign(new Error("disk full"), { code: "ENOSPC" });
    const progress = await chooseProgress(io);
    progress.onEvent({ type: "agent", view: ended });
    await io.clock.advance(1_000);
    progress.stop();
    expect(io.err.text).toBe("");
  });
});

describe("without a terminal", () => {
  test("why agents wait for a runner is said once for all of them, and again if it was over (issue 22)", async () => {
    const io = new FakeIO();
    const progress = await chooseProgress(io);
    const title = "waits for a runner of pool gpu; none is connected that has this fleet key";
    const see = (n: number, activity: AgentView["activity"]) =>
      progress.onEvent({ type: "agent", view: agentView({ id: actor(n), activity }) });
    for (const n of [1, 2, 1]) see(n, { type: "tool", tool: "runner", title });
    see(1, { type: "model" });
    see(1, { type: "tool", tool: "runner", title });
    see(1, { type: "model" });
    see(2, { type: "model" });
    see(2, { type: "tool", tool: "runner", title });
    progress.stop();
    const lines = io.err.text.split("\n").filter((line) => line.includes("waits"));
    expect(lines).toEqual([`An agent ${title}`, `An agent ${title}`]);
  });

  test("who writes to the same file is said once, and again where it is another (D8)", async () => {
    const io = new FakeIO();
    const progress = await chooseProgress(io);
    const phrases = [null, "also in a.ts: Fix it", "also in a.ts: Fix it", null, "also in a.ts: Fix it"];
    for (const overlap of [...phrases, "also in \u001b[2Jb.ts: Fix it"])
      progress.onEvent({ type: "agent", view: agentView({ id: actor(1), overlap }) });
    expect(io.err.text.split("\n")).toEqual([
      "● Explore · a task  started",
      "● Explore · a task  also in a.ts: Fix it",
      "● Explore · a task  also in b.ts: Fix it",
      "",
    ]);
  });

  test("a background command gets one line, when it ends", async () => {
    const io = new FakeIO();
    const progress = await chooseProgress(io);
    const task = { type: "command", actor: MAIN, task: "b1", outputPath: "/o", title: "make" } as const;
    progress.onEvent({ ...task, state: "running" });
    progress.onEvent({ ...task, state: "killed", ending: "It was stopped." });
    expect(io.err.text).toBe("⊘ make  It was stopped.\n");
  });

  test("an agent gets one line when it starts and one when it ends; the main conversation none", async () => {
    const io = new FakeIO();
    const progress = await chooseProgress(io);
    const main = agentView({ id: MAIN, type: "main" });
    progress.onEvent({ type: "agent", view: main });
    for (const state of ["queued", "starting", "running", "waiting", "running"] as const) {
      progress.onEvent({ type: "agent", view: agentView({ id: actor(1), state, activity: busy }) });
    }
    progress.onEvent({ type: "agent", view: ended });
    progress.onEvent({ type: "agent", view: ended });
    progress.onEvent({ type: "agent", view: { ...main, state: "ended", summary: summary("done") } });
    expect(io.err.text.split("\n")).toEqual([
      "◌ Explore · a task  started",
      "✓ Explore · a task  2 turns · 0 tok · 2.0 s  done",
      "",
    ]);
  });

  test("a wait gets one line, however many agents wait for the same", async () => {
    const io = new FakeIO();
    const progress = await chooseProgress(io);
    for (let n = 1; n <= 32; n++) progress.onEvent({ ...waiting, actor: actor(n) });
    await io.clock.advance(4_001);
    progress.onEvent({ ...waiting, attempt: 4, ms: 8_000 });
    expect(io.err.text.split("\n")).toEqual([
      "The server is overloaded (529); trying again in 4 s (attempt 3)",
      "The server is overloaded (529); trying again in 8 s (attempt 4)",
      "",
    ]);
  });

  test("a dumb terminal is treated the same", async () => {
    const io = new FakeIO({ stderrIsTTY: true, env: { TERM: "dumb" } });
    const progress = await chooseProgress(io);
    progress.onEvent({ type: "agent", view: ended });
    expect(io.err.text).not.toContain("\u001b");
  });
});

test.each([
  ["The server answered 529.", 4_000, 3, "The server answered 529; trying again in 4 s (attempt 3)"],
  [
    "a.example is overloaded (529); try again in a while.",
    200,
    1,
    "a.example is overloaded (529); trying again in 1 s (attempt 1)",
  ],
  [
    "a.example has sent nothing for 20 s",
    280_000,
    null,
    "a.example has sent nothing for 20 s; giving up in 280 s",
  ],
  ["two\nlines\u001b[31m", 61_000, 2, "two lines; trying again in 61 s (attempt 2)"],
])("%j for %i ms is said as one line", (reason, ms, attempt, line) => {
  expect(waitLine(reason, ms, attempt)).toBe(line);
});

test("counts down to the first retry, and ends when its agent no longer waits", () => {
  const waits = createWaits();
  waits.add({ ...waiting, ms: 9_000 }, 0);
  waits.add({ ...waiting, actor: actor(2), reason: "Other", ms: 2_000 }, 0);
  expect(waits.line(500)).toBe("Other; trying again in 2 s (attempt 3)");
  waits.end(actor(2));
  expect(waits.line(500)).toBe("The server is overloaded (529); trying again in 9 s (attempt 3)");
  expect(waits.line(9_000)).toBeUndefined();
});
