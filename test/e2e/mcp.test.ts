// @module-tag long
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { server } from "../mcp/opened-mcp.ts";
import { put } from "../settings/folders.ts";
import { type CliOptions, type Ended, troupe } from "../support/cli-process.ts";
import {
  type Handler,
  type MessagesServer,
  type RecordedRequest,
  type ServedReply,
  startMessagesServer,
} from "../support/messages-server.ts";
import { temporaryFolder } from "../support/temporary.ts";

interface Place {
  readonly cwd: string;
  readonly home: string;
  /** Where `answering.ts` finds what it is to do. */
  readonly script: string;
}

/** The variable says whose processes these are, so that they can be counted. */
function placed(): Place & { readonly mark: string } {
  const base = temporaryFolder();
  const place = { cwd: join(base, "project"), home: join(base, "home"), script: join(base, "script") };
  for (const folder of Object.values(place)) mkdirSync(folder);
  return { ...place, mark: base };
}

const approvals = ({ script }: Place) => JSON.stringify({ approvals: server("answering.ts", script) });

async function served(handler: Handler): Promise<MessagesServer> {
  const messages = await startMessagesServer(handler);
  onTestFinished(() => messages.close());
  return messages;
}

const bash = (command: string): ServedReply => ({ calls: [{ name: "Bash", input: { command } }] });
/** A model that makes one call and then says that it is done. */
const once =
  (reply: ServedReply): Handler =>
  ({ body }) =>
    body.messages.length === 1 ? reply : { text: "Done." };

async function asked(place: Place, messages: MessagesServer, args: readonly string[], more: CliOptions = {}) {
  const ended = await troupe(["-p", "go", "--output-format", "json", ...args], {
    ...{ cwd: place.cwd, home: place.home, url: messages.url },
    ...more,
  });
  expect(running(place.script), "processes that are left").toEqual([]);
  return ended;
}

/** Processes whose command line names this. */
function running(words: string): readonly string[] {
  if (!existsSync("/proc/self/cmdline")) return [];
  return readdirNumbers().filter((pid) => {
    try {
      return pid !== String(process.pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(words);
    } catch {
      return false;
    }
  });
}

function readdirNumbers(): readonly string[] {
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name));
}

const results = (request: RecordedRequest | undefined) => JSON.stringify(request?.body.messages.at(-1));
const denials = (ended: Ended) => JSON.stringify(ended.json()["permission_denials"]);
const tools = (request: RecordedRequest | undefined) =>
  (request?.body.tools ?? []).map(({ name }) => name).filter((name) => name.startsWith("mcp__"));

describe("--permission-prompt-tool, with the program and a server of its own", { timeout: 60_000 }, () => {
  const flags = (place: Place) => [
    ...["--mcp-config", approvals(place), "--permission-prompt-tool", "mcp__approvals__decide"],
  ];
  async function decided(answer: string, reply: ServedReply = bash("touch made && ls")) {
    const place = placed();
    writeFileSync(join(place.script, "answer"), answer);
    const messages = await served(once(reply));
    const ended = await asked(place, messages, flags(place));
    const calls = join(place.script, "calls");
    return {
      ...{ place, ended, messages, result: results(messages.requests[1]) },
      calls: existsSync(calls)
        ? readFileSync(calls, "utf8")
            .trim()
            .split("\n")
            .map((line): unknown => JSON.parse(line))
        : [],
    };
  }

  test("A6.3: its yes lets the call run, and the tool is not the model's", { tags: ["long"] }, async () => {
    const { place, ended, calls, messages } = await decided('{"behavior":"allow"}');
    expect(ended.code, ended.err).toBe(0);
    expect(existsSync(join(place.cwd, "made"))).toBe(true);
    expect(denials(ended)).toBe("[]");
    expect(tools(messages.requests[0])).toEqual(["mcp__approvals__hello"]);
    expect(calls).toEqual([
      { tool_name: "Bash", input: { command: "touch made && ls" }, tool_use_id: expect.any(String) },
    ]);
  });

  test("its denial is listed, and the model reads the text", { tags: ["long"] }, async () => {
    const { place, ended, result } = await decided('{"behavior":"deny","message":"Ask me on Monday."}');
    expect(result).toContain("Ask me on Monday.");
    expect(existsSync(join(place.cwd, "made"))).toBe(false);
    expect(denials(ended)).toContain("touch made");
  });

  test("fault 57: another input runs in the call's place", { tags: ["long"] }, async () => {
    const { place, result } = await decided(
      '{"behavior":"allow","updatedInput":{"command":"touch other && ls"}}',
    );
    expect(result).toContain("other");
    expect(existsSync(join(place.cwd, "made"))).toBe(false);
  });

  test.each([
    ["garbage", "yes, go ahead", "did not answer with JSON"],
    ["a server that dies", "die", "so the answer is no"],
  ])("fault 58: %s is a no that says so", { tags: ["long"] }, async (_, answer, words) => {
    const { place, ended, result } = await decided(answer);
    expect(result).toContain(words);
    expect(existsSync(join(place.cwd, "made"))).toBe(false);
    expect(denials(ended)).toContain("touch made");
    expect(ended.code, ended.err).toBe(0);
  });

  test("it answers for agents of a fan-out as well", { tags: ["long"] }, async () => {
    const place = placed();
    writeFileSync(join(place.script, "answer"), '{"behavior":"deny","message":"No."}');
    const messages = await served(once(bash("touch made && ls")));
    const ended = await troupe(["fanout", "--agent", "general-purpose", "--json", ...flags(place), "one"], {
      cwd: place.cwd,
      home: place.home,
      url: messages.url,
    });
    expect(ended.code, ended.err).toBe(0);
    expect(denials(ended)).toContain("touch made");
    expect(running(place.script)).toEqual([]);
  });

  test.each([
    ["a server that is not there", [], "mcp__other__ask", "no MCP server is configured"],
    ["another server", ["--mcp-config"], "mcp__other__ask", "there are mcp__approvals__…"],
    ["no name of a tool", [], "approve", "write the whole name of a tool"],
  ])("%s: a sentence before anything runs, and exit code 2", async (_, config, tool, words) => {
    const place = placed();
    const messages = await served(once({ text: "hello" }));
    const given = config.length > 0 ? ["--mcp-config", approvals(place)] : [];
    const ended = await asked(place, messages, [...given, "--permission-prompt-tool", tool]);
    expect([ended.code, ended.out]).toEqual([2, ""]);
    expect(ended.err).toContain(words);
    expect(messages.requests).toHaveLength(0);
  });

  test("a server without that tool: a sentence, and no model is asked", { tags: ["long"] }, async () => {
    const place = placed();
    const messages = await served(once({ text: "hello" }));
    const named = ["--mcp-config", approvals(place), "--permission-prompt-tool", "mcp__approvals__ask"];
    const ended = await asked(place, messages, named);
    expect(ended.code).toBe(1);
    expect(ended.out + ended.err).toContain("There is no tool mcp__approvals__ask");
    expect(messages.requests).toHaveLength(0);
  });
});

