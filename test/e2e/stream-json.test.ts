// @module-tag long
import { createInterface } from "node:readline";
import { describe, expect, onTestFinished, test } from "vitest";
import { type CliOptions, troupe } from "../support/cli-process.ts";
import { repositoryWith } from "../support/git-repository.ts";
import { type RequestBody, startMessagesServer } from "../support/messages-server.ts";

type Line = Readonly<Record<string, unknown>> & { readonly type: string; readonly subtype?: string };

const STREAM = ["--output-format", "stream-json", "--verbose"];
const linesOf = (out: string): Line[] =>
  out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
const kindOf = ({ type, subtype }: Line) => (subtype === undefined ? type : `${type}/${subtype}`);
const hasResults = ({ messages }: RequestBody) => messages.at(-1)?.role === "user" && messages.length > 1;

async function world(answer: Parameters<typeof startMessagesServer>[0]) {
  const { folder: cwd } = await repositoryWith({ "a.txt": "alpha\n" });
  const server = await startMessagesServer(answer);
  onTestFinished(() => server.close());
  const options: CliOptions = { cwd, url: server.url };
  return { options, cwd, server };
}

describe("--output-format stream-json (issue 21, 10)", () => {
  test("writes one line for each event, with the names that scripts know, and at last the result", async () => {
    const { options, cwd } = await world(({ body }) =>
      hasResults(body)
        ? { text: "There is alpha." }
        : { text: "I look.", calls: [{ name: "Read", input: { file_path: `${cwd}/a.txt` } }] },
    );
    const { code, out } = await troupe(["-p", "what is in a.txt?", ...STREAM], options);
    expect(code).toBe(0);
    const lines = linesOf(out);
    expect(lines.map(kindOf)).toEqual([
      "system/init",
      "assistant",
      "system/troupe_call_begin",
      "system/troupe_call_end",
      "user",
      "assistant",
      "result/success",
    ]);
    const [init, said, , , results, , result] = lines;
    const session = init?.["session_id"];
    for (const line of lines) expect(line).toMatchObject({ session_id: session, uuid: expect.any(String) });
    expect(init).toMatchObject({
      cwd: expect.stringContaining("repository"),
      tools: expect.arrayContaining(["Read", "Bash", "Agent"]),
      agents: expect.arrayContaining(["Explore", "Plan"]),
      permissionMode: "default",
      mcp_servers: [],
      model: expect.any(String),
    });
    expect(said).toMatchObject({
      parent_tool_use_id: null,
      message: {
        role: "assistant",
        type: "message",
        content: [{ type: "text", text: "I look." }, { type: "tool_use" }],
      },
    });
    expect(results).toMatchObject({
      message: { role: "user", content: [{ type: "tool_result" }] },
      tool_use_result: { outcome: "ok", lines: 1 },
    });
    expect(result).toMatchObject({
      is_error: false,
      result: "There is alpha.",
      num_turns: 2,
      permission_denials: [],
    });
  });

  test("names the agent and the call that started it on each line of an agent", async () => {
    const { options, cwd } = await world(({ body }) => {
      if (hasResults(body)) return { text: "Done." };
      return JSON.stringify(body.messages).includes("look at a")
        ? { calls: [{ name: "Read", input: { file_path: `${cwd}/a.txt` } }] }
        : {
            calls: [
              {
                name: "Agent",
                input: { subagent_type: "Explore", description: "look", prompt: "look at a" },
              },
            ],
          };
    });
    const { out } = await troupe(["-p", "start one", ...STREAM], options);
    const lines = linesOf(out);
    const begin = lines.find((line) => line["tool_name"] === "Agent");
    const of = {
      parent_tool_use_id: begin?.["tool_use_id"],
      subagent_type: "Explore",
      task_description: "look",
    };
    expect(lines.filter((line) => line["agent_id"] !== undefined).map(kindOf)).toEqual([
      "assistant",
      "system/troupe_call_begin",
      "system/troupe_call_end",
      "user",
      "assistant",
    ]);
    for (const line of lines.filter((one) => one["agent_id"] !== undefined)) expect(line).toMatchObject(of);
    const tasks = lines.filter((line) => line["task_id"] !== undefined);
    expect(tasks.at(0)).toMatchObject({ subtype: "task_started", tool_use_id: of.parent_tool_use_id });
    expect(tasks.at(-1)).toMatchObject({
      subtype: "task_notification",
      status: "completed",
      summary: "Done.",
    });
  });

  test("writes pieces of the reply only if they are wanted", async () => {
    const { options } = await world(() => ({ text: "one two three" }));
    const events = async (...flags: string[]) =>
      linesOf((await troupe(["-p", "go", ...STREAM, ...flags], options)).out).flatMap((line) =>
        line.type === "stream_event" ? [line["event"] as { type: string; delta?: { text: string } }] : [],
      );
    expect(await events()).toEqual([]);
    const pieces = await events("--include-partial-messages");
    expect(pieces.map(({ delta }) => delta?.text ?? "").join("")).toBe("one two three");
    expect([pieces.at(0)?.type, pieces.at(-1)?.type]).toEqual(["message_start", "message_stop"]);
  });

  test.each([
    [["--json-schema", '{"type":"nonsense"}'], "--json-schema"],
    [["--json-schema", "[]"], "give an object"],
    [["--json-schema", "{"], "not valid JSON"],
    [["--json-schema", "none.json"], "none.json"],
    [["--json-schema", '{"answer":"string"}'], "no keyword of JSON Schema"],
    [["--json-schema", '{"type":"object"}', "--continue"], "for a new conversation"],
  ])("refuses %j before anything is sent", async (flags, sentence) => {
    const { options, server } = await world(() => ({ text: "{}" }));
    const { code, out, err } = await troupe(["-p", "go", ...flags], options);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(sentence);
    expect(server.requests).toEqual([]);
  });

  test("prints only the data of an answer by a schema, and sends the schema to the model", async () => {
    const { options, server } = await world(() => ({ text: 'Here:\n```json\n{"a":1}\n```' }));
    const { out } = await troupe(["-p", "go", "--json-schema", '{"type":"object"}'], options);
    expect(JSON.parse(out)).toEqual({ a: 1 });
    expect(JSON.stringify(server.requests[0]?.body.system)).toContain("fits this JSON Schema");
  });

  test("ends with a result also if it is stopped by a signal", async () => {
    const { options, server } = await world(() => ({ after: new Promise(() => {}) }) as never);
    const { code, out } = await troupe(["-p", "go", ...STREAM], {
      ...options,
      onStart: (child) => void server.request(0).then(() => child.kill("SIGTERM")),
    });
    expect(code).toBe(143);
    expect(linesOf(out).at(-1)).toMatchObject({ type: "result", is_error: true });
  });
});

