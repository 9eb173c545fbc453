import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import {
  type CallToolResult,
  CallToolResultSchema,
  type ElicitRequest,
  ElicitRequestSchema,
  type ElicitResult,
  ListRootsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, onTestFinished, test } from "vitest";
import { put } from "../settings/folders.ts";
import { repositoryWith } from "../support/git-repository.ts";
import { processesWith } from "../support/left-behind.ts";
import {
  apiError,
  type Handler,
  type MessagesServer,
  type RecordedRequest,
  type ServedReply,
  startMessagesServer,
} from "../support/messages-server.ts";
import { temporaryFolder } from "../support/temporary.ts";

const BIN = join(import.meta.dirname, "../../bin/troupe.js");

interface Place {
  readonly cwd: string;
  readonly home: string;
}

function placed(): Place {
  const base = temporaryFolder("troupe-serve-");
  const place = { cwd: join(base, "project"), home: join(base, "home") };
  for (const folder of Object.values(place)) mkdirSync(folder);
  return place;
}

async function model(handler: Handler): Promise<MessagesServer> {
  const messages = await startMessagesServer(handler);
  onTestFinished(() => messages.close());
  return messages;
}

function environment({ home }: Place, messages: MessagesServer): Record<string, string> {
  const { PATH = "", NODE_COMPILE_CACHE = "" } = process.env;
  return {
    ...{ PATH, NODE_COMPILE_CACHE, HOME: home },
    ...{ ANTHROPIC_BASE_URL: messages.url, ANTHROPIC_API_KEY: "sk-test-secret" },
    // What root may use without questions, it may use in a container only.
    IS_SANDBOX: "1",
  };
}

interface Connected {
  readonly client: Client;
  readonly pid: number;
  /** Resolves when the program has ended. */
  readonly gone: Promise<void>;
  call(name: string, args?: Record<string, unknown>, signal?: AbortSignal): Promise<CallToolResult>;
  /** What the program has written for people so far. */
  words(): string;
}

/** The person behind the client, where there is one to ask. */
type Person = (question: ElicitRequest["params"]) => ElicitResult;

/** The real program, and the SDK's own client over its pipes. */
async function connected(
  place: Place,
  messages: MessagesServer,
  flags: readonly string[] = [],
  person?: Person,
  roots?: readonly string[],
): Promise<Connected> {
  const transport = new StdioClientTransport({
    ...{ command: process.execPath, args: [BIN, "mcp", "serve", ...flags] },
    ...{ cwd: place.cwd, env: environment(place, messages), stderr: "pipe" },
  });
  let words = "";
  transport.stderr?.on("data", (chunk: Buffer) => {
    words += chunk.toString("utf8");
  });
  const client = new Client(
    { name: "a-client", version: "1" },
    {
      capabilities: {
        ...(person ? { elicitation: {} } : {}),
        ...(roots ? { roots: { listChanged: true } } : {}),
      },
    },
  );
  if (roots)
    client.setRequestHandler(ListRootsRequestSchema, () => ({
      roots: roots.map((path) => ({ uri: pathToFileURL(path).href })),
    }));
  if (person) client.setRequestHandler(ElicitRequestSchema, ({ params }) => person(params));
  const gone = new Promise<void>((resolve) => {
    client.onclose = () => resolve();
  });
  // A line on stdout that is no message is one of these.
  client.onerror = (error) => {
    throw error;
  };
  await client.connect(transport);
  onTestFinished(() => client.close());
  const call: Connected["call"] = async (name, args = {}, signal) =>
    CallToolResultSchema.parse(
      await client.callTool({ name, arguments: args }, undefined, signal ? { signal } : {}),
    );
  return { client, pid: transport.pid ?? 0, gone, call, words: () => words };
}

/** What the agent was asked first. */
function promptOf({ body }: RecordedRequest): string {
  return JSON.stringify(body.messages[0]);
}

const lastOf = ({ body }: RecordedRequest): string => JSON.stringify(body.messages.at(-1));
const isFirst = ({ body }: RecordedRequest): boolean => body.messages.length === 1;

/** Answers once so many requests wait. */
function together(count: number, reply: (request: RecordedRequest) => ServedReply): Handler {
  const all = Promise.withResolvers<void>();
  let waiting = 0;
  return async (request) => {
    waiting += 1;
    if (waiting === count) all.resolve();
    await all.promise;
    return reply(request);
  };
}

