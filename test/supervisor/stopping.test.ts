import { describe, expect, test } from "vitest";
import type { AgentView } from "../../src/events/event.ts";
import { MAIN } from "../../src/mailbox/ids.ts";
import type { ModelRequest } from "../../src/model/client.ts";
import type { ScriptedTurn } from "../../src/model/scripted.ts";
import { shippedHosts } from "../support/supervised.ts";
import {
  broken,
  journalOf,
  repliesIn,
  takenUp,
  taskOf,
  textsOf,
  type World,
  whyInvalid,
  world,
} from "./resume-world.ts";

const agent = (prompt: string, more: object = {}) => ({
  name: "Agent",
  input: { description: prompt, prompt, subagent_type: "worker", ...more },
});

/**
 * Main waits for `front`, which waits for `below front`; `behind` works in the background and waits for `below behind`.
 * Those below answer when they are told to.
 */
function family() {
  const begun = new Map<string, PromiseWithResolvers<void>>();
  const hold = Promise.withResolvers<void>();
  const at = (task: string) => {
    const known = begun.get(task) ?? Promise.withResolvers<void>();
    begun.set(task, known);
    return known;
  };
  const script = async (request: ModelRequest): Promise<ScriptedTurn> => {
    const [task = ""] = taskOf(request).split("\n");
    const said = textsOf(request);
    if (said.includes("go on")) return { text: `${task} went on` };
    switch (task) {
      case "go":
        if (repliesIn(request) > 0)
          return { text: said.includes("<task-notification>") ? "heard" : "answered" };
        return { text: "main so far", calls: [agent("behind", { run_in_background: true }), agent("front")] };
      case "front":
      case "behind":
        if (repliesIn(request) > 0) return { text: `report of ${task}` };
        return { text: `${task} so far`, calls: [agent(`below ${task}`)] };
      default:
        at(task).resolve();
        await hold.promise;
        return { text: `report of ${task}` };
    }
  };
  const ready = Promise.all([at("below front").promise, at("below behind").promise]);
  return { script, ready, hold };
}

const limits = { maxDepth: 3 };
const statuses = (views: readonly AgentView[]) =>
  Object.fromEntries(views.map(({ description, summary }) => [description, summary?.status ?? "runs"]));
const called = ({ supervisor }: World, name: string) =>
  supervisor.tree().find(({ description }) => description === name) ?? never();

