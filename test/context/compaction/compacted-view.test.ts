import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type CompactedView,
  foldedMessage,
  messagesOfView,
  notCompacted,
  summaryMessages,
} from "../../../src/context/compaction/compacted-view.ts";
import { lastSummarised, RECENT_TURNS, tokensSavedByEliding } from "../../../src/context/compaction/size.ts";
import { tokensOfMessages } from "../../../src/context/compaction/tokens.ts";
import type { Compacted, Trigger } from "../../../src/mailbox/compacted.ts";
import { type MessageParam, noUsage } from "../../../src/mailbox/conversation.ts";
import { MAIN } from "../../../src/mailbox/ids.ts";
import type { Turn } from "../../../src/mailbox/messages.ts";
import { blocksOf, conversationOf, noReceipts } from "../../../src/mailbox/turns.ts";

const ASKED = { trigger: "auto", instructions: "" } as const;
const TASK: MessageParam = { role: "user", content: "the task" };

/** One turn: its calls' results by their lengths, none for a reply of words alone. */
function turn(number: number, results: readonly number[], said: string): Turn {
  const uses = results.map((_, at) => ({
    ...{ type: "tool_use" as const, id: `use_${number}_${at}`, name: "Read", input: {} },
    caller: { type: "direct" as const },
  }));
  const words = { type: "text" as const, text: `reply ${number}`, citations: null };
  const answers = results.map((length, at) => ({
    ...{ type: "tool_result" as const, tool_use_id: `use_${number}_${at}` },
    content: "r".repeat(length),
  }));
  return {
    turn: number,
    heard: said === "" ? [] : [{ text: said }],
    messages: [
      { role: "assistant", content: [words, ...uses] },
      ...(answers.length > 0 ? [{ role: "user" as const, content: answers }] : []),
    ],
    ...{ cwd: "/", reads: [], usage: noUsage, receipts: noReceipts },
  };
}

/** A history as loops make it: after words alone somebody says something, or it is over. */
const histories = fc
  .array(
    fc.record({ results: fc.array(fc.integer({ min: 0, max: 5_000 }), { maxLength: 3 }), said: fc.string() }),
    { minLength: 1, maxLength: 20 },
  )
  .map((steps) =>
    steps.map(({ results, said }, at) => {
      const before = steps[at - 1];
      const must = before !== undefined && before.results.length === 0;
      return turn(at + 1, results, must ? `said ${at}${said}` : said);
    }),
  );

const shownOf = (turns: readonly Turn[], compacted: Compacted | null = null): CompactedView => ({
  ...{ id: MAIN, messages: [TASK], counted: null, turns, heard: [{ text: "go on" }], compacted },
  words: turns.flatMap(({ turn: number, heard }) => heard.map(({ text }) => ({ turn: number, text }))),
});

function complaint(messages: readonly MessageParam[]): string | null {
  let open = "";
  for (const [at, message] of messages.entries()) {
    if (message.role !== (at % 2 === 0 ? "user" : "assistant")) return `message ${at} is of ${message.role}`;
    const blocks = blocksOf(message);
    const results = blocks.flatMap((block) => (block.type === "tool_result" ? [block.tool_use_id] : []));
    if (results.join() !== open) return `message ${at} has results ${results} for ${open}`;
    open = blocks.flatMap((block) => (block.type === "tool_use" ? [block.id] : [])).join();
  }
  return messages.at(-1)?.role === "user" ? null : "the last word is the model's";
}

test("however a conversation is shown: roles in turn, pairs whole, kept turns the same bytes (A19.2)", () => {
  fc.assert(
    fc.property(
      histories,
      fc.integer({ min: 0, max: 8_000 }),
      fc.boolean(),
      fc.nat(25),
      (turns, recent, byHand, upTo) => {
        const shown = shownOf(turns);
        const through = lastSummarised(shown, recent, byHand) ?? 0;
        const elided = Math.min(upTo, turns.length);
        const folded =
          through > 0 ? [foldedMessage(shown, through, { text: "The notes.", trigger: "auto" }, 500)] : [];
        const compacted = { ...notCompacted("/kept"), messages: folded, through, elided };
        const messages = messagesOfView(shown, compacted);
        expect(complaint(messages)).toBeNull();
        expect(JSON.stringify(messages[0])).toContain("the task");
        const kept = turns.filter((one) => one.turn > Math.max(through, elided));
        const bytes = JSON.stringify(kept.flatMap((one) => one.messages.slice(0, -1)));
        for (const message of JSON.parse(bytes)) expect(messages).toContainEqual(message);
        // And once more, from there.
        const asked = summaryMessages(shown, turns.length, ASKED, Number.POSITIVE_INFINITY) ?? [];
        expect(complaint(asked)).toBeNull();
      },
    ),
    { seed: 12, numRuns: 200 },
  );
});

