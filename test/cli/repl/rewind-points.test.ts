import { expect, test } from "vitest";
import { findRewindPoints } from "../../../src/cli/repl/rewind.ts";
import type { JournalRecord, SessionEvent } from "../../../src/journal/session-events.ts";
import { MAIN } from "../../../src/mailbox/ids.ts";

const prompt = (content: string, more: object = {}): object => ({
  ...{ type: "prompt", actor: MAIN, message: { role: "user", content } },
  ...more,
});
const began = { type: "spawn", spec: { id: MAIN, messages: [{ role: "user", content: "first" }] } };
const ended = { type: "summary", actor: MAIN };
const reopened = { type: "reopen", actor: MAIN };

test.each<[title: string, events: readonly object[], points: readonly [seq: number, text: string][]]>([
  ["none before the first prompt", [{ type: "title", title: "x" }], []],
  ["the first prompt, cut off with its conversation", [{ type: "title" }, began], [[2, "first"]]],
  [
    "later ones first",
    [began, ended, prompt("second"), reopened, ended, prompt("third"), reopened],
    [
      [6, "third"],
      [3, "second"],
      [1, "first"],
    ],
  ],
  ["not what was said while it worked", [began, prompt("and more"), ended], [[1, "first"]]],
  [
    "not what the runtime or another agent said",
    [began, ended, prompt("News.", { notice: true }), prompt("Hi.", { from: "a1" })],
    [[1, "first"]],
  ],
  [
    "what the user wrote, without what was attached",
    [began, ended, prompt("do it\n\n<system-reminder>\nfacts\n</system-reminder>")],
    [
      [3, "do it"],
      [1, "first"],
    ],
  ],
])("the prompts to which a conversation can return: %s", (_, events, points) => {
  const records = events.map(
    (event, at): JournalRecord => ({ seq: at + 1, at: "2026-01-01T00:00:00Z", event: event as SessionEvent }),
  );
  expect(findRewindPoints(records).map(({ seq, text }) => [seq, text])).toEqual(points);
});
