import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { put } from "../settings/folders.ts";
import { BIN } from "../support/built.ts";
import { type CliOptions, type Ended, troupe } from "../support/cli-process.ts";
import { isLong, long } from "../support/long.ts";
import {
  apiError,
  type Handler,
  type MessagesServer,
  type RecordedRequest,
  type ServedReply,
  startMessagesServer,
} from "../support/messages-server.ts";
import { unless } from "../support/needs.ts";
import { inTerminal, whyNoTerminal } from "../support/pseudo-terminal.ts";
import { temporaryFolder } from "../support/temporary.ts";

const noTerminal = whyNoTerminal();
if (noTerminal !== null) console.warn(`The end of a conversation is not tested here: ${noTerminal}.`);

/** The seed's sample settings (002, Permission Check), unchanged. */
const sample = {
  permissions: {
    allow: ["Bash(npm test:*)", "Read(**)"],
    deny: ["Bash(rm -rf*)", "Write(/etc/**)"],
    defaultMode: "acceptEdits",
  },
};

interface Place {
  readonly cwd: string;
  readonly home: string;
}

/** A project whose test leaves a mark, and a home. */
function placed({ project, user }: { readonly project?: unknown; readonly user?: unknown }): Place {
  const base = temporaryFolder();
  const place = { cwd: join(base, "project"), home: join(base, "home") };
  for (const folder of [place.cwd, place.home]) mkdirSync(folder);
  put(join(place.cwd, "package.json"), { scripts: { test: "echo tested > tested.txt" } });
  put(join(place.cwd, "build/kept.txt"), "kept");
  if (project !== undefined) put(join(place.cwd, ".claude/settings.json"), project);
  if (user !== undefined) put(join(place.home, ".claude/settings.json"), user);
  return place;
}

/** In place of npm, where it is only what is allowed or not: npm itself takes longer than all the rest of such a test. */
function quickNpm({ home }: Place): string {
  const folder = join(home, "bin");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "npm"), "#!/bin/sh\necho tested > tested.txt\n", { mode: 0o755 });
  return `${folder}:${process.env["PATH"] ?? ""}`;
}

async function asked(place: Place, prompt: string, args: readonly string[], more: CliOptions = {}) {
  const env = { ...(isLong ? {} : { PATH: quickNpm(place) }), ...more.env };
  const ended = await troupe(["-p", prompt, "--output-format", "json", ...args], { ...place, ...more, env });
  return { ...ended, ...place };
}

async function served(handler: Handler): Promise<MessagesServer> {
  const server = await startMessagesServer(handler);
  onTestFinished(() => server.close());
  return server;
}

const inputs = (ended: Ended) => {
  const denials = ended.json()["permission_denials"];
  if (!Array.isArray(denials)) throw new Error("there is no list of denials");
  return denials.map(({ tool_name, tool_input, agent_id }) => ({ tool_name, tool_input, agent_id }));
};

/** Results of tools in the last message of a request, as the model reads them. */
function resultsIn(
  request: RecordedRequest | undefined,
): { readonly text: string; readonly isError: boolean }[] {
  const content = request?.body.messages.at(-1)?.content ?? [];
  if (typeof content === "string") return [];
  return content.flatMap((block) =>
    block.type === "tool_result"
      ? [{ text: JSON.stringify(block["content"]), isError: block["is_error"] === true }]
      : [],
  );
}

const says = (request: RecordedRequest) => JSON.stringify(request.body.messages[0]);
const bash = (...commands: string[]): ServedReply => ({
  calls: commands.map((command) => ({ name: "Bash", input: { command } })),
});
const agent = (prompt: string): ServedReply => ({
  calls: [{ name: "Agent", input: { description: prompt, prompt, subagent_type: "general-purpose" } }],
});

