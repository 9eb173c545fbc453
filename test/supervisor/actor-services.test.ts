import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { Background } from "../../src/features/background/background.ts";
import { backgroundFeature } from "../../src/features/background/index.ts";
import type { Journal } from "../../src/journal/journal.ts";
import type { SessionEvent } from "../../src/journal/session-events.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { noUsage } from "../../src/mailbox/conversation.ts";
import { ActorId, callId } from "../../src/mailbox/ids.ts";
import type { ActorSpec, Summary, Turn } from "../../src/mailbox/messages.ts";
import { noReceipts } from "../../src/mailbox/turns.ts";
import { createActor } from "../../src/supervisor/actor-record.ts";
import { actorServices } from "../../src/supervisor/actor-services.ts";
import type { RunningCall } from "../../src/supervisor/running-call.ts";
import { type CustomTool, defineTool } from "../../src/tools/define-tool.ts";
import { ripgrepPath } from "../../src/tools/grep/ripgrep.ts";
import { Toolbox } from "../../src/tools/toolbox.ts";

const id = ActorId.parse("agent1");
function toolNamed(name: string, call: () => Promise<string>): CustomTool {
  const inputSchema = z.object({});
  return defineTool({ runsIn: "caller", name, description: "", inputSchema, permissionLevel: "write", call });
}

/** The services of one running agent that is offered `offered`, as its thread would reach them; every call is allowed. */
function servicesOf(offered: readonly string[], tools: readonly CustomTool[], append = async () => 1) {
  const toolbox = new Toolbox(() => false);
  toolbox.fill({ ours: [], custom: tools });
  const spec: ActorSpec = {
    id,
    parent: null,
    depth: 1,
    attempt: 1,
    type: "Explore",
    description: "",
    system: [],
    tools: toolbox.select(offered, []),
    model: "scripted",
    maxTokens: 100,
    maxTurns: 10,
    root: "/",
    additionalDirs: [],
    messages: [],
    turns: [],
    heard: [],
  };
  const actor = createActor(spec, 0);
  actor.advance({ type: "slot" });
  actor.advance({ type: "alive" });
  const records: SessionEvent[] = [];
  const journal: Journal = {
    folder: "/",
    append: (event) => {
      records.push(event);
      return append();
    },
    note: (event) => void records.push(event),
    state: () => ({ type: "writable" }),
    close: async () => {},
  };
  const commands = {
    run: () => Promise.reject(new Error("nothing is run in this test")),
    start: () => "Nothing is run in this test.",
  };
  const background = new Background({
    ...{ commands, processes: { follow() {}, untime() {} }, clock: systemClock },
    ...{ tell() {}, forget() {}, onEnded() {}, note() {} },
  });
  const services = actorServices(actor, {
    joints: [
      {
        evaluateCall: async ({ call }) => ({
          ...{ type: "go", by: "rules", reason: "", input: call.input },
          ...{ rewritten: false, outside: false },
        }),
      },
      backgroundFeature({
        ...{ background, commands, toolbox },
        processes: { run: () => Promise.reject(new Error("nothing is run in this test")) },
        outputs: { pathOf: () => "" },
        actors: { all: () => [], notify() {} },
        ...{ note() {}, onLines() {} },
      }),
    ],
    ...{ journal, toolbox, clock: systemClock },
    completion: {
      async finish(ended, { summary: last }) {
        ended.advance({ type: "summary", summary: last });
        ended.deliver(last);
        return "ended";
      },
    },
    ...{ advance() {}, emit() {}, changed() {}, relieve() {}, onWarning() {} },
    connect: () => new MessageChannel().port1,
  });
  return { actor, services, records };
}

const running = (tool: string, input: unknown): RunningCall => ({
  ...{ tool, names: [tool], toolUse: "use_1", title: "", input, cwd: "/" },
  ...{ outside: false, local: true, startedAt: 0, writes: [] },
});
const call = (tool: string, index = 0) => ({
  ...{ id: callId(id, 1, index), toolUse: "use_1", tool },
  input: {},
});
const turn = (number: number): Turn => ({
  turn: number,
  heard: [],
  messages: [],
  cwd: "/",
  reads: [],
  usage: noUsage,
  receipts: noReceipts,
});
const summary: Summary = { status: "done", text: "ok", turns: 1, usage: noUsage, receipts: noReceipts };

