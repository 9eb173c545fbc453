import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { DIST } from "../support/built.ts";
import { troupe } from "../support/cli-process.ts";
import { isLong, long } from "../support/long.ts";
import {
  type Handler,
  type RecordedRequest,
  type ServedReply,
  startMessagesServer,
  toolLoop,
} from "../support/messages-server.ts";
import { temporaryFolder } from "../support/temporary.ts";

const TURNS = long(50, 15);

/** These run the program as it is shipped: bundled entries, real threads, real HTTP, real ripgrep. */
beforeAll(() => {
  expect(readdirSync(DIST), "run `npm run build` first").toContain("cli.cjs");
});

async function serverOf(handler: Handler) {
  const server = await startMessagesServer(handler);
  onTestFinished(() => server.close());
  return server;
}

/** What was asked, without what the runtime attaches to it. */
function firstText({ body }: RecordedRequest): string {
  const content = body.messages[0]?.content ?? "";
  const texts = typeof content === "string" ? [content] : content.map((block) => String(block["text"] ?? ""));
  return texts.filter((text) => !text.startsWith("<system-reminder>")).join("");
}

/** Answers like an echo. */
const echo: Handler = (request) => ({ text: `echo: ${firstText(request)}` });

/** The main conversation asks for `count` Explore agents at once; each of them echoes. */
function fanOut(
  count: number,
  agent: (request: RecordedRequest) => ServedReply | Promise<ServedReply>,
): Handler {
  return (request) => {
    if (!firstText(request).startsWith("fan out")) return agent(request);
    if (request.body.messages.length > 1) return { text: "all in" };
    const calls = Array.from({ length: count }, (_, n) => ({
      name: "Agent",
      input: { description: "one of many", prompt: `question ${n}`, subagent_type: "Explore" },
    }));
    return { text: "I ask around.", calls };
  };
}

