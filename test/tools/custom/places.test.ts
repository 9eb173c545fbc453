// @module-tag long
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { isMainThread } from "node:worker_threads";
import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import type { ModelRequest } from "../../../src/model/client.ts";
import { type CustomTool, defineTool, type ToolSpec } from "../../../src/tools/define-tool.ts";
import { type HostName, shippedHosts, supervised } from "../../support/supervised.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { count, look, never, plant, quit, spin, where } from "./thread-tools.ts";

const description = "A test's.";
const inputSchema = z.object({});

/** Each agent calls the tool that its prompt names once, with this input, and then answers. */
function session(host: HostName, tools: readonly CustomTool[], input: object = {}, limits = {}) {
  const called = (request: ModelRequest) => request.messages.some(({ role }) => role === "assistant");
  return supervised(
    host,
    (request) => {
      const prompt = String(request.messages[0]?.content);
      const tool = tools.find(({ name }) => prompt === name);
      return tool === undefined || called(request)
        ? { text: "done" }
        : { calls: [{ name: tool.name, input }] };
    },
    {
      tools,
      agents: [{ name: "caller", whenToUse: "always", prompt: "", tools: tools.map(({ name }) => name) }],
      limits,
    },
  );
}

const resultsIn = (requests: readonly ModelRequest[]) =>
  requests.flatMap(({ messages }) =>
    messages.flatMap(({ content }) =>
      typeof content === "string"
        ? []
        : content.flatMap((block) => (block.type === "tool_result" ? [block.content] : [])),
    ),
  );

const warningsOf = (events: ReturnType<typeof session>["events"]) =>
  events.flatMap((event) => (event.type === "warning" ? [event.message] : []));

describe("where a library user's tool runs", () => {
  test("in the agent's thread, which has none of the user's environment", { tags: ["long"] }, async () => {
    const { supervisor, model } = session("worker threads", [where]);
    await supervisor.spawn({ type: "caller", prompt: "Where" });
    expect(resultsIn(model.requests)).toEqual([
      `main thread: false, variables: ${process.env["NODE_COMPILE_CACHE"] === undefined ? 0 : 1}`,
    ]);
  });

  test('on the thread that opened the session with runsIn: "caller"', async () => {
    const here = defineTool({
      runsIn: "caller",
      ...{ name: "Here", description, inputSchema, permissionLevel: "read" },
      call: async () => `pid ${process.pid}, main thread: ${isMainThread}`,
    });
    const { supervisor, model, events } = session("worker threads", [here]);
    await supervisor.spawn({ type: "caller", prompt: "Here" });
    expect(resultsIn(model.requests)).toEqual([`pid ${process.pid}, main thread: ${isMainThread}`]);
    expect(warningsOf(events)).toEqual([]);
  });

  test("on the thread that opened the session if an older definition does not say it, and the user is warned", async () => {
    const before = {
      name: "Before",
      description,
      inputSchema,
      permissionLevel: "read",
      call: async () => "as ever",
    };
    const old = defineTool(before as unknown as ToolSpec<object, string>);
    const { supervisor, model, events } = session("worker threads", [old]);
    await supervisor.spawn({ type: "caller", prompt: "Before" });
    expect(resultsIn(model.requests)).toEqual(["as ever"]);
    expect(warningsOf(events)).toEqual([
      expect.stringMatching(/^Before does not say where it runs.*runsIn: "caller"/),
    ]);
  });

  test.each([
    ["tools.ts", "which is not the URL of a file"],
    ["https://example.com/tools.js", "which is not the URL of a file"],
    [pathToFileURL(process.argv[1] ?? "").href, "is the program itself"],
  ])("not in the module %s: that is said where it is defined", (module, why) => {
    const define = () =>
      defineTool({
        module,
        name: "Bad",
        description,
        inputSchema,
        permissionLevel: "read",
        call: async () => "",
      });
    expect(define).toThrow(why);
  });

  test.each([
    [import.meta.url.replace("places.test", "no-such"), /^Odd failed: Cannot find module/],
    [
      pathToFileURL(join(import.meta.dirname, "thread-tools.ts")).href,
      /^Odd failed: .* exports no tool Odd; export what/,
    ],
  ])("a module without the tool (%s) fails the call with a sentence", async (module, said) => {
    const odd = defineTool({
      module,
      ...{ name: "Odd", description, inputSchema, permissionLevel: "read" },
      call: async () => "",
    });
    const { supervisor, model } = session("worker threads", [odd]);
    expect((await supervisor.spawn({ type: "caller", prompt: "Odd" })).summary.status).toBe("done");
    expect(resultsIn(model.requests)).toEqual([expect.stringMatching(said)]);
  });

  test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])("a timeoutMs of %s is refused", (timeoutMs) => {
    const parts = { name: "Bad", description, inputSchema, timeoutMs, permissionLevel: "read" } as const;
    expect(() => defineTool({ runsIn: "caller", ...parts, call: async () => "" })).toThrow(
      /timeoutMs of Bad is/,
    );
  });
});

