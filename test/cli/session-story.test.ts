import { describe, expect, test } from "vitest";
import { main } from "../../src/cli/main.ts";
import { MAIN } from "../../src/mailbox/ids.ts";
import type { ModelRequest } from "../../src/model/client.ts";
import type { ScriptedTurn } from "../../src/model/scripted.ts";
import { isSummaryRequest } from "../features/compaction/compacting-sessions.ts";
import { recorded, takenUp, textsOf, type World, world } from "../supervisor/resume-world.ts";
import { FakeIO } from "./fake-io.ts";
import { FakeRuntime } from "./fake-session.ts";

const HOST = "in-thread";
/** What a summary is worth writing for. */
const LONG = " and so on".repeat(200);

async function sessions({ home, cwd }: World, ...argv: string[]): Promise<string> {
  const io = new FakeIO({ env: { TROUPE_HOME: home }, cwd });
  expect(await main(["sessions", ...argv], io, new FakeRuntime())).toBe(0);
  return io.out.text;
}

interface Shown {
  readonly agents: readonly {
    readonly id: string;
    readonly exchanges: readonly {
      readonly prompt: string;
      readonly notice: string | null;
      readonly replies: readonly {
        readonly text: string;
        readonly calls: readonly { readonly tool: string; readonly result: string | null }[];
      }[];
      readonly summary: { readonly text: string } | null;
    }[];
  }[];
}

async function shown(one: World): Promise<Shown["agents"]> {
  return (JSON.parse(await sessions(one, "show", one.supervisor.session, "--json")) as Shown).agents;
}

const read = { name: "Read", input: { file_path: "absent.txt" } };
const isMain = ({ actor }: ModelRequest) => actor === MAIN;

describe("troupe sessions show, of a real session (issue 20, 14)", () => {
  test("keeps every reply and every call, with agents, after a resume and a compaction; the list has what all of it cost", async () => {
    let asked = 0;
    const script = (request: ModelRequest, n: number): ScriptedTurn => {
      if (isSummaryRequest(request)) return { text: "The notes.", usage: { output_tokens: 100 } };
      if (!isMain(request))
        return n === 0
          ? { text: "the agent looks", calls: [read], usage: { output_tokens: 1_000 } }
          : { text: "the agent's answer" };
      asked += 1;
      const input = { description: "look", prompt: "look there", subagent_type: "worker" };
      const usage = { input_tokens: 1_000 };
      if (asked === 1) return { text: "I start one.", calls: [{ name: "Agent", input }, read], usage };
      if (asked === 2) return { text: "I look myself.", calls: [read] };
      return { text: `answer ${asked}${LONG}` };
    };
    const first = world(HOST, script);
    await first.supervisor.prompt("first");
    for (const prompt of ["second", "third", "fourth"]) await first.supervisor.prompt(prompt);
    expect(await first.supervisor.compact(MAIN)).toMatchObject({ type: "compacted" });
    await first.supervisor.close();
    const { id, home } = recorded(first);
    const second = await takenUp(HOST, script, { id, home });
    await second.supervisor.prompt("fifth");
    const { costUsd } = second.supervisor.usage();
    const [listed] = JSON.parse(await sessions(second, "list", "--json")) as { readonly costUsd: number }[];
    expect(costUsd).toBeGreaterThan(0.01);
    expect(listed?.costUsd).toBeCloseTo(costUsd, 6);
    const [conversation, agent] = await shown(second);
    expect(conversation?.exchanges.map(({ prompt }) => prompt)).toEqual([
      ...["first", "second", "third", "fourth", "fifth"],
    ]);
    expect(conversation?.exchanges[0]).toMatchObject({
      replies: [
        {
          text: "I start one.",
          calls: [
            { tool: "Agent", result: expect.stringContaining("the agent's answer") },
            { tool: "Read", result: expect.stringContaining("absent.txt"), isError: true },
          ],
        },
        { text: "I look myself.", calls: [{ tool: "Read" }] },
        { text: expect.stringMatching(/^answer 3/), calls: [] },
      ],
      summary: { text: expect.stringMatching(/^answer 3/) },
    });
    expect(conversation?.exchanges.at(-1)).toMatchObject({ replies: [{ text: `answer 7${LONG}` }] });
    expect(agent?.exchanges).toMatchObject([
      {
        prompt: "look there",
        replies: [{ text: "the agent looks", calls: [{ tool: "Read" }] }, { text: "the agent's answer" }],
      },
    ]);
    const text = await sessions(second, "show", id);
    for (const part of ["said:\n    I start one.\n  Agent", "↳ failed: ", "the agent looks", "answer 4"])
      expect(text).toContain(part);
    // The last reply is the answer.
    expect(text.split("answer 4")).toHaveLength(2);
  });

  test("shows a message where the agent received it, and a notice where the conversation continued by itself", async () => {
    const steered = Promise.withResolvers<void>();
    const reported = Promise.withResolvers<void>();
    const one: World = world(
      HOST,
      async (request, n) => {
        if (!isMain(request)) {
          await reported.promise;
          return { text: "the report" };
        }
        const input = { description: "bg", prompt: "look", subagent_type: "worker", run_in_background: true };
        if (n === 0) {
          await one.supervisor.send(MAIN, "be quick");
          steered.resolve();
          return { text: "on it", calls: [{ name: "Agent", input }] };
        }
        return { text: textsOf(request).includes("the report") ? "I heard it." : "started" };
      },
      { background: "wake" },
    );
    await one.supervisor.prompt("go");
    await steered.promise;
    reported.resolve();
    await expect
      .poll(async () => (await shown(one))[0]?.exchanges, { timeout: 30_000 })
      .toMatchObject([
        { prompt: "go", replies: [{ text: "on it", calls: [{ tool: "Agent" }] }], summary: null },
        { prompt: "be quick", replies: [{ text: "started" }], summary: { text: "started" } },
        {
          ...{ prompt: "", notice: expect.stringContaining("the report") },
          ...{ replies: [{ text: "I heard it." }], summary: { text: "I heard it." } },
        },
      ]);
    expect(await sessions(one, "show", one.supervisor.session)).toMatch(
      /notice:\n +Agent "bg": done .*\n {2}answer:/,
    );
  });
});

describe("troupe sessions list, of a real session (issue 20, 14)", () => {
  test("has a title from the first prompt on, and is working, open, done or interrupted", async () => {
    const hold = Promise.withResolvers<void>();
    const one = world(HOST, async (_, n) => {
      if (n === 0) await hold.promise;
      return { text: "ok", usage: { input_tokens: 1_000 } };
    });
    const list = async () => JSON.parse(await sessions(one, "list", "--json")) as unknown;
    await expect.poll(list).toMatchObject([{ title: "", state: "running", activity: "open" }]);
    const answer = one.supervisor.prompt("what is here?");
    await expect.poll(list).toMatchObject([{ title: "what is here?", activity: "working" }]);
    expect(await sessions(one, "list")).toContain("  working    what is here?");
    hold.resolve();
    await answer;
    expect(await sessions(one, "list")).toMatch(/ {2}open +\$0\.\d+ +what is here\?/);
    one.supervisor.detach("The test leaves.");
    await one.supervisor.close();
    expect(await list()).toMatchObject([{ title: "what is here?", state: "ended", activity: null }]);
  });
});
