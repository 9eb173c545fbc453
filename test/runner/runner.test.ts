// @module-tag long
import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { packKit, topics } from "../../src/mailbox/runners.ts";
import type { ScriptedTurn } from "../../src/model/scripted.ts";
import { repositoryFiles } from "../../src/runner/attempt-files.ts";
import { RunnerRepositories } from "../../src/worktrees/runner/repositories.ts";
import { makeBareRepository } from "../../src/worktrees/travel/bare-repository.ts";
import { FakeSession, plainSealer } from "../support/fake-session.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { fasterClock, openGround, quick } from "./ground.ts";

const ALLOWED = {
  mode: "acceptEdits",
  rules: [{ text: "Bash", behaviour: "allow", scope: "user" }],
} as const;

function call(name: string, input: unknown): ScriptedTurn {
  return { calls: [{ name, input }], usage: { input_tokens: 10, output_tokens: 5 } };
}

describe("an agent on a runner", () => {
  it("reads, edits, runs a command and returns its report; each request to a model is paid before its turn", async () => {
    const { session, dir, spec } = await openGround((_, n) => {
      const file = join(dir, "a.txt");
      const turns: ScriptedTurn[] = [
        call("Read", { file_path: file }),
        call("Edit", { file_path: file, old_string: "one", new_string: "two" }),
        call("Bash", { command: "cat a.txt; pwd", description: "look" }),
      ];
      return turns[n] ?? { text: "It says two.", usage: { input_tokens: 1, output_tokens: 1 } };
    });
    writeFileSync(join(dir, "a.txt"), "one\n");
    const agent = await session.offer(spec(), { rules: { ...ALLOWED, rules: [...ALLOWED.rules] } });
    expect(await agent.exited).toEqual({ type: "returned" });
    expect(readFileSync(join(dir, "a.txt"), "utf8")).toBe("two\n");
    const methods = agent.log.map(([method]) => method).join(" ");
    const turn = "paid reply before after turn";
    expect(methods.replaceAll("reply paid", "paid reply")).toBe(
      `kit board ${turn} ${turn} ${turn} paid finish`,
    );
    const bash = agent.log.filter(([method]) => method === "after").at(-1)?.[1];
    expect(bash).toMatchObject({
      after: { isError: false, result: { content: expect.stringContaining(dir) } },
    });
    const finish = agent.log.at(-1)?.[1];
    expect(finish).toMatchObject({ finish: { summary: { status: "done", text: "It says two.", turns: 4 } } });
  });

  it("costs at most six messages a turn with one call, of both sides together (issue 22)", async () => {
    const TURNS = 12;
    const { session, dir, spec } = await openGround((_, n) =>
      n < TURNS ? call("Read", { file_path: join(dir, "a.txt"), limit: n + 1 }) : { text: "It says one." },
    );
    writeFileSync(join(dir, "a.txt"), "one\n");
    const agent = await session.offer(spec(), RULES);
    await agent.came("before");
    const before = session.packets;
    expect(await agent.exited).toEqual({ type: "returned" });
    expect((session.packets - before) / TURNS).toBeLessThanOrEqual(6);
  });

  it("gets the tools of its type once: the next agent has them (issue 22)", async () => {
    const { session, spec } = await openGround(() => ({ text: "done" }));
    const methodsOf = async () => {
      const agent = await session.offer(spec(), RULES);
      expect(await agent.exited).toEqual({ type: "returned" });
      return agent.log.map(([method]) => method).filter((method) => method !== "paid");
    };
    expect(await methodsOf()).toEqual(["kit", "board", "finish"]);
    expect(await methodsOf()).toEqual(["board", "finish"]);
  });

  it("does not begin with other tools than those that it was offered with", async () => {
    const { session, spec } = await openGround(() => ({ text: "done" }));
    const agent = await session.offer(spec(), RULES, {
      kit: () => packKit({ system: ["Obey."], tools: [] }),
    });
    expect(await agent.exited).toEqual({
      type: "threw",
      message: "The session sent other tools of the agent than it had offered.",
    });
    expect(agent.log.map(([method]) => method)).toEqual(["kit"]);
  });
});

const RULES = { rules: { ...ALLOWED, rules: [...ALLOWED.rules] } };
/** A command that says its process ID, and then runs for longer than any test. */
const SLEEP = call("Bash", { command: "echo $$ > pid; sleep 300", description: "wait" });

