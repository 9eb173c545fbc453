import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openLiveSocket } from "../../../src/features/live/live-socket.ts";
import { runningSessions } from "../../../src/features/live/running.ts";
import { sweepSockets } from "../../../src/features/live/sweep.ts";
import { systemClock } from "../../../src/mailbox/clock.ts";
import { SessionId } from "../../../src/mailbox/ids.ts";
import { actor } from "../../support/agent-view.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { liveSession, looking, viewing } from "./ground.ts";
import { SESSION, view } from "./views.ts";

const mode = (path: string) => (lstatSync(path).mode & 0o777).toString(8);

describe("the session's own socket (C20, D13)", () => {
  test("is this user's alone: 0600 in a folder of 0700, and gone with the session", async () => {
    const { home, path, live, warnings } = await liveSession();
    expect(path).toBe(join(home, "run", `${SESSION}.sock`));
    expect([mode(join(home, "run")), mode(path ?? "")]).toEqual(["700", "600"]);
    expect(readdirSync(join(home, "run"))).toEqual([`${SESSION}.sock`]);
    await live.close();
    expect(readdirSync(join(home, "run"))).toEqual([]);
    await live.close();
    expect(warnings).toEqual([]);
  });

  test("is made after the start of the session, and not at all where that is over before", async () => {
    const { home, clock, live } = await liveSession({ delayMs: 0 });
    await live.close();
    const short = openLiveSocket({
      ...{ session: SESSION, cwd: "/w", model: "offline", tree: () => [], costUsd: () => 0 },
      ...{ home: join(home, "other"), clock, onWarning: () => {} },
    });
    await clock.advance(200);
    expect(existsSync(join(home, "other"))).toBe(false);
    await short.close();
    expect(await short.opened).toBeNull();
    expect({ made: existsSync(join(home, "other")), pending: clock.pending }).toEqual({
      made: false,
      pending: 0,
    });
  });

  test("costs no look at the tree while nobody watches, and none again once nobody does any more", async () => {
    const { clock, session, path } = await liveSession();
    await clock.advance(10_000);
    expect({ looks: session.looks, pending: clock.pending }).toEqual({ looks: 0, pending: 0 });
    const viewer = await looking({ path, clock });
    expect(session.looks).toBe(1);
    await clock.advance(1_000);
    expect(session.looks).toBe(11);
    viewer.socket.destroy();
    await expect.poll(() => clock.pending).toBe(0);
    await clock.advance(10_000);
    expect(session.looks).toBe(11);
  });

  test("says who it is, then everything, then only what changed, at most ten times a second", async () => {
    const { clock, session, path } = await liveSession();
    session.views = [view(1), view(2)];
    const viewer = await looking({ path, clock });
    expect(viewer.hello).toEqual({
      type: "hello",
      protocol: 1,
      session: SESSION,
      cwd: "/w",
      model: "offline",
      pid: process.pid,
      startedAt: "2030-01-01T00:00:00.000Z",
    });
    expect(viewer.tree).toMatchObject({
      type: "tree",
      now: 260,
      agents: [{ id: "agent1" }, { id: "agent2" }],
    });
    session.views = [
      view(1),
      view(2, { turns: 2, lastSignAt: 300, overlap: "also in a.ts: task 1" }),
      view(3),
    ];
    session.costUsd = 0.5;
    await clock.advance(100);
    expect(await viewer.next()).toEqual({
      type: "change",
      now: 360,
      costUsd: 0.5,
      agents: [
        { id: "agent2", lastSignAt: 300, turns: 2, overlap: "also in a.ts: task 1" },
        expect.objectContaining({ id: "agent3", type: "Explore" }),
      ],
    });
    for (let step = 0; step < 100; step++) {
      session.views = [view(1, { turns: 100 + step })];
      session.views = [view(1, { turns: 100 + step }), view(2), view(3)];
      await clock.advance(10);
    }
    await clock.advance(100);
    const turns = [];
    while (turns.at(-1) !== 199) {
      const message = await viewer.next();
      if (message.type === "change") turns.push(message.agents.find(({ id }) => id === actor(1))?.turns);
    }
    expect(turns.length).toBeLessThanOrEqual(11);
  });

  test("is alive: a line comes each second where nothing changes", async () => {
    const { clock, session, path } = await liveSession();
    session.views = [view(1)];
    const viewer = await looking({ path, clock });
    await clock.advance(2_500);
    expect(await viewer.next()).toEqual({ type: "change", now: 1260, costUsd: 0, agents: [] });
    expect(await viewer.next()).toEqual({ type: "change", now: 2260, costUsd: 0, agents: [] });
    expect(viewer.waiting).toEqual([]);
  });

  test("tells everything anew where agents are gone", async () => {
    const { clock, session, path } = await liveSession();
    session.views = [view(1), view(2)];
    const viewer = await looking({ path, clock });
    session.views = [view(2)];
    await clock.advance(100);
    expect(await viewer.next()).toMatchObject({ type: "tree", agents: [{ id: "agent2" }] });
  });

  test("tells how an agent ended, never what it found: long words are cut", async () => {
    const { session, path, clock } = await liveSession();
    const long = "x".repeat(100_000);
    const summary = {
      ...({ status: "failed", text: long, reason: long, turns: 1, usage: view(1).usage } as const),
      receipts: { tools: {}, files: [], commands: [] },
    };
    session.views = [
      view(1, {
        state: "ended",
        summary: summary as never,
        activity: { type: "tool", tool: "Bash", title: long },
      }),
    ];
    const { tree } = await looking({ path, clock });
    expect(tree).toMatchObject({ agents: [{ status: "failed" }] });
    expect(JSON.stringify(tree).length).toBeLessThan(2_000);
  });

  test("tells the last state and the end, to several viewers, when the session is closed", async () => {
    const { session, path, live, clock } = await liveSession();
    session.views = [view(1)];
    const first = await looking({ path, clock });
    const second = await viewing(path);
    expect((await second.next()).type).toBe("hello");
    await clock.advance(100);
    expect((await second.next()).type).toBe("tree");
    const viewers = [first, second];
    session.views = [view(1, { state: "ended", endedAt: 5 })];
    await live.close();
    for (const viewer of viewers) {
      expect(await viewer.next()).toMatchObject({ type: "change", agents: [{ state: "ended", endedAt: 5 }] });
      expect(await viewer.next()).toEqual({ type: "end" });
      await viewer.closed;
    }
  });

  test("drops a viewer that does not read, holding no more than it was sent once", {
    tags: ["long"],
  }, async () => {
    const { clock, session, path } = await liveSession();
    const many = (turn: number) =>
      Array.from({ length: 4_000 }, (_, n) =>
        view(n, { turns: turn, description: `${turn} ${"y".repeat(200)}` }),
      );
    session.views = many(0);
    const viewer = await looking({ path, clock });
    viewer.socket.pause();
    const before = session.looks;
    for (let turn = 1; turn < 130; turn++) {
      session.views = many(turn);
      await clock.advance(100);
    }
    viewer.socket.resume();
    await viewer.closed;
    // Dropped after ten seconds, so nobody has looked for the last of them.
    expect(session.looks - before).toBeLessThan(120);
    expect(clock.pending).toBe(0);
  });

  test("does not listen: a viewer that talks is dropped, what breaks off hurts nobody", async () => {
    const { path, warnings, session } = await liveSession();
    session.views = [view(1)];
    const talker = await viewing(path);
    talker.socket.on("error", () => {});
    talker.socket.write(`${JSON.stringify({ type: "cancel", actor: "agent1" })}\n`.repeat(100));
    await talker.closed;
    const abrupt = await viewing(path);
    abrupt.socket.destroy();
    const other = await viewing(path);
    expect((await other.next()).type).toBe("hello");
    expect(warnings).toEqual([]);
  });

  test("goes to a short private folder, noted in the home, where the home's path is too long for sockets", async () => {
    const home = join(temporaryFolder(), "h".repeat(100));
    const { path, live, warnings } = await liveSession({ home });
    expect(warnings).toEqual([]);
    expect(path?.length).toBeLessThan(100);
    const folder = dirname(path ?? "");
    const note = join(home, "run", `${SESSION}.path`);
    expect(readFileSync(note, "utf8")).toBe(`${path}\n`);
    expect([mode(folder), mode(path ?? ""), mode(note)]).toEqual(["700", "600", "600"]);
    expect(await runningSessions(home, systemClock)).toMatchObject([
      { session: SESSION, path, hello: { cwd: "/w" } },
    ]);
    await live.close();
    expect([existsSync(folder), existsSync(note)]).toEqual([false, false]);
  });

  test("says in one sentence why there is none, and the session goes on", async () => {
    const home = join(temporaryFolder(), "home");
    mkdirSync(home);
    writeFileSync(join(home, "run"), "a file in its place");
    const { path, warnings } = await liveSession({ home });
    expect(path).toBeNull();
    expect(warnings).toEqual([
      expect.stringMatching(/^The session cannot be watched from another terminal.*run/),
    ]);
  });
});

