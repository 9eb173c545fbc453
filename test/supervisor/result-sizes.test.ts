// @module-tag long
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { tokensOfText } from "../../src/context/compaction/tokens.ts";
import type { ModelRequest } from "../../src/model/client.ts";
import type { SupervisorOptions } from "../../src/session/options.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { everyDayHosts, type HostName, supervised } from "../support/supervised.ts";
import { lastResults } from "../support/texts-of.ts";

const lines = (count: number, word = "quiet at sea") =>
  Array.from({ length: count }, (_, at) => `log ${at}: all is ${word}`).join("\n");

const flood = defineTool({
  name: "Flood",
  description: "says much",
  inputSchema: z.object({}),
  permissionLevel: "read",
  runsIn: "caller",
  call: async () => `first\n${lines(40_000)}\nlast`,
});

/** What the model reads of one reply's calls in a window of so many tokens. */
async function resultsIn(
  host: HostName,
  window: number,
  calls: (cwd: string) => { name: string; input: object }[],
  options: Partial<SupervisorOptions> & { readonly files?: Readonly<Record<string, string>> } = {},
): Promise<{ results: string[]; requests: readonly ModelRequest[] }> {
  const { supervisor, model, cwd } = supervised(
    host,
    () => (model.requests.length > 1 ? { text: "ok" } : { calls: calls(cwd) }),
    { model: "a-model", compaction: { windows: { "a-model": window } }, tools: [flood], ...options },
  );
  await supervisor.prompt("go");
  const [, second] = model.requests;
  return { results: second === undefined ? [] : lastResults(second), requests: model.requests };
}

const tokens = (texts: readonly string[]) => texts.reduce((sum, text) => sum + tokensOfText(text), 0);

describe.each(everyDayHosts)("results and the window, %s", (host) => {
  test.each([
    [32_000, 4_000, 7_000],
    [200_000, 35_000, 61_000],
    [1_000_000, 50_100, 101_000],
  ])(
    "in a window of %i tokens one result has at most %i, and those of a reply %i",
    async (window, one, all) => {
      const call = { name: "Flood", input: {} };
      const [alone = ""] = (await resultsIn(host, window, () => [call])).results;
      expect(alone).toMatch(/^first\n[\s\S]*\[Cut here: [\s\S]*\nlast$/);
      expect(tokens([alone])).toBeLessThanOrEqual(one);
      expect(tokens([alone])).toBeGreaterThan(one / 2);
      const { results } = await resultsIn(host, window, () => Array.from({ length: 6 }, () => call));
      expect(results).toHaveLength(6);
      expect(tokens(results)).toBeLessThanOrEqual(all);
      for (const text of results) expect(text).toMatch(/^first\n[\s\S]*\[Cut here: [\s\S]*\nlast$/);
    },
  );

  test("short results of a reply stay whole next to a long one", async () => {
    const calls = (cwd: string) => [
      { name: "Flood", input: {} },
      { name: "Read", input: { file_path: join(cwd, "a") } },
    ];
    const { results } = await resultsIn(host, 32_000, calls, { files: { a: lines(20) } });
    expect(results[1]?.split("\n")).toHaveLength(20);
  });

  test.each([
    ["Read", (cwd: string) => ({ file_path: join(cwd, "a") }), /Continue with offset: (\d+)/],
    [
      "Grep",
      (cwd: string) => ({ pattern: "log", path: cwd, output_mode: "content", head_limit: 0 }),
      /Continue with offset: (\d+)/,
    ],
  ])("%s fits its own result to the window, and says where to go on", async (name, input, next) => {
    const call = (cwd: string) => [{ name, input: input(cwd) }];
    const { results } = await resultsIn(host, 32_000, call, { files: { a: lines(1_900, "很安静") } });
    const [text = ""] = results;
    expect(tokens([text])).toBeLessThanOrEqual(4_000);
    expect(text).not.toContain("Cut here");
    expect(Number(next.exec(text)?.[1])).toBeGreaterThan(20);
  });

  test("tells the model the numbers of its own window", async () => {
    const { requests } = await resultsIn(host, 32_000, () => []);
    expect(requests[0]?.system.join("\n")).toMatch(
      /One tool result has at most about 3,800 tokens here, all results of one reply 6,700/,
    );
  });
});
