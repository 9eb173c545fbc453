// @module-tag long
import type { ChildProcess } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { server as mcpServer } from "../mcp/opened-mcp.ts";
import { troupe } from "../support/cli-process.ts";
import { repositoryWith } from "../support/git-repository.ts";
import {
  apiError,
  type RequestBody,
  type ServedCall,
  type ServedReply,
  startMessagesServer,
} from "../support/messages-server.ts";
import { temporaryFolder } from "../support/temporary.ts";

const hasResults = ({ messages }: RequestBody) => messages.at(-1)?.role === "user" && messages.length > 1;
const says = ({ messages }: RequestBody, words: string) => JSON.stringify(messages).includes(words);
const prompt = (content: string) => JSON.stringify({ type: "user", message: { role: "user", content } });

const control = (id: string, request: object) =>
  JSON.stringify({ type: "control_request", request_id: id, request });
const bash = (command: string): ServedCall => ({ name: "Bash", input: { command } });
/** It has begun, and ends only with the request. */
const endless: ServedReply = { text: "Half a", upTo: "event: content_block_stop", ending: "pings" };

interface Line {
  readonly type: string;
  readonly subtype?: string;
  readonly request_id?: string;
  readonly event?: { readonly type: string };
  readonly request?: { readonly input?: { readonly command?: string } };
}

interface Program {
  write(line: string): void;
  end(): void;
  kill(): void;
}

interface Scenario {
  readonly name: string;
  readonly args: readonly string[];
  /** `cwd` is the project; `n` counts the requests from 0. */
  answer(request: {
    readonly body: RequestBody;
    readonly n: number;
    readonly cwd: string;
  }): ServedReply | Promise<ServedReply>;
  readonly stdin?: string;
  readonly code?: number | null;
  /** Settings of the user. */
  readonly settings?: object;
  /** Returns what a program does when it has read a line. Its stdin stays open until it ends it. */
  attend?(program: Program): (line: Line) => void;
  /** A second command, in the same project: its lines are the transcript. */
  readonly afterwards?: readonly string[];
}