describe("a thread is not believed", () => {
  test("a tool that its agent was not offered does not run, on either side", async () => {
    let ran = false;
    const hammer = toolNamed("Hammer", async () => {
      ran = true;
      return "";
    });
    const { services } = servicesOf(["Read"], [hammer]);
    expect(await services.callTool(call("Hammer"))).toMatchObject({
      isError: true,
      content: expect.stringContaining('no tool named "Hammer"'),
    });
    expect(await services.before({ ...call("Grep", 1), cwd: "/" })).toMatchObject({
      type: "refuse",
    });
    expect(await services.before({ ...call("Read", 2), input: { file_path: "/a" }, cwd: "/" })).toEqual({
      type: "go",
    });
    expect(ran).toBe(false);
  });

  test("its turns count from one without gaps; none is taken twice", async () => {
    const { services, actor } = servicesOf([], []);
    await services.turn(turn(1));
    await expect(services.turn(turn(3))).rejects.toThrow("Turn 3 came where turn 2 was due.");
    await expect(services.turn(turn(1))).rejects.toThrow("Turn 1 came where turn 2 was due.");
    await services.turn(turn(2));
    expect(actor.turns.map(({ turn: number }) => number)).toEqual([1, 2]);
  });

  test("after its summary no turn is taken, and a second end changes nothing", async () => {
    const { services, actor, records } = servicesOf([], []);
    expect(await services.finish({ turn: turn(1), summary })).toEqual({ type: "closed" });
    await expect(services.turn(turn(2))).rejects.toThrow("has ended");
    await expect(services.finish({ turn: turn(2), summary })).rejects.toThrow("has ended");
    expect(await services.finish({ turn: null, summary })).toEqual({ type: "closed" });
    expect(actor.turns).toHaveLength(1);
    expect(records.filter(({ type }) => type === "turn")).toHaveLength(1);
  });
});

describe("a call of a tool that runs at the supervisor", () => {
  test("an agent that is stopped while its call is written down runs nothing more", async () => {
    const disk = Promise.withResolvers<number>();
    let ran = false;
    const hammer = toolNamed("Hammer", async () => {
      ran = true;
      return "";
    });
    const { actor, services, records } = servicesOf(["Hammer"], [hammer], () => disk.promise);
    const answer = services.callTool(call("Hammer"));
    const verdict = services.before({ ...call("Hammer"), cwd: "/" });
    actor.advance({ type: "stop", stop: { status: "cancelled", reason: "" } });
    disk.resolve(1);
    expect(await answer).toMatchObject({ isError: true, content: expect.stringMatching(/^Not run/) });
    expect(await verdict).toMatchObject({ type: "refuse", reason: expect.stringMatching(/^Not run/) });
    expect(ran).toBe(false);
    // Nobody who reads the journal must take it for a call whose result is unknown.
    expect(records.map(({ type }) => type).toSorted()).toEqual(["after", "after", "before", "before"]);
  });

  test("that throws has ended all the same: it is recorded, and the agent is no longer busy with it", async () => {
    const hammer = toolNamed("Hammer", async () => {
      throw new Error("out of nails");
    });
    const { actor, services, records } = servicesOf(["Hammer"], [hammer]);
    await expect(services.callTool(call("Hammer"))).rejects.toThrow("out of nails");
    expect(actor.calls.size).toBe(0);
    expect(records.at(-1)).toMatchObject({ type: "after", isError: true });
  });
});

describe("a command", () => {
  test("is run for a call that was judged and may execute, and for no other", async () => {
    const { actor, services } = servicesOf(["Hammer"], [toolNamed("Hammer", async () => "")]);
    const request = { call: callId(id, 1, 0), command: "true", cwd: "/" };
    const foreground = () => services.command({ ...request, timeoutMs: 1_000 });
    const background = () => services.background({ ...request, description: "" });
    await expect(foreground()).rejects.toThrow("may not run a command");
    actor.addCall(request.call, running("Hammer", {}));
    await expect(foreground()).rejects.toThrow("may not run a command");
    await expect(background()).rejects.toThrow("may not run a command");
  });

  test("is the very one that was judged, in the directory it was judged for: a verdict cannot be used for another", async () => {
    const { actor, services } = servicesOf([], []);
    const request = { call: callId(id, 1, 0), command: "true", cwd: "/a" };
    const ask = (changes: Partial<typeof request>) =>
      services.background({ ...request, ...changes, description: "" });
    actor.addCall(request.call, { ...running("Bash", { command: "true" }), cwd: "/a" });
    await expect(ask({ command: "rm -rf /" })).rejects.toThrow("another command");
    await expect(ask({ cwd: "/etc" })).rejects.toThrow("another directory");
    expect(await ask({})).toMatchObject({ type: "refused" });
    // The agent's root, where its folder is gone.
    expect(await ask({ cwd: "/" })).toMatchObject({ type: "refused" });
  });
});

describe("a program that is not a command", () => {
  test("is our ripgrep, for a running call, and cannot start another", async () => {
    const { actor, services } = servicesOf([], []);
    const search = callId(id, 1, 0);
    const rg = ripgrepPath() ?? "";
    const run = (file: string, args: readonly string[], call: string = search) =>
      services.run({
        ...{ id: call, owner: id, file, args: [...args], cwd: "/" },
        ...{ timeoutMs: 1_000, maxOutputBytes: 10 },
      });
    await expect(run(rg, ["--regexp=a", "--", "."])).rejects.toThrow("a call that is not running");
    actor.addCall(search, running("Grep", {}));
    await expect(run("/bin/sh", ["-c", "id"])).rejects.toThrow("no built-in tool");
    await expect(run(rg, ["--pre=/bin/sh", "--regexp=a", "--", "."])).rejects.toThrow("--pre=/bin/sh");
    await expect(run(rg, ["-iz", "--regexp=a", "--", "."])).rejects.toThrow("-iz");
    await expect(run(rg, ["--regexp=--pre", "--", "--pre"])).rejects.toThrow("nothing is run in this test");
  });
});
