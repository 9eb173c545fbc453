import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { lockHolder } from "../../src/journal/numbered-lock.ts";
import { listSessions, type SessionEntry } from "../../src/journal/sessions.ts";
import { BIN } from "../support/built.ts";
import { troupe } from "../support/cli-process.ts";
import { processesWith } from "../support/left-behind.ts";
import {
  type Handler,
  type MessagesServer,
  type RecordedRequest,
  type ServedReply,
  startMessagesServer,
} from "../support/messages-server.ts";
import { unless } from "../support/needs.ts";
import { inTerminal, whyNoTerminal } from "../support/pseudo-terminal.ts";
import { temporaryFolder } from "../support/temporary.ts";

/** A reply that does not end. */
const endless: ServedReply = { text: "Endless", upTo: "event: content_block_stop", ending: "pings" };

async function serving(handler: Handler): Promise<MessagesServer> {
  const server = await startMessagesServer(handler);
  onTestFinished(() => server.close());
  return server;
}

/** Which agent asks: the first words it was given. */
function asker({ body }: RecordedRequest): "main" | "agent" {
  const first = JSON.stringify(body.messages[0]?.content);
  return first.includes("task of an agent") ? "agent" : "main";
}

async function onlySession(home: string): Promise<SessionEntry> {
  const { sessions } = await listSessions(join(home, ".troupe"));
  const [session] = sessions;
  if (!session || sessions.length > 1) throw new Error(`${sessions.length} sessions, not 1`);
  return session;
}

/** Every tool_use of a request has exactly one result, and roles alternate. */
function expectWhole({ body }: RecordedRequest): void {
  const uses: unknown[] = [];
  const results: unknown[] = [];
  for (const { content } of body.messages) {
    if (typeof content === "string") continue;
    for (const block of content) {
      if (block.type === "tool_use") uses.push(block["id"]);
      if (block.type === "tool_result") results.push(block["tool_use_id"]);
    }
  }
  expect(results).toEqual(uses);
  const roles = body.messages.map(({ role }) => role).filter((role) => role !== "system");
  expect(roles).toEqual(roles.map((_, index) => (index % 2 === 0 ? "user" : "assistant")));
}

const places = () => ({ cwd: temporaryFolder(), home: temporaryFolder("troupe-home-") });

