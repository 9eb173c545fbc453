import { expect, onTestFinished, test } from "vitest";
import type { ActorHandle, Exit } from "../../../src/actors/hosts.ts";
import { startWatch, type Watch, type WatchNews } from "../../../src/features/watch/watch.ts";
import type { WatchedActor } from "../../../src/features/watch/watched-actor.ts";
import { systemClock } from "../../../src/mailbox/clock.ts";
import { ActorId, CallId } from "../../../src/mailbox/ids.ts";
import { begin, threads } from "../../actors/bare-actors.ts";

/** A watch with little patience over real threads; what it ends, it ends as the supervisor does after the grace. */
const LIMITS = { stuckWarnMs: 600, stuckMs: 1_800, silentMs: 1_000 };
const NEVER_MS = 1_000_000;

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
  const handles = new Map<ActorId, ActorHandle>();
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
  const add = (name: string, handle: ActorHandle): Watched => {
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
  const host = threads(16);
  const { add } = watchedThreads();
  const misbehave = (name: string, how: string) => add(name, begin(host, name, `misbehave: ${how}`));

  const siblings = ["sib1", "sib2", "sib3"].map((name) => begin(host, name));
  // They are at work before anything happens, and answer only when all is over.
  const asked = await Promise.all(siblings.map((sibling) => sibling.asked));

  // Those that die by themselves first, and unwatched: threads that spin take the cores from them.
  const dying = ["throw late", "reject", "exit"].map((how, n) =>
    begin(host, `dying${n}`, `misbehave: ${how}`),
  );
  const greedy = begin(host, "greedy", "misbehave: eat memory");
  for (const { exited } of dying) expect(await exited).toMatchObject({ type: "died" });
  expect(await greedy.exited).toEqual({ type: "out-of-memory" });

  // Neither its code nor its model is blocked: nothing comes, and nothing ever will.
  const mute = [misbehave("silent", "never settle"), add("stalled", begin(host, "stalled"))];
  for (const { ended } of mute) {
    expect((await ended).exit).toEqual({ type: "terminated" });
    expect(typesOf(await ended).slice(-2)).toEqual(["warn silent", "end silent"]);
  }

  const stuck = ["spin", "backtrack", "sleep", "microtasks"].map((how, n) => misbehave(`stuck${n}`, how));
  for (const each of stuck) each.calls(NEVER_MS);
  for (const { ended } of stuck) {
    const { exit, news } = await ended;
    expect(exit).toEqual({ type: "terminated" });
    expect(typesOf(await ended)).toEqual(["warn blocked", "end blocked"]);
    const reason = expect.stringContaining('in Grep "foo": its thread did not move.');
    expect(news.at(-1)).toMatchObject({ stop: { status: "timed_out", reason } });
  }

  for (const { reply } of asked) reply();
  for (const sibling of siblings) expect(await sibling.exited).toEqual({ type: "returned" });
  // Nor are the next ones harmed.
  const next = begin(host, "next");
  (await next.asked).reply();
  expect(await next.exited).toEqual({ type: "returned" });
  expect(host.load()).toEqual({ threads: 0, waiting: 0 });
});

test("a tool that never settles is overdue; one that is busy for as long and turns is left alone", {
  tags: ["long"],
}, async () => {
  const host = threads(3);
  const { add, news } = watchedThreads();
  const busy = begin(host, "busy", "misbehave: keep busy");
  const watched = add("busy", busy);
  watched.busy();
  const hung = begin(host, "hung");
  await hung.asked;
  const overdue = add("hung", hung);
  overdue.calls(300);
  expect((await overdue.ended).exit).toEqual({ type: "terminated" });
  expect(typesOf(await overdue.ended).slice(-2)).toEqual(["warn call-overdue", "end call-overdue"]);
  // Twice as long as anybody may be stuck, and nobody ends it.
  const again = begin(host, "again", "misbehave: spin");
  expect(typesOf(await add("again", again).ended)).toContain("end blocked");
  expect(news.filter(({ type, actor }) => type === "end" && actor === watched.id)).toEqual([]);
  (await busy.asked).reply();
  expect(await busy.exited).toEqual({ type: "returned" });
});
