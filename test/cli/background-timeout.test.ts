import { describe, expect, test } from "vitest";
import { main } from "../../src/cli/main.ts";
import type { AgentView } from "../../src/events/event.ts";
import { MAIN } from "../../src/mailbox/ids.ts";
import type { Summary } from "../../src/mailbox/messages.ts";
import { actor, agentView } from "../support/agent-view.ts";
import { settled } from "../support/fake-clock.ts";
import { FakeIO } from "./fake-io.ts";
import { FakeRuntime, type FakeSession, summary } from "./fake-session.ts";

const main_ = agentView({ id: MAIN, depth: 0, type: "main", description: "main conversation" });
const atWork: AgentView = { ...main_, activity: { type: "model" } };
const waits: AgentView = {
  ...main_,
  state: "waiting",
  activity: { type: "tool", tool: "Agent", title: "in the background: look around" },
};
const background = agentView({
  ...{ id: actor(1), parent: MAIN, background: true, description: "look around" },
  activity: { type: "tool", tool: "Grep", title: "foo" },
});

/** A conversation whose main conversation ends when it is cancelled, or when the test says so. */
function begin(argv: readonly string[]) {
  const end = Promise.withResolvers<Summary>();
  const runtime = new FakeRuntime({
    answer: () => end.promise,
    onCancel(id, session) {
      if (id === MAIN) end.resolve(summary("cancelled", "I started one.", "Time was over."));
      else emit(session, { ...background, state: "ended", summary: summary("cancelled") });
    },
  });
  const io = new FakeIO({ stdin: "" });
  const code = main(["-p", "x", "--offline", ...argv], io, runtime);
  return { io, runtime, code, answers: () => end.resolve(summary("done", "All done.")) };
}

const emit = (session: FakeSession, view: AgentView) => session.emit({ type: "agent", view });

async function waiting(argv: readonly string[]) {
  const begun = begin(argv);
  await begun.runtime.asked(1);
  emit(begun.runtime.only, background);
  emit(begun.runtime.only, waits);
  return begun;
}

describe("--background-timeout (C29)", () => {
  test("stops what still runs in the background, names it, and ends with 124", async () => {
    const { io, runtime, code } = await waiting(["--background-timeout", "90s"]);
    await io.clock.advance(89_999);
    expect(runtime.only.cancelled).toEqual([]);
    await io.clock.advance(1);
    expect(await code).toBe(124);
    expect(runtime.only.cancelled.map(({ actor: id }) => id)).toEqual(
      expect.arrayContaining([MAIN, actor(1)]),
    );
    expect(runtime.only.cancelled[0]?.reason).toBe("Its --background-timeout of 1 min 30 s was over.");
    expect(io.out.text).toBe("I started one.\n");
    expect(io.err.text).toContain("1 agent stopped unfinished: Explore · look around (Grep foo).\n");
    expect(io.err.text.endsWith("troupe --resume session1 resumes it.\n")).toBe(true);
    expect(io.clock.pending).toBe(0);
  });

  test("is listed in JSON as it stood", async () => {
    const { io, code } = await waiting(["--background-timeout", "0", "--output-format", "json"]);
    await io.clock.advance(0);
    expect(await code).toBe(124);
    expect(JSON.parse(io.out.text)).toMatchObject({
      is_error: true,
      status: "cancelled",
      result: "I started one.",
      session_id: "session1",
      unfinished: [{ id: "agent1", type: "Explore", description: "look around", state: "running" }],
    });
    expect(io.err.text).toContain("1 agent stopped unfinished");
  });

  test("counts only time in which nothing but the background is waited for", async () => {
    const { io, runtime, code, answers } = await waiting(["--background-timeout", "1m"]);
    await io.clock.advance(50_000);
    emit(runtime.only, atWork);
    await io.clock.advance(3_600_000);
    emit(runtime.only, waits);
    await io.clock.advance(9_999);
    expect(runtime.only.cancelled).toEqual([]);
    emit(runtime.only, { ...background, state: "ended", summary: summary("done") });
    answers();
    expect(await code).toBe(0);
    expect(io.out.text).toBe("All done.\n");
    expect(io.clock.pending).toBe(0);
  });

  test("without it nothing is stopped", async () => {
    const { io, runtime, code, answers } = await waiting([]);
    await io.clock.advance(86_400_000);
    await settled();
    expect(runtime.only.cancelled).toEqual([]);
    emit(runtime.only, { ...background, state: "ended", summary: summary("done") });
    answers();
    expect(await code).toBe(0);
  });

  test("a signal names what it has stopped, too", async () => {
    const { io, code } = await waiting(["--output-format", "json"]);
    io.send("SIGTERM");
    await io.clock.advance(500);
    expect(await code).toBe(143);
    expect(JSON.parse(io.out.text).unfinished).toMatchObject([{ id: "agent1", state: "running" }]);
  });

  test.each(["soon", "-5", "8d", "1e3", "10 000"])("cannot be %j", async (time) => {
    const io = new FakeIO({ stdin: "" });
    expect(await main(["-p", "x", `--background-timeout=${time}`], io, new FakeRuntime())).toBe(2);
    expect(io.err.text).toContain(`--background-timeout cannot be "${time}"; it is a span of at most`);
  });
});
