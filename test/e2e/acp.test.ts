// @module-tag long
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import {
  type ClientCapabilities,
  type ContentBlock,
  client,
  type McpServer,
  methods,
  ndJsonStream,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { execa } from "execa";
import { describe, expect, onTestFinished, test } from "vitest";
import { put } from "../settings/folders.ts";
import { BIN } from "../support/built.ts";
import { repositoryWith } from "../support/git-repository.ts";
import { processesWith } from "../support/left-behind.ts";
import { type Handler, type RequestBody, startMessagesServer } from "../support/messages-server.ts";
import { temporaryFolder } from "../support/temporary.ts";

type Outcome = RequestPermissionResponse["outcome"];
const hasResults = ({ messages }: RequestBody) => messages.at(-1)?.role === "user" && messages.length > 1;
const text = (words: string): ContentBlock[] => [{ type: "text", text: words }];
const chosen = (optionId: string): Outcome => ({ outcome: "selected", optionId });
const typeOf = ({ sessionUpdate }: SessionUpdate) => sessionUpdate;

interface Options {
  readonly flags?: readonly string[];
  readonly capabilities?: ClientCapabilities;
  readonly onPermission?: (request: RequestPermissionRequest) => Outcome | Promise<Outcome>;
}

/** The real program as an editor starts it, and the SDK's own client over its pipes. */
async function editor(handler: Handler, options: Options = {}) {
  const { folder: cwd } = await repositoryWith({ "a.txt": "alpha\n" });
  const home = temporaryFolder("troupe-acp-");
  return { cwd, home, ...(await started(cwd, home, handler, options)) };
}

async function started(cwd: string, home: string, handler: Handler, options: Options) {
  const server = await startMessagesServer(handler);
  onTestFinished(() => server.close());
  const { PATH = "", NODE_COMPILE_CACHE = "" } = process.env;
  const child = execa(process.execPath, [BIN, "acp", ...(options.flags ?? [])], {
    cwd: temporaryFolder(),
    env: {
      ...{ PATH, NODE_COMPILE_CACHE, HOME: home },
      ...{ ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: "sk-test-secret" },
    },
    ...{ extendEnv: false, reject: false, stdin: "pipe", buffer: { stdout: false, stderr: true } },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const updates: SessionUpdate[] = [];
  const asked: RequestPermissionRequest[] = [];
  const seen = new Set<() => void>();
  const connection = client({ name: "an-editor" })
    .onNotification(methods.client.session.update, ({ params }) => {
      updates.push(params.update);
      for (const look of seen) look();
    })
    .onRequest(methods.client.session.requestPermission, async ({ params }) => {
      asked.push(params);
      return { outcome: (await options.onPermission?.(params)) ?? { outcome: "cancelled" } };
    })
    .connect(
      ndJsonStream(
        Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
        Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
      ),
    );
  onTestFinished(() => connection.close());
  const { agent } = connection;
  const hello = await agent.request(methods.agent.initialize, {
    ...{ protocolVersion: 1, clientInfo: { name: "an-editor", version: "1" } },
    clientCapabilities: options.capabilities ?? {},
  });
  const open = (where = cwd, mcpServers: McpServer[] = []) =>
    agent.request(methods.agent.session.new, { cwd: where, mcpServers });
  const ask = (sessionId: string, words: string) =>
    agent.request(methods.agent.session.prompt, { sessionId, prompt: text(words) });
  /** Resolves with the first update that is wanted, if it has come or as soon as it comes. */
  const update = (wanted: (one: SessionUpdate) => boolean) =>
    new Promise<SessionUpdate>((resolve) => {
      const look = () => {
        const found = updates.find(wanted);
        if (found !== undefined && seen.delete(look)) resolve(found);
      };
      seen.add(look);
      look();
    });
  return { child, agent, hello, server, updates, asked, open, ask, update };
}

/** A PNG of one pixel. */
const DOT =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const OTHER = Buffer.concat([Buffer.from(DOT, "base64"), Buffer.from([0])]).toString("base64");
const MCP_SERVER = fileURLToPath(new URL("../mcp/servers/good.ts", import.meta.url));

const written = (name: string, cwd: string, content = "x") => ({
  calls: [{ name: "Write", input: { file_path: `${cwd}/${name}`, content } }],
});

describe("troupe acp (issue 21, 11)", () => {
  test("an editor chooses another model, for the next request on", async () => {
    const { agent, open, ask, server } = await editor(() => ({ text: "ok" }), {
      flags: ["--model", "sonnet"],
    });
    const { sessionId, configOptions } = await open();
    expect(configOptions).toMatchObject([
      { id: "model", category: "model", currentValue: "sonnet", options: [{}, { value: "sonnet" }, {}, {}] },
    ]);
    await ask(sessionId, "one");
    const choose = (configId: string, value: string) =>
      agent.request(methods.agent.session.setConfigOption, { sessionId, configId, value });
    expect((await choose("model", "haiku")).configOptions).toMatchObject([{ currentValue: "haiku" }]);
    await expect(choose("model", "no such model")).rejects.toThrow(
      '"no such model" is not the name of a model',
    );
    await expect(choose("mood", "good")).rejects.toThrow('There is no option "mood"; there is model.');
    await ask(sessionId, "two");
    expect(server.requests.map(({ body }) => body.model)).toEqual(["claude-sonnet-5-5", "claude-haiku-5-5"]);
  });

  test.each([
    // It tells the user in thoughts what it does between calls.
    ["sonnet", { said: "Where is it?\n\nI look.There is alpha.", thought: "" }],
    ["haiku", { said: "I look.There is alpha.", thought: "Where is it?" }],
  ])("streams a reply and its calls, and ends with the reason: %s", async (value, expected) => {
    const { cwd, agent, hello, open, ask, updates, update, child } = await editor(({ body }) =>
      hasResults(body)
        ? { text: "There is alpha.", chunks: 3 }
        : {
            thinking: "Where is it?",
            chunks: 2,
            text: "I look.",
            calls: [{ name: "Read", input: { file_path: join(dir(body), "a.txt") } }],
          },
    );
    expect(hello).toMatchObject({
      protocolVersion: 1,
      agentInfo: { name: "troupe" },
      agentCapabilities: { loadSession: true },
    });
    const { sessionId, modes } = await open();
    expect(modes?.currentModeId).toBe("default");
    await agent.request(methods.agent.session.setConfigOption, { sessionId, configId: "model", value });
    expect(await ask(sessionId, `look in ${cwd}`)).toEqual({ stopReason: "end_turn" });
    await update((one) => one.sessionUpdate === "available_commands_update");
    const said = updates.flatMap((one) =>
      one.sessionUpdate === "agent_message_chunk" && one.content.type === "text" ? [one.content.text] : [],
    );
    const thought = updates.flatMap((one) =>
      one.sessionUpdate === "agent_thought_chunk" && one.content.type === "text" ? [one.content.text] : [],
    );
    expect({ said: said.join(""), thought: thought.join("") }).toEqual(expected);
    expect(updates.find((one) => one.sessionUpdate === "tool_call")).toMatchObject({
      ...{ kind: "read", status: "in_progress", title: expect.stringContaining("a.txt") },
      locations: [{ path: `${cwd}/a.txt` }],
    });
    expect(updates.find((one) => one.sessionUpdate === "tool_call_update")).toMatchObject({
      status: "completed",
      content: [{ type: "content", content: { type: "text", text: expect.stringContaining("alpha") } }],
    });
    child.stdin.end();
    expect((await child).exitCode).toBe(0);
  });

  test("asks with a diff, and does what the user chooses", async () => {
    const { cwd, open, ask, asked, updates } = await editor(
      ({ body }) => (hasResults(body) ? { text: "Done." } : written("b.txt", dir(body))),
      { onPermission: () => chosen("once") },
    );
    const { sessionId } = await open();
    await ask(sessionId, `write in ${cwd}`);
    expect(readFileSync(join(cwd, "b.txt"), "utf8")).toBe("x");
    expect(asked).toMatchObject([
      {
        sessionId,
        toolCall: {
          ...{ kind: "edit", status: "pending" },
          content: [
            { type: "diff", path: `${cwd}/b.txt`, newText: "x" },
            { type: "content", content: { text: expect.stringContaining("Why this is asked") } },
          ],
        },
        options: [
          { kind: "allow_once" },
          { kind: "allow_always" },
          { kind: "reject_once" },
          { kind: "reject_always" },
        ],
      },
    ]);
    const id = asked[0]?.toolCall.toolCallId;
    const ofCall = updates.filter((one) => "toolCallId" in one && one.toolCallId === id);
    expect(ofCall.map((one) => ["status" in one && one.status, typeOf(one)])).toEqual([
      ["pending", "tool_call"],
      ["in_progress", "tool_call_update"],
      ["completed", "tool_call_update"],
    ]);
  });

  test("shows what a Write changes in a file that is there, when it asks and when it has written", async () => {
    const { cwd, open, ask, asked, updates } = await editor(
      ({ body }) => {
        const all = JSON.stringify(body.messages);
        if (!all.includes("toolu"))
          return { calls: [{ name: "Read", input: { file_path: join(dir(body), "a.txt") } }] };
        return all.includes("was overwritten")
          ? { text: "Done." }
          : written("a.txt", dir(body), "alpha\nbeta");
      },
      { onPermission: () => chosen("once") },
    );
    const { sessionId } = await open();
    await ask(sessionId, `write in ${cwd}`);
    expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("alpha\nbeta");
    const diff = { type: "diff", path: `${cwd}/a.txt`, oldText: "alpha\n", newText: "alpha\nbeta" };
    expect(asked[0]?.toolCall.content?.[0]).toEqual(diff);
    expect(updates.findLast((one) => one.sessionUpdate === "tool_call_update")).toMatchObject({
      ...{ status: "completed", content: [diff] },
    });
  });

  test.each(["no", "an option that does not exist"])("writes nothing if the answer is %s", async (answer) => {
    const { cwd, open, ask, updates } = await editor(
      ({ body }) => (hasResults(body) ? { text: "Then not." } : written("b.txt", dir(body))),
      { onPermission: () => chosen(answer) },
    );
    const { sessionId } = await open();
    expect(await ask(sessionId, `write in ${cwd}`)).toEqual({ stopReason: "end_turn" });
    expect(existsSync(join(cwd, "b.txt"))).toBe(false);
    expect(updates.findLast((one) => one.sessionUpdate === "tool_call_update")).toMatchObject({
      status: "failed",
    });
  });

  test("ends a prompt that is cancelled while it asks, and takes the next one; a second one at the same time is refused", async () => {
    const never = Promise.withResolvers<Outcome>();
    const { cwd, agent, open, ask, update } = await editor(
      ({ body }) =>
        JSON.stringify(body.messages).includes("once again") ? { text: "Yes?" } : written("b.txt", dir(body)),
      { onPermission: () => never.promise },
    );
    const { sessionId } = await open();
    // Before there is a prompt: nothing happens.
    await agent.notify(methods.agent.session.cancel, { sessionId });
    const first = ask(sessionId, `write in ${cwd}`);
    await update(({ sessionUpdate }) => sessionUpdate === "tool_call");
    await expect(ask(sessionId, "at the same time")).rejects.toThrow("still works on the last prompt");
    await agent.notify(methods.agent.session.cancel, { sessionId });
    expect(await first).toEqual({ stopReason: "cancelled" });
    never.resolve({ outcome: "cancelled" });
    await agent.notify(methods.agent.session.cancel, { sessionId });
    expect(await ask(sessionId, "once again")).toEqual({ stopReason: "end_turn" });
    expect(existsSync(join(cwd, "b.txt"))).toBe(false);
  });

  test("ends a /compact that is cancelled, though the model never answers it", async () => {
    const held = Promise.withResolvers<void>();
    onTestFinished(() => held.resolve());
    const { agent, open, ask, server } = await editor(({ n }) =>
      n < 3
        ? { text: `Reply ${n}. ${"word ".repeat(4_000)}` }
        : { text: "never", chunks: 2, held: { after: "ne", until: held.promise } },
    );
    const { sessionId } = await open();
    for (const words of ["one", "two", "three"]) await ask(sessionId, words);
    const compacting = ask(sessionId, "/compact");
    await server.request(3);
    await agent.notify(methods.agent.session.cancel, { sessionId });
    expect(await compacting).toEqual({ stopReason: "cancelled" });
  });

  test("shows a todo list and the shared tasks as the plan, and the calls of an agent as its own", async () => {
    const todo = (status: string) => ({ content: "Look", status, activeForm: "Looking" });
    const { open, ask, updates } = await editor(({ body }) => {
      const all = JSON.stringify(body.messages);
      if (all.includes("look at a"))
        return hasResults(body)
          ? { text: "Seen." }
          : { calls: [{ name: "Glob", input: { pattern: "*.txt" } }] };
      return hasResults(body)
        ? { text: "Done." }
        : {
            calls: [
              { name: "TodoWrite", input: { todos: [todo("in_progress")] } },
              { name: "TaskCreate", input: { subject: "Test", description: "all of it" } },
              { name: "TaskUpdate", input: { taskId: "1", status: "completed" } },
              { name: "Agent", input: { subagent_type: "Explore", description: "d", prompt: "look at a" } },
            ],
          };
    });
    const { sessionId } = await open();
    await ask(sessionId, "start");
    const look = { content: "Look", status: "in_progress", priority: "medium" };
    const check = (status: string) => ({ content: "Test", status, priority: "medium" });
    expect(updates.filter(({ sessionUpdate }) => sessionUpdate === "plan")).toEqual([
      { sessionUpdate: "plan", entries: [look] },
      { sessionUpdate: "plan", entries: [look, check("pending")] },
      { sessionUpdate: "plan", entries: [look, check("completed")] },
    ]);
    const calls = updates
      .filter((one) => one.sessionUpdate === "tool_call")
      .filter(({ title }) => !title.startsWith("Task"));
    expect(calls).toMatchObject([
      { kind: "think", title: expect.stringContaining("Agent") },
      { kind: "search", _meta: { troupe: { agentType: "Explore" } } },
    ]);
    expect(updates.findLast((one) => one.sessionUpdate === "tool_call_update")).toMatchObject({
      ...{ toolCallId: calls[0]?.toolCallId, status: "completed" },
      content: [{ content: { text: expect.stringContaining("Seen.") } }],
    });
  });

  test("chooses a mode, and refuses one that does not exist or may not be chosen", async () => {
    const { cwd, agent, open, ask, asked } = await editor(({ body }) =>
      hasResults(body) ? { text: "Done." } : written("b.txt", dir(body)),
    );
    const { sessionId, modes } = await open();
    expect(modes?.availableModes.map(({ id }) => id)).toEqual(
      expect.arrayContaining(["plan", "acceptEdits"]),
    );
    const choose = (modeId: string) => agent.request(methods.agent.session.setMode, { sessionId, modeId });
    await expect(choose("anything")).rejects.toThrow("cannot be");
    await choose("acceptEdits");
    await ask(sessionId, `write in ${cwd}`);
    expect(asked).toEqual([]);
    expect(existsSync(join(cwd, "b.txt"))).toBe(true);
  });

  test("offers skills as commands, and gets the text of embedded and linked files", async () => {
    const { cwd, agent, open, ask, update, server } = await editor(() => ({ text: "Yes." }));
    put(
      join(cwd, ".claude/skills/greet/SKILL.md"),
      "---\ndescription: Greets\nargument-hint: WHO\n---\nSay hello to $ARGUMENTS.\n",
    );
    const { sessionId } = await open();
    const commands = (one: SessionUpdate) =>
      one.sessionUpdate === "available_commands_update" ? one.availableCommands : [];
    await ask(sessionId, "/greet Ada");
    expect(server.requests.at(-1)?.rawBody).toContain("Say hello to Ada.");
    const found = await update((one) => commands(one).some(({ name }) => name === "greet"));
    expect(commands(found)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: "compact" }),
        { name: "greet", description: "Greets", input: { hint: "WHO" } },
      ]),
    );
    await agent.request(methods.agent.session.prompt, {
      sessionId,
      prompt: [
        { type: "text", text: "Compare" },
        { type: "resource", resource: { uri: "file:///unsaved.ts", text: "let unsaved;" } },
        { type: "resource_link", name: "a.txt", uri: `file://${cwd}/a.txt` },
      ],
    });
    for (const words of ["let unsaved;", "alpha"]) expect(server.requests.at(-1)?.rawBody).toContain(words);
  });

  test("gets images of a prompt where they are in it, and refuses what is none", async () => {
    const { agent, open, server } = await editor(() => ({ text: "A dot." }));
    const { sessionId } = await open();
    const send = (data: string) =>
      agent.request(methods.agent.session.prompt, {
        sessionId,
        prompt: [
          { type: "text", text: "What is" },
          { type: "image", mimeType: "image/png", data },
          { type: "text", text: "this?" },
        ],
      });
    await expect(send("bm9uZQ==")).rejects.toThrow("must be a PNG, JPEG, GIF or WebP");
    await send(DOT);
    await send(OTHER);
    for (const [at, data] of [DOT, OTHER].entries()) {
      const blocks = server.requests[at]?.body.messages.at(-1)?.content;
      expect(blocks).toContainEqual(
        expect.objectContaining({ type: "image", source: expect.objectContaining({ data }) }),
      );
      expect(JSON.stringify(blocks)).toMatch(/What is \[image (\w{6})\] this\?/);
    }
  });

  test("tells the size of the conversation, its window and what it has cost", async () => {
    const { open, ask, update } = await editor(() => ({
      text: "ok",
      usage: { input_tokens: 1_000, output_tokens: 10 },
    }));
    const { sessionId } = await open();
    await ask(sessionId, "go");
    expect(await update((one) => one.sessionUpdate === "usage_update")).toEqual({
      ...{ sessionUpdate: "usage_update", used: 1_010, size: 1_000_000 },
      cost: { amount: 0.0021, currency: "USD" },
    });
  });

  test("starts the MCP servers that the client names", async () => {
    const { ask, open, server } = await editor(() => ({ text: "ok" }));
    const { sessionId } = await open(undefined, [
      { name: "dice", command: process.execPath, args: [MCP_SERVER], env: [] },
    ]);
    await ask(sessionId, "go");
    // On a busy machine the first request may only name it as one that still starts.
    expect(JSON.stringify(server.requests[0]?.body)).toMatch(/mcp__dice__|are still starting[^"]*: dice/);
  });

  test("loads a session with what was said, in another process, too; lists and closes it", async () => {
    const handler: Handler = ({ body }) =>
      hasResults(body)
        ? { text: `answer ${body.messages.length}` }
        : {
            ...{ thinking: "Where?", text: "I look." },
            calls: [
              { name: "Read", input: { file_path: join(dir(body), "a.txt") } },
              { name: "TaskCreate", input: { subject: "Test", description: "all of it" } },
            ],
          };
    const { cwd, home, agent, open, ask, child } = await editor(handler);
    const { sessionId } = await open();
    await ask(sessionId, `look in ${cwd}`);
    await agent.request(methods.agent.session.close, { sessionId });
    await expect(ask(sessionId, "closed")).rejects.toMatchObject({ code: -32_002 });
    child.stdin.end();
    await child;
    const other = await started(cwd, home, handler, {});
    const { sessions } = await other.agent.request(methods.agent.session.list, { cwd });
    expect(sessions).toMatchObject([{ sessionId, cwd, title: `look in ${cwd}` }]);
    const load = () => other.agent.request(methods.agent.session.load, { sessionId, cwd, mcpServers: [] });
    await load();
    // As it was when it ran.
    expect(other.updates.slice(0, 9)).toMatchObject([
      { sessionUpdate: "user_message_chunk", content: { text: `look in ${cwd}` } },
      { sessionUpdate: "agent_thought_chunk", content: { text: "Where?" } },
      { sessionUpdate: "agent_message_chunk", content: { text: "I look." } },
      { sessionUpdate: "tool_call", kind: "read", status: "in_progress" },
      { sessionUpdate: "tool_call_update", status: "completed" },
      { sessionUpdate: "plan", entries: [{ content: "Test", status: "pending" }] },
      { sessionUpdate: "tool_call", kind: "think", status: "in_progress" },
      { sessionUpdate: "tool_call_update", status: "completed" },
      { sessionUpdate: "agent_message_chunk", content: { text: "answer 3" } },
    ]);
    // An editor may load it again.
    await load();
    expect(await other.ask(sessionId, "and now?")).toEqual({ stopReason: "end_turn" });
  });

  test("answers what is wrong with an error in a sentence, and continues", async () => {
    const { cwd, agent, open, ask, child } = await editor(({ body }) =>
      JSON.stringify(body.messages).includes("refuse") !== JSON.stringify(body.messages).includes("then yes")
        ? apiRefusal
        : { text: "Yes." },
    );
    const { session } = methods.agent;
    const fresh = (where: string) => agent.request(session.new, { cwd: where, mcpServers: [] });
    await expect(fresh("not/absolute")).rejects.toThrow("not an absolute path");
    await expect(fresh(join(cwd, "nowhere"))).rejects.toThrow("there is no such directory");
    await expect(ask("unknown", "go")).rejects.toMatchObject({ code: -32_002 });
    await expect(agent.request(session.load, { sessionId: "unknown", cwd, mcpServers: [] })).rejects.toThrow(
      'There is no session "unknown"',
    );
    await expect(agent.request(session.load, { sessionId: "../..", cwd, mcpServers: [] })).rejects.toThrow(
      "There is no session",
    );
    await expect(agent.request("session/nonsense", {})).rejects.toMatchObject({ code: -32_601 });
    await expect(agent.request(session.prompt, {} as never)).rejects.toMatchObject({ code: -32_602 });
    await agent.notify(session.cancel, { sessionId: "unknown" });
    for (const line of ["nonsense", "[]", "{", "null", '"\\u0000"', '{"jsonrpc":"2.0","method":7}'])
      child.stdin.write(`${line}\n`);
    const { sessionId } = await open();
    await expect(ask(sessionId, "  ")).rejects.toThrow("The prompt is empty");
    await expect(ask(sessionId, "refuse this")).rejects.toThrow("does not exist for us");
    expect(await ask(sessionId, "then yes")).toEqual({ stopReason: "end_turn" });
  });

  test.each(["while it asks", "while the model works", "by a signal"])(
    "leaves nothing behind if the client goes %s, and the session can be resumed",
    async (when) => {
      const never = new Promise<never>(() => {});
      const { cwd, home, open, ask, child, update, server } = await editor(
        ({ body }) =>
          when === "while it asks"
            ? written("b.txt", dir(body))
            : { held: { after: "a", until: never }, text: "a b" },
        { onPermission: () => never },
      );
      const { sessionId } = await open();
      const asking = ask(sessionId, `write in ${cwd}`);
      asking.catch(() => {});
      await server.request(0);
      if (when === "while it asks") await update(({ sessionUpdate }) => sessionUpdate === "tool_call");
      if (when === "by a signal") child.kill("SIGTERM");
      else child.stdin.end();
      const { exitCode, stderr } = await child;
      expect(exitCode).toBe(when === "by a signal" ? 143 : 0);
      expect(stderr).toContain(`troupe --resume ${sessionId}`);
      expect(processesWith(home)).toEqual([]);
      expect(existsSync(join(cwd, "b.txt"))).toBe(false);
    },
  );
});

const apiRefusal = {
  status: 404,
  body: JSON.stringify({
    type: "error",
    error: { type: "not_found_error", message: "It does not exist for us." },
  }),
};

/** The directory that the first prompt names last. */
function dir({ messages }: RequestBody): string {
  return / in (\/[^\s"\\]+)/.exec(JSON.stringify(messages))?.[1] ?? "/nowhere";
}