/** A model that puts an agent to work that puts another to work; the deepest does this, then each reports. */
function deep(depth: 0 | 1 | 2, work: ServedReply, seen: RecordedRequest[] = []): Handler {
  return (request) => {
    const level = says(request).includes("two below") ? 2 : says(request).includes("one below") ? 1 : 0;
    const isOver = request.body.messages.length > 1;
    if (level < depth)
      return isOver ? { text: "It is reported." } : agent(level === 0 ? "one below" : "two below");
    if (!isOver) return work;
    seen.push(request);
    return { text: "Done." };
  };
}

const line = (ended: Ended, words: string) => ended.err.split("\n").filter((one) => one.includes(words));

describe("the seed's sample settings, with the offline model", { timeout: 60_000 }, () => {
  test("an allowed command runs with --trust, and nothing is said about trust (A6.5)", {
    tags: ["long"],
  }, async () => {
    const ended = await asked(placed({ project: sample }), 'run "npm test --silent"', ["--trust"]);
    expect(ended.code, ended.err).toBe(0);
    expect(existsSync(join(ended.cwd, "tested.txt"))).toBe(true);
    expect(inputs(ended)).toEqual([]);
    expect(ended.err).not.toContain("trusted");
  });

  test("without --trust its allow rule does not count: one line says so, and the rest works", {
    tags: ["long"],
  }, async () => {
    const ended = await asked(placed({ project: sample }), 'run "npm test --silent"', []);
    expect(ended.code, ended.err).toBe(1);
    expect(existsSync(join(ended.cwd, "tested.txt"))).toBe(false);
    expect(inputs(ended)).toMatchObject([
      { tool_name: "Bash", tool_input: { command: "npm test --silent" } },
    ]);
    expect(line(ended, "is not trusted")).toHaveLength(1);
    expect(line(ended, "is not trusted")[0]).toContain("--trust");
  });

  // What holds untrusted is seen two agents deep below.
  test.each(isLong ? [[["--trust"]], [[]]] : [[["--trust"]]])(
    "what it denies is denied, with %j, and so is what no rule allows",
    { tags: ["long"] },
    async (flags) => {
      const place = placed({ project: sample });
      const removal = await asked(place, 'run "rm -rf build"', flags);
      expect(removal.code, removal.err).toBe(1);
      expect(removal.json()["result"]).toContain("Bash(rm -rf*)");
      expect(existsSync(join(place.cwd, "build/kept.txt"))).toBe(true);
      const unmatched = await asked(place, 'run "node -e 1"', flags);
      expect(unmatched.json()["status"], unmatched.err).toBe("partial");
      expect(unmatched.json()["result"]).toContain("--allowed-tools 'Bash(node -e 1)'");
      expect(inputs(unmatched)).toHaveLength(1);
    },
  );

  test("its mode counts with --trust only (A6.6)", { tags: ["long"] }, async () => {
    const trusted = await asked(placed({ project: sample }), 'create new.txt with "x"', ["--trust"]);
    expect(existsSync(join(trusted.cwd, "new.txt")), trusted.out).toBe(true);
    const not = await asked(placed({ project: sample }), 'create new.txt with "x"', []);
    expect(existsSync(join(not.cwd, "new.txt")), not.out).toBe(false);
  });
});

