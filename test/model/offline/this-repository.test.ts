import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { citedLines, untrueCitations } from "./citations.ts";
import { converse, main, withTools } from "./conversing.ts";

withTools();

const root = join(import.meta.dirname, "../../..");

/** The questions that the README and `npm start` ask: their answers are the product's first impression. */
test.each([
  ["where is the wire format of messages decided?", "src/mailbox/messages.ts"],
  ["how does an agent end?", "src/actors/ending.ts"],
  ["How does an agent end, and where is its one summary made?", "src/events/agent-result.ts"],
  ["where are exit codes decided?", "src/cli/exit-codes.ts"],
  ["how long does Retry-After make everyone wait?", "src/model/error-response.ts"],
  ["where are ids made?", "src/mailbox/ids.ts"],
])("%s cites %s, and nothing that is not so", { tags: ["long"] }, async (question, path) => {
  const { text, turns } = await converse({ cwd: root, prompt: question });
  expect(citedLines(text).map((cited) => cited.path)).toContain(path);
  expect(await untrueCitations(root, text)).toEqual([]);
  expect(turns).toBeLessThanOrEqual(5);
});

test("two questions to the main conversation bring two agents' summaries, citations kept", {
  tags: ["long"],
}, async () => {
  const prompt = "where is the wire format of messages decided? how does an agent end?";
  const { text, calls } = await converse({ cwd: root, prompt, ...main });
  expect(calls.map(({ name }) => name)).toEqual(["Agent", "Agent"]);
  const cited = citedLines(text).map(({ path, text: line }) => `${path} ${line}`);
  expect(cited.some((line) => /^src\/mailbox\/messages\.ts .*The wire format/.test(line))).toBe(true);
  expect(cited.some((line) => /^src\/\S+\.ts .*how an agent('s run)? ends?/i.test(line))).toBe(true);
  expect(await untrueCitations(root, text)).toEqual([]);
});

test("is at most 1,200 lines of code, without blank lines and comments (issue 20, 12)", () => {
  const dir = join(import.meta.dirname, "../../../src/model/offline");
  const lines = readdirSync(dir).flatMap((name) => readFileSync(join(dir, name), "utf8").split("\n"));
  expect(lines.filter((line) => !/^\s*(?:$|\/\/|\/?\*)/.test(line)).length).toBeLessThanOrEqual(1_200);
});