describe("--input-format stream-json", () => {
  const FLAGS = ["-p", "--input-format", "stream-json", ...STREAM];
  const prompt = (content: unknown) => JSON.stringify({ type: "user", message: { role: "user", content } });

  test("takes one prompt after the other, with a result for each; a wrong line is left out with a sentence", async () => {
    const { options } = await world(({ body }) => ({ text: `answer ${body.messages.length}` }));
    const stdin = [
      prompt("one"),
      "nonsense \u001b[2J\u0000",
      '{"type":"else"}',
      "",
      prompt([{ type: "text", text: "two" }]),
    ].join("\n");
    const { code, out, err } = await troupe(FLAGS, { ...options, stdin });
    expect(code).toBe(0);
    const results = linesOf(out).filter(({ type }) => type === "result");
    expect(results.map((line) => line["result"])).toEqual(["answer 1", "answer 3"]);
    expect(err.match(/left out/g)).toHaveLength(2);
    for (const control of ["\u0000", "\u001b"]) expect(err).not.toContain(control);
  });

  test("ends as failed if no prompt comes, and refuses formats that do not fit", async () => {
    const { options } = await world(() => ({ text: "" }));
    const empty = await troupe(FLAGS, { ...options, stdin: "" });
    expect(empty.code).toBe(1);
    expect(linesOf(empty.out)).toMatchObject([
      { type: "result", is_error: true, reason: "No prompt came on stdin." },
    ]);
    for (const flags of [
      ["--input-format", "stream-json"],
      ["--output-format", "stream-json", "--permission-prompt-tool", "stdio", "go"],
    ]) {
      const { code, err, out } = await troupe(["-p", ...flags], options);
      expect({ code, out }).toEqual({ code: 2, out: "" });
      expect(err).toContain("stream-json");
    }
  });

  test("asks the program for permission, and does what it answers", async () => {
    const { options, cwd } = await world(({ body }) => {
      if (hasResults(body)) return { text: "Done." };
      const path = (name: string) => ({
        name: "Write",
        input: { file_path: `${cwd}/${name}`, content: "x" },
      });
      return { calls: [path("yes.txt"), path("no.txt")] };
    });
    const asked: unknown[] = [];
    const { code, out } = await troupe([...FLAGS, "--permission-prompt-tool", "stdio"], {
      ...options,
      stdin: "open",
      onStart(child) {
        child.stdin?.write(
          `${JSON.stringify({ type: "control_request", request_id: "c1", request: { subtype: "set_permission_mode", mode: "default" } })}\n`,
        );
        child.stdin?.write(`${prompt("write both")}\n`);
        createInterface({ input: child.stdout as NodeJS.ReadableStream }).on("line", (text) => {
          const line = JSON.parse(text);
          if (line.type === "result") child.stdin?.end();
          if (line.type !== "control_request") return;
          const { tool_name, input } = line.request;
          asked.push([tool_name, input.file_path.replace(cwd, "")]);
          const response = input.file_path.endsWith("yes.txt")
            ? { behavior: "allow", updatedInput: { ...input, content: "changed" } }
            : { behavior: "deny", message: "Not this one." };
          child.stdin?.write(
            `${JSON.stringify({ type: "control_response", response: { subtype: "success", request_id: line.request_id, response } })}\n`,
          );
        });
      },
    });
    expect(code).toBe(0);
    expect(asked).toEqual([
      ["Write", "/yes.txt"],
      ["Write", "/no.txt"],
    ]);
    const lines = linesOf(out);
    expect(lines.find(({ type }) => type === "control_response")).toMatchObject({
      response: { subtype: "success", request_id: "c1" },
    });
    const ends = lines.filter(({ subtype }) => subtype === "troupe_call_end");
    expect(ends.map((line) => line["outcome"])).toEqual(["ok", "denied"]);
    expect(ends[1]?.["reason"]).toContain("Not this one.");
  });
});