describe("the servers of a session", { timeout: 60_000 }, () => {
  const canary = (place: Place) => ({
    command: process.execPath,
    args: ["-e", `require("fs").writeFileSync(${JSON.stringify(join(place.script, "canary"))}, "")`],
  });

  test("faults-and-threats §7: .mcp.json starts nothing before trust, whatever the directory says of itself; one line says so", {
    tags: ["long"],
  }, async () => {
    const place = placed();
    put(join(place.cwd, ".mcp.json"), { mcpServers: { evil: canary(place) } });
    put(join(place.cwd, ".claude/settings.json"), {
      enableAllProjectMcpServers: true,
      mcpServers: { evil2: canary(place) },
    });
    const messages = await served(once({ text: "hello" }));
    const ended = await asked(place, messages, []);
    expect(ended.code, ended.err).toBe(0);
    expect(existsSync(join(place.script, "canary"))).toBe(false);
    expect(ended.err.split("\n").filter((line) => line.includes("start the MCP server evil"))).toHaveLength(
      1,
    );
  });

  test("A17.5, A18.3: with --trust they are there, with those of the user's settings and of --mcp-config", {
    tags: ["long"],
  }, async () => {
    const place = placed();
    put(join(place.cwd, ".mcp.json"), { mcpServers: { project: server("answering.ts", place.script) } });
    put(join(place.home, ".claude/settings.json"), {
      mcpServers: { own: server("answering.ts", place.script), broken: { command: "no-such-program" } },
      permissions: { allow: ["mcp__project__hello"], deny: ["mcp__own__decide"] },
      // However busy the machine is.
      troupe: { mcpStartMs: 50_000 },
    });
    const config = join(place.cwd, "more.json");
    put(config, { mcpServers: { more: server("answering.ts", place.script) } });
    const hello = { calls: ["project", "own"].map((name) => ({ name: `mcp__${name}__hello`, input: {} })) };
    const messages = await served(once(hello));
    const ended = await asked(place, messages, ["--trust", "--mcp-config", "more.json"]);
    expect(ended.code, ended.err).toBe(0);
    expect(tools(messages.requests[0])).toEqual([
      "mcp__own__hello",
      "mcp__project__decide",
      "mcp__project__hello",
      "mcp__more__decide",
      "mcp__more__hello",
    ]);
    expect(results(messages.requests[1])).toContain('"hello"');
    expect(denials(ended)).toMatch(/mcp__own__hello/);
    expect(denials(ended)).not.toMatch(/mcp__project/);
    expect(ended.err.split("\n").filter((line) => line.includes('"broken"'))).toHaveLength(1);

    const strict = await served(once({ text: "hello" }));
    await asked(place, strict, ["--trust", "--mcp-config", "more.json", "--strict-mcp-config"]);
    expect(tools(strict.requests[0])).toEqual(["mcp__more__decide", "mcp__more__hello"]);
  });

  test.each([
    ["a file that is not there", "nowhere.json", "cannot be read"],
    ["JSON that is none", "{oops", "--mcp-config: the text given is not JSON"],
    ["a server that cannot be", '{"mcpServers":{"a":{"type":"odd"}}}', 'its type is "odd"'],
    [
      "a variable that is not set",
      `{"a":{"command":"x","env":{"T":"$${"{NO_SUCH_VARIABLE}"}"}}}`,
      "is not set",
    ],
  ])("--mcp-config with %s: exit code 2 and a sentence", { tags: ["long"] }, async (_, config, words) => {
    const place = placed();
    const messages = await served(once({ text: "hello" }));
    const ended = await asked(place, messages, ["--mcp-config", config]);
    expect([ended.code, messages.requests.length]).toEqual([2, 0]);
    expect(ended.err).toContain(words);
  });
});
