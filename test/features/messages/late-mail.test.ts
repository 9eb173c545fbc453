import { execFileSync } from "node:child_process";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { AgentView } from "../../../src/events/event.ts";
import type { ModelRequest } from "../../../src/model/client.ts";
import type { ScriptedTurn } from "../../../src/model/scripted.ts";
import {
  broken,
  journalOf,
  repliesIn,
  taskOf,
  textsOf,
  times,
  type World,
  whyInvalid,
  world,
} from "../../supervisor/resume-world.ts";
import { signals } from "../../supervisor/signals.ts";
import { shippedHosts } from "../../support/supervised.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { agent, behind, isMain, lastOf, send } from "./mail-calls.ts";

const launched = (text: string) => /agent_id: (\w+)/.exec(text)?.[1] ?? "";

const SENDERS = [1, 2, 3, 4];

/** Four agents write to one that has ended; when each of them does, and when that one answers them, is up to the test. */
function fourToOne(
  host: (typeof shippedHosts)[number],
  before: { writes(sender: number): Promise<void> | undefined; answers(): Promise<void> },
  on: { sent(sender: number): void; hub(view: AgentView): void },
): World {
  return world(
    host,
    async (request): Promise<ScriptedTurn> => {
      const task = taskOf(request);
      const replies = repliesIn(request);
      if (isMain(request)) {
        if (replies === 0) return { calls: [agent("hub")] };
        const hub = /Agent (\w+) \(worker\)/.exec(textsOf(request))?.[1];
        if (replies === 1) return { calls: SENDERS.map((n) => agent(`sender${n} to ${hub}`)) };
        return { text: "answered" };
      }
      if (task === "hub") {
        if (replies === 1) await before.answers();
        return { text: `hub report ${replies + 1}` };
      }
      const [, name = "", hub = ""] = /sender(\d+) to (\w+)/.exec(task) ?? [];
      const sender = Number(name);
      if (replies > 0) {
        on.sent(sender);
        return { text: "sent" };
      }
      await before.writes(sender);
      return { calls: [send(hub, `sender${sender} is here`)] };
    },
    {
      onEvent(event) {
        if (event.type === "agent" && event.view.description === "task hub") on.hub(event.view);
      },
    },
  );
}

/** Each was heard once, nobody was told otherwise, and what came of it was told to who had set it going. */
async function expectAllHeard(sent: World, runs: number): Promise<void> {
  const heard = lastOf(sent, "hub");
  for (const n of SENDERS) expect(times(heard, `sender${n} is here`)).toBe(1);
  for (const request of sent.model.requests)
    expect(textsOf(request)).not.toMatch(/still runs|ended before it read/);
  await sent.supervisor.close();
  const records = await journalOf(sent);
  expect(broken(records)).toEqual([]);
  const [hub] = sent.supervisor.tree().filter(({ description }) => description === "task hub");
  const ends = records.flatMap(({ event }) =>
    event.type === "summary" && event.actor === hub?.id ? [event.summary] : [],
  );
  expect(ends.map(({ status }) => status)).toEqual(Array.from({ length: runs }, () => "done"));
  for (const { text } of ends.slice(1))
    expect(sent.model.requests.some((request) => isSenders(request) && textsOf(request).includes(text))).toBe(
      true,
    );
}

const isSenders = (request: ModelRequest) => taskOf(request).startsWith("sender");

