// @module-tag long
import { expect, onTestFinished, test } from "vitest";
import { type CliOptions, troupe } from "../support/cli-process.ts";
import { repositoryWith } from "../support/git-repository.ts";
import { type Handler, type RequestBody, startMessagesServer } from "../support/messages-server.ts";

const hasResults = ({ messages }: RequestBody) => messages.at(-1)?.role === "user" && messages.length > 1;
const says = ({ messages }: RequestBody, words: string) => JSON.stringify(messages).includes(words);
const prompt = (content: string) => JSON.stringify({ type: "user", message: { role: "user", content } });

interface Scenario {
  readonly name: string;
  readonly args: readonly string[];
  readonly answer: Handler;
  readonly stdin?: string;
  readonly code?: number;
}

const SCHEMA = '{"type":"object","required":["count"],"properties":{"count":{"type":"number"}}}';

/** `npx vitest run test/e2e/stream-json-transcripts.test.ts -u` records them again. */
const scenarios: readonly Scenario[] = [
  {
    name: "a command, and a reply in pieces",
    args: ["-p", "run it", "--include-partial-messages", "--allowed-tools", "Bash(printf:*)"],
    answer: ({ body }) =>
      hasResults(body)
        ? { text: "It failed.", chunks: 1 }
        : {
            calls: [
              { name: "Bash", input: { command: "printf 'a\\nb\\n' && false", description: "Prints" } },
            ],
          },
  },
  {
    name: "calls that do not run",
    args: ["-p", "try"],
    answer: ({ body }) =>
      hasResults(body)
        ? { text: "None of it." }
        : {
            calls: [
              { name: "Write", input: { file_path: "b.txt", content: "b" } },
              { name: "Nothing", input: {} },
              { name: "Read", input: { path: 3 } },
            ],
          },
  },
  {
    name: "an agent",
    args: ["-p", "start one"],
    answer: ({ body }) => {
      if (hasResults(body)) return { text: "Done." };
      return says(body, "look at a")
        ? { calls: [{ name: "Read", input: { file_path: "a.txt" } }] }
        : {
            calls: [
              {
                name: "Agent",
                input: { subagent_type: "Explore", description: "look", prompt: "look at a" },
              },
            ],
          };
    },
  },
  {
    name: "an answer that fits its schema late",
    args: ["-p", "how many?", "--json-schema", SCHEMA],
    answer: ({ body }) => ({ text: hasResults(body) ? '```json\n{"count": 3}\n```' : '{"count": "many"}' }),
  },
  {
    name: "an answer that never fits its schema",
    args: ["-p", "how many?", "--json-schema", SCHEMA],
    answer: () => ({ text: "Three." }),
    code: 1,
  },
  {
    name: "two prompts, and control requests",
    args: ["-p", "--input-format", "stream-json"],
    stdin: [
      '{"type":"control_request","request_id":"1","request":{"subtype":"set_permission_mode","mode":"plan"}}',
      '{"type":"control_request","request_id":"2","request":{"subtype":"set_permission_mode","mode":"any"}}',
      '{"type":"control_request","request_id":"3","request":{"subtype":"set_model","model":"haiku"}}',
      prompt("one"),
      prompt("two"),
    ].join("\n"),
    answer: ({ body }) => ({ text: `${body.messages.length}` }),
  },
  {
    name: "a request that the API refuses",
    args: ["-p", "go"],
    answer: () => ({
      status: 400,
      body: JSON.stringify({
        type: "error",
        error: { type: "invalid_request_error", message: "Not like this." },
      }),
    }),
    code: 1,
  },
];

test.each(scenarios)(
  "writes the lines as before: $name",
  async ({ args, answer, stdin, code: expected = 0 }) => {
    const { folder: cwd } = await repositoryWith({ "a.txt": "alpha\n" });
    const server = await startMessagesServer(answer);
    onTestFinished(() => server.close());
    const options: CliOptions = { cwd, url: server.url, ...(stdin === undefined ? {} : { stdin }) };
    const { code, out } = await troupe([...args, "--output-format", "stream-json", "--verbose"], options);
    expect(code).toBe(expected);
    const paths = { [cwd]: "‹project›", [server.url.replace("http://", "")]: "‹server›" };
    const ids = new Map<string, string>();
    const lines = out
      .trim()
      .split("\n")
      .map((line) => JSON.stringify(JSON.parse(line), (key, value) => normalise(key, value, ids)));
    const text = Object.entries(paths).reduce(
      (all, [from, to]) => all.replaceAll(from, to),
      lines.join("\n"),
    );
    expect(text).toMatchSnapshot();
  },
);

/** What differs from run to run gets a stable name, and lists that grow with Troupe are left out. */
function normalise(key: string, value: unknown, ids: Map<string, string>): unknown {
  if (key === "uuid") return "‹uuid›";
  if (key === "duration_ms" || key === "duration_api_ms") return "‹ms›";
  if (
    ["tools", "agents", "skills", "slash_commands"].includes(key) &&
    Array.isArray(value) &&
    typeof value[0] === "string"
  )
    return "‹list›";
  if (typeof value !== "string") return value;
  return value.replaceAll(/(?<![0-9A-Za-z])[0-9a-z]{16}(?![0-9A-Za-z])/g, (id) => {
    if (/^[a-z]+$/.test(id)) return id;
    if (!ids.has(id)) ids.set(id, `‹id ${ids.size + 1}›`);
    return String(ids.get(id));
  });
}