describe("kill -9 in the middle of troupe -p (fault 46)", { timeout: 60_000 }, () => {
  test("--continue resumes from the last durable turn, and nothing with side effects runs twice", {
    tags: ["long"],
  }, async () => {
    const at = places();
    const server = await serving(({ n }) => {
      if (n === 0) {
        const command = "echo once >> made; sleep 100";
        return { text: "I begin.", calls: [{ name: "Bash", input: { command, description: "Make it" } }] };
      }
      return { text: "It is finished." };
    });
    const mode = ["--permission-mode", "bypassPermissions"];
    const env = { IS_SANDBOX: "1" };
    const made = join(at.cwd, "made");
    const killed = await troupe(["-p", "go", ...mode], {
      ...{ ...at, env, url: server.url },
      onStart(child) {
        const timer = setInterval(() => existsSync(made) && child.kill("SIGKILL"), 20);
        child.once("exit", () => clearInterval(timer));
      },
    });
    expect(killed).toMatchObject({ signal: "SIGKILL", out: "" });
    const again = await troupe(["-p", "--continue", ...mode], { ...at, env, url: server.url });
    expect(again).toMatchObject({ code: 0, out: "It is finished.\n" });
    const { id } = await onlySession(at.home);
    expect(again.err).toContain(`Resuming session ${id}: the main conversation was cut off.`);
    expect(readFileSync(made, "utf8")).toBe("once\n");
    const request = await server.request(1);
    expectWhole(request);
    expect(request.rawBody).toContain("I begin.");
    expect(lockHolder((await onlySession(at.home)).folder)).toBeNull();
  });

  test("agents that were at work go on, and their results arrive as if nothing had happened", {
    tags: ["long"],
  }, async () => {
    const at = places();
    let killing = true;
    const server = await serving((request) => {
      if (asker(request) === "agent") return killing ? endless : { text: "The agent has found it." };
      if (request.body.messages.length > 1) return { text: "All is known now." };
      const input = { description: "find it", prompt: "task of an agent", subagent_type: "Explore" };
      return { text: "I ask two.", calls: [1, 2].map(() => ({ name: "Agent", input })) };
    });
    const killed = await troupe(["-p", "go"], {
      ...{ ...at, url: server.url },
      onStart: (child) => void server.request(2).then(() => child.kill("SIGKILL")),
    });
    expect(killed.signal).toBe("SIGKILL");
    killing = false;
    const again = await troupe(["-p", "-c", "--output-format", "json"], { ...at, url: server.url });
    expect(again.code).toBe(0);
    expect(again.err).toContain("the main conversation and 2 agents were cut off.");
    expect(again.json()).toMatchObject({ result: "All is known now.", unfinished: [] });
    const last = server.requests.at(-1);
    if (!last) throw new Error("nothing was asked");
    expectWhole(last);
    expect(last.rawBody.match(/The agent has found it\./g)).toHaveLength(2);
  });

  test("a prompt can be given with it, and --fork-session leaves the session as it was", {
    tags: ["long"],
  }, async () => {
    const at = places();
    const server = await serving(({ n }) => ({ text: `answer ${n}` }));
    await troupe(["-p", "the first question"], { ...at, url: server.url });
    const { id, folder } = await onlySession(at.home);
    const before = readFileSync(join(folder, "journal.jsonl"), "utf8");
    const copied = await troupe(
      ["-p", "on a copy", "--resume", id.slice(0, 6), "--fork-session", "--output-format", "json"],
      { ...at, url: server.url },
    );
    expect(copied.json()).toMatchObject({ result: "answer 1" });
    expect(copied.json()["session_id"]).not.toBe(id);
    expect(readFileSync(join(folder, "journal.jsonl"), "utf8")).toBe(before);
    const second = await troupe(["-p", "and then?", "--resume", id, "--output-format", "json"], {
      ...{ ...at, url: server.url },
    });
    expect(second.json()).toMatchObject({ result: "answer 2", session_id: id });
    const { body } = await server.request(2);
    expect(JSON.stringify(body.messages)).toMatch(/the first question.*answer 0.*and then\?/);
    expect(JSON.stringify(body.messages)).not.toContain("on a copy");
  });

  test("a torn last line is dropped and said; a second process is refused", { tags: ["long"] }, async () => {
    const at = places();
    const server = await serving(({ n }) => (n === 0 ? { text: "first" } : endless));
    await troupe(["-p", "go"], { ...at, url: server.url });
    const { folder, id } = await onlySession(at.home);
    writeFileSync(join(folder, "journal.jsonl"), '{"seq":99,"at":"2026-', { flag: "a" });
    const refused: string[] = [];
    const first = await troupe(["-p", "-c", "more"], {
      ...{ ...at, url: server.url },
      onStart(child) {
        void server
          .request(1)
          .then(() => troupe(["-p", "-c", "me too"], { ...at, url: server.url }))
          .then(({ code, err }) => refused.push(`${code}: ${err}`))
          .finally(() => child.kill("SIGTERM"));
      },
    });
    expect(first.code).toBe(143);
    expect(first.err).toMatch(/last line|torn|incomplete/i);
    expect(first.err).toContain(`troupe --resume ${id} resumes it.`);
    expect(refused[0]).toMatch(/^1: troupe: .*open in another process \(pid \d+\).*--fork-session/);
  });
});

/** The lines of the session's journal, and how to leave only the first `count` of them, as a kill does. */
async function journalIn(home: string) {
  const path = join((await onlySession(home)).folder, "journal.jsonl");
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  const types = lines.map((line): unknown => JSON.parse(line).event.type);
  return { types, keep: (count: number) => writeFileSync(path, `${lines.slice(0, count).join("\n")}\n`) };
}

