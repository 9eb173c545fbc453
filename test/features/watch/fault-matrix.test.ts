import { expect, onTestFinished, test } from "vitest";
import type { Exit, Vitals } from "../../../src/actors/hosts.ts";
import { threadVitals } from "../../../src/actors/lease.ts";
import type { ThreadPool } from "../../../src/actors/tool-threads.ts";
import type { WatchedActor } from "../../../src/features/watch/judge.ts";
import { startWatch, type Watch, type WatchNews } from "../../../src/features/watch/watch.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { ActorId, CallId } from "../../../src/mailbox/ids.ts";
import { poolOf, readCall, readIn, taken } from "../../actors/pool-threads.ts";

/** A watch with little patience over real threads; what it ends, it ends as the supervisor does after the grace. */
const LIMITS = { stuckWarnMs: 600, stuckMs: 1_800, silentMs: 1_000 };
const NEVER_MS = 1_000_000;

/** A thread with a call that misbehaves, or without one. */
interface Running {
  readonly exited: Promise<Exit>;
  vitals(): Vitals;
  terminate(): void;
}

async function runIn(pool: ThreadPool, how?: string): Promise<Running & { read(): Promise<unknown> }> {
  const thread = await taken(pool);
  await readIn(thread);
  if (how !== undefined) void thread.requests.call("call", readCall(`misbehave: ${how}`));
  return {
    exited: thread.ended,
    vitals: threadVitals(thread, systemClock),
    terminate: () => void thread.worker.terminate(),
    read: () => readIn(thread),
  };
}

const TERMINATED: Exit = { type: "died", message: "Worker exited with code 1" };

interface Ended {
  readonly exit: Exit;
  /** What the watch said of it. */
  readonly news: readonly WatchNews[];
}

interface Watched {
  readonly id: ActorId;
  /** Says that a call of it runs in its own thread. */
  calls(deadlineMs: number): void;
  /** It is not the model's turn. */
  busy(): void;
  readonly ended: Promise<Ended>;
}

function watchedThreads() {
  const running = new Map<ActorId, WatchedActor>();
  const handles = new Map<ActorId, Running>();
  const news: WatchNews[] = [];
  const watch: Watch = startWatch({
    clock: systemClock,
    limits: LIMITS,
    periodMs: 100,
    actors: () => running.values(),
    onNews(it) {
      news.push(it);
      if (it.type === "end" && it.actor !== null) handles.get(it.actor)?.terminate();
    },
  });
  onTestFinished(() => watch.stop());
  const add = (name: string, handle: Running): Watched => {
    const id = ActorId.parse(name);
    const now = systemClock.now();
    const put = (is: Partial<WatchedActor>) => {
      const before = running.get(id);
      if (before) running.set(id, { ...before, ...is });
    };
    running.set(id, {
      ...{ id, run: 1, type: "Explore", description: name, state: "running", calls: [] },
      ...{ startedAt: now, deadlineMs: null, silentSince: now, vitals: handle.vitals },
    });
    handles.set(id, handle);
    watch.wake();
    return {
      id,
      calls(deadlineMs) {
        const call = CallId.parse(`${id}.1.0`);
        const is = {
          id: call,
          tool: "Grep",
          title: "foo",
          startedAt: systemClock.now(),
          local: true,
          deadlineMs,
        };
        put({ calls: [is], silentSince: null });
      },
      busy: () => put({ silentSince: null }),
      ended: handle.exited.then((exit) => {
        running.delete(id);
        return { exit, news: news.filter(({ actor }) => actor === id) };
      }),
    };
  };
  return { add, news };
}

const typesOf = ({ news }: Ended) =>
  news.map((it) => (it.type === "warn" || it.type === "end" ? `${it.type} ${it.finding.type}` : it.type));

test("ten that misbehave get ten typed ends, and their siblings lose nothing (D2, faults 51-53)", {
  tags: ["long"],
  timeout: 120_000,
}, async () => {
  const pool = poolOf({ usualThreads: 16 });
  const { add } = watchedThreads();
  const misbehave = async (name: string, how: string) => add(name, await runIn(pool, how));
  const siblings = await Promise.all(["sib1", "sib2", "sib3"].map(() => runIn(pool)));

  // Those that die by themselves first, and unwatched: threads that spin take the cores from them.
  for (const how of ["throw late", "reject", "exit"])
    expect(await (await runIn(pool, how)).exited).toMatchObject({ type: "died" });
  expect(await (await runIn(pool, "eat memory")).exited).toEqual({ type: "out-of-memory" });

  // Neither its code nor its model is blocked: nothing comes, and nothing ever will.
  const { ended } = await misbehave("silent", "never settle");
  expect((await ended).exit).toEqual(TERMINATED);
  expect(typesOf(await ended).slice(-2)).toEqual(["warn silent", "end silent"]);

  const stuck = await Promise.all(
    ["spin", "backtrack", "sleep", "microtasks"].map((how, n) => misbehave(`stuck${n}`, how)),
  );
  for (const each of stuck) each.calls(NEVER_MS);
  for (const { ended } of stuck) {
    const { exit, news } = await ended;
    expect(exit).toEqual(TERMINATED);
    expect(typesOf(await ended)).toEqual(["warn blocked", "end blocked"]);
    const reason = expect.stringContaining('in Grep "foo": its thread did not move.');
    expect(news.at(-1)).toMatchObject({ stop: { status: "timed_out", reason } });
  }

  for (const sibling of siblings) expect(await sibling.read()).toContain("alpha");
  // Nor are the next ones harmed.
  expect(await (await runIn(pool)).read()).toContain("alpha");
});

test("a tool that never settles is overdue; one that is busy for as long and turns is left alone", {
  tags: ["long"],
}, async () => {
  const pool = poolOf({ usualThreads: 3 });
  const { add, news } = watchedThreads();
  const watched = add("busy", await runIn(pool, "keep busy"));
  watched.busy();
  const overdue = add("hung", await runIn(pool, "never settle"));
  overdue.calls(300);
  expect((await overdue.ended).exit).toEqual(TERMINATED);
  expect(typesOf(await overdue.ended).slice(-2)).toEqual(["warn call-overdue", "end call-overdue"]);
  // Twice as long as anybody may be stuck, and nobody ends it.
  const again = add("again", await runIn(pool, "spin"));
  expect(typesOf(await again.ended)).toContain("end blocked");
  expect(news.filter(({ type, actor }) => type === "end" && actor === watched.id)).toEqual([]);
});
