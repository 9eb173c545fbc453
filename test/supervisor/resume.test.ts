import { describe, expect, test } from "vitest";
import { ActorId } from "../../src/mailbox/ids.ts";
import type { ModelRequest } from "../../src/model/client.ts";
import type { ScriptedTurn } from "../../src/model/scripted.ts";
import { shippedHosts } from "../support/supervised.ts";
import {
  broken,
  cutAfter,
  journalOf,
  recorded,
  recordsOf,
  repliesIn,
  takenUp,
  taskOf,
  textsOf,
  times,
  type World,
  world,
} from "./resume-world.ts";

const agent = (prompt: string, more: object = {}) => ({
  name: "Agent",
  input: { description: prompt, prompt, subagent_type: "worker", ...more },
});
const isMain = ({ actor }: ModelRequest) => actor === "main";
const toolsOf = ({ tools }: ModelRequest) => JSON.stringify(tools);
const idIn = (text: string) => /Agent (\w+) \(worker\) ended/.exec(text)?.[1] ?? "nobody";
const ofAgents = ({ model }: World) => model.requests.filter((request) => !isMain(request));
const lastOfMain = ({ model }: World) => textsOf(model.requests.filter(isMain).at(-1) ?? never());

describe.each(shippedHosts)("resume, %s", (host) => {
  test("the Agent tool resumes an agent that has ended: its earlier conversation to the letter, and the new prompt (A11.7)", {
    tags: ["long"],
  }, async () => {
    const first = world(host, (request) => {
      if (!isMain(request)) return { text: `report ${repliesIn(request) + 1}` };
      if (repliesIn(request) === 0) return { calls: [agent("look")] };
      if (repliesIn(request) === 1)
        return { calls: [agent("look again", { resume: idIn(textsOf(request)) })] };
      return { text: "done" };
    });
    await first.supervisor.prompt("go");
    const [before, after] = ofAgents(first);
    expect(after?.messages.slice(0, 1)).toEqual(before?.messages);
    expect(after?.messages.slice(1)).toEqual([
      { role: "assistant", content: [{ type: "text", text: "report 1", citations: null }] },
      { role: "user", content: "look again" },
    ]);
    expect(JSON.stringify([after?.system, after?.tools])).toBe(
      JSON.stringify([before?.system, before?.tools]),
    );
    expect(lastOfMain(first)).toContain("report 2");
    await first.supervisor.close();
    const records = await journalOf(first);
    expect(broken(records)).toEqual([]);
    expect(records.flatMap(({ event }) => (event.type === "summary" ? [event.run] : []))).toEqual([1, 2, 1]);
  });

  test("agents with the same tools share a record of them, and one that is cut off has them after a restart", async () => {
    const script = (request: ModelRequest): ScriptedTurn => {
      if (!isMain(request)) return { text: "report" };
      return repliesIn(request) === 0
        ? { calls: [agent("one"), agent("two"), agent("three")] }
        : { text: "done" };
    };
    const first = world(host, script);
    await first.supervisor.prompt("go");
    await first.supervisor.close();
    const whole = recorded(first);
    const records = recordsOf(whole.lines);
    expect(records.filter(({ event }) => event.type === "tools")).toHaveLength(1);
    const at = (n: number) => records.flatMap(({ event }, i) => (event.type === "spawn" ? [i] : []))[n] ?? 0;
    const again = await takenUp(host, script, { id: whole.id, home: cutAfter(whole, at(3) + 1) });
    await again.supervisor.resumeUnfinished();
    const [before, after] = [first, again].map((session) => new Set(ofAgents(session).map(toolsOf)));
    expect(after).toEqual(before);
    expect(before?.size).toBe(1);
  });

  test("the same after a restart of the program, in the background too (A11.7)", async () => {
    const script = (request: ModelRequest): ScriptedTurn => {
      if (!isMain(request)) return { text: `report ${repliesIn(request) + 1}` };
      const said = textsOf(request);
      if (said.includes("<task-notification>")) return { text: "heard" };
      if (!said.includes("second prompt"))
        return repliesIn(request) === 0 ? { calls: [agent("look")] } : { text: "first answer" };
      if (said.includes("agent_id:")) return { text: "started" };
      return { calls: [agent("look again", { resume: idIn(said), run_in_background: true })] };
    };
    const first = world(host, script);
    await first.supervisor.prompt("go");
    await first.supervisor.close();
    const { id } = recorded(first);
    const second = await takenUp(host, script, { id, home: first.home });
    expect(second.supervisor.unfinished()).toEqual({ main: false, agents: [] });
    // The report may come before the answer does.
    expect((await second.supervisor.prompt("second prompt")).summary.text).toMatch(/^(started\n\n)?heard$/);
    const [before] = ofAgents(first);
    const [after] = ofAgents(second);
    expect(JSON.stringify(after?.messages.slice(0, 1))).toBe(JSON.stringify(before?.messages));
    expect(after?.messages.slice(1)).toEqual([
      { role: "assistant", content: [{ type: "text", text: "report 1", citations: null }] },
      { role: "user", content: "look again" },
    ]);
    expect(times(lastOfMain(second), "report 2")).toBe(1);
    await second.supervisor.close();
    expect(broken(await journalOf(second))).toEqual([]);
  });

  test("one that runs, oneself, the main conversation and an unknown one cannot be resumed: each is a sentence", {
    tags: ["long"],
  }, async () => {
    const hold = Promise.withResolvers<void>();
    const { supervisor, model } = world(host, async (request) => {
      const said = textsOf(request);
      if (!isMain(request)) {
        if (taskOf(request) === "run on") {
          await hold.promise;
          return { text: "late report" };
        }
        return repliesIn(request) === 0
          ? { calls: [agent("me", { resume: request.actor })] }
          : { text: said.includes("There is no agent") ? "not me" : "me?" };
      }
      switch (repliesIn(request)) {
        case 0:
          return { calls: [agent("run on", { run_in_background: true }), agent("know yourself")] };
        case 1: {
          const running = /agent_id: (\w+)/.exec(said)?.[1];
          return { calls: ["main", "nobody1", running].map((id) => agent("x", { resume: id })) };
        }
        default:
          hold.resolve();
          return { text: "answered" };
      }
    });
    await supervisor.prompt("go");
    const said = textsOf(model.requests.filter(isMain)[2] ?? never());
    expect(said).toContain("not me");
    expect(said).toContain('There is no agent "main" to resume.');
    expect(said).toContain('There is no agent "nobody1" to resume. Those that have ended: ');
    expect(said).toMatch(/Agent \w+ still runs\. Send it a message instead of resuming it\./);
  });

  test("the library resumes an agent, before and after a restart; one that runs reads the message instead", {
    tags: ["long"],
  }, async () => {
    const hold = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const script = async (request: ModelRequest): Promise<ScriptedTurn> => {
      const said = textsOf(request);
      if (said.includes("wait for me") && !said.includes("by the way")) {
        begun.resolve();
        await hold.promise;
      }
      return { text: `heard ${times(said, "?")}` };
    };
    const first = world(host, script);
    const { id, summary } = await first.supervisor.spawn({ type: "worker", prompt: "one?" });
    expect(summary.text).toBe("heard 1");
    expect((await first.supervisor.resume(id, "two?")).summary).toMatchObject({ text: "heard 2", turns: 2 });
    const running = first.supervisor.resume(id, "wait for me?");
    await begun.promise;
    const alsoHeard = first.supervisor.resume(id, "by the way?");
    hold.resolve();
    expect((await alsoHeard).summary.text).toBe("heard 4");
    expect((await running).summary).toEqual((await alsoHeard).summary);
    await expect(first.supervisor.resume(ActorId.parse("nobody"), "hi")).rejects.toThrow(/no agent/);
    await first.supervisor.close();

    const second = await takenUp(host, script, { id: first.supervisor.session, home: first.home });
    expect((await second.supervisor.resume(id, "five?")).summary.text).toBe("heard 5");
    await second.supervisor.close();
    const records = await journalOf(second);
    expect(broken(records)).toEqual([]);
    expect(records.filter(({ event }) => event.type === "summary")).toHaveLength(4);
  });

  test("of two that resume the same agent together one does, and the other's message is read", async () => {
    const { supervisor, model } = world(host, (request) => ({ text: `after ${repliesIn(request)}` }));
    const { id } = await supervisor.spawn({ type: "worker", prompt: "one" });
    const [a, b] = await Promise.all([supervisor.resume(id, "two"), supervisor.resume(id, "three")]);
    expect([a.summary.status, b.summary.status]).toEqual(["done", "done"]);
    const last = textsOf(model.requests.at(-1) ?? never());
    for (const words of ["one", "two", "three"]) expect(times(last, words)).toBe(1);
    await supervisor.close();
  });

  test("an agent can be resumed in the moment it ends, before its end is on disk", {
    tags: ["long"],
  }, async () => {
    const { supervisor } = world(host, () => ({ text: "report" }), { limits: { maxAgents: 1 } });
    const result = supervisor.spawn({ type: "worker", prompt: "never begun" });
    const id = supervisor.tree()[0]?.id ?? never();
    supervisor.cancel(id, "Not now.");
    const again = supervisor.resume(id, "now");
    expect((await result).summary).toMatchObject({ status: "cancelled", reason: "Not now." });
    expect((await again).summary).toMatchObject({ status: "done", text: "report" });
  });
});

