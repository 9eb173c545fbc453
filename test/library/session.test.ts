// @module-tag long
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod/mini";
import type { SupervisorEvent } from "../../src/events/event.ts";
import { EventStream } from "../../src/library/event-stream.ts";
import { flattenOptions, type SessionOptions } from "../../src/library/options.ts";
import { Session } from "../../src/library/session.ts";
import type { ModelRequest } from "../../src/model/client.ts";
import { type ScriptedTurn, scriptedModel } from "../../src/model/scripted.ts";
import { temporaryFolder } from "../support/temporary.ts";

type Play = (request: ModelRequest) => ScriptedTurn | Promise<ScriptedTurn>;

const lastText = ({ messages }: ModelRequest): string => JSON.stringify(messages.at(-1)?.content ?? "");

function open(play: Play, options: Partial<SessionOptions> = {}): Session {
  const session = new Session({
    ...{ cwd: temporaryFolder(), home: temporaryFolder() },
    model: { provider: "client", client: scriptedModel((request) => play(request) as ScriptedTurn) },
    ...options,
  });
  onTestFinished(() => session.close());
  return session;
}

test("spawn returns data that fits its schema, and null if the answer does not fit", async () => {
  const session = open((request) => ({
    text: lastText(request).includes("good") ? '{"names": ["a", "b"]}' : "no data",
  }));
  const output = z.object({ names: z.array(z.string()) });
  const good = await session.spawn({ prompt: "good", output });
  expect(good.output).toEqual({ names: ["a", "b"] });
  const bad = await session.spawn({ prompt: "bad", output });
  expect([bad.output, bad.summary.status]).toEqual([null, "partial"]);
  expect((await session.spawn({ prompt: "good" })).output).toBeNull();
});

test("fanout returns one result per task in their order; if one cannot start, the others are cancelled", async () => {
  const session = open((request) => ({ text: `report of ${/task \d/.exec(lastText(request))?.[0]}` }));
  const results = await session.fanout(["task 1", { prompt: "task 2", type: "Plan" }, "task 3"], {
    type: "Explore",
  });
  expect(results.map(({ type, summary }) => `${type}: ${summary.text}`)).toEqual([
    "Explore: report of task 1",
    "Plan: report of task 2",
    "Explore: report of task 3",
  ]);
  const failing = open(() => new Promise<never>(() => {}));
  await expect(failing.fanout(["task 1", { prompt: "task 2", type: "nobody-has-this" }])).rejects.toThrow(
    "nobody-has-this",
  );
  expect(failing.tree().map(({ summary }) => summary?.status)).toEqual(["cancelled"]);
});

test("fanout asks about its cost above the threshold, and a no starts none", async () => {
  const asked: string[] = [];
  const session = open(() => ({ text: "done" }), {
    model: {
      ...{ provider: "client", client: scriptedModel(() => ({ text: "done" })) },
      ...{ name: "coin", prices: { coin: { input: 0, output: 1_000, cacheWrite: 0, cacheRead: 0 } } },
    },
    limits: { confirmAboveUsd: 1 },
    permissions: {
      permissionHandler: {
        async ask(ask) {
          asked.push(ask.type === "question" ? (ask.questions[0]?.question ?? "") : ask.type);
          return { type: "answers", answers: { [asked.at(-1) ?? ""]: "Do not" } };
        },
      },
    },
  });
  await expect(session.fanout(["a", "b"])).rejects.toThrow("does not want these agents started");
  expect(asked).toEqual([expect.stringMatching(/^2 agents are likely to cost \$8\.00 .* Start them\?$/)]);
  expect(session.tree()).toEqual([]);
  expect(await session.fanout(["a"])).toHaveLength(1);
});

test("events of a session and of one agent come in order and end with it", async () => {
  const session = open((request) => ({ text: `report of ${/task \d/.exec(lastText(request))?.[0]}` }));
  const all: SupervisorEvent[] = [];
  const reading = (async () => {
    for await (const event of session.events()) all.push(event);
  })();
  const runs = [session.spawn({ prompt: "task 1" }), session.spawn({ prompt: "task 2" })] as const;
  const own: string[] = [];
  for await (const event of runs[0].events()) if (event.type === "agent") own.push(event.view.id);
  const [first] = await Promise.all(runs);
  expect(new Set(own)).toEqual(new Set([first.id]));
  await session.close();
  await reading;
  const ids = new Set(all.flatMap((event) => (event.type === "agent" ? [event.view.id] : [])));
  expect(ids.size).toBe(2);
  expect(await session.events().next()).toEqual({ done: true, value: undefined });
});

