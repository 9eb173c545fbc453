import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { SupervisorEvent } from "../../../src/events/event.ts";
import { journalFile } from "../../../src/journal/paths.ts";
import { readJournal } from "../../../src/journal/reader.ts";
import { sessionStateOf } from "../../../src/journal/session-state.ts";
import { MAIN } from "../../../src/mailbox/ids.ts";
import type { ModelRequest } from "../../../src/model/client.ts";
import { shippedHosts, supervised } from "../../support/supervised.ts";
import { lastResults, textsOf } from "../../support/texts-of.ts";

const isMain = ({ actor }: ModelRequest) => actor === "main";
const inBackground = (prompt: string, more: object = {}) => ({
  name: "Agent",
  input: { description: `task ${prompt}`, prompt, run_in_background: true, ...more },
});

const times = (text: string, part: string) => text.split(part).length - 1;

describe.each(shippedHosts)("agents in the background, %s", (host) => {
  test("the call returns immediately with ID and output file; one notification brings the report, and the run waits for it (A11.5, C29)", async () => {
    const release = Promise.withResolvers<void>();
    const { supervisor, model } = supervised(host, async (request) => {
      if (!isMain(request)) {
        await release.promise;
        return { text: "the report" };
      }
      const said = textsOf(request);
      if (said.includes("<task-notification>")) return { text: "heard" };
      if (!said.includes("agent_id:")) return { calls: [inBackground("a")] };
      release.resolve();
      return { text: "started" };
    });
    const { summary } = await supervisor.prompt("go");
    expect(summary).toMatchObject({ status: "done", text: "started\n\nheard" });
    const last = textsOf(model.requests.filter(isMain).at(-1) ?? never());
    expect(times(last, "<task-notification>")).toBe(1);
    expect(times(last, "the report")).toBe(1);
    const path = /output_file: (\S+)/.exec(last)?.[1] ?? "";
    expect(readFileSync(path, "utf8")).toBe("the report");
  });

  test("the user moves an agent there that its caller waits for: the call returns, and a notice brings the report (issue 21, 6)", async () => {
    const begun = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const { supervisor, model } = supervised(host, async (request) => {
      if (!isMain(request)) {
        begun.resolve();
        await release.promise;
        return { text: "the report" };
      }
      const said = textsOf(request);
      if (said.includes("<task-notification>")) return { text: "heard" };
      if (!said.includes("agent_id:")) return { calls: [inBackground("a", { run_in_background: false })] };
      release.resolve();
      return { text: "I continue" };
    });
    const result = supervisor.prompt("go");
    await begun.promise;
    expect(supervisor.toBackground(MAIN)).toBe(1);
    expect(supervisor.toBackground(MAIN)).toBe(0);
    const { summary } = await result;
    expect(summary).toMatchObject({ status: "done", text: "I continue\n\nheard" });
    const last = textsOf(model.requests.filter(isMain).at(-1) ?? never());
    expect([times(last, "<task-notification>"), times(last, "the report")]).toEqual([1, 1]);
    await supervisor.close();
    const reading = await readJournal(journalFile(supervisor.folder));
    if (reading.type === "refused") throw new Error(reading.reason);
    const { actors } = sessionStateOf(reading.records);
    expect([...actors.values()].map(({ background }) => background)).toEqual([false, true]);
  });

  test("shows nothing of an agent's report before its end (A22.16)", async () => {
    const looked: boolean[] = [];
    const release = Promise.withResolvers<void>();
    const { supervisor } = supervised(host, async (request) => {
      if (!isMain(request)) {
        await release.promise;
        return { text: "the report" };
      }
      const said = textsOf(request);
      if (said.includes("<task-notification>")) return { text: "heard" };
      const path = /output_file: (\S+)/.exec(said)?.[1];
      if (path === undefined) return { calls: [inBackground("a")] };
      looked.push(existsSync(path));
      release.resolve();
      return { text: "started" };
    });
    await supervisor.prompt("go");
    expect(looked).toEqual([false]);
  });

  test("TaskOutput without waiting says how an agent stands that still works, marked as unfinished (A22.36)", async () => {
    const release = Promise.withResolvers<void>();
    const busy = Promise.withResolvers<void>();
    let own = 0;
    let asked = 0;
    const long = `${"x".repeat(3_000)}the end of its text`;
    const { supervisor, model, cwd } = supervised(
      host,
      async (request) => {
        if (!isMain(request)) {
          own += 1;
          if (own <= 6)
            return { text: long, calls: [{ name: "Read", input: { file_path: join(cwd, `${own}.txt`) } }] };
          busy.resolve();
          await release.promise;
          return { text: "the report" };
        }
        asked += 1;
        if (asked === 1) return { calls: [inBackground("a")] };
        if (asked > 2) {
          release.resolve();
          return { text: "ok" };
        }
        await busy.promise;
        const [, id, path] = /agent_id: (\S+)\noutput_file: (\S+)/.exec(textsOf(request)) ?? [];
        const look = { name: "TaskOutput", input: { task_id: id, block: false } };
        return { calls: [look, { name: "Read", input: { file_path: path } }] };
      },
      { files: { "1.txt": "one", "3.txt": "three", "4.txt": "4", "5.txt": "5", "6.txt": "6" } },
    );
    await supervisor.prompt("go");
    const told = model.requests.filter(isMain).flatMap(lastResults);
    const progress = told.find((text) => text.includes("Unfinished")) ?? "";
    const early = told.find((text) => text.includes("not been written yet")) ?? "";
    expect(progress).toMatch(/^\[Agent \w+: task a; status: running\./);
    expect(progress).toMatch(
      /\n6 turns of at most \d+, .+ so far, \$\S+ so far\.\nNow: waits for the model's reply\n/,
    );
    expect(progress).toContain(`- Read ${join(cwd, "2.txt")} (failed)\n- Read ${join(cwd, "3.txt")}\n`);
    expect(progress).not.toContain(join(cwd, "1.txt"));
    expect(progress).toContain("the end of its text");
    expect(progress.length).toBeLessThan(3_500);
    expect(early).toMatch(/agent \w+ still works[\s\S]*TaskOutput/);
  });

  test("several that finish while the parent works are one text, each once and in full (C1)", async () => {
    let open = 5;
    const all = Promise.withResolvers<void>();
    const { supervisor, model, events } = supervised(
      host,
      async (request) => {
        if (!isMain(request)) return { text: `report of ${textsOf(request)}` };
        const said = textsOf(request);
        if (said.includes("<task-notification>")) return { text: "heard" };
        if (!said.includes("agent_id:"))
          return { calls: ["p1", "p2", "p3", "p4", "p5"].map((prompt) => inBackground(prompt)) };
        await all.promise;
        return { text: "started" };
      },
      {
        onEvent: (event) => {
          events.push(event);
          if (
            event.type === "agent" &&
            event.view.id !== "main" &&
            event.view.state === "ended" &&
            --open === 0
          )
            all.resolve();
        },
      },
    );
    expect((await supervisor.prompt("go")).summary.status).toBe("done");
    const last = textsOf(model.requests.filter(isMain).at(-1) ?? never());
    for (const n of [1, 2, 3, 4, 5]) expect(times(last, `report of p${n}`)).toBe(1);
    expect(times(last, "<task-notification>")).toBe(5);
  });

  test("wakes an idle conversation with a result, and reports the reply (A11.5)", async () => {
    const release = Promise.withResolvers<void>();
    const events: SupervisorEvent[] = [];
    const answered = Promise.withResolvers<SupervisorEvent & { type: "answered" }>();
    const { supervisor } = supervised(
      host,
      async (request) => {
        if (!isMain(request)) {
          await release.promise;
          return { text: "the report" };
        }
        const said = textsOf(request);
        if (said.includes("<task-notification>")) return { text: "heard" };
        return said.includes("agent_id:") ? { text: "started" } : { calls: [inBackground("a")] };
      },
      {
        background: "wake",
        onEvent(event) {
          events.push(event);
          if (event.type === "answered") answered.resolve(event);
        },
      },
    );
    expect((await supervisor.prompt("go")).summary.text).toBe("started");
    expect(supervisor.tree().map(({ summary }) => summary?.status)).toEqual(["done", undefined]);
    release.resolve();
    expect((await answered.promise).result.summary).toMatchObject({ status: "done", text: "heard" });
    expect(events.filter(({ type }) => type === "woken")).toEqual([{ type: "woken", because: "task a" }]);
  });

  test("sends the result of an agent without a parent to the parent's parent", async () => {
    const gone = Promise.withResolvers<void>();
    const { supervisor, model } = supervised(host, async (request) => {
      const first = String(request.messages[0]?.content);
      if (first === "grandchild") {
        await gone.promise;
        return { text: "late report" };
      }
      const said = textsOf(request);
      if (first === "child")
        return said.includes("agent_id:")
          ? { failure: { kind: "invalid_request", message: "broken" } }
          : { calls: [inBackground("grandchild")] };
      if (said.includes("late report")) return { text: "heard" };
      if (!said.includes("ended:"))
        return { calls: [{ name: "Agent", input: { description: "c", prompt: "child" } }] };
      gone.resolve();
      return { text: "the child failed" };
    });
    const { summary } = await supervisor.prompt("go");
    expect(summary.text).toBe("the child failed\n\nheard");
    expect(times(textsOf(model.requests.filter(isMain).at(-1) ?? never()), "late report")).toBe(1);
  });

  test("stopping the turn in front leaves agents in the background alone, and their result still arrives (C21)", async () => {
    const release = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<SupervisorEvent & { type: "answered" }>();
    const { supervisor } = supervised(
      host,
      async (request) => {
        const first = String(request.messages[0]?.content);
        if (first === "behind") {
          await release.promise;
          return { text: "the report" };
        }
        if (first === "in front") {
          begun.resolve();
          return { text: "never", after: new Promise(() => {}) };
        }
        const said = textsOf(request);
        if (said.includes("<task-notification>")) return { text: "heard" };
        return {
          calls: [inBackground("behind"), { name: "Agent", input: { description: "f", prompt: "in front" } }],
        };
      },
      {
        background: "wake",
        onEvent: (event) => event.type === "answered" && answered.resolve(event),
      },
    );
    const stop = new AbortController();
    const result = supervisor.prompt("go", stop.signal);
    await begun.promise;
    stop.abort();
    expect((await result).summary.status).toBe("cancelled");
    const states = supervisor.tree().map(({ description, summary }) => [description, summary?.status]);
    expect(states).toEqual([
      ["main conversation", "cancelled"],
      ["task behind", undefined],
      ["f", "cancelled"],
    ]);
    release.resolve();
    expect((await answered.promise).result.summary.text).toBe("heard");
  });

  test("an agent that the user stops does not wake an idle conversation; the next prompt hears of it", async () => {
    const begun = Promise.withResolvers<void>();
    const { supervisor, model, events } = supervised(
      host,
      (request) => {
        if (!isMain(request)) {
          begun.resolve();
          return { text: "never", after: new Promise(() => {}) };
        }
        const said = textsOf(request);
        if (said.includes("<task-notification>")) return { text: "heard" };
        return said.includes("agent_id:") ? { text: "started" } : { calls: [inBackground("a")] };
      },
      { background: "wake" },
    );
    await supervisor.prompt("go");
    await begun.promise;
    const [, agent = never()] = supervisor.tree();
    const ended = supervisor.resume(agent.id, "not heard any more");
    supervisor.cancel(agent.id, "The user stopped it.");
    expect((await ended).summary.status).toBe("cancelled");
    expect(events.some(({ type }) => type === "woken")).toBe(false);
    expect((await supervisor.prompt("and now?")).summary.text).toBe("heard");
    expect(times(textsOf(model.requests.at(-1) ?? never()), "The user stopped it.")).toBe(1);
  });

  test("a definition can say that its agents work in the background", async () => {
    const { supervisor } = supervised(
      host,
      (request) => {
        if (!isMain(request)) return { text: "report" };
        const said = textsOf(request);
        if (said.includes("<task-notification>")) return { text: "heard" };
        return said.includes("agent_id:")
          ? { text: "started" }
          : { calls: [{ name: "Agent", input: { description: "d", prompt: "p", subagent_type: "slow" } }] };
      },
      {
        agents: [{ name: "slow", whenToUse: "never", prompt: "You are slow.", tools: [], background: true }],
      },
    );
    expect((await supervisor.prompt("go")).summary.text).toBe("started\n\nheard");
  });
});

function never(): never {
  throw new Error("no such request");
}
