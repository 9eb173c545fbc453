import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { lockHolder } from "../../src/journal/numbered-lock.ts";
import { listSessions } from "../../src/journal/sessions.ts";
import { BIN } from "../support/built.ts";
import { troupe } from "../support/cli-process.ts";
import { processesWith } from "../support/left-behind.ts";
import { everyNth, isLong } from "../support/long.ts";
import {
  type Handler,
  type MessagesServer,
  type RecordedRequest,
  type ServedReply,
  startMessagesServer,
} from "../support/messages-server.ts";
import { unless } from "../support/needs.ts";
import { inTerminal, type PseudoTerminal, whyNoTerminal } from "../support/pseudo-terminal.ts";
import { temporaryFolder } from "../support/temporary.ts";

const CTRL_C = "\u0003";
const CTRL_D = "\u0004";
const ESCAPE = "\u001b";
const endless: ServedReply = { text: "Endless", upTo: "event: content_block_stop", ending: "pings" };

async function serving(handler: Handler): Promise<MessagesServer> {
  const server = await startMessagesServer(handler);
  onTestFinished(() => server.close());
  return server;
}

function isAgents({ body }: RecordedRequest): boolean {
  return JSON.stringify(body.messages[0]?.content).includes("task of an agent");
}

const inBackground = {
  name: "Agent",
  input: {
    description: "look around",
    prompt: "task of an agent",
    subagent_type: "Explore",
    run_in_background: true,
  },
};
const command = (line: string) => ({ name: "Bash", input: { command: line, description: "Run it" } });

interface Place {
  readonly cwd: string;
  readonly home: string;
}

const place = (): Place => ({ cwd: temporaryFolder(), home: temporaryFolder("troupe-home-") });
/** Runs commands without a question. */
const free = ["--permission-mode", "bypassPermissions"];
const sandboxed = { IS_SANDBOX: "1" };

/** Each session was given back and its journal is whole; no process is left, and nobody listens any more. */
async function expectNothingLeft({ home }: Place): Promise<void> {
  await expect.poll(() => processesWith(home)).toEqual([]);
  const { sessions, notes } = await listSessions(join(home, ".troupe"));
  expect(notes).toEqual([]);
  for (const { folder } of sessions) {
    expect(lockHolder(folder)).toBeNull();
    const lines = readFileSync(join(folder, "journal.jsonl"), "utf8").split("\n");
    expect(lines.pop()).toBe("");
    for (const line of lines) JSON.parse(line);
  }
  const kept = readdirSync(home, { recursive: true, withFileTypes: true });
  // The file of a program that left at once is swept by the next one.
  for (const entry of kept.filter((entry) => entry.isSocket()))
    expect(await answers(join(entry.parentPath, entry.name)), entry.name).toBe(false);
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path, () => resolve(true));
    socket.on("connect", () => socket.destroy()).on("error", () => resolve(false));
  });
}