const agents = (result: CallToolResult) => result.structuredContent?.["agents"];
function idsIn(result: CallToolResult): readonly string[] {
  const shown = agents(result);
  return Array.isArray(shown) ? shown.map(({ agent_id }) => String(agent_id)) : [];
}
const textOf = (result: CallToolResult) => JSON.stringify(result.content);
const stalls: ServedReply = { text: "I have begun", upTo: "begun", ending: "pings" };
const bash = (command: string): ServedReply => ({ calls: [{ name: "Bash", input: { command } }] });

describe("agents for another program, over MCP (A17.1)", { timeout: 60_000 }, () => {
  test("one program, one client: an agent, several, a cancelled call, one in the background", {
    tags: ["long"],
  }, async () => {
    const place = placed();
    put(join(place.cwd, "CLAUDE.md"), "The harbour is at the end of the street.");
    put(
      join(place.cwd, ".claude/agents/pilot.md"),
      "---\nname: pilot\ndescription: Brings ships in.\ntools: Read\n---\nYou bring ships in.",
    );
    put(join(place.cwd, "ship.txt"), "a ship");
    let answer: Handler = () => ({ text: "Nothing." });
    const messages = await model((request) => answer(request));
    const { client, call } = await connected(place, messages);

    // Nothing is opened for those who only look.
    expect(textOf(await call("list_agent_types"))).toContain("Brings ships in.");
    expect(existsSync(join(place.home, ".troupe/sessions"))).toBe(false);

    // An agent sees the directory's memory and definitions, tells its progress, and reports once.
    answer = (request) =>
      isFirst(request)
        ? { calls: [{ name: "Read", input: { file_path: join(place.cwd, "ship.txt") } }] }
        : { text: `It says: ${lastOf(request).includes("a ship") ? "a ship" : "nothing"}.` };
    const progress: number[] = [];
    const wanted = { name: "spawn_agent", arguments: { prompt: "which ship?", agent_type: "pilot" } };
    const one = await client.callTool(wanted, CallToolResultSchema, {
      onprogress: ({ progress: count }) => progress.push(count),
    });
    expect(agents(CallToolResultSchema.parse(one))).toMatchObject([
      { agent_type: "pilot", status: "done", report: "It says: a ship.", turns: 2 },
    ]);
    expect(progress.length).toBeGreaterThan(0);
    expect(progress).toEqual(progress.map((_, index) => index + 1));
    expect(messages.requests[0]?.rawBody).toContain("The harbour is at the end of the street.");
    expect(messages.requests[0]?.rawBody).toContain("You bring ships in.");
    expect(messages.requests[0]?.body.tools?.map(({ name }) => name)).toEqual(["Read"]);

    // Two calls at once, five agents side by side: none is answered before all have asked. One of them fails.
    answer = together(5, (request) =>
      promptOf(request).includes("third")
        ? apiError(400, "invalid_request_error", "no thirds")
        : { text: `On ${/first|second|fourth|fifth/.exec(promptOf(request))?.[0]}.` },
    );
    const [many, other] = await Promise.all([
      call("fan_out", { prompts: ["first", "second", "third", "fourth"] }),
      call("spawn_agent", { prompt: "fifth" }),
    ]);
    expect(many.isError).toBeUndefined();
    expect(agents(many)).toMatchObject([
      { status: "done", report: "On first." },
      { status: "done", report: "On second." },
      { status: "failed", reason: expect.stringContaining("no thirds") },
      { status: "done", report: "On fourth." },
    ]);
    expect(agents(other)).toMatchObject([{ status: "done", report: "On fifth." }]);

    // A call that is taken back stops its agents, and each still has one summary.
    const looks = { text: "I look first.", calls: [{ name: "Glob", input: { pattern: "*" } }] };
    answer = (request) => (isFirst(request) ? looks : stalls);
    const before = messages.requests.length;
    const taken = new AbortController();
    const result = call("fan_out", { prompts: ["one", "two"] }, taken.signal);
    await messages.request(before + 3);
    const open = messages.requests.slice(before).filter((request) => !isFirst(request));
    const both = Promise.all(open.map(({ ended }) => ended));
    taken.abort(new Error("never mind"));
    await expect(result).rejects.toThrow("never mind");
    expect(await both).toEqual(["broken", "broken"]);
    const ids = idsIn(await call("list_agents")).slice(-2);
    expect(agents(await call("agent_result", { agent_ids: ids }))).toMatchObject([
      { description: "one", status: "cancelled", report: "I look first." },
      { description: "two", status: "cancelled", report: "I look first." },
    ]);

    // One in the background has its report later, and goes on with what it is told.
    answer = (request) => ({ text: lastOf(request).includes("deeper") ? "Deeper." : "At the top." });
    const [id = ""] = idsIn(await call("spawn_agent", { prompt: "dive", background: true }));
    expect(agents(await call("agent_result", { agent_ids: [id] }))).toMatchObject([
      { report: "At the top." },
    ]);
    const deeper = await call("continue_agent", { agent_id: id, message: "deeper" });
    expect(agents(deeper)).toMatchObject([{ agent_id: id, report: "Deeper.", turns: 2 }]);
    expect(messages.requests.at(-1)?.rawBody).toContain("At the top.");
  });

  test("edits in agents' worktrees are merged into the checkout (A11.6)", { tags: ["long"] }, async () => {
    const repository = await repositoryWith({ "a.txt": "a\n" });
    const place = { cwd: repository.folder, home: placed().home };
    const messages = await model((request) => {
      const name = promptOf(request).includes("starboard") ? "starboard" : "larboard";
      return isFirst(request) ? bash(`echo ${name} > ${name}.txt`) : { text: "Written." };
    });
    const { call } = await connected(place, messages, ["--permission-mode", "bypassPermissions"]);
    const result = await call("fan_out", { prompts: ["starboard", "larboard"], isolation: "worktree" });
    const merged = { outcome: "merged", files: 1, words: expect.stringContaining("troupe undo") };
    expect(agents(result)).toMatchObject([
      { agent_type: "general-purpose", status: "done", edits: merged },
      { agent_type: "general-purpose", status: "done", edits: merged },
    ]);
    for (const name of ["starboard", "larboard"])
      expect(readFileSync(join(place.cwd, `${name}.txt`), "utf8")).toBe(`${name}\n`);
  });
});