/** Of a PNG with one pixel. */
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

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
    answer: ({ body, cwd }) =>
      hasResults(body)
        ? { text: "None of it." }
        : {
            calls: [
              { name: "Write", input: { file_path: join(cwd, "b.txt"), content: "b" } },
              { name: "Nothing", input: {} },
              { name: "Read", input: { path: 3 } },
            ],
          },
  },
  {
    name: "an agent",
    args: ["-p", "start one"],
    answer: ({ body, cwd }) => {
      if (hasResults(body)) return { text: "Done." };
      return says(body, "look at a")
        ? { calls: [{ name: "Read", input: { file_path: join(cwd, "a.txt") } }] }
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
  {
    name: "parallel calls, one of which fails",
    args: ["-p", "look"],
    answer: ({ body, cwd }) =>
      hasResults(body)
        ? { text: "One is missing." }
        : {
            text: "I look.",
            calls: ["a.txt", "none.txt"].map((file) => ({
              name: "Read",
              input: { file_path: join(cwd, file) },
            })),
          },
  },
  {
    name: "an edit with its diff, and an image",
    args: ["-p", "change it", "--permission-mode", "acceptEdits"],
    answer({ body, n, cwd }) {
      const a = join(cwd, "a.txt");
      if (n === 0) return { calls: [{ name: "Read", input: { file_path: a } }] };
      if (n === 1)
        return {
          calls: [{ name: "Edit", input: { file_path: a, old_string: "alpha", new_string: "beta" } }],
        };
      return says(body, "image/png")
        ? { text: "Changed." }
        : { calls: [{ name: "Read", input: { file_path: join(cwd, "pixel.png") } }] };
    },
  },
  {
    name: "thoughts, and a reply in pieces",
    args: ["-p", "think", "--include-partial-messages"],
    answer: () => ({ thinking: "It is even.", text: "Even." }),
  },
  {
    name: "permissions that the program gives and refuses",
    args: ["-p", "--input-format", "stream-json", "--permission-prompt-tool", "stdio"],
    stdin: prompt("go"),
    answer({ n }) {
      if (n > 1) return { text: "One of them ran." };
      return { calls: [bash(n === 0 ? "touch one" : "touch two")] };
    },
    attend:
      ({ write, end }) =>
      ({ type, request_id, request }) => {
        if (type === "result") end();
        if (type !== "control_request") return;
        const response =
          request?.input?.command === "touch one"
            ? { behavior: "allow", updatedInput: request.input }
            : { behavior: "deny", message: "Not this one." };
        write(
          JSON.stringify({
            type: "control_response",
            response: { subtype: "success", request_id, response },
          }),
        );
      },
  },
  {
    name: "an interrupted turn, and the next one",
    args: ["-p", "--input-format", "stream-json", "--include-partial-messages"],
    stdin: prompt("one"),
    answer: ({ n }) => (n === 0 ? endless : { text: "Here I am.", chunks: 1 }),
    attend({ write, end }) {
      let ended = 0;
      return ({ type, event }) => {
        if (event?.type === "content_block_delta" && ended === 0)
          write(control("1", { subtype: "interrupt" }));
        if (type !== "result") return;
        ended += 1;
        if (ended === 1) write(prompt("two"));
        else end();
      };
    },
  },
  {
    name: "an agent in the background, and the turn that hears of it",
    args: ["-p", "start one"],
    answer({ body }) {
      if (!says(body, "start one")) return told.promise.then(() => ({ text: "All is well." }));
      if (says(body, "All is well.")) return { text: "It says so." };
      return hasResults(body)
        ? { text: "It runs." }
        : {
            calls: [
              {
                name: "Agent",
                input: {
                  ...{ subagent_type: "Explore", description: "look", prompt: "look at a" },
                  run_in_background: true,
                },
              },
            ],
          };
    },
    attend() {
      let said = 0;
      return ({ type }) => {
        if (type === "assistant") said += 1;
        if (said === 2) told.resolve();
      };
    },
  },
  {
    name: "a hook that refuses a call",
    args: ["-p", "run it", "--allowed-tools", "Bash(echo:*)"],
    settings: {
      hooks: {
        PreToolUse: [
          { matcher: "Bash", hooks: [{ type: "command", command: "echo Not on a Friday. >&2; exit 2" }] },
        ],
      },
    },
    answer: ({ body }) => (hasResults(body) ? { text: "Not today." } : { calls: [bash("echo hi")] }),
  },
  {
    name: "a tool of an MCP server",
    args: [
      "-p",
      "echo",
      "--mcp-config",
      JSON.stringify({ echo: mcpServer("good.ts") }),
      "--allowed-tools",
      "mcp__echo__echo",
    ],
    settings: { troupe: { mcpStartMs: 50_000 } },
    answer: ({ body }) =>
      hasResults(body)
        ? { text: "It did." }
        : { calls: [{ name: "mcp__echo__echo", input: { text: "hello" } }] },
  },
  {
    name: "a request that is tried again",
    args: ["-p", "go"],
    answer: ({ n }) => (n === 0 ? apiError(529, "overloaded_error", "Overloaded") : { text: "Now." }),
  },
  {
    name: "the last turn that --max-turns allows",
    args: ["-p", "go on", "--max-turns", "1", "--allowed-tools", "Bash(echo:*)"],
    answer: ({ n }) => (n === 0 ? { calls: [bash("echo hi")] } : { text: "So far: hi." }),
    code: 1,
  },
  {
    name: "a budget that ends",
    args: ["-p", "go on", "--max-budget-usd", "0.2", "--allowed-tools", "Bash(echo:*)"],
    answer: ({ body }) =>
      hasResults(body)
        ? { text: "So far: hi." }
        : { calls: [bash("echo hi")], usage: { input_tokens: 40_000 } },
    code: 1,
  },
  {
    name: "a conversation that is compacted",
    args: ["-p", "go on", "--allowed-tools", "Bash(echo:*)"],
    answer({ body, n }) {
      if (says(body, "Write under these headings")) return { text: "They want me to go on." };
      if (n < 3) return { calls: [bash("echo hi")] };
      return n === 3
        ? apiError(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum")
        : { text: "Done." };
    },
  },
  {
    name: "what was cut off by kill -9, resumed",
    args: ["-p", "first of all", "--include-partial-messages"],
    answer: ({ n }) => (n === 0 ? endless : { text: "Whole." }),
    attend:
      ({ kill }) =>
      ({ event }) => {
        if (event?.type === "content_block_delta") kill();
      },
    afterwards: ["-p", "--continue"],
  },
];

/** The agent in the background ends after the turn that has started it. */
const told = Promise.withResolvers<void>();

test.each(scenarios)(
  "writes the lines as before: $name",
  async ({ args, answer, stdin, attend, settings, afterwards, code: expected = 0 }) => {
    const { folder: cwd } = await repositoryWith({ "a.txt": "alpha\n" });
    writeFileSync(join(cwd, "pixel.png"), Buffer.from(PIXEL, "base64"));
    const home = temporaryFolder("troupe-home-");
    mkdirSync(join(home, ".claude"));
    if (settings) writeFileSync(join(home, ".claude/settings.json"), JSON.stringify(settings));
    let requests = 0;
    const server = await startMessagesServer(({ body, rawBody, path }) => {
      // As a server counts that takes every fourth letter for a token.
      const input_tokens = Math.ceil(rawBody.length / 4);
      if (path.endsWith("/count_tokens")) return { status: 200, body: JSON.stringify({ input_tokens }) };
      return answer({ body, n: requests++, cwd });
    });
    onTestFinished(() => server.close());
    const run = (words: readonly string[], input?: string, onStart?: (child: ChildProcess) => void) =>
      troupe([...words, "--output-format", "stream-json", "--verbose"], {
        ...{ cwd, home, url: server.url },
        ...(input === undefined ? {} : { stdin: onStart ? "open" : input }),
        ...(onStart === undefined ? {} : { onStart }),
      });
    const onStart = (child: ChildProcess): void => {
      if (stdin !== undefined) child.stdin?.write(`${stdin}\n`);
      const onLine = attend?.({
        write: (line) => void child.stdin?.write(`${line}\n`),
        end: () => void child.stdin?.end(),
        kill: () => void child.kill("SIGKILL"),
      });
      if (child.stdout)
        createInterface({ input: child.stdout }).on("line", (line) => onLine?.(JSON.parse(line)));
    };
    const first = await run(args, stdin, attend && onStart);
    const { code, out, err } = afterwards === undefined ? first : await run(afterwards);
    expect(code, err).toBe(expected);
    const paths = {
      [cwd]: "‹project›",
      [cwd.replaceAll(/[^A-Za-z0-9]/g, "-")]: "‹project›",
      [home]: "‹home›",
      [server.url.replace("http://", "")]: "‹server›",
    };
    const ids = new Map<string, string>();
    const lines = inOrder(out.trim().split("\n")).map((line) =>
      JSON.stringify(JSON.parse(line), (key, value) => normalise(key, value, ids)),
    );
    const text = Object.entries(paths).reduce(
      (all, [from, to]) => all.replaceAll(from, to),
      lines.join("\n"),
    );
    expect(text).toMatchSnapshot();
  },
);

const isResult = (value: unknown): value is { readonly status: string } =>
  typeof value === "object" &&
  value !== null &&
  "total_cost_usd" in value &&
  value.total_cost_usd !== "‹cost›";

/**
 * Calls that run at the same time end in any order. An agent in the background starts when its record is on disk, which its
 * parent does not wait for.
 */
function inOrder(lines: readonly string[]): readonly string[] {
  const callOf = (line: string) => /"subtype":"troupe_call_end".*?"call":"([^"]*)"/.exec(line)?.[1] ?? null;
  const isEarly = (one: string, other: string) =>
    /"type":"user".*works in the background/.test(one) && /"subtype":"task_(started|progress)"/.test(other);
  const ordered = [...lines];
  for (let at = 1; at < ordered.length; at++) {
    const [one = "", other = ""] = ordered.slice(at - 1, at + 1);
    const [first, second] = [callOf(one), callOf(other)];
    if (!isEarly(one, other) && (first === null || second === null || first < second)) continue;
    [ordered[at - 1], ordered[at]] = [other, one];
    at = 0;
  }
  return ordered;
}