describe("the seed's sample settings, with a model on a server", { timeout: 60_000 }, () => {
  test.each(isLong ? ([0, 1, 2] as const) : ([2] as const))(
    "%d agents deep: allowed runs, denied is an error that is read, unmatched is listed (A6.8, A6.9)",
    { tags: ["long"] },
    async (depth) => {
      const seen: RecordedRequest[] = [];
      const work = bash("npm test --silent", "rm -rf build", "node -e 1");
      const { url } = await served(deep(depth, work, seen));
      const ended = await asked(placed({ project: sample }), "go", ["--trust"], { url });
      expect(ended.code, ended.err).toBe(0);
      expect(ended.json()).toMatchObject({ subtype: "success", is_error: false });
      const [allowed, denied, unmatched] = resultsIn(seen[0]);
      expect(allowed).toMatchObject({ isError: false, text: expect.stringContaining("Exit code 0") });
      expect(denied).toMatchObject({ isError: true, text: expect.stringContaining("Bash(rm -rf*)") });
      expect(unmatched).toMatchObject({ isError: true, text: expect.stringContaining("permission") });
      expect(existsSync(join(ended.cwd, "tested.txt"))).toBe(true);
      expect(existsSync(join(ended.cwd, "build/kept.txt"))).toBe(true);
      expect(inputs(ended).map(({ tool_input }) => tool_input)).toEqual([
        { command: "rm -rf build" },
        { command: "node -e 1" },
      ]);
      const id = inputs(ended)[0]?.agent_id ?? "of nobody";
      if (depth > 0) expect(ended.json()["agents"]).toContainEqual(expect.objectContaining({ depth, id }));
    },
  );

  test("untrusted, two agents deep: the denial holds, the allowance does not", {
    tags: ["long"],
  }, async () => {
    const seen: RecordedRequest[] = [];
    const { url } = await served(deep(2, bash("npm test --silent", "rm -rf build"), seen));
    const ended = await asked(placed({ project: sample }), "go", [], { url });
    expect(resultsIn(seen[0]).map(({ isError }) => isError)).toEqual([true, true]);
    expect(existsSync(join(ended.cwd, "tested.txt"))).toBe(false);
    expect(line(ended, "is not trusted")).toHaveLength(1);
  });

  test("what the user's own settings deny, no rule of a trusted project allows (A6.4)", {
    tags: ["long"],
  }, async () => {
    const seen: RecordedRequest[] = [];
    const { url } = await served(deep(0, bash("npm test --silent"), seen));
    const user = { permissions: { deny: ["Bash(npm:*)"] } };
    const ended = await asked(placed({ project: sample, user }), "go", ["--trust"], { url });
    expect(resultsIn(seen[0])).toMatchObject([
      { isError: true, text: expect.stringContaining("Bash(npm:*)") },
    ]);
    expect(ended.code).toBe(0);
  });
});

/** Hooks that each write one line of what they read to a file of the event's name, in the person's home. */
function listening(home: string, events: readonly string[], matcher = "*") {
  const hooks = events.map((event) => [
    event,
    [{ matcher, hooks: [{ type: "command", command: `cat >> '${join(home, event)}'` }] }],
  ]);
  return { hooks: Object.fromEntries(hooks) };
}

function heard({ home }: Place, event: string): Record<string, unknown>[] {
  const file = join(home, event);
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((text) => JSON.parse(text));
}

function hooked(settings: (home: string) => object): Place {
  const place = placed({});
  put(join(place.home, ".claude/settings.json"), settings(place.home));
  return place;
}

const EVENTS = [
  "SessionStart",
  "UserPromptSubmit",
  "PreToolUse",
  "PostToolUse",
  "Stop",
  "SubagentStop",
  "SessionEnd",
];

