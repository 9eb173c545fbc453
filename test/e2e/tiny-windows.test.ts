import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { troupe } from "../support/cli-process.ts";
import { type ServedReply, startMessagesServer } from "../support/messages-server.ts";
import { temporaryFolder } from "../support/temporary.ts";

const WINDOW = 6_000;
const READINGS = 8;
const AGENTS = [..."ABCDEFGH"];

test("eight agents with tiny windows finish, each with one summary, and none asks for more than fits (C24, A19.5)", {
  tags: ["long"],
  timeout: 60_000,
}, async () => {
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, "logs"));
  for (let n = 0; n < READINGS; n++)
    writeFileSync(join(cwd, "logs", `${n}.log`), `log ${n}: all is quiet at sea\n`.repeat(150));
  const readings = new Map<string, number>();
  const sizes: number[] = [];
  let summaries = 0;
  const server = await startMessagesServer(({ body, rawBody, path }): ServedReply => {
    // As a server counts that takes every fourth letter for a token.
    const tokens = Math.ceil(rawBody.length / 4);
    if (path.endsWith("/count_tokens"))
      return { status: 200, body: JSON.stringify({ input_tokens: tokens }) };
    sizes.push(tokens);
    const usage = { input_tokens: tokens, output_tokens: 20 };
    const task = /watch-(\w)/.exec(JSON.stringify(body.messages))?.[1] ?? "none";
    if (JSON.stringify(body.messages.at(-1)).includes("Write under these headings")) {
      summaries += 1;
      return { text: `Notes of watch-${task}: so far it was quiet.`, usage };
    }
    const read = readings.get(task) ?? 0;
    readings.set(task, read + 1);
    return read < READINGS
      ? { calls: [{ name: "Read", input: { file_path: join(cwd, "logs", `${read}.log`) } }], usage }
      : { text: `Watch ${task} has read ${read} logs.`, usage };
  });
  onTestFinished(() => server.close());
  const ended = await troupe(
    ["fanout", "--json", "--model", "a-model", ...AGENTS.map((one) => `watch-${one}`)],
    {
      ...{ cwd, url: server.url, settings: { contextWindows: { "a-model": WINDOW } } },
    },
  );
  expect(ended.json()).toMatchObject({
    results: AGENTS.map((one) => ({ status: "done", summary: `Watch ${one} has read ${READINGS} logs.` })),
  });
  expect(Math.max(...sizes)).toBeLessThanOrEqual(WINDOW);
  expect(summaries).toBeGreaterThanOrEqual(AGENTS.length);
  expect([...readings.keys()].toSorted()).toEqual(AGENTS);
});
