import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { openJsonStream } from "../../src/cli/stream-json/json-stream.ts";
import { createStreamMessages } from "../../src/cli/stream-json/stream-messages.ts";
import { MAIN, SessionId } from "../../src/mailbox/ids.ts";
import type { UserRequest } from "../../src/policy/user-requests.ts";
import { agentView } from "../support/agent-view.ts";
import { FakeIO } from "./fake-io.ts";
import { FakeRuntime } from "./fake-session.ts";

const REQUEST: UserRequest = {
  ...{ type: "permission", id: "1", tool: "Bash", level: "execute", input: { command: "ls" }, title: "ls" },
  ...{ askers: [{ actor: MAIN, path: [] }], details: [], reason: "", grants: [] },
};

test("the first line has the state of each MCP server as one word", () => {
  const lines = createStreamMessages({
    session: {
      session: SessionId.parse("session1"),
      describe: () => ({ tools: ["Read"], agents: [], model: "m" }),
      skills: () => [],
      mode: () => "default",
      mcpServers: () => [
        {
          ...{ name: "db", slug: "db", file: "/f", tools: 0, changed: [] },
          state: { type: "failed", reason: "It is not there." },
        },
      ],
    },
    ...{ cwd: "/w", partial: false, newId: () => "id" },
  })({ type: "agent", view: agentView({ id: MAIN }) });
  expect(lines).toMatchObject([{ subtype: "init", mcp_servers: [{ name: "db", status: "failed" }] }]);
});

test("a conversation that was made shorter is a line with the names that scripts know", () => {
  const toLines = createStreamMessages({
    session: {
      ...{ session: SessionId.parse("session1"), describe: () => ({ tools: [], agents: [], model: "m" }) },
      ...{ skills: () => [], mode: () => "default", mcpServers: () => [] },
    },
    ...{ cwd: "/w", partial: false, newId: () => "id" },
  });
  expect(toLines({ type: "compacted", actor: MAIN, trigger: "auto", before: 9_000, after: 900 })).toEqual([
    {
      ...{ type: "system", subtype: "compact_boundary", parent_tool_use_id: null },
      compact_metadata: { trigger: "auto", pre_tokens: 9_000, post_tokens: 900 },
      ...{ session_id: "session1", uuid: "id" },
    },
  ]);
});

test.each([
  ["is stopped", { type: "agent", view: agentView({ id: MAIN, state: "ended" }) }],
  ["is cut off", { type: "waiting", actor: MAIN, attempt: 1, ms: 0, until: 0, reason: "It broke." }],
] as const)("a reply that %s does not begin the next one", (_, cut) => {
  const toLines = partialMessages();
  const write = () => toLines({ type: "text", actor: MAIN, turn: 1, text: "Half a" }).length;
  expect([write(), write()]).toEqual([3, 1]);
  toLines(cut);
  expect(write()).toBe(3);
});

function partialMessages() {
  return createStreamMessages({
    session: {
      ...{ session: SessionId.parse("session1"), describe: () => ({ tools: [], agents: [], model: "m" }) },
      ...{ skills: () => [], mode: () => "default", mcpServers: () => [] },
    },
    ...{ cwd: "/w", partial: true, newId: () => "id" },
  });
}

test("thoughts and text are blocks of one message, as the API has them, between its start and its end", () => {
  const toLines = partialMessages();
  const of = { actor: MAIN, turn: 1 };
  const lines = [
    { type: "thinking", ...of, text: "Hm" } as const,
    { type: "thinking", ...of, text: "m." } as const,
    { type: "text", ...of, text: "Yes." } as const,
    { type: "message", ...of, role: "assistant", content: "Yes." } as const,
  ].flatMap(toLines);
  expect(lines.flatMap(({ type, event }) => (type === "stream_event" ? [event] : []))).toMatchObject([
    { type: "message_start", message: { id: "msg_main_1" } },
    {
      type: "content_block_start",
      index: 0,
      content_block: { type: "thinking", thinking: "", signature: "" },
    },
    { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "Hm" } },
    { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "m." } },
    { type: "content_block_stop", index: 0 },
    { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "Yes." } },
    { type: "content_block_stop", index: 1 },
    { type: "message_stop" },
  ]);
});

test("what the model tells between calls is in blocks without the line breaks that set it apart on a screen", () => {
  const toLines = partialMessages();
  const of = { actor: MAIN, turn: 1 };
  const tell = (text: string) => ({ type: "thinking", ...of, text, forUser: true }) as const;
  const lines = [
    ...[tell("One."), tell("\n\nTwo.\n"), tell("Three.\n\n")],
    { type: "text", ...of, text: "Yes." } as const,
    ...[tell("\n\nFour."), tell("\n\n")],
  ].flatMap(toLines);
  const deltas = lines.flatMap(({ event }) => {
    const { index, delta } = (event ?? {}) as { index?: number; delta?: Record<string, string> };
    return delta === undefined ? [] : [[index, delta["thinking"] ?? delta["text"]]];
  });
  expect(deltas).toEqual([
    ...[
      [0, "One."],
      [0, "\n\nTwo."],
      [0, "\nThree."],
    ],
    ...[
      [1, "Yes."],
      [2, "Four."],
    ],
  ]);
});

test("a request after the end of stdin, or one that is withdrawn already, is not waited for", async () => {
  const stdin = new PassThrough();
  const io = Object.assign(new FakeIO({}), { stdin });
  const stream = openJsonStream({ io, partial: false, whyNot: () => null, note() {} });
  const session = (await new FakeRuntime().createSupervisor())({ cwd: "/w" } as never);
  stream.begin(session);
  const never = new AbortController().signal;
  expect(await stream.user.ask(REQUEST, AbortSignal.abort())).toMatchObject({ type: "unavailable" });
  const job = stream.job.start(session, never);
  const open = stream.user.ask(REQUEST, never);
  stdin.end();
  expect(await open).toMatchObject({ type: "unavailable" });
  expect(await job).toMatchObject({ summary: { status: "failed", reason: "No prompt came on stdin." } });
  expect(await stream.user.ask(REQUEST, never)).toMatchObject({
    type: "unavailable",
    reason: expect.stringContaining("stdin has ended"),
  });
});