describe("hooks of the user's settings", { timeout: 60_000 }, () => {
  test("run at every event of a session, and cover agents at any depth (A5.4, A5.8 to A5.13)", {
    tags: ["long"],
  }, async () => {
    const place = hooked((home) => listening(home, EVENTS));
    const { url } = await served(deep(2, bash("echo hello")));
    const ended = await asked(place, "go", [], { url });
    expect(ended.code, ended.err).toBe(0);
    const counts = Object.fromEntries(EVENTS.map((event) => [event, heard(place, event).length]));
    expect(counts).toEqual({
      ...{ SessionStart: 1, UserPromptSubmit: 1, PreToolUse: 3, PostToolUse: 3 },
      ...{ Stop: 1, SubagentStop: 2, SessionEnd: 1 },
    });
    expect(heard(place, "UserPromptSubmit")).toMatchObject([{ prompt: "go", cwd: place.cwd }]);
    expect(heard(place, "PreToolUse").map(({ tool_name, agent_type }) => [tool_name, agent_type])).toEqual([
      ["Agent", undefined],
      ["Agent", "general-purpose"],
      ["Bash", "general-purpose"],
    ]);
    expect(heard(place, "PostToolUse")[0]).toMatchObject({
      hook_event_name: "PostToolUse",
      tool_input: { command: "echo hello" },
      tool_response: { stdout: "hello", interrupted: false, exitCode: 0 },
    });
    const ids = heard(place, "SubagentStop").map(({ agent_id }) => agent_id);
    expect(new Set(ids).size).toBe(2);
  });

  test.each(isLong ? ([1, 2] as const) : ([2] as const))(
    "a no of PreToolUse holds %d agents deep, without a question (A5.5, A5.13)",
    { tags: ["long"] },
    async (depth) => {
      const command = "echo 'not today' >&2; exit 2";
      const place = hooked(() => ({
        hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command }] }] },
      }));
      const seen: RecordedRequest[] = [];
      const { url } = await served(deep(depth, bash("echo hello"), seen));
      const ended = await asked(place, "go", ["--permission-mode", "bypassPermissions"], {
        url,
        env: { IS_SANDBOX: "1" },
      });
      expect(ended.code, ended.err).toBe(0);
      expect(resultsIn(seen[0])).toMatchObject([
        { isError: true, text: expect.stringContaining("not today") },
      ]);
    },
  );

  test("the seed's own example runs for the tools its matcher names and no others (A5.12)", {
    tags: ["long"],
  }, async () => {
    const place = hooked(() => ({
      hooks: {
        PreToolUse: [{ matcher: "Edit|Write", hooks: [{ type: "command", command: "npm run lint:check" }] }],
      },
    }));
    put(join(place.cwd, "package.json"), { scripts: { "lint:check": "echo x >> ../linted.txt" } });
    const linted = join(place.cwd, "../linted.txt");
    await asked(place, 'run "echo x"', []);
    expect(existsSync(linted)).toBe(false);
    const env = { PATH: process.env["PATH"] ?? "" };
    await asked(place, 'create a.txt with "x"', ["--permission-mode", "acceptEdits"], { env });
    expect(readFileSync(linted, "utf8")).toBe("x\n");
    expect(existsSync(join(place.cwd, "a.txt"))).toBe(true);
  });

  test("what PostToolUse prints is in the result that the model reads (A5.8)", {
    tags: ["long"],
  }, async () => {
    const place = hooked(() => ({
      hooks: { PostToolUse: [{ hooks: [{ type: "command", command: "echo formatted by a hook" }] }] },
    }));
    const seen: RecordedRequest[] = [];
    const { url } = await served(deep(0, bash("echo hello"), seen));
    await asked(place, "go", [], { url });
    const [result, ...others] = resultsIn(seen[0]);
    expect(others).toEqual([]);
    expect(result?.text).toMatch(/hello[\s\S]*Said by a PostToolUse hook[\s\S]*formatted by a hook/);
  });

  test("UserPromptSubmit adds to the prompt, and its no asks the model nothing (A5.9)", {
    tags: ["long"],
  }, async () => {
    const place = (command: string) =>
      hooked(() => ({ hooks: { UserPromptSubmit: [{ hooks: [{ type: "command", command }] }] } }));
    const server = await served(() => ({ text: "ok" }));
    await asked(place("echo and more"), "go", [], { url: server.url });
    expect(says(await server.request(0))).toMatch(
      /"go[\\n]+<system-reminder>[\\n]+Said by a UserPromptSubmit hook, not by the user:[\\n]+and more/,
    );
    const no = await asked(place("echo never >&2; exit 2"), "go", [], { url: server.url });
    expect(no.code).not.toBe(0);
    expect(no.json()["reason"]).toContain("never");
    expect(server.requests).toHaveLength(1);
  });

  test("Stop lets the model go on once, as often as it says so (A5.10)", { tags: ["long"] }, async () => {
    const command = `grep -q '"stop_hook_active":true' || { echo 'and the tests' >&2; exit 2; }`;
    const place = hooked(() => ({ hooks: { Stop: [{ hooks: [{ type: "command", command }] }] } }));
    const server = await served(() => ({ text: "ok" }));
    const ended = await asked(place, "go", [], { url: server.url });
    expect(ended.code, ended.err).toBe(0);
    expect(server.requests).toHaveLength(2);
    expect(server.requests[1]?.rawBody).toContain("and the tests");
  });
});