describe("sockets of dead sessions (fault: kill -9)", () => {
  /** A session in another process, that is killed while it listens. */
  function killed(home: string, id: string): void {
    const program = `
      import { systemClock } from "${join(import.meta.dirname, "../../../src/mailbox/clock.ts")}";
      import { openLiveSocket } from "${join(import.meta.dirname, "../../../src/features/live/live-socket.ts")}";
      const live = openLiveSocket({
        session: "${id}", home: ${JSON.stringify(home)}, cwd: "/w", model: "m", tree: () => [], costUsd: () => 0,
        clock: systemClock, onWarning: console.error, delayMs: 0,
      });
      await live.opened;
      process.kill(process.pid, "SIGKILL");`;
    expect(() =>
      execFileSync(process.execPath, ["--input-type=module-typescript", "-e", program], {
        stdio: ["ignore", "ignore", "inherit"],
      }),
    ).toThrow("SIGKILL");
  }

  test("are swept by the next one, near and far; those that live stay", { tags: ["long"] }, async () => {
    for (const home of [temporaryFolder(), join(temporaryFolder(), "h".repeat(100))]) {
      killed(home, "dead00000001");
      killed(home, SESSION);
      const far = readdirSync(join(home, "run"))
        .filter((name) => name.endsWith(".path"))
        .map((name) => dirname(readFileSync(join(home, "run", name), "utf8").trim()));
      expect(readdirSync(join(home, "run"))).toHaveLength(2);
      expect(await runningSessions(home, systemClock)).toEqual([]);
      // The same session, taken up again.
      const { path } = await liveSession({ home });
      await expect.poll(() => readdirSync(join(home, "run")).length).toBe(1);
      for (const folder of far) await expect.poll(() => existsSync(folder)).toBe(false);
      expect(await runningSessions(home, systemClock)).toMatchObject([{ session: SESSION, path }]);
    }
  });

  test("are swept by the same session, also if that is over before it has a socket (issue 15, 28)", async () => {
    const home = temporaryFolder();
    killed(home, SESSION);
    const short = openLiveSocket({
      ...{ session: SESSION, cwd: "/w", model: "offline", tree: () => [], costUsd: () => 0 },
      ...{ home, clock: systemClock, onWarning: () => {}, delayMs: 60_000 },
    });
    await short.close();
    expect(readdirSync(join(home, "run"))).toEqual([]);
  });

  test("are never taken from what answers, nor anything that is no socket", async () => {
    const { home, path } = await liveSession();
    const other = SessionId.parse("other0000001");
    writeFileSync(join(home, "run", `${other}.sock`), "a file");
    writeFileSync(join(home, "run", "notes.txt"), "a file");
    await sweepSockets(home, systemClock);
    expect(existsSync(path ?? "")).toBe(true);
    expect(readdirSync(join(home, "run")).sort()).toEqual(
      [`${SESSION}.sock`, "notes.txt", `${other}.sock`].sort(),
    );
  });

  test("are not listed; one that listens and says nothing is, as one that does not say who it is", {
    tags: ["long"],
  }, async () => {
    const home = temporaryFolder();
    mkdirSync(join(home, "run"));
    const open: Socket[] = [];
    const silent = createServer((socket) => void open.push(socket));
    const strange = createServer((socket) => void socket.end("220 mail.example.org ready\n"));
    silent.listen(join(home, "run", "silent000001.sock"));
    strange.listen(join(home, "run", "strange00001.sock"));
    onTestFinished(() => {
      for (const socket of open) socket.destroy();
      silent.close();
      strange.close();
    });
    const found = await runningSessions(home, systemClock);
    expect(found.map(({ session, hello }) => [session, hello])).toEqual([
      ["silent000001", null],
      ["strange00001", null],
    ]);
  });
});
