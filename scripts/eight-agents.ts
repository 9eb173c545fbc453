/**
 * A model server for the picture of eight agents at work (scripts/record-picture.sh): its main conversation starts eight
 * agents, which read and search this repository. Prints its URL, and runs until it is ended.
 */
import { type Handler, startMessagesServer } from "../test/support/messages-server.ts";

const QUESTIONS = [
  ...["where settings are read", "how an agent ends", "who writes the journal", "what a hook may change"],
  ...[
    "how merges are undone",
    "where a budget is kept",
    "what the sandbox hides",
    "how results are delivered",
  ],
];
const TURNS = 6;

const handler: Handler = async ({ rawBody, n }) => {
  if (rawBody.includes("Find out about this repository") && !rawBody.includes('"type":"tool_result"')) {
    const calls = QUESTIONS.map((description) => ({
      name: "Agent",
      input: { description, prompt: `Find out ${description}.`, subagent_type: "Explore" },
    }));
    return { text: "Eight agents look at it, each at one question.", calls };
  }
  const turn = rawBody.split('"type":"tool_result"').length;
  if (turn > TURNS) return { text: "Found: src/index.ts:1" };
  const words =
    QUESTIONS.find((question) => rawBody.includes(question))
      ?.split(" ")
      .at(-1) ?? "agent";
  const calls =
    turn % 2 === 0
      ? [{ name: "Read", input: { file_path: "README.md", offset: turn * 7, limit: 20 + n } }]
      : [{ name: "Grep", input: { pattern: `${words}.{${turn}}`, path: "src" } }];
  return { text: "I look. ".repeat(20), chunks: 20, chunkDelayMs: 60 + (n % 5) * 20, calls };
};

const { url } = await startMessagesServer(handler);
console.log(url);