describe("the program that starts the server decides what agents may do", { timeout: 60_000 }, () => {
  /** Touches the file that the prompt names. */
  const touches: Handler = (request) => {
    const [command = ""] = /touch \w+/.exec(promptOf(request)) ?? [];
    return isFirst(request) ? bash(command) : { text: "I tried." };
  };
  const touch = (name: string) => ({ prompt: `touch ${name}`, agent_type: "general-purpose" });

  test("flags allow; without a user to ask, the rest is denied with a reason; no server serves below one (A6.10)", {
    tags: ["long"],
  }, async () => {
    const place = placed();
    const messages = await model(touches);
    const itself = { again: { command: process.execPath, args: [BIN, "mcp", "serve", "--offline"] } };
    const { call } = await connected(place, messages, [
      ...["--allowed-tools", "Bash(touch allowed)"],
      ...["--mcp-config", JSON.stringify({ mcpServers: itself })],
    ]);
    const allowed = await call("spawn_agent", touch("allowed"));
    expect(agents(allowed)).not.toHaveProperty("0.not_allowed");
    const result = await call("spawn_agent", touch("refused"));
    expect(agents(result)).toMatchObject([{ status: "done", not_allowed: ["Bash"] }]);
    expect(textOf(result)).toContain("Calls of Bash were not allowed");
    expect(lastOf(await messages.request(3))).toContain("No user can be asked");
    expect([existsSync(join(place.cwd, "allowed")), existsSync(join(place.cwd, "refused"))]).toEqual([
      true,
      false,
    ]);
    const tools = messages.requests[0]?.body.tools?.map(({ name }) => name) ?? [];
    expect(tools).toContain("Agent");
    expect(tools.filter((name) => name.startsWith("mcp__"))).toEqual([]);
  });

  test("a client that can ask its person is asked: for the session, once; and a no is heard", {
    tags: ["long"],
  }, async () => {
    const place = placed();
    const messages = await model(touches);
    const asked: string[] = [];
    const person: Person = ({ message }) => {
      asked.push(message);
      const content = message.includes("liked")
        ? { allow: "session" }
        : { allow: "no", message: "use a form" };
      return { action: "accept", content };
    };
    const { call } = await connected(place, messages, [], person);
    for (const _ of [1, 2])
      expect(agents(await call("spawn_agent", touch("liked")))).not.toHaveProperty("0.not_allowed");
    expect(agents(await call("spawn_agent", touch("hated")))).toMatchObject([{ not_allowed: ["Bash"] }]);
    expect(asked).toEqual([
      expect.stringMatching(
        /^An agent wants to use Bash: touch liked\nWhy this is asked: .*\nDanger: execute: it runs programs\nFrom: .*touch liked/,
      ),
      expect.stringContaining("touch hated"),
    ]);
    expect(lastOf(await messages.request(5))).toContain("use a form");
    expect([existsSync(join(place.cwd, "liked")), existsSync(join(place.cwd, "hated"))]).toEqual([
      true,
      false,
    ]);
  });
});

