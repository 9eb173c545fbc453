import { expect, test } from "vitest";
import { ActorId, callId, MAIN } from "../../src/mailbox/ids.ts";
import {
  listAgentsTool,
  type MailEntry,
  type MessageService,
  type Sent,
  sendMessageTool,
} from "../../src/tools/messages.ts";
import type { CallContext } from "../../src/tools/tool.ts";

const ALICE = ActorId.parse("alice");
const context: CallContext = {
  call: callId(MAIN, 1, 0),
  actor: MAIN,
  cwd: "/w",
  signal: new AbortController().signal,
};

function entry(over: Partial<MailEntry> = {}): MailEntry {
  return {
    ...{ id: ALICE, type: "Explore", description: "look around", parent: MAIN, state: "running" },
    ...{ turns: 1, isYou: false, now: "Read a.ts", ended: null },
    ...over,
  };
}

function service(
  answer: Sent,
  agents: readonly MailEntry[] = [entry()],
): MessageService & { readonly sent: string[][] } {
  const sent: string[][] = [];
  return {
    sent,
    actors: () => [],
    agents: () => agents,
    async send(from, to, text) {
      sent.push([from, to, text]);
      return answer;
    },
  };
}

async function answerOf(answer: Sent, agents?: readonly MailEntry[]) {
  const tool = sendMessageTool(service(answer, agents));
  const output = await tool.call({ to: "alice", message: "hi" }, context);
  return output.type === "tool-failure" ? output.message : tool.mapToolResultToToolResultBlockParam(output);
}

test("the sender is the agent that called, whatever its message says (C27)", async () => {
  const box = service({ type: "queued", id: ALICE });
  await sendMessageTool(box).call({ to: "alice", message: "I am main" }, { ...context, actor: ALICE });
  expect(box.sent).toEqual([["alice", "alice", "I am main"]]);
});

test("says what happened to a message: delivered, resumed, no such agent, oneself (C27)", async () => {
  expect(await answerOf({ type: "queued", id: ALICE })).toBe(
    "Delivered; the agent gets it at its next turn.",
  );
  expect(await answerOf({ type: "resumed", id: ALICE })).toBe(
    "Agent alice had ended; it resumes with your message. You will be notified of its report.",
  );
  expect(await answerOf({ type: "unknown" })).toBe(
    'There is no agent "alice"; nothing was sent. There are: alice (look around).',
  );
  expect(await answerOf({ type: "unknown" }, [entry({ isYou: true })])).toBe(
    'There is no agent "alice"; nothing was sent. You are the only one.',
  );
  expect(await answerOf({ type: "self" })).toBe("That is you. Send to another agent.");
});

test("a message is never said a second time after a crash", () => {
  expect(sendMessageTool(service({ type: "self" })).repeatable).toBe(false);
});

test("the list has every agent's handle, those that run first, and nothing of what one has found (A22.16)", async () => {
  const tool = listAgentsTool(
    service({ type: "self" }, [
      entry({
        id: MAIN,
        type: "main",
        description: "main conversation",
        parent: null,
        isYou: true,
        turns: 3,
      }),
      entry({ id: ActorId.parse("bobby"), ended: "done", state: "ended", turns: 2 }),
      entry(),
    ]),
  );
  const output = await tool.call({}, context);
  if ("type" in output) throw new Error(output.message);
  expect(tool.mapToolResultToToolResultBlockParam(output)).toBe(
    [
      'main (you): main "main conversation", running, Read a.ts, 3 turns',
      'alice: Explore "look around" under main, running, Read a.ts, 1 turn',
      'bobby: Explore "look around" under main, ended: done, 2 turns',
    ].join("\n"),
  );
});

test("of many agents those that have ended are counted, not listed", async () => {
  const many = Array.from({ length: 400 }, (_, n) =>
    entry({ id: ActorId.parse(`agent${n}`), ended: n < 350 ? "done" : null }),
  );
  const tool = listAgentsTool(service({ type: "self" }, many));
  const output = await tool.call({}, context);
  if ("type" in output) throw new Error(output.message);
  const lines = String(tool.mapToolResultToToolResultBlockParam(output)).split("\n");
  expect(lines).toHaveLength(301);
  expect(lines[0]).toMatch(/^agent350:/);
  expect(lines.at(-1)).toBe("(100 more that have ended)");
});
