import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { userPlaces } from "../../../src/settings/paths.ts";
import { type RequestBody, startMessagesServer } from "../../support/messages-server.ts";
import { type CacheUse, promptCache } from "../../support/prompt-cache.ts";
import { supervised } from "../../support/supervised.ts";
import { temporaryFolder } from "../../support/temporary.ts";

const LINES = "a line of a file\n".repeat(400);

const shareOf = ({ read, whole }: CacheUse) => read / whole;
const textIn = ({ messages }: RequestBody) => JSON.stringify(messages);
const isFork = (body: RequestBody) => textIn(body).includes("You are a fork:");
const results = (body: RequestBody) => textIn(body).split('"type":"tool_result"').length - 1;

/** A home with the person's memory, and a session over a server that caches as the API does. */
async function cachedSession(reply: (body: RequestBody, n: number) => object) {
  const uses: { readonly body: RequestBody; readonly use: CacheUse }[] = [];
  const cache = promptCache();
  const server = await startMessagesServer(({ body, n }) => {
    uses.push({ body, use: cache(body) });
    return reply(body, n);
  });
  onTestFinished(() => server.close());
  const homedir = temporaryFolder();
  mkdirSync(join(homedir, ".claude"));
  writeFileSync(join(homedir, ".claude", "CLAUDE.md"), "Be brief.");
  const memory = {
    ...userPlaces({}, homedir),
    home: join(homedir, ".troupe"),
    managed: homedir,
    trusted: () => false,
  };
  const { supervisor, cwd } = supervised("in-thread", [], {
    files: { "CLAUDE.md": "Use tabs.", "a.txt": LINES, "b.txt": `${LINES}b` },
    context: { memory, surroundings: true },
    source: { provider: "anthropic", apiKey: "key", baseURL: server.url },
  });
  return { supervisor, cwd, uses };
}

test("from the third turn on at least nine tenths of each request are read from the cache, though memory changes (A22.20)", {
  tags: ["long"],
}, async () => {
  const { supervisor, cwd, uses } = await cachedSession((_, n) => {
    if (n === 4 || n === 9) writeFileSync(join(cwd, "CLAUDE.md"), `Use spaces, ${n} of them.`);
    return n % 4 === 3 ? { text: "Done." } : { calls: [{ name: "Glob", input: { pattern: `*${n}` } }] };
  });
  for (let prompt = 0; prompt < 4; prompt++) {
    const { summary } = await supervisor.prompt(`prompt ${prompt}`);
    if (summary.status !== "done") throw new Error(summary.reason);
    writeFileSync(join(cwd, `new-${prompt}.txt`), "");
  }
  expect(uses.length).toBeGreaterThan(10);
  expect(uses.slice(2).map(({ use }) => shareOf(use) >= 0.9)).not.toContain(false);
  expect(textIn(uses.at(-1)?.body ?? { model: "", max_tokens: 0, messages: [] })).toContain(
    "Use spaces, 9 of them.",
  );
});

test("a reply of many calls costs no more of the cache than one of few: the API looks back 20 blocks and no further", {
  tags: ["long"],
}, async () => {
  const calls = Array.from({ length: 24 }, (_, n) => ({ name: "Glob", input: { pattern: `*${n}` } }));
  const { supervisor, uses } = await cachedSession((_, n) =>
    n < 4 ? { text: "Look.", calls } : { text: "Done." },
  );
  await supervisor.prompt("go");
  // What is new of each is its calls and their results, and nothing else.
  const missed = uses.slice(1).map(({ use }, at) => use.read === uses[at]?.use.whole);
  expect(missed).toEqual([true, true, true, true]);
});

test("agents of a type read what they begin with from the cache, from the second on", async () => {
  const { supervisor, uses } = await cachedSession(() => ({ text: "Found." }));
  for (let n = 0; n < 4; n++) await supervisor.spawn({ type: "general-purpose", prompt: `task ${n}` });
  expect(uses.slice(1).map(({ use }) => shareOf(use) >= 0.9)).toEqual([true, true, true]);
});

test("forks read at least 95 in 100 parts from the cache, from the second on (A11.9)", async () => {
  const calls = Array.from({ length: 16 }, (_, n) => ({
    name: "Agent",
    input: { description: `part ${n}`, prompt: `part ${n}`, subagent_type: "fork", run_in_background: false },
  }));
  const reads = (folder: string) =>
    ["a.txt", "b.txt"].map((name) => ({ name: "Read", input: { file_path: join(folder, name) } }));
  const { supervisor, cwd, uses } = await cachedSession((body) => {
    if (isFork(body)) return { text: "Report." };
    if (results(body) === 0) return { calls: reads(cwd) };
    return results(body) === 2 ? { calls } : { text: "Done." };
  });
  await supervisor.prompt("go");
  const forks = uses.filter(({ body }) => isFork(body)).map(({ use }) => shareOf(use));
  expect(forks).toHaveLength(16);
  expect(forks.slice(1).map((share) => share >= 0.95)).not.toContain(false);
});