describe.each(shippedHosts)("mail to one that has ended, %s", (host) => {
  test("delivers several messages sent during its reply to that same run", {
    tags: ["long"],
  }, async () => {
    const at = signals();
    let open = SENDERS.length;
    const sent = fourToOne(
      host,
      { writes: () => undefined, answers: () => at("all sent").promise },
      {
        sent() {
          open -= 1;
          if (open === 0) at("all sent").resolve();
        },
        hub() {},
      },
    );
    expect((await sent.supervisor.prompt("go")).summary).toMatchObject({ status: "done", text: "answered" });
    await expectAllHeard(sent, 2);
  });

  test("delivers a message sent after that run to another run, which knows all that was said before", {
    tags: ["long"],
  }, async () => {
    const at = signals();
    let open = SENDERS.length - 1;
    const sent = fourToOne(
      host,
      {
        writes: (sender) => (sender === 4 ? at("ended again").promise : undefined),
        answers: () => at("others sent").promise,
      },
      {
        sent(sender) {
          if (sender === 4) return;
          open -= 1;
          if (open === 0) at("others sent").resolve();
        },
        hub({ state, turns }) {
          if (state === "ended" && turns > 1) at("ended again").resolve();
        },
      },
    );
    expect((await sent.supervisor.prompt("go")).summary).toMatchObject({ status: "done", text: "answered" });
    await expectAllHeard(sent, 3);
  });

  test("however they come, each is heard, and no run of it forgets another", { tags: ["long"] }, async () => {
    const sent = fourToOne(
      host,
      { writes: () => undefined, answers: () => Promise.resolve() },
      { sent() {}, hub() {} },
    );
    expect((await sent.supervisor.prompt("go")).summary).toMatchObject({ status: "done", text: "answered" });
    const heard = lastOf(sent, "hub");
    for (const n of SENDERS) expect(times(heard, `sender${n} is here`)).toBe(1);
    await sent.supervisor.close();
    expect(broken(await journalOf(sent))).toEqual([]);
  });
});

describe.each(shippedHosts)("mail to one that is about to end, %s", (host) => {
  test("a message that arrives while hooks look at its answer is read in one more turn", {
    tags: ["long"],
  }, async () => {
    const cwd = temporaryFolder();
    execFileSync("mkfifo", [join(cwd, "gate")]);
    const at = signals();
    const command = "mkdir asked 2>/dev/null && cat gate; true";
    const value = { SubagentStop: [{ hooks: [{ type: "command", command }] }] };
    const sent = world(
      host,
      async (request): Promise<ScriptedTurn> => {
        const said = textsOf(request);
        if (!isMain(request)) return { text: said.includes("turn left") ? "went left" : "went on" };
        if (repliesIn(request) === 0) return { calls: [behind("walk")] };
        if (repliesIn(request) === 1) {
          const gate = await open(join(cwd, "gate"), "w");
          at("sent").promise.then(() => gate.close());
          return { calls: [send(launched(said), "turn left")] };
        }
        at("sent").resolve();
        return { text: said.includes("went left") ? "I know" : "answered" };
      },
      { cwd, hooks: [{ scope: "user", file: "/u/settings.json", value }] },
    );
    expect((await sent.supervisor.prompt("go")).summary.text).toBe("answered\n\nI know");
    expect(times(lastOf(sent, "walk"), "turn left")).toBe(1);
    expect(lastOf(sent, "go")).not.toContain("ended before it read");
    await sent.supervisor.close();
    expect(broken(await journalOf(sent))).toEqual([]);
  });
});

describe.each(shippedHosts)("messages to an idle conversation, %s", (host) => {
  test("wakes it again for a message that came while it failed", {
    tags: ["long"],
  }, async () => {
    const at = signals();
    const sent = world(
      host,
      async (request): Promise<ScriptedTurn> => {
        const said = textsOf(request);
        if (isMain(request)) {
          if (said.includes("hello main")) {
            at("heard").resolve();
            return { text: "hello" };
          }
          if (said.includes("first report")) {
            at("woken").resolve();
            await at("sent").promise;
            return { failure: { kind: "invalid_request", message: "broken" } };
          }
          return repliesIn(request) === 0
            ? { calls: [behind("first"), behind("second")] }
            : { text: "started" };
        }
        if (taskOf(request) === "first") {
          await at("answered").promise;
          return { text: "first report" };
        }
        await at("woken").promise;
        if (repliesIn(request) === 0) return { calls: [send("main", "hello main")] };
        at("sent").resolve();
        // It ends only then: its report would be news, too.
        await at("heard").promise;
        return { text: "second report" };
      },
      { background: "wake" },
    );
    expect((await sent.supervisor.prompt("go")).summary.text).toBe("started");
    at("answered").resolve();
    await at("heard").promise;
    expect(sent.events.filter(({ type }) => type === "woken")).toEqual([
      { type: "woken", because: "task first" },
      { type: "woken", because: "a message" },
    ]);
    const last = sent.model.requests.filter(isMain).at(-1) ?? never();
    expect(whyInvalid(last.messages)).toBeNull();
    expect(times(textsOf(last), "hello main")).toBe(1);
  });
});

function never(): never {
  throw new Error("not there");
}