describe.each(shippedHosts)("a stop, %s", (host) => {
  test("of the turn in front leaves what works in the background, and its result still comes (issue 5, item 8)", {
    tags: ["long"],
  }, async () => {
    const { script, ready, hold } = family();
    const answered = Promise.withResolvers<string>();
    const there = world(host, script, {
      limits,
      background: "wake",
      onEvent(event) {
        if (event.type === "answered") answered.resolve(event.result.summary.text);
      },
    });
    const result = there.supervisor.prompt("go");
    await ready;
    there.supervisor.cancel(MAIN, "Esc.", "foreground");
    expect((await result).summary).toMatchObject({
      status: "cancelled",
      reason: "Esc.",
      text: "main so far",
    });
    expect(statuses(there.supervisor.tree())).toEqual({
      ...{ "main conversation": "cancelled", front: "cancelled", "below front": "cancelled" },
      ...{ behind: "runs", "below behind": "runs" },
    });
    hold.resolve();
    expect(await answered.promise).toBe("heard");
    await there.supervisor.close();
    expect(broken(await journalOf(there))).toEqual([]);
    expect(there.model.requests.flatMap(({ messages }) => whyInvalid(messages) ?? [])).toEqual([]);
  });

  test("of a subtree ends all of it and no other actor", { tags: ["long"] }, async () => {
    const { script, ready, hold } = family();
    const there = world(host, script, {
      limits,
      onEvent(event) {
        // Whoever has its answer before it hears of the stop is done.
        if (event.type === "agent" && event.view.description === "behind" && event.view.summary)
          hold.resolve();
      },
    });
    const result = there.supervisor.prompt("go");
    await ready;
    there.supervisor.cancel(called(there, "behind").id, "Not needed.");
    expect((await result).summary.status).toBe("done");
    expect(statuses(there.supervisor.tree())).toEqual({
      ...{ "main conversation": "done", front: "done", "below front": "done" },
      ...{ behind: "cancelled", "below behind": "cancelled" },
    });
    const last = textsOf(there.model.requests.filter(({ actor }) => actor === MAIN).at(-1) ?? never());
    expect(last).toContain("cancelled (Not needed.)");
    expect(last).toContain("behind so far");
  });

  test("of everything ends everything; every one that was stopped can be resumed, here and after a restart", {
    tags: ["long"],
  }, async () => {
    const { script, ready } = family();
    const there = world(host, script, { limits });
    const result = there.supervisor.prompt("go");
    await ready;
    there.supervisor.cancel(MAIN, "All of it.");
    expect((await result).summary.status).toBe("cancelled");
    const ids = there.supervisor.tree().filter(({ id }) => id !== MAIN);
    await Promise.all(ids.map(({ id }) => there.supervisor.resume(id, "go on")));
    expect(
      new Set(
        there.supervisor
          .tree()
          .slice(1)
          .map(({ summary }) => summary?.text),
      ),
    ).toEqual(new Set(["front went on", "behind went on", "below front went on", "below behind went on"]));
    await there.supervisor.close();
    const again = await takenUp(host, script, { id: there.supervisor.session, home: there.home, limits });
    const results = await Promise.all(ids.map(({ id }) => again.supervisor.resume(id, "go on again")));
    expect(results.map(({ summary }) => summary.status)).toEqual(ids.map(() => "done"));
    expect((await again.supervisor.prompt("go on")).summary.text).toBe("go went on");
    for (const { model } of [there, again])
      expect(model.requests.flatMap(({ messages }) => whyInvalid(messages) ?? [])).toEqual([]);
    await again.supervisor.close();
    expect(broken(await journalOf(again)).filter((sentence) => !sentence.includes("never heard"))).toEqual(
      [],
    );
  });

  test("close ends everything, and leaves no thread, port, process or timer behind", {
    tags: ["long"],
  }, async () => {
    const before = kinds();
    const { script, ready } = family();
    const there = world(host, script, { limits, background: "wake" });
    const command = { name: "Bash", input: { command: "sleep 1000", run_in_background: true } };
    const alone = world(
      host,
      (request) => (repliesIn(request) === 0 ? { calls: [command] } : { text: "started" }),
      {
        background: "wake",
      },
    );
    const result = there.supervisor.prompt("go");
    await alone.supervisor.prompt("go");
    await ready;
    await Promise.all([there.supervisor.close(), alone.supervisor.close()]);
    expect((await result).summary.status).toBe("cancelled");
    expect(new Set(Object.values(statuses(there.supervisor.tree())))).toEqual(new Set(["cancelled"]));
    await eventually(() => more(before)).toEqual([]);
  });

  test("close while a message sets an ended agent going: nothing begins after the end", async () => {
    const before = kinds();
    const closing = Promise.withResolvers<Promise<void>>();
    const there: World = world(host, (request): ScriptedTurn => {
      if (request.actor !== MAIN) return { text: "report" };
      if (repliesIn(request) === 0) return { calls: [agent("one"), agent("two"), agent("three")] };
      const ids = [...textsOf(request).matchAll(/Agent (\w+) \(worker\)/g)].map(([, id]) => id);
      queueMicrotask(() => setImmediate(() => closing.resolve(there.supervisor.close())));
      return { calls: ids.map((to) => ({ name: "SendMessage", input: { to, message: "again" } })) };
    });
    const result = there.supervisor.prompt("go");
    await closing.promise.then((closed) => closed);
    await result;
    for (const { summary } of there.supervisor.tree()) expect(summary).not.toBeNull();
    await eventually(() => more(before)).toEqual([]);
    expect(broken(await journalOf(there)).filter((sentence) => !sentence.includes("never heard"))).toEqual(
      [],
    );
  });
});

/** What keeps a process alive, counted by kind. */
function kinds(): Record<string, number> {
  const counted: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) {
    // Requests come and go; what stays has an owner.
    if (/Req|Immediate|CloseReq/.test(kind)) continue;
    counted[kind] = (counted[kind] ?? 0) + 1;
  }
  return counted;
}

/** Handles are gone a moment after they were closed, of which nobody is told. */
const eventually = (look: () => unknown) => expect.poll(look, { interval: 5 });

function more(before: Record<string, number>): string[] {
  return Object.entries(kinds()).flatMap(([kind, count]) => {
    const more = count - (before[kind] ?? 0);
    return more > 0 ? [`${more} ${kind}`] : [];
  });
}

function never(): never {
  throw new Error("not there");
}