describe("troupe -p", () => {
  test("prints the answer and nothing else, exit 0", { tags: ["long"] }, async () => {
    const { url } = await serverOf(echo);
    expect(await troupe(["-p", "hello"], { url })).toMatchObject({ code: 0, out: "echo: hello\n", err: "" });
  });

  test("sends the request the Messages API documents (A1.4, A1.5, A1.17)", { tags: ["long"] }, async () => {
    const server = await serverOf(echo);
    await troupe(["-p", "hello", "--model", "haiku"], { url: server.url });
    const { method, path, body } = await server.request(0);
    expect([method, path.split("?")[0]]).toEqual(["POST", "/v1/messages"]);
    expect(body).toMatchObject({ max_tokens: 128_000, stream: true, messages: [{ role: "user" }] });
    expect(body.model).toMatch(/^claude-haiku/);
    for (const block of body.system ?? [])
      expect(block).toMatchObject({ type: "text", text: expect.any(String) });
    const offered = body.tools?.map(({ name }) => name);
    expect(offered).toEqual(
      // What writes or runs is offered in every mode: the gate decides call by call.
      expect.arrayContaining(["Read", "Glob", "Grep", "TodoWrite", "Agent", "TaskCreate", "Bash", "Write"]),
    );
    for (const tool of body.tools ?? []) {
      expect(Object.keys(tool).sort()).toEqual(["description", "input_schema", "name"]);
      expect(tool).toHaveProperty("input_schema.type", "object");
    }
    expect(body).not.toHaveProperty("thinking");
  });

  test(`runs a loop of ${TURNS} tool turns`, { tags: ["long"] }, async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "note.txt"), "a line\n");
    const { url } = await serverOf(
      toolLoop(TURNS, (n) => ({ name: "Read", input: { file_path: join(cwd, "note.txt"), limit: n + 1 } })),
    );
    const ended = await troupe(["-p", "read it often", "--output-format", "json"], { url, cwd });
    expect(ended.code).toBe(0);
    expect(ended.json()).toMatchObject({ subtype: "success", num_turns: TURNS + 1, is_error: false });
  });

  test.each(isLong ? [1, 8, 32, 100] : [32])(
    "a fan-out of %i: every summary, in the order of the calls, exit 0",
    { tags: ["long"], timeout: 60_000 },
    async (count) => {
      const server = await serverOf(fanOut(count, echo));
      const ended = await troupe(["-p", "fan out", "--output-format", "json"], { url: server.url });
      expect(ended.code).toBe(0);
      const { agents, result } = ended.json() as {
        agents: { status: string; summary: string }[];
        result: string;
      };
      expect(result).toBe("all in");
      const answers = Array.from({ length: count }, (_, n) => `echo: question ${n}`);
      expect(agents.map(({ summary }) => summary)).toEqual(answers);
      expect(agents.every(({ status }) => status === "done")).toBe(true);
      const last = server.requests
        .findLast((request) => firstText(request).startsWith("fan out"))
        ?.body.messages.at(-1);
      expect(JSON.stringify(last).match(/echo: question \d+/g)).toEqual(answers);
    },
  );

  test("a failed agent among others is listed, and does not change the exit code of a conversation that went on", {
    tags: ["long"],
  }, async () => {
    const { url } = await serverOf(
      fanOut(3, (request) =>
        firstText(request) === "question 1"
          ? { status: 400, body: '{"type":"error","error":{"type":"invalid_request_error","message":"no"}}' }
          : echo(request),
      ),
    );
    const ended = await troupe(["-p", "fan out", "--output-format", "json"], { url });
    expect(ended.code).toBe(0);
    expect(ended.json()).toMatchObject({
      agents: [{ status: "done" }, { status: "failed" }, { status: "done" }],
    });
  });

  test.each([
    ["the one of its beginning", ["--model", "haiku"], [], "claude-haiku-5-5"],
    ["the one that is named now", ["--model", "haiku"], ["--model", "opus"], "claude-opus-5-5"],
    ["a real one, after it began offline", ["--offline"], [], "claude-sonnet-5-5"],
  ])("resumed, it asks this model: %s", { tags: ["long"] }, async (_, first, then, model) => {
    const server = await serverOf(echo);
    const where = { home: temporaryFolder("troupe-home-"), cwd: temporaryFolder(), url: server.url };
    expect(await troupe(["-p", ...first, "hello"], where)).toMatchObject({ code: 0 });
    expect(await troupe(["-p", "--continue", ...then, "again"], where)).toMatchObject({ code: 0 });
    expect(server.requests.at(-1)?.body.model).toBe(model);
  });

  test("a conversation that changed its model keeps the new one, and each turn has the price of its own model", {
    tags: ["long"],
  }, async () => {
    const server = await serverOf(echo);
    const where = { home: temporaryFolder("troupe-home-"), cwd: temporaryFolder(), url: server.url };
    const cost = async (...args: readonly string[]) =>
      Number(
        JSON.parse((await troupe(["-p", "--output-format", "json", ...args], where)).out).total_cost_usd,
      );
    const first = await cost("--model", "haiku", "hello");
    const both = await cost("--continue", "--model", "opus", "again");
    const all = await cost("--continue", "more");
    const models = server.requests.map(({ body }) => body.model);
    expect(models).toEqual(["claude-haiku-5-5", "claude-opus-5-5", "claude-opus-5-5"]);
    // The server counts the same tokens each time.
    expect(both - first).toBeGreaterThan(2 * first);
    expect(all - both).toBeCloseTo(both - first, 9);
    const listed = JSON.parse((await troupe(["sessions", "list", "--json"], where)).out);
    expect(listed[0].costUsd).toBeCloseTo(all, 6);
  });

  test("takes its prompt from stdin", { tags: ["long"] }, async () => {
    const { url } = await serverOf(echo);
    expect((await troupe(["-p"], { url, stdin: "from a pipe" })).out).toBe("echo: from a pipe\n");
  });

  test("no file is in a request unless a tool put it there (A2.7)", async () => {
    const cwd = temporaryFolder();
    for (const name of ["canary.txt", "src/canary.ts", "README.md"]) {
      mkdirSync(join(cwd, "src"), { recursive: true });
      writeFileSync(join(cwd, name), "CANARY-5519\n");
    }
    const server = await serverOf((request) =>
      request.body.messages.length === 1
        ? { calls: [{ name: "Grep", input: { pattern: "CANARY", output_mode: "files_with_matches" } }] }
        : { text: "found" },
    );
    await troupe(["-p", "look around"], { url: server.url, cwd });
    const [before, after] = server.requests.map(({ rawBody }) => rawBody);
    expect(before).not.toContain("CANARY");
    expect(after).toContain("canary.ts");
    expect(after).not.toContain("CANARY-5519");
  });

  test("reading outside the workspace is refused and listed; --add-dir allows it", {
    tags: ["long"],
  }, async () => {
    const outside = temporaryFolder();
    const file = join(outside, "secret.txt");
    writeFileSync(file, "SECRET-77\n");
    const server = await serverOf((request) =>
      request.body.messages.length === 1
        ? { calls: [{ name: "Read", input: { file_path: file } }] }
        : { text: "ok" },
    );
    const refused = await troupe(["-p", "read it", "--output-format", "json"], { url: server.url });
    expect(refused.json()).toMatchObject({
      permission_denials: [{ tool_name: "Read", tool_input: { file_path: file } }],
    });
    expect(server.requests.at(-1)?.rawBody).not.toContain("SECRET-77");
    await troupe(["-p", "read it", "--add-dir", outside], { url: server.url });
    expect(server.requests.at(-1)?.rawBody).toContain("SECRET-77");
  });

  test("the session is private, holds no key, and can be shown", { tags: ["long"] }, async () => {
    const home = temporaryFolder();
    const { url } = await serverOf(fanOut(2, echo));
    const cwd = temporaryFolder();
    await troupe(["-p", "fan out"], { url, home, cwd });
    const files = execFileSync("find", [join(home, ".troupe"), "-type", "f"], { encoding: "utf8" })
      .trim()
      .split("\n");
    const journal = files.find((path) => path.endsWith("journal.jsonl")) ?? "";
    expect(statSync(journal).mode & 0o777).toBe(0o600);
    for (const path of files) expect(readFileSync(path, "latin1")).not.toContain("sk-test-secret");
    const listed = await troupe(["sessions", "list"], { home, cwd });
    expect(listed.out).toMatch(/2 agents +\$0\.\d+ +fan out/);
    const id = listed.out.split(" ")[0] ?? "";
    const shown = await troupe(["sessions", "show", id], { home, cwd });
    expect(shown.out).toContain("echo: question 1");
  });
});

describe("troupe fanout", () => {
  test("one summary per task, in the order given; tasks may come on stdin", { tags: ["long"] }, async () => {
    const { url } = await serverOf(async (request) => echo(request));
    const ended = await troupe(["fanout", "--json"], { url, stdin: "one\ntwo\n\nthree\n" });
    expect(ended.code).toBe(0);
    expect(ended.json()["results"]).toMatchObject([
      { status: "done", summary: "echo: one" },
      { status: "done", summary: "echo: two" },
      { status: "done", summary: "echo: three" },
    ]);
  });

  test("a task that does not end done makes exit 1, and the others are printed", {
    tags: ["long"],
  }, async () => {
    const { url } = await serverOf((request) =>
      firstText(request) === "bad" ? { status: 400, body: '{"error":{"message":"no"}}' } : echo(request),
    );
    const ended = await troupe(["fanout", "good", "bad"], { url });
    expect(ended.code).toBe(1);
    expect(ended.out).toContain("echo: good");
    expect(ended.out).toMatch(/bad[\s\S]*failed/);
  });
});
