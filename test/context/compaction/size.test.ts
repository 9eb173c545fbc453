import { expect, test } from "vitest";
import type { CompactedView } from "../../../src/context/compaction/compacted-view.ts";
import { isDoubtful, viewSize } from "../../../src/context/compaction/size.ts";
import { tokensOfMessages } from "../../../src/context/compaction/tokens.ts";
import { MAIN } from "../../../src/mailbox/ids.ts";

const said = [
  { role: "user" as const, content: "x".repeat(700_000) },
  { role: "assistant" as const, content: "Read." },
];
const orders = { role: "user" as const, content: "You are a fork." };
const prefix = { system: ["You are."], tools: [] };

function fork(tokens: number | null): CompactedView {
  const counted = tokens === null ? null : { messages: said.length, tokens };
  return { id: MAIN, messages: [...said, orders], counted, turns: [], heard: [], words: [], compacted: null };
}

test("what a server has counted for a parent counts for its forks: no estimate, no count of their own (A11.9)", () => {
  const own = tokensOfMessages([orders]);
  expect(viewSize(fork(150_000), prefix)).toBe(150_000 + own);
  // The estimate alone would be 50,000 above.
  expect(isDoubtful(fork(150_000), prefix, 180_000)).toBe(false);
});

test("where it has counted nothing, its size is in doubt", () => {
  expect(isDoubtful(fork(null), prefix, 180_000)).toBe(true);
});
