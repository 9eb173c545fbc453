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