describe.each(shippedHosts)("a tool that never returns, %s", (host) => {
  const onCaller = defineTool({
    runsIn: "caller",
    ...{ name: "Never", description, inputSchema: z.object({ file: z.string() }), permissionLevel: "read" },
    timeoutMs: 500,
    call: (_input, { signal }) =>
      new Promise<string>((_resolve, reject) => {
        // Nobody hears this any more.
        signal.addEventListener("abort", () => setImmediate(() => reject(signal.reason)));
      }),
  });

  test.each([
    ["in the agent's thread", never],
    ["on the caller's thread", onCaller],
  ])(
    "%s is given up at its deadline; the user is warned, and the agent continues",
    { tags: ["long"] },
    async (_where, tool) => {
      const { supervisor, model, events } = session(host, [tool], {
        file: join(temporaryFolder(), "aborted"),
      });
      const { summary } = await supervisor.spawn({ type: "caller", description: "waits", prompt: "Never" });
      expect(summary).toMatchObject({ status: "done", text: "done" });
      expect(resultsIn(model.requests)).toEqual([
        expect.stringMatching(
          /^Never did not return within 0\.5 s\. Its signal was aborted and its result is unknown/,
        ),
      ]);
      expect(warningsOf(events)).toEqual([
        'Never, called by caller "waits", did not return within 0.5 s. Its signal was aborted, and the agent continues without its result.',
      ]);
    },
  );
});

describe("a tool in the agent's thread cannot take the session with it", () => {
  test("its signal is aborted at the deadline", { tags: ["long"] }, async () => {
    const file = join(temporaryFolder(), "aborted");
    const { supervisor } = session("worker threads", [never], { file });
    await supervisor.spawn({ type: "caller", prompt: "Never" });
    expect(readFileSync(file, "utf8")).toBe("Error: Never did not return within 0.5 s.");
  });

  test("if it computes forever, others still answer, and its agent is ended by name", {
    tags: ["long"],
  }, async () => {
    const { supervisor, events } = session(
      "worker threads",
      [spin, where],
      {},
      // The watch looks once a second: the warning needs a look of its own.
      { stuckWarnMs: 1_000, stuckMs: 4_000 },
    );
    const spins = supervisor.spawn({ type: "caller", description: "spins", prompt: "Spin" });
    const other = await supervisor.spawn({ type: "caller", prompt: "Where" });
    expect(other.summary.status).toBe("done");
    expect((await spins).summary).toMatchObject({
      status: "timed_out",
      reason: expect.stringContaining("Spin"),
    });
    // On a busy machine another thread can be late as well.
    expect(warningsOf(events)).toContainEqual(expect.stringMatching(/spins.*Spin/));
  });

  test("if it ends its process: that ends its agent's thread alone", { tags: ["long"] }, async () => {
    const { supervisor } = session("worker threads", [quit, where]);
    const quits = await supervisor.spawn({ type: "caller", prompt: "Quit" });
    expect(quits.summary).toMatchObject({ status: "failed", reason: expect.stringContaining("7") });
    expect((await supervisor.spawn({ type: "caller", prompt: "Where" })).summary.status).toBe("done");
  });

  test("if it leaves something behind in its thread: the next agent has another one", {
    tags: ["long"],
  }, async () => {
    const { supervisor, model } = session("worker threads", [count]);
    for (let agent = 0; agent < 3; agent += 1)
      expect((await supervisor.spawn({ type: "caller", prompt: "Count" })).summary.status).toBe("done");
    expect(resultsIn(model.requests)).toEqual(["calls: 1", "calls: 1", "calls: 1"]);
  });

  test("globals, timers, listeners, variables and prototypes that it plants are in no later lease of any thread", async () => {
    const { supervisor, model } = session("worker threads", [plant, look]);
    await supervisor.spawn({ type: "caller", prompt: "Look" });
    const [unplanted] = resultsIn(model.requests);
    expect(unplanted).toMatch(/^\d listeners, \d timers$/);
    const leases = Array.from({ length: 6 }, (_, n) => (n % 2 === 0 ? "Plant" : "Look"));
    for (const prompt of leases) await supervisor.spawn({ type: "caller", prompt });
    await Promise.all(leases.map((prompt) => supervisor.spawn({ type: "caller", prompt })));
    expect(resultsIn(model.requests).toSorted()).toEqual([
      ...Array.from({ length: 7 }, () => unplanted),
      ...Array.from({ length: 6 }, () => "planted"),
    ]);
  });

  test("Troupe's own tools work in every thread after that", async () => {
    const folder = temporaryFolder();
    const file = join(folder, "a.txt");
    writeFileSync(file, "alpha");
    const { supervisor, model } = supervised(
      "worker threads",
      (request) => {
        if (request.messages.some(({ role }) => role === "assistant")) return { text: "done" };
        const reads = { calls: [{ name: "Read", input: { file_path: file } }] };
        return request.messages[0]?.content === "Plant" ? { calls: [{ name: "Plant", input: {} }] } : reads;
      },
      {
        ...{ tools: [plant], cwd: folder },
        agents: [{ name: "caller", whenToUse: "always", prompt: "", tools: ["Plant", "Read"] }],
      },
    );
    const prompts = ["Plant", "Read", "Plant", "Read", "Read", "Read", "Plant", "Read"];
    for (const prompt of prompts) await supervisor.spawn({ type: "caller", prompt });
    const results = resultsIn(model.requests).filter((content) => content !== "planted");
    expect(results).toHaveLength(5);
    for (const content of results) expect(content).toContain("alpha");
  });
});
