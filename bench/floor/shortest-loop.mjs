// The shortest agent loop over the SDK, as a person would write it: what our loop is measured against.
import { readFileSync } from "node:fs";
import Anthropic from "@anthropic-ai/sdk";

const client = new Anthropic();
const tools = [
  {
    name: "Read",
    description: "Reads a file.",
    input_schema: {
      type: "object",
      properties: { file_path: { type: "string", description: "The file" } },
      required: ["file_path"],
    },
  },
];
const messages = [{ role: "user", content: process.argv[2] }];

for (;;) {
  const stream = client.messages.stream({ model: "claude-sonnet-5-5", max_tokens: 16000, tools, messages });
  const reply = await stream.finalMessage();
  messages.push({ role: "assistant", content: reply.content });
  const calls = reply.content.filter((block) => block.type === "tool_use");
  if (calls.length === 0) {
    console.log(reply.content.map((block) => block.text).join(""));
    break;
  }
  messages.push({
    role: "user",
    content: calls.map(({ id, input }) => ({
      type: "tool_result",
      tool_use_id: id,
      content: readFileSync(input.file_path, "utf8"),
    })),
  });
}