/** What differs from run to run gets a stable name, and lists that grow with Troupe are left out. */
function normalise(key: string, value: unknown, ids: Map<string, string>): unknown {
  if (key === "uuid") return "‹uuid›";
  // What an interrupted request has cost may be known only afterwards.
  if (isResult(value) && value.status === "cancelled")
    return { ...value, usage: "‹usage›", total_cost_usd: "‹cost›" };
  if (key === "duration_ms" || key === "duration_api_ms" || key === "retry_delay_ms") return "‹ms›";
  if (
    ["tools", "agents", "skills", "slash_commands"].includes(key) &&
    Array.isArray(value) &&
    typeof value[0] === "string"
  )
    return "‹list›";
  // The first request waits for a server only as long as it is useful.
  if (key === "status" && (value === "starting" || value === "connected")) return "‹state›";
  // They depend on the size of the system prompt.
  if (/^(pre|post)_tokens$/.test(key) || (key.endsWith("_tokens") && Number(value) >= 1_000))
    return "‹tokens›";
  if (typeof value !== "string") return value;
  if (key === "request_id" && value.length === 36) return "‹uuid›";
  return value.replaceAll(/(?<![0-9A-Za-z])[0-9a-z]{16}(?![0-9A-Za-z])/g, (id) => {
    if (!ids.has(id)) ids.set(id, `‹id ${ids.size + 1}›`);
    return String(ids.get(id));
  });
}
