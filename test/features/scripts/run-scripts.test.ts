// @module-tag long
import { describe, expect, test } from "vitest";
import { runScript } from "../../../src/features/scripts/index.ts";
import type { ScriptNews } from "../../../src/features/scripts/thread-requests.ts";
import { journalFile } from "../../../src/journal/paths.ts";
import { readJournal } from "../../../src/journal/reader.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { noUsage } from "../../../src/mailbox/conversation.ts";
import { noReceipts } from "../../../src/mailbox/turns.ts";
import type { ModelRequest } from "../../../src/model/client.ts";
import { supervised } from "../../support/supervised.ts";
import { temporaryFolder } from "../../support/temporary.ts";

const promptOf = (request: ModelRequest): string => {
  const content = request.messages[0]?.content;
  const text =
    typeof content === "string"
      ? content
      : content?.map((block) => ("text" in block ? block.text : "")).join("");
  return text?.trim().split("\n").at(-1) ?? "";
};

/** Every agent answers `did PROMPT`. */
async function run(source: string, more: { readonly args?: unknown; readonly name?: string } = {}) {
  const prompts: string[] = [];
  const world = supervised("worker threads", (request) => {
    prompts.push(promptOf(request));
    return { text: `did ${promptOf(request)}` };
  });
  const news: ScriptNews[] = [];
  const end = await world.supervisor.runScript({
    ...{ source, name: "work.ts", onNews: (one: ScriptNews) => news.push(one) },
    ...more,
  });
  const logs = news.flatMap((one) => (one.type === "log" ? [one.text] : []));
  return { ...world, end, prompts, news, logs };
}

const returned = (value: unknown) => ({ type: "returned", value });

