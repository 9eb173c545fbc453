import { MessageChannel } from "node:worker_threads";
import { expect, test } from "vitest";
import type { MessageParam } from "../../src/mailbox/conversation.ts";
import {
  joinHistory,
  type Parted,
  sharedIn,
  shareHistory,
  splitHistory,
} from "../../src/mailbox/shared-history.ts";

const said: MessageParam[] = [
  { role: "user", content: "Wie groß ist es? 多大？ \u{1f40b}" },
  { role: "assistant", content: [{ type: "tool_use", id: "a", name: "Read", input: { file_path: "/x" } }] },
  { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: '"quoted"\n\t\\' }] },
];
const own: MessageParam = { role: "user", content: "Go." };
const share = () => shareHistory(said, () => 7, null);

/** On its way to another thread and back out. */
async function sent(value: Parted): Promise<Parted> {
  const { port1, port2 } = new MessageChannel();
  const heard = new Promise<Parted>((resolve) => port2.once("message", resolve));
  port1.postMessage(value);
  const there = await heard;
  port1.close();
  return there;
}

test("a shared history reads as what it was made of, as an object, as JSON and as a clone", () => {
  const shared = share();
  expect(shared).toEqual(said);
  expect(JSON.stringify(shared)).toBe(JSON.stringify(said));
  expect(structuredClone(shared)).toEqual(said);
  expect(shareHistory([], () => 0, null)).toEqual([]);
});

test("only the rest of a conversation is sent; the history is the same memory in both threads", async () => {
  const conversation = [...share(), own];
  const parts = splitHistory(conversation);
  expect(parts.messages).toEqual([own]);
  expect(parts.shared?.count).toBe(said.length);
  const there = await sent(parts);
  expect(joinHistory(there)).toEqual([...said, own]);
  // Written here, read there: nobody but a test does this.
  const here = Buffer.from(parts.shared?.history.bytes ?? new SharedArrayBuffer(0));
  here.write("klein", here.indexOf("groß"));
  expect(JSON.stringify(joinHistory(there)[0])).toContain("klein");
});

test("what has been changed since, or stands elsewhere, is a message of its own", () => {
  const [first, second, third] = share();
  if (!first || !second || !third) throw new Error("There are three.");
  const heard: MessageParam = { role: "user", content: [{ type: "text", text: "And?" }] };
  expect(splitHistory([first, second, heard])).toMatchObject({ shared: { count: 2 }, messages: [heard] });
  expect(splitHistory([own, first, second])).toEqual({ messages: [own, first, second] });
  expect(splitHistory([second, third])).toEqual({ messages: [second, third] });
  expect(sharedIn({ ...first })).toBeNull();
  expect(splitHistory([])).toEqual({ messages: [] });
});
