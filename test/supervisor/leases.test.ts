import { realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { leasingHost } from "../../src/actors/leasing-host.ts";
import { nextTask } from "../../src/lib/clock.ts";
import { MAIN } from "../../src/mailbox/ids.ts";
import type { ScriptedTurn } from "../../src/model/scripted.ts";
import type { UserHandler } from "../../src/policy/user-requests.ts";
import { inThreadHost } from "../support/in-thread-host.ts";
import { long } from "../support/long.ts";
import { seededScheduler } from "../support/scheduler.ts";
import { seeded, supervised } from "../support/supervised.ts";
import { temporaryFolder } from "../support/temporary.ts";
import {
  broken,
  journalOf,
  repliesIn,
  stamping,
  taskOf,
  textsOf,
  times,
  whyInvalid,
  world,
} from "./resume-world.ts";

const agent = (prompt: string, more: object = {}) => ({
  name: "Agent",
  input: { description: prompt, prompt, subagent_type: "worker", ...more },
});

const WIDE = long(25, 10);
const DEEP = long(19, 7);
/** One below the other: 25 + 25 x (1 + 18) = 500. */
const MANY = WIDE + WIDE * DEEP;

test(`${MANY} agents that wait for one another, three deep, with one thread for their calls: all finish (issue 5, item 10)`, {
  tags: ["long"],
  timeout: 120_000,
}, async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "a.txt"), "alpha\n");
  const faults: string[] = [];
  const host = leasingHost({ usualThreads: 1, mostThreads: 1, onFault: (fault) => faults.push(fault) });
  const read = { name: "Read", input: { file_path: join(cwd, "a.txt") } };
  const tree = world(
    "worker threads",
    (request): ScriptedTurn => {
      const task = taskOf(request);
      if (repliesIn(request) > 0) return { text: `report of ${task}` };
      const level = task.split(".").length;
      if (level === 1) return { calls: Array.from({ length: WIDE }, (_, n) => agent(`go.${n}`)) };
      if (level === 2) return { calls: [read, agent(`${task}.0`)] };
      if (level === 3) return { calls: Array.from({ length: DEEP - 1 }, (_, n) => agent(`${task}.${n}`)) };
      return { calls: [read] };
    },
    { host, cwd, limits: { maxAgents: 30, maxDepth: 4, maxAgentsPerSession: 1_000 } },
  );
  const { summary } = await tree.supervisor.prompt("go");
  expect(summary.status).toBe("done");
  const views = tree.supervisor.tree();
  expect(views).toHaveLength(MANY + 1);
  expect(new Set(views.map((view) => view.summary?.status))).toEqual(new Set(["done"]));
  await tree.supervisor.close();
  expect(broken(await journalOf(tree))).toEqual([]);
});