/** The settings in docs/hooks.md, in the order in which they stand there. */
const examples = [
  ...readFileSync(join(import.meta.dirname, "../../docs/hooks.md"), "utf8").matchAll(
    /^```json\n([\s\S]*?)^```/gm,
  ),
]
  .map(([, text = ""]) => text)
  // Hooks that ask a model have tests of their own.
  .filter((text) => text.includes('"type": "command"'));

describe("the examples of docs/hooks.md do what they say", { timeout: 60_000 }, () => {
  const MOST = ["--permission-mode", "bypassPermissions"];

  async function answered(example: number, work: (cwd: string) => ServedReply, args = MOST) {
    const place = placed({ user: examples[example] });
    const server = await served(({ n }) => (n === 0 ? work(place.cwd) : { text: "ok" }));
    const env = { IS_SANDBOX: "1", PATH: process.env["PATH"] ?? "" };
    const ended = await asked(place, "go", args, { url: server.url, env });
    return { ...ended, requests: server.requests, results: resultsIn(server.requests[1]) };
  }
  const write = (name: string, content: string) => (cwd: string) => ({
    calls: [{ name: "Write", input: { file_path: join(cwd, name), content } }],
  });
  const running = (command: string) => () => bash(command);

  test("all of them are here, and the first is the seed's", () => {
    expect(examples).toHaveLength(6);
    expect(JSON.parse(examples[0] ?? "")).toEqual({
      hooks: {
        PreToolUse: [{ matcher: "Edit|Write", hooks: [{ type: "command", command: "npm run lint:check" }] }],
      },
    });
  });

  test("a lock file stays as it is, another file does not", { tags: ["long"] }, async () => {
    const { cwd, results } = await answered(1, write("package-lock.json", "{}"));
    expect(results).toMatchObject([{ isError: true, text: expect.stringContaining("do not edit it") }]);
    expect(existsSync(join(cwd, "package-lock.json"))).toBe(false);
    expect((await answered(1, write("other.json", "{}"))).results).toMatchObject([{ isError: false }]);
  });

  test("npm test is made quiet, and judged as what it has become", { tags: ["long"] }, async () => {
    const { results, err } = await answered(2, running("npm test"));
    expect(results, err).toMatchObject([{ isError: false }]);
    // What npm says about the script is what --silent leaves out.
    expect(results[0]?.text).not.toContain("> ");
    const allow = ["--allowed-tools", "Bash(npm test)"];
    expect((await answered(2, running("npm test"), allow)).results).toMatchObject([{ isError: true }]);
  });

  test("a push is a question, another command is none", { tags: ["long"] }, async () => {
    const { results } = await answered(3, running("git push"));
    expect(results).toMatchObject([
      { isError: true, text: expect.stringContaining("A push leaves this machine") },
    ]);
    expect((await answered(3, running("echo x"))).results).toMatchObject([{ isError: false }]);
  });

  test("blanks at the end of a line are reported with the change", { tags: ["long"] }, async () => {
    const { results } = await answered(4, write("a.md", "text  \n"));
    expect(results).toMatchObject([
      { isError: false, text: expect.stringContaining("Blanks at the end of a line: ./a.md:1:text") },
    ]);
  });

  test("the end waits for the notes, once", { tags: ["long"] }, async () => {
    const { requests, code } = await answered(5, () => ({ text: "I am done." }));
    expect(code).toBe(0);
    expect(requests).toHaveLength(2);
    expect(requests[1]?.rawBody).toContain("Write NOTES.md before you end.");
  });
});