test("a slow reader misses the oldest events, and one that leaves gets none", async () => {
  const stream = new EventStream<{ readonly n: number }>();
  const [slow, gone] = [stream.read(), stream.read()];
  await gone.return?.();
  for (let n = 1; n <= 1_500; n += 1) stream.publish({ n });
  stream.end();
  const seen: number[] = [];
  for await (const { n } of slow) seen.push(n);
  expect([seen.length, seen[0], seen.at(-1)]).toEqual([1_000, 501, 1_500]);
  expect(await gone.next()).toEqual({ done: true, value: undefined });
});

test("every option of every group reaches the session, and one that is not given leaves the default", () => {
  const handler = { ask: () => Promise.reject(new Error("not asked")) };
  const flat = flattenOptions({
    cwd: "/w",
    model: { provider: "offline", name: "haiku", effort: "low", small: "s", byAgentType: { Plan: "opus" } },
    permissions: { mode: "plan", allowedTools: ["Read"], permissionHandler: handler },
    limits: { maxAgents: 3, budget: { usd: 1 }, confirmAboveUsd: 5 },
    context: { systemPrompt: "role", surroundings: true },
    mcp: { servers: { a: { command: "a" } } },
    worktrees: { overlap: "off" },
  });
  expect(flat).toEqual({
    cwd: "/w",
    source: { provider: "offline" },
    ...{ model: "haiku", effort: "low", smallModel: "s", agentModels: { Plan: "opus" } },
    ...{ permissionMode: "plan", allowedTools: ["Read"], person: handler },
    ...{ limits: { maxAgents: 3 }, budget: { usd: 1 }, quoteAboveUsd: 5 },
    ...{ systemPrompt: "role", context: { surroundings: true } },
    ...{ mcpServers: { a: { command: "a" } }, worktree: { overlap: "off" } },
  });
  const least = flattenOptions({ cwd: "/w", model: { provider: "offline" } });
  expect(least).toEqual({ cwd: "/w", source: { provider: "offline" }, limits: {}, context: {} });
});

test("fromProject reads settings, agents and memory as the command line does, and those of an untrusted directory only in part", async () => {
  const cwd = temporaryFolder();
  const write = (path: string, text: string) => {
    mkdirSync(join(cwd, path, ".."), { recursive: true });
    writeFileSync(join(cwd, path), text);
  };
  write("CLAUDE.md", "Say please.");
  write(
    ".claude/settings.json",
    JSON.stringify({ permissions: { allow: ["Bash(make:*)"], deny: ["Read(./.env)"] } }),
  );
  write(".claude/agents/clerk.md", "---\nname: clerk\ndescription: Answers.\n---\nYou answer.");
  const opened = async (trust: boolean) => {
    const session = await Session.fromProject(cwd, { trust, offline: true, permissionMode: "plan" });
    onTestFinished(() => session.close());
    const notes = session.events();
    const rules = session.rules().map(({ text }) => text);
    const { summary } = await session.spawn({ type: "clerk", prompt: "what is this project?" });
    return { rules, mode: session.mode(), status: summary.status, note: await notes.next() };
  };
  const untrusted = await opened(false);
  expect(untrusted.rules).toContain("Read(./.env)");
  expect(untrusted.rules).not.toContain("Bash(make:*)");
  expect(JSON.stringify(untrusted.note.value)).toContain("trust");
  const trusted = await opened(true);
  expect(trusted.rules).toContain("Bash(make:*)");
  expect([trusted.mode, trusted.status]).toEqual(["plan", untrusted.status]);
  await expect(Session.fromProject(cwd, { maxBudgetUsd: -1 })).rejects.toThrow("max-budget-usd");
  await expect(Session.fromProject(join(cwd, "gone"), {})).rejects.toThrow("gone");
});