describe("what a session that was cut off still knows", () => {
  const answer = (request: ModelRequest): ScriptedTurn => ({ text: `after ${repliesIn(request)}` });

  test("a prompt that was said and not heard is heard, once", { tags: ["long"] }, async () => {
    const first = world("in-thread", answer);
    await first.supervisor.prompt("one");
    await first.supervisor.prompt("two");
    await first.supervisor.close();
    const whole = recorded(first);
    const records = recordsOf(whole.lines);
    const place = records.findIndex(({ event }) => event.type === "prompt");
    for (const more of [0, 1, 2]) {
      const home = cutAfter(whole, place + 1 + more);
      const again = await takenUp("in-thread", answer, { id: whole.id, home });
      expect((await again.supervisor.resumeUnfinished())?.summary.text).toBe("after 1");
      expect(times(textsOf(again.model.requests[0] ?? never()), "two")).toBe(1);
      await again.supervisor.close();
      expect(broken(await journalOf(again))).toEqual([]);
    }
  });

  test("a result that was recorded before anybody saw it is returned without a request, unless the session was closed (issue 15, 5)", async () => {
    const first = world("in-thread", answer);
    await first.supervisor.prompt("one");
    await first.supervisor.close();
    const whole = recorded(first);
    const summary = recordsOf(whole.lines).findIndex(({ event }) => event.type === "summary");
    const killed = await takenUp("in-thread", answer, { id: whole.id, home: cutAfter(whole, summary + 1) });
    expect((await killed.supervisor.resumeUnfinished())?.summary).toMatchObject({
      status: "done",
      text: "after 0",
    });
    expect(killed.model.requests).toEqual([]);
    const home = cutAfter(whole, whole.lines.length);
    const closed = await takenUp("in-thread", answer, { id: whole.id, home });
    expect(await closed.supervisor.resumeUnfinished()).toBeNull();
  });

  test("a prompt after a restart is heard with what was cut off before it", async () => {
    const first = world("in-thread", answer);
    await first.supervisor.prompt("one");
    await first.supervisor.close();
    const whole = recorded(first);
    const started = recordsOf(whole.lines).findIndex(({ event }) => event.type === "start");
    const again = await takenUp("in-thread", answer, { id: whole.id, home: cutAfter(whole, started + 1) });
    expect(again.supervisor.unfinished().main).toBe(true);
    expect((await again.supervisor.prompt("two")).summary.status).toBe("done");
    const last = textsOf(again.model.requests.at(-1) ?? never());
    expect([times(last, "one"), times(last, "two")]).toEqual([1, 1]);
  });

  test("commands in the background that died with the program are reported, once", {
    tags: ["long"],
  }, async () => {
    const script = (request: ModelRequest): ScriptedTurn => {
      const said = textsOf(request);
      if (said.includes("<task-notification>")) return { text: "heard" };
      if (repliesIn(request) > 0) return { text: "started" };
      return { calls: [{ name: "Bash", input: { command: "sleep 1000", run_in_background: true } }] };
    };
    const first = world("in-thread", script, { background: "wake" });
    await first.supervisor.prompt("go");
    await first.supervisor.close();
    const whole = recorded(first);
    const turn = recordsOf(whole.lines).findIndex(({ event }) => event.type === "turn");
    const again = await takenUp("in-thread", script, { id: whole.id, home: cutAfter(whole, turn + 1) });
    await again.supervisor.resumeUnfinished();
    const last = textsOf(again.model.requests.at(-1) ?? never());
    expect(times(last, "It was ended with the program that ran it.")).toBe(1);
    await again.supervisor.close();
    const third = await takenUp("in-thread", script, { id: whole.id, home: again.home });
    expect(await third.supervisor.resumeUnfinished()).toBeNull();
    expect(third.model.requests).toEqual([]);
  });

  test("the end of a command in the background that no turn had heard is reported again, once (D1)", {
    tags: ["long"],
  }, async () => {
    const script = (request: ModelRequest): ScriptedTurn => {
      const said = textsOf(request);
      if (said.includes("<task-notification>")) return { text: "heard" };
      if (repliesIn(request) > 0) return { text: "started" };
      return { calls: [{ name: "Bash", input: { command: "exit 3", run_in_background: true } }] };
    };
    const first = world("in-thread", script, { allowedTools: ["Bash"] });
    await first.supervisor.prompt("go");
    await first.supervisor.close();
    const whole = recorded(first);
    const end = recordsOf(whole.lines).findIndex(({ event }) => event.type === "command-end");
    expect(end).toBeGreaterThan(0);
    const again = await takenUp("in-thread", script, { id: whole.id, home: cutAfter(whole, end + 1) });
    await again.supervisor.resumeUnfinished();
    expect(times(textsOf(again.model.requests.at(-1) ?? never()), "exit code 3")).toBe(1);
    await again.supervisor.close();
    expect(broken(await journalOf(again))).toEqual([]);
    const third = await takenUp("in-thread", script, { id: whole.id, home: again.home });
    expect(await third.supervisor.resumeUnfinished()).toBeNull();
    expect(third.model.requests).toEqual([]);
  });

  test("a torn last line and a damaged middle one are reported, and the session continues (fault 37, 41)", async () => {
    const first = world("in-thread", answer);
    await first.supervisor.prompt("one");
    await first.supervisor.close();
    const whole = recorded(first);
    const started = recordsOf(whole.lines).findIndex(({ event }) => event.type === "start");
    const damaged = { ...whole, lines: whole.lines.with(started, '{"seq":3,"at":') };
    const home = cutAfter(damaged, started + 1, '{"seq":4,"at":"20');
    const again = await takenUp("in-thread", answer, { id: whole.id, home });
    expect(again.warnings()).toEqual([
      expect.stringMatching(/^Line \d+ of .* was left out\.$/),
      expect.stringMatching(/^The last line \(\d+\) of .* is torn and was left out/),
    ]);
    expect((await again.supervisor.resumeUnfinished())?.summary.status).toBe("done");
  });

  test("results of background agents that ended unheard are there for the first request after a restart, once (D1)", {
    tags: ["long"],
  }, async () => {
    const script = (request: ModelRequest): ScriptedTurn => {
      if (!isMain(request)) return { text: `report of ${taskOf(request)}` };
      const said = textsOf(request);
      if (said.includes("<task-notification>")) return { text: "heard" };
      const calls = [agent("a", { run_in_background: true }), agent("b", { run_in_background: true })];
      return said.includes("agent_id:") ? { text: "started" } : { calls };
    };
    const first = world("in-thread", script);
    await first.supervisor.prompt("go");
    await first.supervisor.close();
    const whole = recorded(first);
    const ends = recordsOf(whole.lines).flatMap(({ event }, place) =>
      event.type === "summary" && event.actor !== "main" ? [place] : [],
    );
    const home = cutAfter(whole, (ends.at(-1) ?? 0) + 1);
    const again = await takenUp("in-thread", script, { id: whole.id, home });
    const result = (await again.supervisor.resumeUnfinished()) ?? never();
    expect(result.summary).toMatchObject({ status: "done" });
    const last = lastOfMain(again);
    for (const name of ["a", "b"]) expect(times(last, `report of ${name}`)).toBe(1);
    await again.supervisor.close();
    expect(broken(await journalOf(again))).toEqual([]);
  });
});

function never(): never {
  throw new Error("not there");
}