describe("an agent's end on a runner", () => {
  it("reports that its process was killed, within a second; its command is gone and a neighbour is unharmed", async () => {
    const ground = await openGround((request, n) =>
      n === 0 ? SLEEP : { text: request.actor, usage: { output_tokens: 1 } },
    );
    const { session, spec, pids } = ground;
    const first = spec();
    const other = spec({ root: temporaryFolder() });
    const killed = await session.offer(first, RULES);
    const pid = Number(await written(join(ground.dir, "pid")));
    const neighbour = await session.offer(other, RULES);
    const beside = Number(await written(join(other.root, "pid")));
    const at = performance.now();
    process.kill(pids[0] ?? 0, "SIGKILL");
    expect(await killed.exited).toEqual({ type: "died", message: expect.stringContaining("SIGKILL") });
    expect(performance.now() - at).toBeLessThan(1_000);
    await until(() => !isAlive(pid));
    process.kill(beside, "SIGKILL");
    expect(await neighbour.exited).toEqual({ type: "returned" });
  });

  it("reports that its process ran out of memory", async () => {
    const { session, spec } = await openGround(() => ({ text: "x".repeat(20_000_000) }), { memoryMb: 16 });
    const agent = await session.offer(spec(), RULES);
    expect(await agent.exited).toEqual({ type: "out-of-memory" });
  });

  it("writes its summary if it is cancelled in a command, which ends", async () => {
    const { session, spec, dir } = await openGround([SLEEP]);
    const agent = await session.offer(spec(), RULES);
    const pid = Number(await written(join(dir, "pid")));
    agent.notify("cancel", "The user stopped it.");
    expect(await agent.exited).toEqual({ type: "returned" });
    expect(agent.log.at(-1)).toMatchObject(["finish", { finish: { summary: { status: "cancelled" } } }]);
    expect(isAlive(pid)).toBe(false);
  });

  it("is ended with its command if its session says that it is over", async () => {
    const { session, spec, dir, pids } = await openGround([SLEEP]);
    const agent = await session.offer(spec(), RULES);
    const pid = Number(await written(join(dir, "pid")));
    await agent.dismiss();
    await until(() => !isAlive(pid) && !isAlive(pids[0] ?? 0));
  });

  it.each(["cancelled", "unfit"] as const)("never begins if it is %s", async (answer) => {
    const { session, spec, model, lines } = await openGround([{ text: "no" }]);
    await session.offer(spec(), RULES, { board: () => answer });
    await until(() => lines.some((line) => line.includes("1 done")));
    expect(model.requests).toEqual([]);
  });

  it("reports what it lacks when it boards", async () => {
    const { session, spec } = await openGround([{ text: "no" }], { freeBytes: async () => 3 * 1024 ** 3 });
    const [tool] = spec().tools;
    if (tool === undefined) throw new Error("It has tools.");
    const tools = [
      { ...tool, name: "Juggle" },
      { ...tool, module: { url: "file:///juggle.ts", timeoutMs: 1 } },
    ];
    const agent = await session.offer(spec({ tools }), RULES, { board: () => "unfit" });
    expect(await agent.came("board")).toMatchObject({ runner: "r1", lacks: ["Juggle", tool.name] });
  });
});

describe("an agent whose session", () => {
  it("offers its next attempt ends, and that one begins", async () => {
    const { session, spec, dir, pids } = await openGround((_, n) =>
      n === 0 ? SLEEP : { text: "done", usage: { output_tokens: 1 } },
    );
    const one = spec();
    const first = await session.offer(one, RULES);
    const pid = Number(await written(join(dir, "pid")));
    const second = await session.offer({ ...one, attempt: 2 }, RULES);
    expect(await first.exited).toEqual({ type: "terminated" });
    expect(await second.exited).toEqual({ type: "returned" });
    expect(isAlive(pid) || isAlive(pids[0] ?? 0)).toBe(false);
  });

  it("is gone before it begins frees its slot after two minutes, and runs if it is offered again", async () => {
    const clock = fasterClock(200);
    const { session, spec, engine, lines, pids } = await openGround([{ text: "done" }], { clock });
    const one = spec();
    engine.cut("session", "in");
    await expect(session.offer(one, RULES)).rejects.toThrow("away");
    await until(() => lines.some((line) => line.includes("0 of 4 slots, 1 done")));
    expect(pids).toEqual([]);
    engine.mend("session");
    const agent = await session.offer(one, RULES);
    expect(await agent.exited).toEqual({ type: "returned" });
  });

  it("is gone waits, and ends after half an hour", async () => {
    const clock = fasterClock(5_000);
    const { session, spec, engine, lines, pids } = await openGround([SLEEP, SLEEP], { clock });
    const agent = await session.offer(spec(), RULES, { before: () => new Promise(() => {}) });
    await agent.came("before");
    engine.setDown(true);
    await until(() => lines.some((line) => line.includes("1 done")));
    expect(isAlive(pids[0] ?? 0)).toBe(false);
    engine.setDown(false);
    expect(await agent.exited).toMatchObject({
      type: "parked",
      reason: expect.stringContaining("30 minutes"),
    });
  });
});