test("what is kept fits; by hand two turns are; the newest turn always is", () => {
  const turns = Array.from({ length: 10 }, (_, at) => turn(at + 1, [700], ""));
  const each = tokensOfMessages(turns[0]?.messages ?? []);
  expect(lastSummarised(shownOf(turns), each * 4 + 8, false)).toBe(6);
  expect(lastSummarised(shownOf(turns), 0, false)).toBe(9);
  // Too little by our count, too much by the API's: something has to go.
  expect(lastSummarised(shownOf(turns), each * 100, false)).toBe(1);
  expect(lastSummarised(shownOf(turns), each * 100, true)).toBe(8);
  expect(lastSummarised(shownOf(turns.slice(0, 1)), 0, true)).toBe(1);
  expect(lastSummarised(shownOf(turns.slice(0, 1)), 0, false)).toBeNull();
  expect(lastSummarised(shownOf([]), 0, true)).toBeNull();
});

test("puts a fork's inherited history into its summary, and keeps its directive", () => {
  const inherited = conversationOf([TASK], [turn(1, [10], ""), turn(2, [10], "")]);
  const orders: MessageParam = {
    role: "user",
    content: [
      { type: "tool_result", tool_use_id: "x", content: "elsewhere" },
      { type: "text", text: "the orders" },
    ],
  };
  const messages = [...inherited.slice(0, -1), orders];
  const shown = { ...shownOf([]), messages };
  expect(lastSummarised(shown, 1_000, false)).toBe(0);
  const message = foldedMessage(shown, 0, { text: "The notes.", trigger: "auto" }, 500);
  const words = JSON.stringify(message);
  for (const part of ["the task", "The notes.", "the orders"]) expect(words).toContain(part);
  expect(words).not.toContain("tool_result");
});

describe("results that are taken out", () => {
  test("short ones stay, errors stay errors, images go, and what is said of each is the same each time", () => {
    const picture = { type: "base64" as const, media_type: "image/png" as const, data: "AAAA" };
    const first = turn(1, [50, 4_000, 10], "");
    const results = blocksOf(first.messages[1] ?? TASK);
    const changed = results.map((block, at) => {
      if (block.type !== "tool_result") return block;
      if (at === 1) return { ...block, is_error: true };
      return at === 2 ? { ...block, content: [{ type: "image" as const, source: picture }] } : block;
    });
    const with3 = {
      ...first,
      messages: [...first.messages.slice(0, 1), { role: "user" as const, content: changed }],
    };
    const compacted = { ...notCompacted("/kept"), elided: 1 };
    const shown = shownOf([with3], compacted);
    const [, , message] = messagesOfView(shown);
    const [short, error, image] = blocksOf(message ?? TASK);
    expect(short).toEqual(results[0]);
    expect(error).toMatchObject({ is_error: true, tool_use_id: "use_1_1" });
    expect(JSON.stringify(error)).toContain("Read (4000 characters)");
    expect(JSON.stringify(error)).toContain("/kept/main.1.1.md");
    expect(JSON.stringify(image)).toContain("call again");
    expect(JSON.stringify(messagesOfView(shown))).toBe(JSON.stringify(messagesOfView(shown)));
    expect(tokensSavedByEliding(shownOf([with3]), notCompacted("/kept"), 1)).toBeGreaterThan(2_000);
    expect(tokensSavedByEliding(shown, compacted, 1)).toBe(0);
    expect(RECENT_TURNS).toBe(3);
  });
});

test("why it is asked for is said, and by whom it was wanted", () => {
  const words = (trigger: Trigger) => {
    const asked = summaryMessages(shownOf([]), 0, { trigger, instructions: "" }, Number.POSITIVE_INFINITY);
    return JSON.stringify([asked, foldedMessage(shownOf([]), 0, { text: "Notes.", trigger }, 500)]);
  };
  for (const part of ["The context window is nearly full.", "no longer fit into the context window"]) {
    expect(words("auto")).toContain(part);
    expect(words("manual")).not.toContain(part);
  }
  for (const part of ["The user wants", "The user had"]) {
    expect(words("manual")).toContain(part);
    expect(words("auto")).not.toContain(part);
  }
});

test("a request for a summary that would not fit leaves long results out, then the oldest turns, then gives up", () => {
  const turns = Array.from({ length: 20 }, (_, at) => turn(at + 1, [3_000], ""));
  const shown = shownOf(turns);
  const whole = tokensOfMessages(summaryMessages(shown, 20, ASKED, Number.POSITIVE_INFINITY) ?? []);
  for (const share of [1, 0.5, 0.2, 0.1]) {
    const messages = summaryMessages(shown, 20, ASKED, whole * share) ?? [];
    expect(complaint(messages)).toBeNull();
    expect(tokensOfMessages(messages)).toBeLessThanOrEqual(whole * share);
    expect(JSON.stringify(messages[0])).toContain("the task");
  }
  expect(summaryMessages(shown, 20, ASKED, 50)).toBeNull();
});