describe("a kill between the last durable reply and stdout (issue 15, 5)", { timeout: 60_000 }, () => {
  test.each(["turn", "summary"])(
    "prints the recorded answer, as text and as JSON, if the journal ends with the %s",
    { tags: ["long"] },
    async (last) => {
      const at = places();
      const server = await serving(() => ({ text: "The answer." }));
      const whole = await troupe(["-p", "go"], { ...at, url: server.url });
      expect(whole).toMatchObject({ code: 0, out: "The answer.\n" });
      const { types, keep } = await journalIn(at.home);
      const { id } = await onlySession(at.home);
      const count = types.lastIndexOf(last) + 1;
      expect(count).toBeGreaterThan(0);
      keep(count);
      const again = await troupe(["-p", "--resume", id], { ...at, url: server.url });
      expect(again).toMatchObject({ code: 0, out: "The answer.\n" });
      keep(count);
      const json = await troupe(["-p", "--resume", id, "--output-format", "json"], {
        ...at,
        url: server.url,
      });
      expect(json).toMatchObject({ code: 0 });
      expect(json.json()).toMatchObject({
        ...{ result: "The answer.", subtype: "success", is_error: false, session_id: id, num_turns: 1 },
        unfinished: [],
      });
      expect(server.requests.length).toBe(1);
    },
  );

  test("exits as it would have, and says that nothing is left once it was printed", {
    tags: ["long"],
  }, async () => {
    const at = places();
    const server = await serving(({ n }) => ({
      text: `Step ${n}.`,
      calls: [{ name: "Glob", input: { pattern: "*" } }],
    }));
    const options = { ...at, url: server.url };
    const whole = await troupe(["-p", "go", "--max-turns", "1"], options);
    expect(whole.code).toBe(1);
    const { types, keep } = await journalIn(at.home);
    keep(types.lastIndexOf("summary") + 1);
    const again = await troupe(["-p", "--continue"], options);
    expect(again).toMatchObject({ code: 1, out: whole.out });
    expect(again.err).toContain(whole.err.trim().split("\n").at(-1));
    const third = await troupe(["-p", "--continue"], options);
    expect(third).toMatchObject({ code: 2, out: "" });
    expect(third.err).toContain("was cut off, and there is no prompt");
  });

  test("prints every report of a fan-out", { tags: ["long"] }, async () => {
    const at = places();
    const server = await serving(({ rawBody }) => ({
      text: rawBody.includes("one?") ? "First." : "Second.",
    }));
    const options = { ...at, url: server.url };
    expect((await troupe(["fanout", "one?", "two?"], options)).code).toBe(0);
    const { types, keep } = await journalIn(at.home);
    keep(types.lastIndexOf("summary") + 1);
    const again = await troupe(["-p", "--continue"], options);
    expect(again.code).toBe(0);
    expect(again.out).toMatch(/one\?\n\nFirst\.[\s\S]*two\?\n\nSecond\./);
  });
});

const inBackground = {
  name: "Agent",
  input: {
    ...{ description: "find it", prompt: "task of an agent", subagent_type: "Explore" },
    run_in_background: true,
  },
};

describe("the command that a stopped run names (issue 15, 6)", { timeout: 60_000 }, () => {
  /** Agents find nothing before `finds` is called. */
  const searching = async () => {
    let found = false;
    const server = await serving((request) => {
      if (asker(request) === "agent") return found ? { text: "A needle." } : endless;
      if (request.rawBody.includes("A needle.")) return { text: "It found a needle." };
      if (request.body.messages.length > 1) return { text: "One looks around." };
      return { text: "I start one.", calls: [inBackground] };
    });
    return { server, finds: () => (found = true) };
  };
  const named = /troupe (--resume [a-z0-9]{16}) resumes it\.\n/;
  const resumed = (err: string) => (named.exec(err)?.[1] ?? "none").split(" ");

  test.each([["main conversation"], ["agents of a fan-out"]])(
    "SIGINT: resumes the %s",
    { tags: ["long"] },
    async (who) => {
      const at = places();
      const { server, finds } = await searching();
      const isMain = who === "main conversation";
      const args = isMain ? ["-p", "go"] : ["fanout", "task of an agent", "task of an agent too"];
      const stopped = await troupe(args, {
        ...{ ...at, url: server.url },
        onStart: (child) => void server.request(isMain ? 2 : 1).then(() => child.kill("SIGINT")),
      });
      expect(stopped.code).toBe(130);
      finds();
      const again = await troupe(["-p", ...resumed(stopped.err)], { ...at, url: server.url });
      expect(again.code).toBe(0);
      expect(again.out.match(/A needle\.|It found a needle\./g)).toHaveLength(isMain ? 1 : 2);
    },
  );

  test("--background-timeout: resumes what ran in the background, as JSON as well", {
    tags: ["long"],
  }, async () => {
    const at = places();
    const { server, finds } = await searching();
    const options = { ...at, url: server.url };
    const stopped = await troupe(["-p", "go", "--background-timeout", "0.2s"], options);
    expect(stopped).toMatchObject({ code: 124, out: "One looks around.\n" });
    finds();
    const again = await troupe(
      ["-p", ...resumed(stopped.err), "--output-format", "json", "--background-timeout", "20s"],
      options,
    );
    expect(again.code).toBe(0);
    expect(again.json()).toMatchObject({ is_error: false, unfinished: [] });
    expect(again.json()["result"]).toContain("It found a needle.");
  });

  test("names the directory if it is another one", { tags: ["long"] }, async () => {
    const at = places();
    const { server } = await searching();
    const stopped = await troupe(["-p", "go", "--cwd", at.cwd], {
      ...{ ...at, cwd: temporaryFolder(), url: server.url },
      onStart: (child) => void server.request(2).then(() => child.kill("SIGINT")),
    });
    expect(stopped.err).toMatch(/troupe --resume [a-z0-9]{16} --cwd '[^']*' resumes it\.\n/);
    expect(stopped.err).toContain(`--cwd '${at.cwd}' resumes it`);
  });
});