describe("a runner that drains", () => {
  it("parks an agent when its command has ended, and then ends", async () => {
    const { session, spec, dir, runner } = await openGround((_, n) =>
      n < 3
        ? call("Bash", { command: "until [ -e go ]; do sleep 0.05; done; echo $$ > pid", description: "w" })
        : { text: "x" },
    );
    const agent = await session.offer(spec(), RULES);
    await agent.came("before");
    runner.drain();
    writeFileSync(join(dir, "go"), "");
    expect(await agent.exited).toEqual({ type: "parked", reason: "runner r1 is shutting down" });
    expect(agent.log.map(([method]) => method)).toEqual([
      "kit",
      "board",
      "paid",
      "reply",
      "before",
      "after",
      "turn",
    ]);
    await runner.ended;
  });

  it("parks an agent that waits for its session", async () => {
    const { session, spec, runner } = await openGround([SLEEP]);
    const agent = await session.offer(spec(), RULES, { before: () => new Promise(() => {}) });
    await agent.came("before");
    runner.drain();
    expect(await agent.exited).toMatchObject({ type: "parked" });
    await runner.ended;
  });

  it("ends everything if it must drain a second time", async () => {
    const { session, spec, dir, runner } = await openGround([SLEEP]);
    const agent = await session.offer(spec(), RULES);
    const pid = Number(await written(join(dir, "pid")));
    runner.drain();
    runner.drain();
    expect(await agent.exited).toEqual({ type: "parked", reason: "runner r1 was stopped" });
    await runner.ended;
    expect(isAlive(pid)).toBe(false);
  });

  it("ends by itself after one attempt with once", async () => {
    const { session, spec, runner } = await openGround([{ text: "done" }], { once: true });
    const agent = await session.offer(spec(), RULES);
    expect(await agent.exited).toEqual({ type: "returned" });
    await runner.ended;
  });

  it("takes others only while its agent waits with once, and hands them over when that has ended", async () => {
    const waits = Promise.withResolvers<{ content: string; isError: boolean }>();
    const { session, spec, runner } = await openGround(
      ({ messages }) =>
        JSON.stringify(messages).includes("tool_result") ? { text: "done" } : call("Later", {}),
      { once: true, clock: quick },
    );
    const tool = {
      ...{ name: "Later", description: "Waits.", input_schema: { type: "object" as const } },
      ...{ side: "supervisor" as const, aliases: [], parallel: false },
    };
    const offer = (own: object) => session.offer(spec({ tools: [tool] }), RULES, own);
    const first = await offer({ callTool: () => waits.promise });
    const second = await offer({ callTool: () => new Promise(() => {}) });
    await second.came("callTool");
    waits.resolve({ content: "now", isError: false });
    expect(await first.exited).toEqual({ type: "returned" });
    expect(await second.exited).toMatchObject({ type: "parked" });
    await runner.ended;
  });
});

