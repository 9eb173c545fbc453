// @module-tag long
import { describe, expect, test } from "vitest";
import { MAIN } from "../../src/mailbox/ids.ts";
import { MOST_TRIES } from "../../src/remote/engine-line.ts";
import { repliesIn } from "../supervisor/resume-world.ts";
import { fastClock } from "../support/link-host.ts";
import { textsOf } from "../support/texts-of.ts";
import { linked, script, TURNS } from "./linked.ts";

const inOrder = Array.from({ length: TURNS }, (_, n) => `${n}`);

describe("an actor on a runner", () => {
  test.each([
    ["without faults", {}],
    ["a tenth of the messages is lost", { drop: 0.1 }],
    ["each second message comes twice", { duplicate: 0.5 }],
    ["nothing keeps its order", { reorder: 1 }],
    ["messages take up to three seconds", { delay: 0.5, delayMs: 3_000 }],
    ["each attempt is handed out twice", { repeatAttempt: 1 }],
    [
      "all of it",
      { drop: 0.1, duplicate: 0.3, reorder: 0.5, delay: 0.3, delayMs: 3_000, repeatAttempt: 0.5 },
    ],
  ])("ends as it does here, and does each step once: %s", async (_, faults) => {
    const { supervisor, done } = linked({ faults }, ["r1", "r2"]);
    const { status, text, turns } = (await supervisor.prompt("go")).summary;
    expect({ status, text, turns, done }).toEqual({
      ...{ status: "done", text: "all steps are done", turns: TURNS + 1 },
      done: inOrder,
    });
  });

  test("whose runner is lost is continued by another one from its last turn, and no step is done twice", async () => {
    const killed = Promise.withResolvers<void>();
    const world = linked({}, ["r1"], (request) => {
      if (repliesIn(request) === 3 && world.byName.size === 1) {
        world.byName.get("r1")?.kill();
        world.byName.set("r2", world.link.addRunner("r2"));
        killed.resolve();
      }
      return script(request);
    });
    const { status, text } = (await world.supervisor.prompt("go")).summary;
    await killed.promise;
    expect({ status, text, done: world.done }).toEqual({
      ...{ status: "done", text: "all steps are done", done: inOrder },
    });
    const [main] = world.supervisor.tree();
    expect(main?.runner).toBe("r2");
  });

  test("without a runner it says so, starts nowhere else, and runs when one comes", async () => {
    const world = linked({}, []);
    const ended = world.supervisor.prompt("go");
    const waits = () => world.supervisor.tree().find(({ id }) => id === MAIN)?.activity;
    await expect.poll(waits).toEqual({
      type: "tool",
      tool: "runner",
      title: "waits for a runner of pool default; none is connected that has this fleet key",
    });
    expect(world.done).toEqual([]);
    world.link.addRunner("late");
    expect((await ended).summary.status).toBe("done");
  });

  test("that takes three runners with it fails, and names them", async () => {
    const names = ["a", "b", "c", "d"];
    const world = linked({}, ["a"], () => {
      const name = names.shift() ?? "";
      world.byName.get(name)?.kill();
      const [next] = names;
      if (next !== undefined) world.byName.set(next, world.link.addRunner(next));
      return { text: "never" };
    });
    const { status, reason } = (await world.supervisor.prompt("go")).summary;
    expect({ status, reason }).toEqual({
      status: "failed",
      reason: "3 runners were lost with it, one after the other, without a turn in between: a, b, c.",
    });
  });

  test("that takes its runners with it does not keep the others of its fan-out from starting", async () => {
    let runners = 1;
    const world = linked(
      {},
      ["r1"],
      (request) => {
        if (!textsOf(request).includes("poison")) return { text: "Done." };
        world.byName.get(`r${runners}`)?.kill();
        runners += 1;
        world.byName.set(`r${runners}`, world.link.addRunner(`r${runners}`));
        return { text: "never" };
      },
      { maxAgents: 1, patienceMs: 0 },
    );
    const tasks = [...Array.from({ length: 5 }, () => "poison"), "task 6", "task 7"];
    const ended = await Promise.all(tasks.map((prompt) => world.supervisor.spawn({ prompt })));
    expect(ended.map(({ summary }) => summary.status)).toEqual([
      ...Array.from({ length: 5 }, () => "failed"),
      ...["done", "done"],
    ]);
  });

  test("that shares each runner with one that kills it is not taken for that one: the third time they run apart", async () => {
    let runners = 1;
    const asked = { poison: 0, innocent: 0 };
    let isPoisonAtWork = false;
    const world = linked(
      {},
      ["r1"],
      async (request) => {
        const who = textsOf(request).includes("poison") ? "poison" : "innocent";
        asked[who] += 1;
        const both = Math.min(asked[who], 2);
        if (who === "innocent") {
          await wait(1_000);
          return asked.innocent < 3 || isPoisonAtWork
            ? { after: () => new Promise(() => {}) }
            : { text: "Done." };
        }
        isPoisonAtWork = true;
        while (asked.innocent < both) await wait(100);
        await wait(5_000);
        world.byName.get(`r${runners}`)?.kill();
        isPoisonAtWork = false;
        runners += 1;
        world.byName.set(`r${runners}`, world.link.addRunner(`r${runners}`));
        return { text: "never" };
      },
      { maxAgents: 2, patienceMs: 0 },
    );
    const ended = await Promise.all(
      ["poison", "innocent"].map((prompt) => world.supervisor.spawn({ prompt })),
    );
    expect(ended.map(({ summary }) => summary.status)).toEqual(["failed", "done"]);
  });

  test("whose runner dies before it has begun there is continued more than three times: it cannot be the reason", async () => {
    const world = linked({}, []);
    const ended = world.supervisor.prompt("go");
    for (const name of ["r1", "r2", "r3", "r4"]) {
      const runner = world.link.addRunner(name, { begins: false });
      await expect.poll(() => world.supervisor.tree()[0]?.runner).toBe(name);
      runner.kill();
    }
    world.link.addRunner("r5");
    expect((await ended).summary.status).toBe("done");
  });

  test.each(["before it has a runner", "while it runs"])("is cancelled %s", async (when) => {
    const world = linked({}, when === "while it runs" ? ["r1"] : [], () => {
      world.supervisor.cancel(MAIN, "enough");
      return { after: (signal) => new Promise((resolve) => signal.addEventListener("abort", resolve)) };
    });
    const ended = world.supervisor.prompt("go");
    if (when !== "while it runs") {
      await expect.poll(() => world.link.engine.attempts.length).toBe(1);
      world.supervisor.cancel(MAIN, "enough");
    }
    expect((await ended).summary.status).toBe("cancelled");
    await expect.poll(() => world.link.engine.attempts).toEqual([]);
  });

  test("outlives an engine that is away for minutes: nothing is lost, and no attempt is judged", async () => {
    const world = linked({}, ["r1"], (request) => {
      if (repliesIn(request) !== 2) return script(request);
      world.link.engine.setDown(true);
      return { ...script(request), after: wait(120_000).then(() => world.link.engine.setDown(false)) };
    });
    const { status } = (await world.supervisor.prompt("go")).summary;
    expect({ status, done: world.done }).toEqual({ status: "done", done: inOrder });
    expect(
      world.events.filter((event) => event.type === "agent" && event.view.activity.type === "retrying"),
    ).toEqual([]);
  });

  test("whose runner is lost is continued, though the engine never answers for as long as a lease", async () => {
    const stop = new AbortController();
    const world = linked({}, ["r1"], (request) => {
      if (repliesIn(request) === 2 && world.byName.size === 1) {
        world.byName.get("r1")?.kill();
        world.byName.set("r2", world.link.addRunner("r2"));
        void (async () => {
          while (!stop.signal.aborted) {
            world.link.engine.setDown(true);
            await wait(3_000);
            world.link.engine.setDown(false);
            await wait(30_000);
          }
        })();
      }
      return script(request);
    });
    const { status } = (await world.supervisor.prompt("go")).summary;
    stop.abort();
    expect({ status, done: world.done }).toEqual({ status: "done", done: inOrder });
    expect(world.supervisor.tree().find(({ id }) => id === MAIN)?.runner).toBe("r2");
  });

  test.each(["in", "out", "both"] as const)(
    "that was cut off (%s) for longer than its lease must end, and none of its work is accepted",
    async (cut) => {
      const world = linked({}, ["r1"], async (request) => {
        if (repliesIn(request) === 2 && world.byName.size === 1) {
          world.link.engine.cut("r1", cut);
          world.byName.set("r2", world.link.addRunner("r2"));
          // Attempt 1 gets its reply when attempt 2 is at work.
          await wait(200_000);
          world.link.engine.mend("r1");
        }
        return script(request);
      });
      const { status, text } = (await world.supervisor.prompt("go")).summary;
      expect({ status, text }).toEqual({ status: "done", text: "all steps are done" });
      expect(world.done).toEqual(inOrder);
    },
  );

  test.each([
    ["that fits into a message", "go"],
    ["that is so large that the engine keeps it", `go ${"x".repeat(300_000)}`],
  ])("waits for an engine that is away when it starts, with a conversation %s", async (_, prompt) => {
    const world = linked({});
    world.link.engine.setDown(true);
    const ended = world.supervisor.prompt(prompt);
    await wait(20_000);
    expect(world.done).toEqual([]);
    // What continues the sentence "An agent …".
    expect(world.supervisor.tree()[0]?.activity).toMatchObject({
      title: "waits for the engine, which does not answer or is full",
    });
    world.link.engine.setDown(false);
    expect((await ended).summary.status).toBe("done");
  });

  test("is not lost because its session's machine slept for longer than a lease", async () => {
    let slept = 0;
    const clock = { ...fastClock, now: () => fastClock.now() + slept };
    const world = linked({ clock }, ["r1"], (request) => {
      if (repliesIn(request) !== 3 || slept > 0) return script(request);
      slept = 600_000;
      return { ...script(request), after: wait(60_000) };
    });
    const { status } = (await world.supervisor.prompt("go")).summary;
    expect({ status, done: world.done }).toEqual({ status: "done", done: inOrder });
    const [main] = world.supervisor.tree();
    expect(main?.attempt).toBeUndefined();
  });

  test("works by rules that the user has changed while it waited for a runner", async () => {
    const world = linked({}, []);
    const ended = world.supervisor.prompt("go");
    await expect.poll(() => world.link.engine.attempts.length).toBe(1);
    world.link.setMode("plan");
    world.link.addRunner("r1");
    await ended;
    expect(world.link.rulesSeen.at(-1)?.mode).toBe("plan");
  });

  test("an attempt that a runner took and did not begin is run by another one, as the same attempt", async () => {
    const world = linked({}, []);
    world.link.engine.connect("deaf").take(["default"], 1, () => new Promise(() => {}));
    const ended = world.supervisor.prompt("go");
    await expect.poll(() => world.link.engine.attempts.length).toBe(1);
    world.link.addRunner("r1");
    expect((await ended).summary.status).toBe("done");
    expect(world.supervisor.tree()[0]).toMatchObject({ runner: "r1" });
    expect(world.supervisor.tree()[0]).not.toHaveProperty("attempt");
    expect(world.done).toEqual(inOrder);
  });

  test("more agents than may be on runners wait until others have left theirs, and say so", async () => {
    const world = linked({ maxAgents: 1 }, []);
    const spawned = ["a", "b"].map((prompt) => world.supervisor.spawn({ prompt, type: "general-purpose" }));
    const titles = () =>
      world.supervisor.tree().map(({ activity }) => ("title" in activity ? activity.title : ""));
    await expect
      .poll(titles)
      .toEqual([
        "waits for a runner of pool default; none is connected that has this fleet key",
        "waits until another agent has left its runner (at most 1 of a session, troupe.runners.maxAgents)",
      ]);
    expect(world.link.engine.attempts.length).toBe(1);
    world.link.addRunner("r1");
    const ends = await Promise.all(spawned);
    expect(ends.map(({ summary }) => summary.status)).toEqual(["done", "done"]);
  });

  describe("whose connection is lost for good", () => {
    const LOST = "The connection to far was lost.";

    /** The session's connection is lost with all runners in the middle of its work, and opened again after `refusals`. */
    function cutOff(refusals: number) {
      let connections = 0;
      const at: number[] = [];
      const onConnect = () => {
        connections += 1;
        if (connections > 1) at.push(fastClock.now());
        if (connections > 1 && connections <= refusals + 1) throw new Error("ssh ended with exit code 255");
        if (connections > 1) world.byName.set("r2", world.link.addRunner("r2"));
      };
      const world = linked({ onConnect }, ["r1"], (request) => {
        if (repliesIn(request) === 3 && connections === 1) {
          world.byName.get("r1")?.kill();
          world.link.loseConnection();
        }
        return script(request);
      });
      return { world, at, connections: () => connections };
    }

    test("is continued as its next attempt over a new one, which is opened after pauses that grow", async () => {
      const { world, at } = cutOff(3);
      const { status, text } = (await world.supervisor.prompt("go")).summary;
      expect({ status, text, done: world.done }).toEqual({
        ...{ status: "done", text: "all steps are done", done: inOrder },
      });
      expect(world.supervisor.tree()[0]).toMatchObject({ runner: "r2", attempt: 2 });
      expect(world.link.warnings).toEqual([`${LOST} It is started again.`]);
      const pauses = at.slice(1).map((time, n) => time - (at[n] ?? 0));
      for (const [n, ms] of pauses.entries()) expect(ms).toBeGreaterThanOrEqual(2_000 * 2 ** n - 500);
    });

    test("fails with the reason of the last try if it cannot be opened again", async () => {
      const { world, connections } = cutOff(Number.POSITIVE_INFINITY);
      const { status, reason } = (await world.supervisor.prompt("go")).summary;
      expect({ status, reason }).toEqual({ status: "failed", reason: "ssh ended with exit code 255." });
      expect(connections()).toBe(1 + MOST_TRIES);
    });

    test("closes while the next one is awaited", async () => {
      const { world, at } = cutOff(Number.POSITIVE_INFINITY);
      const ended = world.supervisor.prompt("go");
      await expect.poll(() => at.length).toBeGreaterThan(4);
      const tries = at.length;
      await world.link.host.close();
      expect(at.length).toBeLessThanOrEqual(tries + 1);
      void ended.catch(() => {});
    });

    test("removes the blobs of its session when it closes, also those of a killed process", async () => {
      const world = linked({});
      const killed = world.link.engine.connect("killed");
      await killed.putBlob("link", Buffer.from("for a runner that did not take it"));
      const others = await killed.putBlob("another", Buffer.from("not ours"));
      expect((await world.supervisor.prompt("go")).summary.status).toBe("done");
      await world.link.host.close();
      expect(world.link.engine.blobNames).toEqual([others]);
    });

    test("closes although the engine does not answer", async () => {
      const world = linked({});
      const connect = world.link.engine.connect.bind(world.link.engine);
      world.link.engine.connect = (name) =>
        Object.assign(connect(name), { dropBlobsOf: () => new Promise<void>(() => {}) });
      expect((await world.supervisor.prompt("go")).summary.status).toBe("done");
      await world.link.host.close();
    });

    test("is offered again as the same attempt if it waited", async () => {
      const world = linked({}, []);
      const ended = world.supervisor.prompt("go");
      await expect.poll(() => world.link.engine.attempts.length).toBe(1);
      world.link.loseConnection();
      await expect.poll(() => world.link.engine.attempts.length).toBe(1);
      world.link.addRunner("r1");
      expect((await ended).summary.status).toBe("done");
      expect(world.supervisor.tree()[0]).not.toHaveProperty("attempt");
    });

    test("fails if each one ends before a runner has sent anything", async () => {
      let connections = 0;
      const onConnect = () => {
        connections += 1;
        fastClock.after(200, () => world.link.loseConnection());
      };
      const world = linked({ onConnect }, []);
      const { status, reason } = (await world.supervisor.prompt("go")).summary;
      expect({ status, reason, connections }).toEqual({
        ...{ status: "failed", reason: LOST, connections: MOST_TRIES },
      });
    });
  });

  test("an attempt that waited in an engine without a memory is offered again", async () => {
    const world = linked({}, []);
    const ended = world.supervisor.prompt("go");
    await expect.poll(() => world.link.engine.attempts.length).toBe(1);
    world.link.engine.setDown(true);
    world.link.engine.loseData();
    world.link.engine.setDown(false);
    world.link.addRunner("r1");
    expect((await ended).summary.status).toBe("done");
  });
});

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => fastClock.after(ms, () => resolve()));
}
