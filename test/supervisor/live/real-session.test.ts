import { describe, expect, onTestFinished, test } from "vitest";
import { threadHost } from "../../../src/actors/thread-host.ts";
import { systemClock } from "../../../src/mailbox/clock.ts";
import { openLiveSocket } from "../../../src/supervisor/live/live-socket.ts";
import type { LiveLook, LiveNews } from "../../../src/supervisor/live/news.ts";
import { watchSession } from "../../../src/supervisor/live/watch-session.ts";
import { bundledThread } from "../../support/bundled-entries.ts";
import { type Supervised, supervised } from "../../support/supervised.ts";

/** Looks at a real session through its socket; `sees` waits for a look of that kind. */
async function watching({ supervisor, cwd, home }: Supervised) {
  const live = openLiveSocket({
    ...{ session: supervisor.session, home, cwd, model: "scripted", clock: systemClock, delayMs: 0 },
    tree: () => supervisor.tree(),
    costUsd: () => supervisor.usage().costUsd,
    onWarning(message) {
      throw new Error(message);
    },
  });
  const path = await live.opened;
  if (path === null) throw new Error("there is no socket");
  const news: LiveNews[] = [];
  const watchers = new Set<() => void>();
  const leave = watchSession(path, systemClock, (one) => {
    news.push(one);
    for (const look of [...watchers]) look();
  });
  onTestFinished(async () => {
    leave();
    await live.close();
  });
  const next = <T>(find: () => T | undefined): Promise<T> =>
    new Promise((resolve) => {
      const look = () => {
        const found = find();
        if (found === undefined) return;
        watchers.delete(look);
        resolve(found);
      };
      watchers.add(look);
      look();
    });
  const sees = (what: (look: LiveLook) => boolean) =>
    next(() => news.find((one): one is LiveLook => one.type === "look" && what(one)));
  return { live, news, sees, isOver: () => next(() => news.find(({ type }) => type === "over")) };
}

describe("a real session, looked at (C20, D13)", () => {
  test("is shown with its agents as they wait, work and end, and its own end", {
    tags: ["long"],
  }, async () => {
    let answer = () => {};
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const session = supervised("worker threads", ({ actor }, n) => {
      if (actor !== "main") return { text: "found it", after: held, usage: { input_tokens: 100 } };
      if (n > 0) return { text: "done" };
      return {
        calls: [
          { name: "Agent", input: { description: "look for it", prompt: "look", subagent_type: "Explore" } },
        ],
      };
    });
    const { live, sees, isOver } = await watching(session);
    const result = session.supervisor.prompt("go");
    const busy = await sees(({ agents }) => agents[0]?.state === "waiting" && agents[1]?.state === "running");
    expect(busy.agents).toMatchObject([
      { id: "main", parent: null, activity: { type: "tool", tool: "Agent" }, status: null },
      { type: "Explore", parent: "main", description: "look for it", trouble: null },
    ]);
    answer();
    await result;
    await sees(({ agents }) => agents.length === 2 && agents.every(({ status }) => status === "done"));
    await session.supervisor.close();
    await live.close();
    expect(await isOver()).toEqual({ type: "over", how: "closed" });
  });

  test("shows a thread that spins with what it was told, and since when it has not given a sign", {
    tags: ["long"],
  }, async () => {
    const entry = await bundledThread(new URL("../../actors/misbehaving-worker.ts", import.meta.url));
    const session = supervised("worker threads", () => ({ text: "never asked" }), {
      host: threadHost({ maxThreads: 4, entry, onFault: () => {} }),
      limits: { graceMs: 50 },
    });
    const { sees } = await watching(session);
    const result = session.supervisor.spawn({ prompt: "misbehave: spin", description: "the spinning one" });
    const first = await sees(({ agents }) => agents[0]?.hasThread === true);
    const [agent] = first.agents;
    const later = await sees(({ now }) => now > first.now + 1_000);
    expect(later.agents).toMatchObject([
      { description: "the spinning one", lastSignAt: agent?.lastSignAt, hasThread: true, status: null },
    ]);
    for (const { id } of session.supervisor.tree()) session.supervisor.cancel(id, "enough");
    expect((await result).summary.status).toBe("cancelled");
    await sees(({ agents }) => agents[0]?.status === "cancelled");
  });
});