describe("what a runner takes", () => {
  it("runs nothing that was sealed with another key, and reports it once", async () => {
    const { engine, spec, lines, model } = await openGround([{ text: "no" }]);
    const stranger = new FakeSession(engine.connect("stranger"), plainSealer("another"));
    await stranger.offer(spec());
    await stranger.offer(spec());
    await until(() => lines.some((line) => line.includes("2 refused")));
    expect(lines.filter((line) => line.includes("fleet's key"))).toHaveLength(1);
    expect(model.requests).toEqual([]);
  });

  it("runs nothing whose form it does not know, or that is not what its name says", async () => {
    const { session, spec, lines, model } = await openGround([{ text: "no" }]);
    await session.offer(spec(), { rules: "all" } as never);
    await session.offer(spec(), { session: "session2" } as never);
    await until(() => lines.some((line) => line.includes("2 refused")));
    expect(model.requests).toEqual([]);
  });

  it("takes nothing while its disk is full", async () => {
    let free = 1024 ** 3;
    const { session, spec, lines } = await openGround([{ text: "done" }], {
      freeBytes: async () => free,
      clock: quick,
    });
    await until(() => lines.some((line) => line.includes("less than 2 GB")));
    const agent = await session.offer(spec(), RULES);
    free *= 3;
    expect(await agent.exited).toEqual({ type: "returned" });
  });

  it("removes clones that were not used for two weeks, at its start and each hour", async () => {
    const clones = temporaryFolder();
    const makeOld = (id: string, days: number) => {
      const clone = join(clones, `${id.repeat(40)}.git`);
      makeBareRepository(clone, { like: id.repeat(40) });
      const at = Date.now() / 1_000 - days * 24 * 60 * 60;
      utimesSync(join(clone, "HEAD"), at, at);
      return clone;
    };
    const [old, used] = [makeOld("a", 15), makeOld("b", 13)];
    const files = repositoryFiles(new RunnerRepositories(clones));
    await openGround([], { files, clock: fasterClock(5_000) });
    await until(() => !existsSync(old));
    const later = makeOld("c", 15);
    await until(() => !existsSync(later));
    await until(() => readdirSync(clones).join() === basename(used));
  });

  it("says why it could not remove clones", async () => {
    const { lines } = await openGround([], {
      files: {
        prepare: () => Promise.reject(new Error("not asked")),
        prune: () => Promise.reject(new Error("the disk is broken")),
      },
    });
    await until(() =>
      lines.some((line) => line === "Unused clones could not be removed: the disk is broken."),
    );
  });

  it("takes nothing for a while after it could not prepare an agent's files, so that others of its pool do", async () => {
    let isBroken = true;
    const whole = repositoryFiles(new RunnerRepositories(temporaryFolder()));
    const ground = await openGround([{ text: "done" }], {
      clock: fasterClock(5),
      files: {
        prepare: async (offer, travel) => {
          if (isBroken) throw new Error("git is broken");
          return whole.prepare(offer, travel);
        },
        prune: async () => {},
      },
    });
    const { session, spec, lines } = ground;
    const failing = await session.offer(spec(), RULES);
    expect(await failing.exited).toEqual({
      type: "parked",
      reason: "runner r1 could not prepare its files: git is broken",
    });
    const why = "it could not prepare the files of an agent (git is broken)";
    await until(() => lines.some((line) => line.endsWith(`takes nothing: ${why}`)));
    await session.publish(topics.runners, { type: "who", topic: topics.session(session.id) });
    await until(() => session.runners.length > 0);
    expect(session.runners[0]).toMatchObject({ draining: false, rests: why });
    isBroken = false;
    const agent = await session.offer(spec(), RULES);
    expect(await agent.exited).toEqual({ type: "returned" });
    await until(() => !lines.at(-1)?.includes("takes nothing"));
  });

  it("takes more after a session did not send an agent's files", async () => {
    const { session, spec, lines } = await openGround([{ text: "done" }], {
      files: {
        prepare: async (_, { request }) => Promise.reject(await request([], false)),
        prune: async () => {},
      },
    });
    const agent = await session.offer(spec(), RULES, {
      files: () => Promise.reject(new Error("the session has no room")),
    });
    expect(await agent.exited).toMatchObject({
      type: "parked",
      reason: expect.stringContaining("the session has no room"),
    });
    await until(() => lines.some((line) => line.includes("1 done")));
    expect(lines.join()).not.toContain("takes nothing");
  });

  it("takes more after an agent's files could not be fetched from a remote, which others may not need", async () => {
    const repositories = new RunnerRepositories(temporaryFolder());
    const remote = join(temporaryFolder(), "no-such-repository");
    const files = { repository: "a".repeat(40), commit: "b".repeat(40), bundle: null, isPushed: true };
    const { session, spec, lines, dir } = await openGround([{ text: "done" }], {
      files: repositoryFiles(repositories, remote),
    });
    const agent = await session.offer(spec(), { ...RULES, files: dir }, { files: () => files });
    expect(await agent.exited).toMatchObject({
      type: "parked",
      reason: expect.stringContaining("could not be fetched from"),
    });
    const other = await session.offer(spec(), RULES);
    expect(await other.exited).toEqual({ type: "returned" });
    expect(lines.join()).not.toContain("takes nothing");
  });

  it("says who it is, and that its attempts live", async () => {
    const { session, spec } = await openGround([SLEEP], { clock: quick });
    await session.publish(topics.runners, { type: "who", topic: topics.session(session.id) });
    await until(() => session.runners.length > 0);
    expect(session.runners[0]).toMatchObject({
      name: "r1",
      pools: ["default"],
      slots: 4,
      used: 0,
      draining: false,
    });
    const agent = await session.offer(spec(), RULES);
    await agent.came("before");
    await until(() => session.beats.length > 0);
    expect(session.beats[0]).toMatchObject({ runner: { used: 1 }, attempts: [{ attempt: 1 }] });
  });
});

async function written(path: string): Promise<string> {
  await until(() => existsSync(path) && readFileSync(path, "utf8").endsWith("\n"));
  return readFileSync(path, "utf8");
}

function isAlive(pid: number): boolean {
  try {
    // A zombie still has a process ID.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

async function until(holds: () => boolean): Promise<void> {
  await vi.waitUntil(holds, { timeout: 20_000, interval: 10 });
}