const why = whyNoTerminal();

describe("troupe --resume in a terminal", { ...unless(why), timeout: 60_000 }, () => {
  test("shows the session's state, resumes what was cut off, and reads what is typed", {
    tags: ["long"],
  }, async () => {
    const at = places();
    const server = await serving(({ n }) => {
      if (n === 0) return { text: "I begin.", calls: [{ name: "Glob", input: { pattern: "*" } }] };
      if (n === 1) return endless;
      return n === 2 ? { text: "Going on now.", chunks: 10, chunkDelayMs: 100 } : { text: "Heard it." };
    });
    await troupe(["-p", "the first question"], {
      ...{ ...at, url: server.url },
      onStart: (child) => void server.request(1).then(() => child.kill("SIGKILL")),
    });
    const { id } = await onlySession(at.home);
    const terminal = inTerminal([process.execPath, BIN, "--resume"], {
      cwd: at.cwd,
      env: { HOME: at.home, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: "sk-test" },
    });
    await terminal.shows(/Which session[\s\S]*1 {2}[a-z0-9]{16}[\s\S]*Enter for none › *$/);
    terminal.type("1\r");
    await terminal.shows("› the first question");
    await terminal.shows("I begin.");
    await terminal.shows(`Resuming session ${id}: the main conversation was cut off.`);
    await terminal.shows("Going o");
    terminal.type("and the tests\r");
    await terminal.shows(/Heard it\.[\s\S]*✓ done[\s\S]*› *$/);
    expect((await server.request(3)).rawBody).toContain("and the tests");
    terminal.type("\u0004");
    expect(await terminal.ended).toBe(0);
    await terminal.shows(`troupe --resume ${id} resumes it.`);
    await expect.poll(() => processesWith(at.home)).toEqual([]);
  });

  test("resumes what --background-timeout has stopped (issue 15, 6)", { tags: ["long"] }, async () => {
    const at = places();
    let found = false;
    const server = await serving((request) => {
      if (asker(request) === "agent") return found ? { text: "A needle." } : endless;
      if (request.rawBody.includes("A needle.")) return { text: "It found a needle." };
      if (request.body.messages.length > 1) return { text: "One looks around." };
      return { text: "I start one.", calls: [inBackground] };
    });
    const stopped = await troupe(["-p", "go", "--background-timeout", "0.2s"], { ...at, url: server.url });
    expect(stopped.code).toBe(124);
    found = true;
    const { id } = await onlySession(at.home);
    const terminal = inTerminal([process.execPath, BIN, "--resume", id], {
      cwd: at.cwd,
      env: { HOME: at.home, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: "sk-test" },
    });
    await terminal.shows(`Resuming session ${id}:`);
    await terminal.shows(/the main conversation and 1 agent were\s+cut\s+off\./);
    await terminal.shows(/It found a needle\.[\s\S]*✓ done[\s\S]*› *$/);
    terminal.type("\u0004");
    expect(await terminal.ended).toBe(0);
  });
});
