// @module-tag long
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { boundThoughts } from "../support/bound-thoughts.ts";
import { troupe } from "../support/cli-process.ts";
import { type Handler, type RecordedRequest, startMessagesServer } from "../support/messages-server.ts";
import { temporaryFolder } from "../support/temporary.ts";

/** A server that refuses thoughts of another conversation; `refused`: the requests that it has refused. */
async function bindingServer(handler: Handler) {
  const refused: RecordedRequest[] = [];
  const bound = boundThoughts(handler);
  const server = await startMessagesServer(async (request) => {
    const reply = await bound(request);
    if (reply.status === 400) refused.push(request);
    return reply;
  });
  onTestFinished(() => server.close());
  return { ...server, refused };
}

const isSummary = ({ body }: RecordedRequest) =>
  JSON.stringify(body.messages.at(-1)).includes("Write under these headings");

test("a conversation continues after its older turns were summarized, though its model takes thoughts only where they were thought (A19.2)", async () => {
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, "logs"));
  for (let n = 0; n < 12; n++)
    writeFileSync(join(cwd, "logs", `${n}.log`), `log ${n}: all is quiet at sea\n`.repeat(150));
  let read = 0;
  let summaries = 0;
  const server = await bindingServer((request) => {
    const tokens = Math.ceil(request.rawBody.length / 4);
    if (request.path.endsWith("/count_tokens"))
      return { status: 200, body: JSON.stringify({ input_tokens: tokens }) };
    const usage = { input_tokens: tokens, output_tokens: 20 };
    if (isSummary(request)) {
      summaries += 1;
      return { text: "Notes: so far it was quiet.", usage };
    }
    return read < 12
      ? {
          calls: [{ name: "Read", input: { file_path: join(cwd, "logs", `${read++}.log`) } }],
          usage,
        }
      : { text: `I have read ${read} logs.`, usage };
  });
  const ended = await troupe(["-p", "watch", "--model", "a-model"], {
    ...{ cwd, url: server.url, settings: { contextWindows: { "a-model": 20_000 } } },
  });
  expect(ended.out).toContain("I have read 12 logs.");
  expect(ended.code).toBe(0);
  expect(summaries).toBeGreaterThan(1);
  // Once for each change of what was sent before, and never twice in a row.
  expect(server.refused.length).toBeGreaterThan(0);
  for (const { n } of server.refused) expect(server.refused.some((other) => other.n === n + 1)).toBe(false);
});

test("a conversation that is only added to keeps its thoughts: with agents, a fork, and after it was resumed", async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "a.txt"), "a\n");
  const agent = (type: string, prompt: string) => ({
    name: "Agent",
    input: { description: "look", prompt, subagent_type: type },
  });
  const replies = [
    { calls: [{ name: "Read", input: { file_path: join(cwd, "a.txt") } }] },
    { calls: [agent("general-purpose", "look-1"), agent("fork", "look-2")] },
    { text: "One has looked." },
    { text: "Both have looked." },
    { calls: [{ name: "Glob", input: { pattern: "*" } }] },
    { text: "There is one file." },
  ];
  let at = 0;
  const server = await bindingServer(({ body }) => {
    const last = JSON.stringify(body.messages.at(-1));
    return /look-[12]"/.test(last) ? { text: "Looked." } : (replies[at++] ?? { text: "?" });
  });
  const home = temporaryFolder();
  const first = await troupe(["-p", "look around"], { cwd, home, url: server.url });
  expect(first.out).toContain("Both have looked.");
  const second = await troupe(["-p", "--continue", "and now?"], { cwd, home, url: server.url });
  expect(second.out).toContain("There is one file.");
  expect(server.refused.map(({ rawBody }) => rawBody.slice(0, 300))).toEqual([]);
  expect(server.requests.at(-1)?.rawBody).toContain('"type":"thinking"');
});
