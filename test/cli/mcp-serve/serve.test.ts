import { describe, expect, test } from "vitest";
import { main } from "../../../src/cli/main.ts";
import { FakeIO } from "../fake-io.ts";
import { summary } from "../fake-session.ts";
import { served, textsOf } from "./served-client.ts";

const TOOLS = [
  "spawn_agent",
  "fan_out",
  "agent_result",
  "continue_agent",
  "stop_agents",
  "list_agents",
  "list_agent_types",
];

describe("troupe mcp serve", () => {
  test("offers its tools with schemas, and opens no session for that", async () => {
    const { client, runtime, pipes, ended } = await served();
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(TOOLS);
    for (const { inputSchema, outputSchema, description, annotations } of tools) {
      expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
      expect(outputSchema).toMatchObject({ type: "object", required: [expect.any(String)] });
      expect(outputSchema).not.toHaveProperty("additionalProperties");
      expect(description?.length).toBeGreaterThan(50);
      expect(annotations).toMatchObject({ readOnlyHint: expect.any(Boolean) });
    }
    expect(client.getInstructions()).toContain("embedded offline model");
    expect(client.getServerVersion()).toMatchObject({ name: "troupe" });
    pipes.stdin.end();
    expect(await ended).toBe(0);
    expect(runtime.sessions).toEqual([]);
  });

  test("one agent: its report in blocks, and the same as data", async () => {
    const { call, runtime, pipes, ended } = await served({
      script: { answer: () => ({ ...summary("done", "It is in a.ts."), unfounded: true }) },
    });
    const result = await call("spawn_agent", { prompt: "where is it decided?" });
    expect(result.isError).toBeUndefined();
    expect(textsOf(result)).toEqual([
      expect.stringMatching(/^\[Agent agent1 \(Explore\) ended: done after 2 turns/),
      "It is in a.ts.",
    ]);
    expect(result.structuredContent).toEqual({
      agents: [
        {
          ...{ agent_id: "agent1", agent_type: "Explore", description: "where is it decided?" },
          ...{ state: "ended", status: "done", report: "It is in a.ts.", no_tool_run: true },
          ...{ turns: 2, tokens: 120, cost_usd: 0, seconds: 2.5 },
        },
      ],
    });
    const { options, spawns } = runtime.only;
    expect(options).toMatchObject({ title: "agents for a-client", env: { TROUPE_MCP_DEPTH: "1" } });
    expect(options.person).toBeUndefined();
    expect(spawns).toMatchObject([{ type: "Explore", prompt: "where is it decided?" }]);
    pipes.stdin.end();
    expect(await ended).toBe(0);
    expect(runtime.only.closed).toBe(1);
  });

  test("what a client chooses for an agent is what the session is asked", async () => {
    const { call, runtime, pipes } = await served({ flags: ["--merge", "keep", "--concurrency", "3"] });
    await call("spawn_agent", {
      ...{ prompt: "review", description: "a review", agent_type: "CODE reviewer", model: "opus" },
      ...{ timeout_seconds: 90, token_budget: 5_000, output_schema: { type: "object" } },
    });
    await call("spawn_agent", { prompt: "change it", agent_type: "code-reviewer", isolation: "worktree" });
    expect(runtime.only.options.limits).toMatchObject({ maxAgents: 3 });
    expect(runtime.only.spawns).toMatchObject([
      {
        ...{ prompt: "review", description: "a review", type: "code-reviewer", model: "opus" },
        ...{ timeoutMs: 90_000, tokenBudget: 5_000, output: { type: "object" } },
      },
      { prompt: "change it", type: "code-reviewer", isolation: "worktree", merge: "keep" },
    ]);
    // Without a worktree, the server's --merge has nothing to say.
    for (const field of ["isolation", "merge"]) expect(runtime.only.spawns[0]).not.toHaveProperty(field);
    pipes.stdin.end();
  });

  test("several agents: one end each in the order of the prompts, also for one that could not start", async () => {
    const { call, pipes } = await served({
      script: {
        answer: (prompt) =>
          prompt === "refused"
            ? new Error("The session's budget is used up.")
            : summary("done", `on ${prompt}`),
      },
    });
    const result = await call("fan_out", { prompts: ["one", "refused", "three"] });
    expect(result.isError).toBeUndefined();
    expect(textsOf(result)).toEqual([
      "3 agents: 2 done, 1 failed. Their reports follow in the order of the prompts.",
      expect.stringContaining("Agent agent1"),
      "on one",
      '[No agent (Explore) for "refused": The session\'s budget is used up.]',
      expect.stringContaining("Agent agent3"),
      "on three",
    ]);
    expect(result.structuredContent).toMatchObject({
      agents: [
        { agent_id: "agent1", status: "done" },
        { agent_id: null, status: "failed", reason: "The session's budget is used up." },
        { agent_id: "agent3", report: "on three" },
      ],
    });
    const nothing = await call("fan_out", { prompts: ["refused"] });
    expect(nothing.isError).toBe(true);
    pipes.stdin.end();
  });

  test.each([
    ["spawn_agent", {}, "prompt: required, expected string"],
    ["spawn_agent", { prompt: "x", agent_type: "Explor" }, "did you mean Explore?"],
    ["spawn_agent", { prompt: "x", permission_mode: "bypassPermissions" }, 'no field "permission_mode"'],
    ["fan_out", { prompts: [] }, "prompts: must be at least 1"],
    ["fan_out", { prompts: ["x", ""] }, "prompts.1: must be at least 1"],
    ["agent_result", { agent_ids: ["nobody"] }, 'There is no agent "nobody"'],
    ["stop_agents", { agent_ids: ["nobody"] }, "none was started yet"],
    ["continue_agent", { agent_id: "nobody", message: "go on" }, 'There is no agent "nobody"'],
    ["spawn_agents", { prompt: "x" }, "did you mean spawn_agent?"],
  ])("%s with %j is an error in a sentence, and starts nothing", async (name, args, sentence) => {
    const { call, runtime, pipes } = await served();
    const result = await call(name, args);
    expect(result.isError).toBe(true);
    expect(textsOf(result).join("\n")).toContain(sentence);
    expect(runtime.sessions).toEqual([]);
    pipes.stdin.end();
  });

  test("in the background: returns ids immediately, the report later and again, and one summary after a stop", async () => {
    const finish = Promise.withResolvers<ReturnType<typeof summary>>();
    const { call, runtime, pipes } = await served({
      script: {
        answer: () => finish.promise,
        onCancel: () => finish.resolve(summary("cancelled", "so far", "The client stopped it.")),
      },
    });
    const launched = await call("fan_out", { prompts: ["a", "b"], background: true });
    expect(launched.structuredContent).toMatchObject({
      agents: [
        { agent_id: "agent1", state: "running" },
        { agent_id: "agent2", state: "running" },
      ],
    });
    const looked = await call("agent_result", { agent_ids: ["agent2"], wait_seconds: 0 });
    expect(textsOf(looked)).toEqual([expect.stringContaining("Agent agent2 has not ended")]);
    const stopped = await call("stop_agents", { agent_ids: ["agent1", "agent2"] });
    expect(runtime.only.cancelled).toHaveLength(2);
    expect(stopped.structuredContent).toMatchObject({
      agents: [
        { status: "cancelled", report: "so far" },
        { status: "cancelled", report: "so far" },
      ],
    });
    expect(await call("agent_result", { agent_ids: ["agent1"] })).toMatchObject({
      structuredContent: { agents: [{ agent_id: "agent1", status: "cancelled" }] },
    });
    expect(textsOf(await call("list_agents"))).toEqual([
      expect.stringMatching(/^- agent1: .*cancelled.*\n- agent2: /),
    ]);
    expect(textsOf(await call("list_agents", { running_only: true }))).toEqual(["No agent is running."]);
    pipes.stdin.end();
  });

  test("an agent resumes with a message", async () => {
    const { call, runtime, pipes } = await served({
      script: { answer: (text) => summary("done", `about ${text}`) },
    });
    await call("spawn_agent", { prompt: "first" });
    const result = await call("continue_agent", { agent_id: "agent1", message: "more" });
    expect(runtime.only.resumed).toEqual([{ actor: "agent1", text: "more" }]);
    expect(textsOf(result)).toEqual([expect.stringContaining("Agent agent1"), "about more"]);
    const background = { agent_id: "agent1", message: "again", background: true };
    expect((await call("continue_agent", background)).isError).toBeUndefined();
    pipes.stdin.end();
  });

  test("which tools were refused is named, and who could allow them", async () => {
    const denial = { tool_name: "Bash", tool_use_id: "t", tool_input: {} };
    const answer = () => summary("done", "I could not.");
    const { runtime, call, pipes } = await served({ script: { answer } });
    await call("spawn_agent", { prompt: "x" });
    Object.assign(runtime.only, {
      usage: () => ({ denials: [denial, denial].map((one) => ({ ...one, actor: "agent1" })) }),
    });
    const result = await call("agent_result", { agent_ids: ["agent1"] });
    expect(result.structuredContent).toMatchObject({ agents: [{ not_allowed: ["Bash"] }] });
    expect(textsOf(result).at(-1)).toMatch(/^\[Calls of Bash were not allowed\..*--allowed-tools/);
    pipes.stdin.end();
  });

  test("a session that cannot be opened is an error of the call, and the next call tries again", async () => {
    const { call, pipes } = await served({ script: { broken: new Error("There is no directory /gone.") } });
    for (const _ of [1, 2]) {
      const result = await call("spawn_agent", { prompt: "x" });
      expect(result).toMatchObject({ isError: true, content: [{ text: "There is no directory /gone." }] });
    }
    pipes.stdin.end();
  });

  test("one that a serving Troupe has started offers nothing, so that agents never start without end", async () => {
    const { client, call, io, pipes, ended } = await served({ env: { TROUPE_MCP_DEPTH: "1" } });
    expect((await client.listTools()).tools).toEqual([]);
    expect(await call("spawn_agent", { prompt: "x" })).toMatchObject({ isError: true });
    expect(client.getInstructions()).toContain("without end");
    expect(io.err.text).toContain("without end");
    pipes.stdin.end();
    expect(await ended).toBe(0);
  });
});

test("a line that is not a message is reported, and the next call works (fault 58)", async () => {
  const { pipes, call, io } = await served();
  pipes.stdin.write('nonsense\n{"jsonrpc":"2.0"}\n');
  expect(textsOf(await call("list_agents"))).toEqual(["No agent was started yet."]);
  expect(io.err.text).toContain("The connection to the client: Unexpected token");
  expect(io.err.text).toContain("The connection to the client: a line is not a message of the protocol");
  pipes.stdin.end();
});

test("a line without end is the end of the connection (fault 58)", async () => {
  const { pipes, io, ended } = await served();
  pipes.stdin.write(Buffer.alloc(17 * 1024 * 1024, "x"));
  expect(await ended).toBe(0);
  expect(io.err.text).toContain("exceeded maximum size");
});

describe("the end of troupe mcp serve", () => {
  const never = { answer: () => new Promise<never>(() => {}) };

  test.each([
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("%s leaves running agents as they are, to be resumed", async (signal, code) => {
    const { call, io, runtime, ended } = await served({ script: never });
    await call("spawn_agent", { prompt: "x", background: true });
    io.send(signal);
    expect(await ended).toBe(code);
    expect(runtime.only.left).toContain(signal);
    expect(runtime.only.closed).toBe(1);
    expect(io.err.text).toContain("1 agent was still at work; troupe --resume session1 resumes it.");
    expect(io.signalListeners).toBe(0);
    expect(io.left).toEqual([]);
  });

  test("so does a client that closes stdin", async () => {
    const { call, runtime, pipes, ended } = await served({ script: never });
    await call("spawn_agent", { prompt: "x", background: true });
    pipes.stdin.end();
    expect(await ended).toBe(0);
    expect(runtime.only.left).toBe("The client that asked for it has gone.");
  });

  test("SIGINT cancels what runs: each has its summary, and the client its answer", async () => {
    const finish = Promise.withResolvers<ReturnType<typeof summary>>();
    const { call, io, runtime, ended } = await served({
      script: {
        answer: () => finish.promise,
        onClose: async () => finish.resolve(summary("cancelled", "so far", "The session was closed.")),
      },
    });
    const result = call("spawn_agent", { prompt: "x" });
    await runtime.asked(1);
    io.send("SIGINT");
    expect(await result).toMatchObject({ structuredContent: { agents: [{ status: "cancelled" }] } });
    expect(await ended).toBe(130);
    expect(runtime.only.left).toBeNull();
  });
});

test.each([
  [["now"], 'no "now"'],
  [["--merge", "kep"], "did you mean keep?"],
  [["--permission-mode", "yolo"], "--permission-mode cannot be"],
])("troupe mcp serve %j is wrong usage", async (flags, sentence) => {
  const io = new FakeIO({ stdin: "" });
  expect(await main(["mcp", "serve", ...flags], io)).toBe(2);
  expect(io.err.text).toContain(sentence);
  expect(io.out.text).toBe("");
});