describe("an agent that waits has no thread", () => {
  test("what it did in the same turn before is not lost: reads, steps, folder, receipts, results", async () => {
    const cwd = temporaryFolder();
    const file = join(cwd, "a.txt");
    writeFileSync(file, "alpha\n");
    const todos = [{ content: "wait", activeForm: "Waiting for the child", status: "in_progress" }];
    const host = leasingHost({ onFault: () => {} });
    const doing: Array<string | null> = [];
    const leases: number[] = [];
    const one = world(
      "worker threads",
      (request): ScriptedTurn => {
        if (taskOf(request) === "child") {
          leases.push(host.load().threads);
          return { text: "child report" };
        }
        switch (repliesIn(request)) {
          case 0:
            return {
              calls: [
                { name: "Read", input: { file_path: file } },
                { name: "Bash", input: { command: "mkdir sub && cd sub && echo here >> ../log.txt" } },
                { name: "TodoWrite", input: { todos } },
              ],
            };
          case 1:
            return { calls: [agent("child")] };
          case 2:
            doing.push(one.supervisor.tree()[0]?.doing ?? null);
            return {
              calls: [
                { name: "Edit", input: { file_path: file, old_string: "alpha", new_string: "beta" } },
                { name: "Bash", input: { command: "pwd; cat ../log.txt" } },
              ],
            };
          default:
            return { text: "answered" };
        }
      },
      { host, cwd },
    );
    const { summary } = await one.supervisor.prompt("go");
    expect(leases).toEqual([0]);
    expect(doing).toEqual(["Waiting for the child"]);
    expect(summary).toMatchObject({ status: "done", text: "answered", turns: 4 });
    expect(summary.receipts.tools).toEqual({ Read: 1, Bash: 2, TodoWrite: 1, Agent: 1, Edit: 1 });
    expect(summary.receipts.commands.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    expect(summary.receipts.files.map(({ path }) => path)).toContain(file);
    const said = textsOf(one.model.requests.at(-1) ?? never());
    expect(said).toContain(`${realpathSync(cwd)}/sub\nhere\n`);
    expect(times(said, "here\n")).toBe(1);
    expect(said).not.toMatch(/read it first/i);
  });

  test("one that waits for the user continues with the answer, and nothing is asked twice", async () => {
    const asked: string[] = [];
    const host = leasingHost({ onFault: () => {} });
    const person: UserHandler = {
      async ask(ask) {
        asked.push(`${ask.type} ${host.load().threads}`);
        return { type: "allow", span: "once" };
      },
    };
    const waiting = world(
      "worker threads",
      (request): ScriptedTurn =>
        repliesIn(request) > 0
          ? { text: "answered" }
          : { calls: [{ name: "Bash", input: { command: "touch asked.txt && echo asked" } }] },
      { host, person, permissionMode: "default" },
    );
    const { summary } = await waiting.supervisor.prompt("go");
    expect(summary.status).toBe("done");
    expect(asked).toEqual(["permission 0"]);
    expect(textsOf(waiting.model.requests.at(-1) ?? never())).toContain("asked\n[Exit code 0]");
  });

  test("a stop gives one summary, with what it had said, and it can be resumed", async () => {
    const hold = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const stopped = world(
      "worker threads",
      async (request): Promise<ScriptedTurn> => {
        if (taskOf(request) === "child") {
          begun.resolve();
          await hold.promise;
          return { text: "too late" };
        }
        if (textsOf(request).includes("go on")) return { text: "gone on" };
        return { text: "so far", calls: [agent("child")] };
      },
      {},
    );
    const result = stopped.supervisor.prompt("go");
    await begun.promise;
    stopped.supervisor.cancel(MAIN, "Enough.");
    expect((await result).summary).toMatchObject({ status: "cancelled", reason: "Enough.", text: "so far" });
    hold.resolve();
    expect((await stopped.supervisor.prompt("go on")).summary).toMatchObject({
      status: "done",
      text: "gone on",
    });
    expect(stopped.model.requests.flatMap(({ messages }) => whyInvalid(messages) ?? [])).toEqual([]);
    await stopped.supervisor.close();
    expect(broken(await journalOf(stopped))).toEqual([]);
  });
});

/** What an agent does in one turn, beside waiting. */
const shape = fc.array(fc.constantFrom("agent", "behind", "stamp", "read", "denied", "nested"), {
  minLength: 1,
  maxLength: 5,
});

test("answers that come in any order: each call runs once, each is answered once", {
  tags: ["long"],
  timeout: 60_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(shape, shape, fc.nat(1_000_000), async (first, second, seed) => {
      const marks: string[] = [];
      const host = inThreadHost(seededScheduler(seeded(seed + 1)));
      const cwd = temporaryFolder();
      writeFileSync(join(cwd, "a.txt"), "alpha\n");
      const callsOf = (kinds: readonly string[], task: string) =>
        kinds.map((kind, place) => {
          const name = `${task} ${place}`;
          switch (kind) {
            case "agent":
              return agent(`leaf of ${name}`);
            case "behind":
              return agent(`leaf of ${name}`, { run_in_background: true });
            case "nested":
              return agent(`node of ${name}`);
            case "stamp":
              return { name: "Stamp", input: { mark: name } };
            case "read":
              return { name: "Read", input: { file_path: join(cwd, "a.txt") } };
            default:
              return { name: "Bash", input: { command: "touch no" } };
          }
        });
      const played = world(
        "in-thread",
        (request): ScriptedTurn => {
          const task = taskOf(request);
          const replies = repliesIn(request);
          if (task.startsWith("leaf"))
            return replies === 0 ? { calls: callsOf(["stamp"], task) } : { text: "leaf report" };
          if (task.startsWith("node"))
            return replies === 0 ? { calls: callsOf(["agent", "stamp"], task) } : { text: "node report" };
          if (replies === 0) return { calls: callsOf(first, "one") };
          return replies === 1 ? { calls: callsOf(second, "two") } : { text: "answered" };
        },
        {
          ...{ host, cwd, tools: [stamping(marks)], limits: { maxDepth: 3, maxAgents: 2 } },
          allowedTools: ["Stamp"],
          permissionMode: "default",
        },
      );
      expect((await played.supervisor.prompt("go")).summary.status).toBe("done");
      await played.supervisor.close();
      expect(broken(await journalOf(played))).toEqual([]);
      expect(marks.filter((mark, place) => marks.indexOf(mark) !== place)).toEqual([]);
      const all = [...first, ...second];
      const count = (kind: string) => all.filter((one) => one === kind).length;
      expect(marks).toHaveLength(count("agent") + count("behind") + count("stamp") + 2 * count("nested"));
      expect(played.warnings()).toEqual([]);
    }),
    { numRuns: long(60, 6), seed: 20260822 },
  );
});

function never(): never {
  throw new Error("not there");
}

test.each([
  [{ thread: "own" as const }, 2],
  [{}, 1],
])(
  "an agent whose definition says %j: its file calls take a thread that ends with it, or only lease one",
  async (thread, threads) => {
    const started: string[] = [];
    const onWorker = (worker: { readonly threadName: string | null }) =>
      started.push(worker.threadName ?? "");
    process.on("worker", onWorker);
    onTestFinished(() => void process.off("worker", onWorker));
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "a.txt"), "alpha\n");
    const read = { name: "Read", input: { file_path: join(cwd, "a.txt") } };
    const { supervisor } = supervised(
      "worker threads",
      (request, n) => {
        if (JSON.stringify(request.messages[0]).includes("for the reader"))
          return repliesIn(request) === 0 ? { calls: [read] } : { text: "read" };
        const first = [[read], [agent("for the reader", { subagent_type: "reader" })], [read]][
          repliesIn(request)
        ];
        return first ? { calls: first } : { text: `done after ${n}` };
      },
      {
        cwd,
        host: leasingHost({ usualThreads: 1, mostThreads: 2, onFault() {} }),
        agents: [{ name: "reader", whenToUse: "reads", prompt: "You read.", tools: "all", ...thread }],
      },
    );
    expect((await supervisor.prompt("go")).summary.status).toBe("done");
    await nextTask();
    expect(started.filter((name) => name.includes("tool"))).toHaveLength(threads);
  },
);