describe("when it is over, nothing is left", { timeout: 60_000 }, () => {
  const works: Handler = (request) =>
    isFirst(request) && promptOf(request).includes("command") ? bash("sleep 600") : stalls;
  const open = ["--permission-mode", "bypassPermissions"];
  const expectNobodyLeft = ({ home }: Place) => expect.poll(() => processesWith(`HOME=${home}`)).toEqual([]);
  const background = {
    prompts: ["a command", "a question"],
    agent_type: "general-purpose",
    background: true,
  };

  test("a client that closes its end (fault 63)", { tags: ["long"] }, async () => {
    const place = placed();
    const messages = await model(works);
    const { client, call, gone, words } = await connected(place, messages, open);
    await call("fan_out", background);
    await messages.request(1);
    await client.close();
    await gone;
    await expectNobodyLeft(place);
    expect(words()).toMatch(/2 agents were still at work; troupe --resume \w+ resumes it\./);
  });

  test("SIGTERM and SIGINT", { tags: ["long"] }, async () => {
    const place = placed();
    const messages = await model(works);
    const programs = [started(place, messages, open), started(place, messages, open)];
    for (const { child } of programs)
      child.stdin?.write(initialize + request(2, "tools/call", { name: "fan_out", arguments: background }));
    await messages.request(3);
    for (const [index, signal] of (["SIGTERM", "SIGINT"] as const).entries())
      programs[index]?.child.kill(signal);
    expect(await Promise.all(programs.map(({ ended }) => ended))).toEqual([143, 130]);
    await expectNobodyLeft(place);
    for (const { err } of programs) expect(await err).toContain("Stopping");
  });

  test("stdout has nothing but the protocol, whatever comes in", { tags: ["long"] }, async () => {
    const { child, ended, out, err } = started(placed(), await model(() => ({ text: "Done." })));
    child.stdin?.write(`hello?\n${initialize}{"id":9}\n${request(2, "tools/nothing")}${request(3, "ping")}`);
    child.stdin?.end("{");
    expect(await ended).toBe(0);
    const lines = (await out).trimEnd().split("\n");
    const ids = lines.map((line) => JSON.parse(line)).map(({ jsonrpc, id }) => `${jsonrpc} ${id}`);
    expect(ids.sort()).toEqual(["2.0 1", "2.0 2", "2.0 3"]);
    expect(await err).toContain("The connection to the client: Unexpected token");
  });
});

const request = (id: number, method: string, params: object = {}): string =>
  `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;
const initialize = request(1, "initialize", {
  ...{ protocolVersion: "2025-06-18", capabilities: {} },
  clientInfo: { name: "by hand", version: "1" },
});

/** The program with nothing but its pipes. */
function started(place: Place, messages: MessagesServer, flags: readonly string[] = []) {
  const child: ChildProcess = spawn(process.execPath, [BIN, "mcp", "serve", ...flags], {
    ...{ cwd: place.cwd, env: environment(place, messages), stdio: "pipe" },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const { stdout, stderr } = child;
  if (!stdout || !stderr) throw new Error("the program was started without pipes");
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  return { child, ended, out: text(stdout), err: text(stderr) };
}

test("roots that a client opens and closes count from the next call on, for an agent at work too (issue 20, 11)", {
  tags: ["long"],
  timeout: 60_000,
}, async () => {
  const place = placed();
  const [first, second] = [temporaryFolder(), temporaryFolder()];
  for (const dir of [first, second]) put(join(dir, "a.txt"), "text of it\n");
  const changed = Promise.withResolvers<void>();
  const read = (dir: string) => ({ name: "Read", input: { file_path: join(dir, "a.txt") } });
  const both: ServedReply = { calls: [read(first), read(second)] };
  const results: string[] = [];
  const messages = await model(async (request) => {
    if (isFirst(request)) return both;
    results.push(lastOf(request));
    if (results.length > 1) return { text: "I have read both." };
    await changed.promise;
    return both;
  });
  const roots = [first];
  const { client, call, words } = await connected(place, messages, [], undefined, roots);
  const ended = call("spawn_agent", { prompt: "read both" });
  await expect.poll(() => results.length).toBe(1);
  roots.splice(0, 1, second);
  await client.sendRootsListChanged();
  await expect.poll(words).toContain(`The client closed ${first}`);
  changed.resolve();
  expect((await ended).isError).toBeUndefined();
  const shown = results.map((result) => result.match(/text of it|permission/g));
  expect(shown).toEqual([
    ["text of it", "permission"],
    ["permission", "text of it"],
  ]);
});
