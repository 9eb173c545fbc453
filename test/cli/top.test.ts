import { mkdirSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parseArguments } from "../../src/cli/arguments.ts";
import { topCommand } from "../../src/cli/commands/top.ts";
import { lazyRuntime } from "../../src/cli/lazy-runtime.ts";
import { UsageError } from "../../src/cli/usage-error.ts";
import { journalFile, sessionPaths } from "../../src/journal/paths.ts";
import { processIdentity } from "../../src/journal/process-identity.ts";
import { lockSession } from "../../src/journal/session-lock.ts";
import { SessionId } from "../../src/mailbox/ids.ts";
import { linesOf, sessionEvent } from "../journal/samples.ts";
import { liveSession } from "../supervisor/live/ground.ts";
import { SESSION, view } from "../supervisor/live/views.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { FakeIO, type FakeIOOptions } from "./fake-io.ts";

/** The command in a home with its sessions, which let time pass for as long as it runs. */
function top(home: string, argv: readonly string[], options: FakeIOOptions = {}) {
  const io = new FakeIO({ cwd: "/w", ...options, env: { TROUPE_HOME: home, ...options.env } });
  const code = topCommand.run(parseArguments(argv, topCommand.options), {
    io,
    runtime: lazyRuntime,
    startedAt: 0,
  });
  return { io, code };
}

/** A session's clock goes on until the work is done. */
async function whileTimePasses<T>(
  clocks: readonly { advance(ms: number): Promise<void> }[],
  work: Promise<T>,
): Promise<T> {
  let over = false;
  const end = () => {
    over = true;
  };
  work.then(end, end);
  while (!over) for (const clock of clocks) await clock.advance(10);
  return work;
}

describe("troupe top (C20)", () => {
  test("prints one look where there is no terminal", async () => {
    const session = await liveSession();
    session.session.views = [view(1), view(2, { trouble: "Its thread has been busy for 9 s" })];
    const { io, code } = top(session.home, []);
    expect(await whileTimePasses([session.clock], code)).toBe(0);
    expect(io.out.text).toMatch(
      /^Session livesession00001 {2}\/w {2}offline {2}pid \d+\n2 agents · 0 tokens · up 0\.\d s · 1 in trouble, 2 running/,
    );
    expect(io.out.text).toContain("Explore · task 2");
    expect(io.out.text).toContain("Its thread has been busy for 9 s · asking the model");
    expect([io.err.text, io.signalListeners]).toEqual(["", 0]);
  });

  test("--json --once is one object with everything", async () => {
    const session = await liveSession();
    const overlap = "also in src/a.ts: Fix the parser";
    session.session.views = [view(1), view(2, { overlap })];
    session.session.costUsd = 0.5;
    const { io, code } = top(session.home, [SESSION, "--json", "--once"]);
    expect(await whileTimePasses([session.clock], code)).toBe(0);
    expect(JSON.parse(io.out.text)).toMatchObject({
      ...{ session: SESSION, cwd: "/w", model: "offline", pid: process.pid, costUsd: 0.5 },
      agents: [
        { id: "agent1", state: "running", lastSignAt: 0, trouble: null, overlap: null },
        { id: "agent2", overlap },
      ],
    });
  });

  test("--json is a line per change, with the agents that changed, until the session ends", async () => {
    const { session, clock, home, live } = await liveSession();
    session.views = [view(1), view(2)];
    const { io, code } = top(home, ["live", "--json"]);
    const lines = () =>
      io.out.text
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line));
    const linesIn = async (ms: number) => {
      await clock.advance(ms);
      return lines().length;
    };
    await expect.poll(() => linesIn(10)).toBe(1);
    session.views = [view(1), view(2, { turns: 5 })];
    await expect.poll(() => linesIn(100)).toBe(2);
    // Signs that nothing has changed are no lines.
    await clock.advance(5_000);
    await live.close();
    expect(await code).toBe(0);
    expect(lines()).toMatchObject([
      { agents: [{ id: "agent1" }, { id: "agent2", turns: 1 }] },
      { agents: [{ id: "agent2", turns: 5, description: "task 2" }] },
      { session: SESSION, over: "closed" },
    ]);
    expect(lines()[1].agents).toHaveLength(1);
  });

  test("--json ends on SIGINT with its exit code", async () => {
    const { clock, home } = await liveSession();
    const { io, code } = top(home, ["--json"]);
    await expect.poll(() => io.signalListeners).toBe(2);
    io.send("SIGINT");
    expect(await whileTimePasses([clock], code)).toBe(130);
    expect(io.signalListeners).toBe(0);
  });

  test("takes the only session of this folder, then the only one of all, else lists them with exit code 2", async () => {
    const home = temporaryFolder();
    const one = await liveSession({ home, session: SessionId.parse("one000000001"), cwd: "/one" });
    const two = await liveSession({ home, session: SessionId.parse("two000000001"), cwd: "/two\u001b[2J" });
    const clocks = [one.clock, two.clock];
    const here = top(home, ["--json", "--once"], { cwd: "/one" });
    expect(await whileTimePasses(clocks, here.code)).toBe(0);
    expect(JSON.parse(here.io.out.text).session).toBe("one000000001");
    const elsewhere = top(home, [], { cwd: "/three" });
    expect(await elsewhere.code).toBe(2);
    expect(elsewhere.io.out.text).toBe("");
    expect(elsewhere.io.err.text).toMatch(
      /^More than one session is running; say which: troupe top ID\n {2}(one|two)0+1 .* pid \d+ {2}\/\w+\n.*\n$/,
    );
    await two.live.close();
    const only = top(home, ["--json", "--once"], { cwd: "/three" });
    expect(await whileTimePasses(clocks, only.code)).toBe(0);
    expect(JSON.parse(only.io.out.text).session).toBe("one000000001");
  });

  test("says where nothing runs, and of a session that does not run any more how to see what it did", async () => {
    const home = temporaryFolder();
    const none = top(home, []);
    expect(await none.code).toBe(1);
    expect(none.io.err.text).toBe(
      "No session is running; troupe sessions list shows what was done before.\n",
    );
    const id = SessionId.parse("ended0000001");
    const place = sessionPaths(home, "/w", id);
    mkdirSync(place.folder, { recursive: true });
    writeFileSync(journalFile(place.folder), linesOf([sessionEvent({ id })]));
    const ended = top(home, ["ended"]);
    expect(await ended.code).toBe(1);
    expect(ended.io.err.text).toBe(
      `Session ${id} is not running; troupe sessions show ${id} shows what it did.\n`,
    );
    const lock = lockSession(place, processIdentity(process.pid));
    const unseen = top(home, ["ended"]);
    expect(await unseen.code).toBe(1);
    expect(unseen.io.err.text).toContain(
      `Session ${id} runs (pid ${process.pid}), but cannot be watched; troupe sessions show ${id} --follow`,
    );
    if (lock.type === "locked") lock.release();
    await expect(top(home, ["nobody"]).code).rejects.toThrow(UsageError);
    await expect(top(home, ["a", "b"]).code).rejects.toThrow("top takes one session");
  });

  test("prints one look on a terminal that can only print, and with NO_COLOR without colours", async () => {
    const { session, clock, home } = await liveSession();
    session.views = [view(1)];
    for (const env of [{ TERM: "dumb" }, { NO_COLOR: "1" }]) {
      const { io, code } = top(home, "TERM" in env ? [] : ["--once"], { stdoutIsTTY: true, env });
      expect(await whileTimePasses([clock], code)).toBe(0);
      expect(io.out.text).toContain("Explore · task 1");
      expect(io.out.text).not.toContain("\u001b");
    }
  });
});
