import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type ChatReply, chatStream } from "../support/chat-server.ts";
import { troupe } from "../support/cli-process.ts";
import { type RecordedRequest, startMessagesServer } from "../support/messages-server.ts";
import { temporaryFolder } from "../support/temporary.ts";

async function chatServer(reply: (request: RecordedRequest) => ChatReply) {
  const server = await startMessagesServer((request) => chatStream(reply(request)));
  onTestFinished(() => server.close());
  return { ...server, env: { OPENAI_BASE_URL: `${server.url}/v1`, OPENAI_MODEL: "qwen3-coder" } };
}

const agent = {
  name: "Agent",
  input: {
    ...{ description: "find it", prompt: "Read the note.", subagent_type: "Explore", model: "haiku" },
  },
};
const results = ({ body }: RecordedRequest) => body.messages.filter(({ role }) => role === "tool").length;

test("troupe -p works with a chat completions API alone: a subagent reads, and its report is in the result", async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "note.txt"), "The word is heron.\n");
  const server = await chatServer((request) => {
    if (JSON.stringify(request.body.messages).includes("heron")) return { text: "The word is heron." };
    if (results(request) > 0) return { text: "I found nothing." };
    return JSON.stringify(request.body.messages).includes("What is the word?")
      ? { calls: [agent] }
      : { text: "I read it.", calls: [{ name: "Read", input: { file_path: join(cwd, "note.txt") } }] };
  });
  const ended = await troupe(["-p", "What is the word?", "--output-format", "json"], {
    cwd,
    env: server.env,
  });
  expect(ended.code, ended.err).toBe(0);
  expect(ended.json()).toMatchObject({ result: "The word is heron.", is_error: false });
  expect(server.requests.map(({ path }) => path)).toEqual(Array(4).fill("/v1/chat/completions"));
  // The server has one model, whatever alias an agent names.
  expect(new Set(server.requests.map(({ body }) => body.model))).toEqual(new Set(["qwen3-coder"]));
  expect(server.requests.every(({ headers }) => headers.authorization === undefined)).toBe(true);
});

test("a conversation that does not fit is compacted to the window that vLLM names, and goes on", {
  tags: ["long"],
}, async () => {
  const cwd = temporaryFolder();
  for (const name of ["a", "b", "c", "d", "e", "f"])
    writeFileSync(join(cwd, `${name}.txt`), `${`${name} and more of it. `.repeat(40)}\n`.repeat(30));
  const [MOST, reads] = [140_000, [..."abcdef"]];
  let refused = 0;
  const server = await startMessagesServer((request) => {
    if (request.rawBody.length > MOST) {
      refused += 1;
      const message = `This model's maximum context length is 60000 tokens. However, you requested ${request.rawBody.length} tokens.`;
      return {
        status: 400,
        body: JSON.stringify({ error: { message, type: "BadRequestError", param: null, code: 400 } }),
      };
    }
    if (!request.rawBody.includes("Read all of them")) return chatStream({ text: "Some files were read." });
    const name = request.rawBody.includes('"tool_choice"') ? undefined : reads.shift();
    return chatStream(
      name === undefined
        ? { text: "All of them are read." }
        : { calls: [{ name: "Read", input: { file_path: join(cwd, `${name}.txt`) }, id: `r_${name}` }] },
    );
  });
  onTestFinished(() => server.close());
  const env = { OPENAI_BASE_URL: `${server.url}/v1`, OPENAI_MODEL: "m" };
  const ended = await troupe(["-p", "Read all of them.", "--output-format", "json"], { cwd, env });
  expect(ended.code, ended.err).toBe(0);
  expect(ended.json()).toMatchObject({ result: "All of them are read." });
  expect(refused).toBeGreaterThan(0);
  expect(reads).toEqual([]);
});

test("troupe -p says what is missing, and which key was refused", { tags: ["long"] }, async () => {
  const server = await startMessagesServer(() => ({
    ...{ status: 401, body: JSON.stringify({ error: { message: "Wrong key.", code: "invalid_api_key" } }) },
  }));
  onTestFinished(() => server.close());
  const env = { OPENAI_BASE_URL: server.url, OPENAI_API_KEY: "sk-wrong-key" };
  const unnamed = await troupe(["-p", "hi"], { env });
  expect(unnamed).toMatchObject({ code: 2, err: expect.stringContaining("set OPENAI_MODEL or --model") });
  const refused = await troupe(["-p", "hi", "--model", "m"], { env });
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("check OPENAI_API_KEY") });
  expect(server.requests.map(({ path }) => path)).toEqual(["/v1/chat/completions"]);
});