describe("SessionEnd runs exactly once (A5.11)", { timeout: 60_000 }, () => {
  const place = () => hooked((home) => listening(home, ["SessionStart", "SessionEnd"]));

  test("at a normal end, of -p and of fanout", { tags: ["long"] }, async () => {
    const prompt = place();
    await asked(prompt, 'run "echo x"', []);
    expect(heard(prompt, "SessionEnd")).toMatchObject([{ reason: "other", cwd: prompt.cwd }]);
    const fanout = place();
    await troupe(["fanout", "where is the test?", "where is the build?"], fanout);
    expect(heard(fanout, "SessionEnd")).toHaveLength(1);
  });

  const signals = [
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const;
  // Another signal leaves by the same way.
  test.each(signals.slice(0, long(2, 1)))(
    "at %s, in the middle of a reply",
    { tags: ["long"] },
    async (signal, code) => {
      const own = place();
      const server = await served(() => ({
        text: "Endless",
        upTo: "event: content_block_stop",
        ending: "pings",
      }));
      const ended = await troupe(["-p", "go"], {
        ...own,
        url: server.url,
        onStart: (child) => void server.request(0).then(() => child.kill(signal)),
      });
      expect(ended.code, ended.err).toBe(code);
      expect(heard(own, "SessionEnd")).toHaveLength(1);
    },
  );

  test("at a fatal error of the model", { tags: ["long"] }, async () => {
    const own = place();
    const { url } = await served(() => apiError(401, "authentication_error", "invalid x-api-key"));
    const ended = await asked(own, "go", [], { url });
    expect(ended.code).toBe(1);
    expect(heard(own, "SessionEnd")).toHaveLength(1);
  });

  const ways = [
    ["/exit", ["/exit\r"], 0],
    ["Ctrl-D", ["\u0004"], 0],
    ["Ctrl-C twice", ["\u0003", "\u0003"], 130],
  ] as const;
  // Ctrl-C twice is in test/e2e/stopping.test.ts, too.
  test.each(ways.slice(0, long(3, 1)))(
    "at the end of a conversation in a terminal: %s",
    { ...unless(noTerminal), tags: ["long"] },
    async (_, [first, second], code) => {
      const own = place();
      const { url } = await served(() => ({ text: "Well answered." }));
      const terminal = inTerminal([process.execPath, BIN], {
        cwd: own.cwd,
        // Without this project's own packages: a language server among them would be a question.
        env: {
          PATH: "/usr/bin:/bin",
          HOME: own.home,
          ANTHROPIC_BASE_URL: url,
          ANTHROPIC_API_KEY: "sk-test-secret",
        },
      });
      await terminal.shows(/\n› *$/);
      terminal.type("hello\r");
      await terminal.shows(/Well answered[\s\S]*\n› *$/);
      terminal.type("again\r");
      await terminal.shows(/again[\s\S]*Well answered[\s\S]*\n› *$/);
      terminal.type(first);
      if (second !== undefined) {
        await terminal.shows("Ctrl-C again leaves.");
        terminal.type(second);
      }
      expect(await terminal.ended).toBe(code);
      expect(heard(own, "SessionStart")).toHaveLength(1);
      expect(heard(own, "SessionEnd")).toHaveLength(1);
    },
  );

  test("where a hook of it hangs, the program ends all the same", { tags: ["long"] }, async () => {
    const own = hooked((home) => ({
      hooks: {
        SessionEnd: [
          { hooks: [{ type: "command", command: `echo '{}' >> '${home}/SessionEnd'; sleep 600` }] },
        ],
      },
    }));
    const ended = await asked(own, 'run "echo x"', []);
    expect(ended.code, ended.err).toBe(0);
    expect(heard(own, "SessionEnd")).toHaveLength(1);
  });
});