describe("an orchestration script", () => {
  test("starts agents one after another and side by side, and returns data", async () => {
    const { end, prompts } = await run(`
      export const meta = { name: "two", description: "Two and one." };
      const both: (string | null)[] = await parallel([() => agent("a"), () => agent("b", { label: "the second" })]);
      const last = await agent("c " + both.filter(Boolean).length);
      return { both, last };`);
    expect(end).toEqual(returned({ both: ["did a", "did b"], last: "did c 2" }));
    expect(prompts.toSorted()).toEqual(["a", "b", "c 2"]);
  });

  test("passes items through stages on their own, and drops those that come to nothing", async () => {
    const { end } = await run(`
      return pipeline([1, 2, 3], (n) => agent("first " + n), (text, n, at) => (n === 2 ? null : agent(text + " then " + at)));`);
    expect(end).toEqual(returned(["did did first 1 then 0", null, "did did first 3 then 2"]));
  });

  test("gets its arguments, and reports its meta, its phases and its lines", async () => {
    const { end, news } = await run(
      `export const meta = { name: "all", phases: [{ title: "Look" }] };
       phase("Look");
       log("files", args.files);
       console.log("as well");
       return args.files.length;`,
      { args: { files: ["a", "b"] } },
    );
    expect(end).toEqual(returned(2));
    expect(news).toEqual([
      { type: "meta", meta: { name: "all", phases: [{ title: "Look" }] } },
      { type: "phase", title: "Look" },
      { type: "log", text: 'files ["a","b"]' },
      { type: "log", text: "as well" },
    ]);
  });

  test("gets data that fits a schema", async () => {
    const world = supervised("worker threads", () => ({ text: '{"n":3}' }));
    const schema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
    const source = `return (await agent("count", { schema: ${JSON.stringify(schema)} })).n + 1;`;
    expect(await world.supervisor.runScript({ source, name: "count.js" })).toEqual(returned(4));
  });

  test("gets null for an agent that has failed, and the reason is a line", async () => {
    const world = supervised("worker threads", () => ({
      failure: { kind: "invalid_request", message: "no such model" },
    }));
    const logs: string[] = [];
    const end = await world.supervisor.runScript({
      source: 'return [await agent("a", { label: "the first" })];',
      ...{ name: "fails.js", onNews: (one: ScriptNews) => void (one.type === "log" && logs.push(one.text)) },
    });
    expect(end).toEqual(returned([null]));
    expect(logs).toEqual([expect.stringMatching(/^the first: failed: .*no such model/)]);
    // The script has dealt with that, so the session is listed as done.
    await world.supervisor.close();
    const journal = await readJournal(journalFile(world.supervisor.folder));
    const records = journal.type === "read" ? journal.records : [];
    expect(records.at(-1)?.event).toMatchObject({ type: "end", status: "done", agents: 1 });
  });

  const badScript = async (_: string, source: string, reason: RegExp) => {
    const { end, supervisor } = await run(source);
    expect(end).toEqual({ type: "failed", reason: expect.stringMatching(reason) });
    expect(supervisor.tree().every(({ state }) => state === "ended")).toBe(true);
  };

  test.each([
    ["a loop without an end", "for (;;) {}", /computed for 10 s/],
    ["more memory than there is", "const a = []; for (;;) a.push(new Array(1e5).fill(1.5));", /memory/],
  ])("that is %s ends with a reason, and no agent is left", { tags: ["long"] }, badScript);

  test.each([
    ["endless recursion", "const f = () => f() + 1; return f();", /line 1: .*(stack|recursion)/i],
    ["an error of its own", 'await agent("a");\nnull.x;', /^work.ts, line 2: TypeError/],
    ["a function for a result", "return () => 1;", /returns data, not a function/],
    ["a big number for a result", "return 1n;", /BigInt/i],
    ["an import", 'import fs from "node:fs";', /imports something/],
    ["an export", "export default 1;", /exports something/],
    ["an import while it runs", 'return await import("node:fs");', /could not load module/],
    ["a text that is no program", "return return;", /^work\.ts cannot be read|SyntaxError/],
    [
      "an option that does not exist",
      'await agent("a", { lable: "x" });',
      /no option lable; did you mean label\?/,
    ],
    ["an empty prompt", "await agent(' ');", /needs a prompt/],
    ["a type that does not exist", 'await agent("a", { agentType: "nobody" });', /nobody/],
  ])("that is %s ends with a reason, and no agent is left", badScript);

  test("that is stuck in one operation is ended from outside", {
    tags: ["long"],
    timeout: 120_000,
  }, async () => {
    const { end } = await run("return Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1);");
    expect(end).toEqual({
      type: "failed",
      reason: "it computes without an end",
    });
  });

  test("makes a thousand calls at most", async () => {
    const { end, logs } = await run(`
      const got = await parallel(Array.from({ length: 1005 }, (_, n) => () => (n < 1003 ? Promise.reject(new Error("no")) : agent("a"))));
      return got.length;`);
    expect(end).toEqual(returned(1005));
    expect(logs).toHaveLength(1003);
  });

  test("that starts 10,000 calls gets a thousand of them", { tags: ["long"], timeout: 120_000 }, async () => {
    let started = 0;
    const end = await runScript(
      {
        source: `
          const got = await parallel(Array.from({ length: 10_000 }, (_, n) => () => agent("task " + n)));
          return got.filter(Boolean).length;`,
        name: "w.js",
      },
      {
        ...{ folder: temporaryFolder(), run: null, clock: systemClock, budgetTokens: null },
        definition: (name) => ({ name, description: "", prompt: "", tools: "all" }) as never,
        async runCall() {
          started += 1;
          const summary = {
            status: "done" as const,
            text: "did",
            turns: 1,
            usage: noUsage,
            receipts: noReceipts,
          };
          return { summary, description: "task", stopped: null };
        },
      },
    );
    expect(started).toBe(1_000);
    // A busy machine may need longer for the other 9,000 than a script may compute.
    const late = { type: "failed", reason: expect.stringMatching(/computed for 10 s/) };
    expect([returned(1_000), late]).toContainEqual(end);
  });

  test("prints and returns no secret", async () => {
    const key = "sk-ant-api03-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    const { end, logs } = await run(`log("key", "${key}"); return { key: ["${key}"] };`);
    expect(logs).toEqual([expect.stringMatching(/^key \[redacted/)]);
    expect(end).toEqual(returned({ key: [expect.stringMatching(/^\[redacted/)] }));
    const thrown = await run(`throw new Error("${key}");`);
    expect(JSON.stringify(thrown.end)).not.toContain(key);
  });

  test("can reach no part of the program, however it tries", async () => {
    const { end } = await run(`
      const seen = [];
      const look = (name, f) => { try { const got = f(); if (got !== undefined) seen.push(name + " " + typeof got); } catch {} };
      for (const name of ["process", "require", "module", "global", "fetch", "setTimeout", "Deno", "Bun", "WebAssembly", "std", "os", "scriptArgs", "__filename"])
        look(name, () => globalThis[name]);
      look("constructor", () => log.constructor("return process")());
      await agent.constructor("return process")().then((got) => seen.push(got), () => {});
      look("this", () => (function () { return this; }).call(undefined)?.process);
      look("error", () => { try { agent.caller; } catch (e) { return e.constructor.constructor("return globalThis.process")(); } });
      Promise.prototype.then.call(agent("a"), function (f) { look("then", () => f.constructor("return globalThis.process")()); });
      await agent("b");
      look("prepare", () => { Error.prepareStackTrace = (_, sites) => sites; return new Error("x").stack?.[0]?.getThis?.()?.process; });
      return seen;`);
    expect(end).toEqual(returned([]));
  });

  test("has the same time and the same random numbers whenever it runs in its session", async () => {
    const source = `
      const numbers = [Math.random(), Math.random()];
      await agent("a");
      return [...numbers, Math.random(), Date.now(), new Date().toISOString(), typeof Date(), new Date(0).getTime()];`;
    const { end, supervisor } = await run(source);
    expect(end).toEqual(await supervisor.runScript({ source, name: "work.ts" }));
    expect(end).not.toEqual((await run(source)).end);
  });
});

describe("a call that has finished is not made again in its session", () => {
  test("whatever is edited around it; one that has changed is made", async () => {
    const { supervisor, prompts } = await run(
      'return [await agent("a"), await agent("b"), await agent("a")];',
    );
    expect(prompts).toEqual(["a", "b", "a"]);
    const end = await supervisor.runScript({
      source:
        'phase("new"); const c = await agent("c"); return [c, await agent("b", { label: "B" }), await agent("a")];',
      name: "work.ts",
    });
    expect(end).toEqual(returned(["did c", "did b", "did a"]));
    expect(prompts).toEqual(["a", "b", "a", "c"]);
  });

  test("unless it is forced to, and then not again without a further order", async () => {
    const source = 'return [await agent("a", { label: "first" }), await agent("b")];';
    const { supervisor, prompts } = await run(source);
    await supervisor.runScript({ source, name: "work.ts", force: ["first"] });
    expect(prompts).toEqual(["a", "b", "a"]);
    await supervisor.runScript({ source, name: "work.ts" });
    expect(prompts).toEqual(["a", "b", "a"]);
  });

  test("a forced call has another result, and what depends on it runs, too; nothing else does", async () => {
    const prompts: string[] = [];
    const { supervisor } = supervised("worker threads", (request) => {
      prompts.push(promptOf(request));
      return { text: `answer ${prompts.length}` };
    });
    const source = `
      const first = await agent("a", { label: "first" });
      return [await agent("after " + first), await agent("alone")];`;
    await supervisor.runScript({ source, name: "w.js" });
    expect(await supervisor.runScript({ source, name: "w.js", force: ["first"] })).toEqual(
      returned(["answer 5", "answer 3"]),
    );
    expect(prompts).toEqual(["a", "after answer 1", "alone", "a", "after answer 4"]);
  });

  test("one that failed is made again, and its siblings are not", async () => {
    let fails = true;
    const prompts: string[] = [];
    const { supervisor } = supervised("worker threads", (request) => {
      prompts.push(promptOf(request));
      return promptOf(request) === "b" && fails
        ? { failure: { kind: "invalid_request", message: "not now" } }
        : { text: `did ${promptOf(request)}` };
    });
    const source = 'return parallel(["a", "b", "c"].map((p) => () => agent(p)));';
    expect(await supervisor.runScript({ source, name: "w.js" })).toEqual(returned(["did a", null, "did c"]));
    fails = false;
    expect(await supervisor.runScript({ source, name: "w.js" })).toEqual(
      returned(["did a", "did b", "did c"]),
    );
    expect(prompts.toSorted()).toEqual(["a", "b", "b", "c"]);
  });

  test("one whose work was rejected stays rejected, unless it is forced", async () => {
    const prompts: string[] = [];
    const { supervisor } = supervised(
      "worker threads",
      (request) => {
        prompts.push(promptOf(request));
        return { text: `did ${promptOf(request)}` };
      },
      { permissionMode: "bypassPermissions" },
    );
    const source = `return agent("a", { label: "first", accept: { files: ["none.txt"] } });`;
    const run = async (force: string[] = []) => {
      const logs: string[] = [];
      const onNews = (one: ScriptNews) => void (one.type === "log" && logs.push(one.text));
      const before = prompts.length;
      expect(await supervisor.runScript({ source, name: "w.js", force, onNews })).toEqual(returned(null));
      return { requests: prompts.length - before, logs };
    };
    const rejected = [
      expect.stringContaining("first: failed: Its work was rejected. none.txt does not exist."),
    ];
    expect(await run()).toEqual({ requests: 3, logs: rejected });
    expect(await run()).toEqual({ requests: 0, logs: rejected });
    expect(await run(["first"])).toEqual({ requests: 3, logs: rejected });
  });

  test("three in a row that fail for one reason are a brake: nothing more starts, and what runs is cancelled", async () => {
    let asked = 0;
    const { supervisor } = supervised("worker threads", (request) => {
      if (promptOf(request) === "slow") return new Promise<never>(() => {});
      asked += 1;
      return { failure: { kind: "spend_limit", message: `The limit is reached (try ${asked}).` } };
    });
    const logs: string[] = [];
    const end = await supervisor.runScript({
      source: `
        const slow = agent("slow");
        for (let n = 0; n < 50; n++) await agent("task " + n, { label: "task " + n });
        return slow;`,
      ...{ name: "w.js", onNews: (one: ScriptNews) => void (one.type === "log" && logs.push(one.text)) },
    });
    expect(end).toEqual({
      type: "failed",
      reason: expect.stringMatching(/^3 agents in a row failed for the same reason, .* The limit is reached/),
    });
    expect(asked).toBe(3);
    await supervisor.close();
    expect(supervisor.tree().map(({ summary }) => summary?.status)).toEqual([
      ...["cancelled", "failed", "failed", "failed", "cancelled"],
    ]);
  });

  test("two scripts at a time are refused, and a stopped one ends its agents", async () => {
    const stop = new AbortController();
    const { supervisor, model } = supervised("worker threads", () => new Promise<never>(() => {}));
    const first = supervisor.runScript({ source: 'return agent("a");', name: "w.js", signal: stop.signal });
    await expect(supervisor.runScript({ source: "", name: "v.js" })).rejects.toThrow("runs a script already");
    while (model.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
    stop.abort();
    expect(await first).toEqual({ type: "failed", reason: expect.stringMatching(/cancelled/) });
    await supervisor.close();
    expect(supervisor.tree().map(({ summary }) => summary?.status)).toEqual(["cancelled"]);
  });
});