describe("troupe -p and what runs in the background (C29)", { timeout: 60_000 }, () => {
  test("waits for background agents, whose results the answer knows", { tags: ["long"] }, async () => {
    const at = place();
    const server = await serving((request) => {
      if (isAgents(request)) return { text: "A needle.", delayMs: 300 };
      if (request.rawBody.includes("A needle.")) return { text: "It found a needle." };
      return request.body.messages.length === 1
        ? { text: "I start one.", calls: [inBackground] }
        : { text: "One looks around." };
    });
    const { code, out } = await troupe(["-p", "go"], { ...at, url: server.url });
    expect(code).toBe(0);
    expect(out).toContain("It found a needle.\n");
    await expectNothingLeft(at);
  });

  test("--background-timeout stops what still runs, names it, and ends with 124", {
    tags: ["long"],
  }, async () => {
    const at = place();
    const server = await serving((request) => {
      if (isAgents(request)) return endless;
      return request.body.messages.length === 1 ? { calls: [inBackground] } : { text: "One looks around." };
    });
    const { code, err, json } = await troupe(
      ["-p", "go", "--background-timeout", "0.2s", "--output-format", "json"],
      { ...at, url: server.url },
    );
    expect(code).toBe(124);
    expect(json()).toMatchObject({
      is_error: true,
      result: "One looks around.",
      unfinished: [{ type: "Explore", description: "look around" }],
    });
    expect(err).toContain("1 agent stopped unfinished: Explore · look around");
    expect(err).toContain(`troupe --resume ${json()["session_id"]} resumes it.`);
    await expectNothingLeft(at);
  });

  const ends = [
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const;
  test.each(everyNth(ends, 2))(
    "%s ends every command and leaves with %i, with nothing left",
    { tags: ["long"] },
    async (signal, expected) => {
      const at = place();
      const server = await serving(() => ({
        calls: [command("touch begun; trap '' TERM INT HUP; sleep 100")],
      }));
      const begun = join(at.cwd, "begun");
      const { code, err } = await troupe(["-p", "go", ...free], {
        ...{ ...at, url: server.url, env: sandboxed },
        onStart(child) {
          const timer = setInterval(
            () => existsSync(begun) && child.kill(signal) && clearInterval(timer),
            20,
          );
          child.once("exit", () => clearInterval(timer));
        },
      });
      expect(code).toBe(expected);
      expect(err).toMatch(/troupe --resume [a-z0-9]{16} resumes it\.\n/);
      await expectNothingLeft(at);
    },
  );
});

const why = whyNoTerminal();
const ready = (terminal: PseudoTerminal) => terminal.shows(/\n› *$/);

interface Options {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** In a shell that tells, after the program, its exit code and how the terminal was before and is now. */
function start({ cwd, home }: Place, url: string, { args = [], env = {} }: Options = {}): PseudoTerminal {
  const line = `before=$(stty -g); "$@"; echo "code=$?"; test "$before" = "$(stty -g)" && echo restored`;
  return inTerminal(["sh", "-c", line, "sh", process.execPath, BIN, ...args], {
    cwd,
    env: { HOME: home, ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "sk-test", ...env },
  });
}

/** The program's own process, below that shell. */
function programOf({ home }: Place): number {
  const [pid] = processesWith(home).filter((id) =>
    readFileSync(`/proc/${id}/cmdline`, "utf8").startsWith(`${process.execPath}\0${BIN}`),
  );
  return Number(pid);
}

describe("stopping in a terminal (C21, fault 63)", { ...unless(why), timeout: 60_000 }, () => {
  /** The first question starts an agent in the background, whose answer comes when the test says so. */
  const working = async (then: (request: RecordedRequest) => ServedReply) => {
    const finding = Promise.withResolvers<ServedReply>();
    const server = await serving((request) => {
      if (isAgents(request)) return finding.promise;
      if (request.body.messages.length === 1) return { text: "I start one.", calls: [inBackground] };
      return then(request);
    });
    return { server, finds: (text: string) => finding.resolve({ text }) };
  };

  test("an agent that ends while the user types wakes the conversation, and leaves the line alone", {
    tags: ["long"],
  }, async () => {
    const at = place();
    const { server, finds } = await working(({ rawBody }) =>
      rawBody.includes("A needle.")
        ? { text: "It has found a needle.", chunks: 5, chunkDelayMs: 50 }
        : { text: "One looks around." },
    );
    const terminal = start(at, server.url);
    await ready(terminal);
    terminal.type("go\r");
    await terminal.shows(/One looks around\.[\s\S]*✓ done[^\n]*\n\n[^›]*● Explore · look around[^\n]*\n› *$/);
    terminal.type("half a th");
    await terminal.shows(/› half a th$/);
    finds("A needle.");
    await terminal.shows("From the background: look around.");
    terminal.type("ought");
    await terminal.shows(/It has found a needle\.\n[\s\S]*✓ done[\s\S]*\n› half a thought$/);
    terminal.type("\r");
    await terminal.shows(/› half a thought\n[\s\S]*✓ done/);
    expect(server.requests.at(-1)?.rawBody).toContain("half a thought");
    terminal.type(CTRL_D);
    await terminal.shows("code=0\nrestored");
    await expectNothingLeft(at);
  });

  test("the user looks into an agent in the tree, reads what it writes, and stops it (issue 21, 6)", {
    tags: ["long"],
  }, async () => {
    const at = place();
    const seen = Promise.withResolvers<void>();
    const server = await serving((request) => {
      const held = { after: "Needle.", until: seen.promise };
      if (isAgents(request)) return { text: "Needle. ".repeat(200), chunks: 200, chunkDelayMs: 100, held };
      return request.body.messages.length === 1
        ? { text: "I start one.", calls: [inBackground] }
        : { text: "One looks around." };
    });
    const terminal = start(at, server.url);
    await ready(terminal);
    terminal.type("go\r");
    await terminal.shows(/One looks around\.[\s\S]*✓ done[^\n]*\n\n[^›]*● Explore · look around/);
    await terminal.showsStatus(/ · 1 agent$/);
    terminal.type("\u001b[B");
    await terminal.shows(/\n› ● Explore · look around[^\n]*\n↑ ↓ · Enter looks inside/);
    terminal.type("\r");
    await terminal.shows(/\n● Explore · look around[\s\S]*[^\n]*m message · x stop/);
    seen.resolve();
    await terminal.shows(/\nNeedle\. Needle\.[^\n]*\n[^\n]*m message · x stop/);
    terminal.type("x");
    await terminal.shows(/⊘ Explore · look around {2}cancelled/);
    terminal.type(ESCAPE);
    await ready(terminal);
    terminal.type(CTRL_D);
    await terminal.shows("code=0\nrestored");
    await expectNothingLeft(at);
  });

  test.each([
    ["Escape", ESCAPE],
    ["Ctrl-C", CTRL_C],
  ])(
    "%s ends the turn in front; the agent in the background goes on and wakes it",
    { tags: ["long"] },
    async (_, key) => {
      const at = place();
      const { server, finds } = await working(({ rawBody }) =>
        rawBody.includes("A needle.") ? { text: "It has found a needle." } : endless,
      );
      const terminal = start(at, server.url);
      await ready(terminal);
      terminal.type("go\r");
      await terminal.shows("Endless");
      terminal.type(key);
      await terminal.shows(/⊘ cancelled[^\n]*\n1 agent goes on in the background \(Explore · look around\)/);
      await terminal.shows("/stop ends it.");
      finds("A needle.");
      await terminal.shows(/It has found a needle\.[\s\S]*✓ done/);
      terminal.type("/exit\r");
      await terminal.shows("code=0\nrestored");
      await expectNothingLeft(at);
    },
  );

  test("/stop ends the agent in the background, /resume resumes it", { tags: ["long"] }, async () => {
    const at = place();
    const server = await serving((request) => {
      if (isAgents(request)) return request.rawBody.includes("once more") ? { text: "Found now." } : endless;
      return request.body.messages.length === 1
        ? { text: "I start one.", calls: [inBackground] }
        : { text: "One looks around." };
    });
    const terminal = start(at, server.url);
    await ready(terminal);
    terminal.type("go\r");
    await terminal.shows(/One looks around\.[\s\S]*✓ done[^\n]*\n\n[^›]*● Explore/);
    terminal.type("/agents\r");
    await terminal.shows(/● ([a-z0-9]{4,}) {2}Explore · look around {2}in the background/);
    const screen = terminal.screen.lines().join("\n");
    const [, id = ""] = /● ([a-z0-9]{4,}) {2}Explore/.exec(screen) ?? [];
    terminal.type(`/stop ${id}\r`);
    await terminal.shows(/Stopping Explore · look around;/);
    await terminal.shows(/\n› *$/);
    terminal.type(`/resume ${id} once more\r`);
    await terminal.shows(/✓ Explore · look around\nFound now\./);
    terminal.type(CTRL_D);
    await terminal.shows("code=0\nrestored");
    await expectNothingLeft(at);
  });

  test("Ctrl-C twice quits, whatever runs; SessionEnd hooks had their chance (A5.11)", {
    tags: ["long"],
  }, async () => {
    const at = place();
    mkdirSync(join(at.home, ".claude"));
    const hooks = { SessionEnd: [{ hooks: [{ type: "command", command: `echo x >> ${at.home}/ended` }] }] };
    writeFileSync(join(at.home, ".claude/settings.json"), JSON.stringify({ hooks }));
    const server = await serving(() => ({ calls: [command("touch begun; sleep 100")] }));
    const terminal = start(at, server.url, { args: free, env: sandboxed });
    await ready(terminal);
    terminal.type("go\r");
    await expect.poll(() => existsSync(join(at.cwd, "begun"))).toBe(true);
    terminal.type(CTRL_C);
    terminal.type(CTRL_C);
    await terminal.shows("code=130\nrestored");
    await terminal.shows(/troupe --resume [a-z0-9]{16} resumes it\./);
    await expectNothingLeft(at);
    expect(readFileSync(join(at.home, "ended"), "utf8")).toBe("x\n");
  });

  test("SIGTERM at a question that comes before the session leaves as well", { tags: ["long"] }, async () => {
    const at = place();
    mkdirSync(join(at.cwd, ".claude"));
    writeFileSync(join(at.cwd, ".claude/settings.json"), '{"permissions":{"allow":["Bash(make:*)"]}}');
    const terminal = start(at, "http://127.0.0.1:9");
    await terminal.shows(/trust it\? y or n › *$/);
    process.kill(programOf(at), "SIGTERM");
    await terminal.shows("code=143\nrestored");
    await expectNothingLeft(at);
  });

  const goes = [
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const;
  test.each(isLong ? goes : goes.slice(1))(
    "%s leaves with %i and the terminal as it was",
    { tags: ["long"] },
    async (signal, code) => {
      const at = place();
      const server = await serving(() => ({ calls: [command("touch begun; trap '' TERM HUP; sleep 100")] }));
      const terminal = start(at, server.url, { args: free, env: sandboxed });
      await ready(terminal);
      terminal.type("go\r");
      await expect.poll(() => existsSync(join(at.cwd, "begun"))).toBe(true);
      process.kill(programOf(at), signal);
      await terminal.shows(`code=${code}\nrestored`);
      await terminal.shows(/troupe --resume [a-z0-9]{16} resumes it\./);
      await expectNothingLeft(at);
    },
  );
});
