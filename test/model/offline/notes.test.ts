import { expect, test } from "vitest";
import { summaryRequest, summaryText } from "../../../src/context/compaction/compacted-view.ts";
import type { MessageParam } from "../../../src/mailbox/conversation.ts";
import { textOf } from "../../../src/mailbox/conversation.ts";
import { MAIN } from "../../../src/mailbox/ids.ts";
import { ask, callsIn, EVERYTHING, request } from "./conversing.ts";

const user = (content: string): MessageParam => ({ role: "user", content });
const main = (messages: MessageParam[], more: object = {}) =>
  ask(request({ actor: MAIN, tools: EVERYTHING, messages, ...more }));

/** A conversation that ran two commands and was refused an edit. */
const CONVERSATION: MessageParam[] = [
  user('run "npm test" then in a.txt replace "a" with "b"'),
  {
    role: "assistant",
    content: [
      { type: "tool_use", id: "1", name: "Bash", input: { command: "npm test" } },
      { type: "tool_use", id: "2", name: "Edit", input: { file_path: "/w/a.txt" } },
    ],
  },
  {
    role: "user",
    content: [
      { type: "tool_result", tool_use_id: "1", content: "1 failed\n[Exit code 1]" },
      { type: "tool_result", tool_use_id: "2", content: "The user said no.", is_error: true },
    ],
  },
  { role: "assistant", content: "The edit was refused." },
];

const notes = async (before: MessageParam[]) =>
  textOf((await main([...before, user(summaryRequest("", "manual"))], { withoutTools: true })).content);

test("notes for compaction name what was asked, and each call as it ended", async () => {
  expect(await notes(CONVERSATION)).toBe(
    [
      'Asked:\n- run "npm test" then in a.txt replace "a" with "b"',
      'Calls, and how they ended:\n- Bash {"command":"npm test"}: [Exit code 1]\n- Edit {"file_path":"/w/a.txt"}: failed: The user said no.',
    ].join("\n\n"),
  );
});

test("notes keep earlier notes, and of a conversation without any call they claim none", async () => {
  const folded = user(summaryText("- Bash ls: done", "auto"));
  expect(await notes([folded, { role: "assistant", content: "Yes." }])).toBe("- Bash ls: done");
  expect(await notes([user("hello"), { role: "assistant", content: "Hello!" }])).toBe("Asked:\n- hello");
});

test("what was asked before the notes is not done again after them", async () => {
  const folded = [user('run "rm -r build"'), user(summaryText("- Bash: done", "manual"))];
  const content = folded.map(({ content: text }) => ({ type: "text" as const, text: String(text) }));
  const compacted: MessageParam = { role: "user", content };
  const next = await main([compacted, user('run "ls"')]);
  expect(callsIn(next).map(({ input }) => input)).toMatchObject([{ command: "ls" }]);
  const alone = await main([compacted]);
  expect(callsIn(alone)).toEqual([]);
  expect(textOf(alone.content)).toMatch(/compacted before this was finished/);
  expect(alone.stopReason).toBe("incomplete");
});
