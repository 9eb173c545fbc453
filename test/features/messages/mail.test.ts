import { describe, expect, test } from "vitest";
import type { ModelRequest } from "../../../src/model/client.ts";
import type { ScriptedTurn } from "../../../src/model/scripted.ts";
import {
  broken,
  cutAfter,
  journalOf,
  recorded,
  recordsOf,
  repliesIn,
  takenUp,
  taskOf,
  textsOf,
  times,
  world,
} from "../../supervisor/resume-world.ts";
import { signals } from "../../supervisor/signals.ts";
import { shippedHosts } from "../../support/supervised.ts";
import { agent, behind, isMain, lastOf, send } from "./mail-calls.ts";

const idsIn = (text: string) => [...text.matchAll(/agent_id: (\w+)/g)].map(([, id = ""]) => id);

describe.each(shippedHosts)("mail between agents, %s", (host) => {
  test("a running agent hears a message at its next turn, once; the sender learns that it is on disk (C27)", async () => {
    const at = signals();
    const sent = world(host, async (request): Promise<ScriptedTurn> => {
      const said = textsOf(request);
      if (isMain(request)) {
        if (repliesIn(request) === 0) return { calls: [behind("listen")] };
        if (repliesIn(request) === 1) {
          await at("listening").promise;
          return { calls: [send(idsIn(said)[0] ?? "", "turn left")] };
        }
        at("sent").resolve();
        return { text: "answered" };
      }
      if (repliesIn(request) === 0) {
        at("listening").resolve();
        await at("sent").promise;
        return { calls: [{ name: "ListAgents", input: {} }] };
      }
      return { text: said.includes("turn left") ? "went left" : "went on" };
    });
    await sent.supervisor.prompt("go");
    expect(lastOf(sent, "go")).toContain("Delivered; the agent gets it at its next turn.");
    expect(times(lastOf(sent, "listen"), "turn left")).toBe(1);
    expect(times(lastOf(sent, "go"), "went left")).toBe(1);
    await sent.supervisor.close();
    const records = await journalOf(sent);
    expect(broken(records)).toEqual([]);
    const places = (test: (text: string) => boolean) =>
      records.flatMap((record, place) => (test(JSON.stringify(record.event)) ? [place] : []));
    const [prompt = -1] = places((text) => text.startsWith('{"type":"prompt"') && text.includes("turn left"));
    const [delivered = -1] = places((text) => text.includes("Delivered; the agent gets it"));
    expect(prompt).toBeGreaterThan(0);
    expect(delivered).toBeGreaterThan(prompt);
  });

  test("resumes an ended agent with the message, and notifies its sender of the new report", async () => {
    const at = signals();
    const sent = world(host, async (request): Promise<ScriptedTurn> => {
      const said = textsOf(request);
      if (!isMain(request)) {
        if (repliesIn(request) > 0) await at("sent").promise;
        return { text: `report ${repliesIn(request) + 1}` };
      }
      if (said.includes("report 2")) return { text: "heard" };
      if (repliesIn(request) === 0) return { calls: [agent("look")] };
      if (repliesIn(request) > 1) {
        at("sent").resolve();
        return { text: "sent" };
      }
      return { calls: [send(/Agent (\w+) \(worker\)/.exec(said)?.[1] ?? "", "look again")] };
    });
    expect((await sent.supervisor.prompt("go")).summary.text).toBe("sent\n\nheard");
    expect(lastOf(sent, "go")).toContain("had ended; it resumes with your message");
    expect(times(lastOf(sent, "go"), "report 2")).toBe(1);
    const last = sent.model.requests.filter((request) => !isMain(request)).at(-1) ?? never();
    expect(last.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect(times(textsOf(last), "look again")).toBe(1);
    await sent.supervisor.close();
    expect(broken(await journalOf(sent))).toEqual([]);
  });

  test("`main` and `parent` are addresses; an agent's text is not the user's", async () => {
    const at = signals();
    const sent = world(
      host,
      async (request) => {
        const said = textsOf(request);
        switch (taskOf(request)) {
          case "go":
            if (repliesIn(request) === 0) return { calls: [agent("child")] };
            return { text: "answered" };
          case "child":
            if (repliesIn(request) === 0) return { calls: [agent("grandchild")] };
            return { text: said.includes("hello parent") ? "my child spoke" : "nothing heard" };
          default:
            if (repliesIn(request) === 0)
              return { calls: [send("parent", "hello parent"), send("main", "hello main")] };
            at("sent").resolve();
            return { text: "report" };
        }
      },
      { limits: { maxDepth: 3 } },
    );
    await sent.supervisor.prompt("go");
    expect(lastOf(sent, "go")).toContain("my child spoke");
    expect(lastOf(sent, "go")).toMatch(
      /Message from task grandchild \(agent \w+\), not from the user:\nhello main/,
    );
    expect(times(lastOf(sent, "go"), "hello main")).toBe(1);
  });

  test("rejects an unknown address with the known ones, and its own (C27)", async () => {
    const sent = world(host, (request) => {
      if (!isMain(request)) return { text: "report" };
      if (repliesIn(request) === 0) return { calls: [agent("known")] };
      if (repliesIn(request) === 1)
        return {
          calls: [send("nobody99", "hi"), send("not an id", "hi"), send("main", "hi"), send("parent", "hi")],
        };
      return { text: "answered" };
    });
    await sent.supervisor.prompt("go");
    const said = lastOf(sent, "go");
    expect(said).toMatch(/There is no agent "nobody99"; nothing was sent\. There are: \w+ \(task known\)\./);
    expect(said).toMatch(/There is no agent "not an id"; nothing was sent\./);
    expect(said).toContain("That is you. Send to another agent.");
    expect(said).toMatch(/There is no agent "parent"; nothing was sent\./);
    expect(said).not.toContain("Delivered");
  });

  test("the sender to an agent that ends before it reads gets a notice, once, with the text", async () => {
    const at = signals();
    const sent = world(host, async (request): Promise<ScriptedTurn> => {
      const said = textsOf(request);
      if (isMain(request)) {
        if (said.includes("ended before it read your message")) return { text: "I know" };
        if (repliesIn(request) === 0) return { calls: [behind("doomed")] };
        if (repliesIn(request) === 1) {
          await at("asked").promise;
          return { calls: [send(idsIn(said)[0] ?? "", "are you well?")] };
        }
        at("sent").resolve();
        return { text: "answered" };
      }
      at("asked").resolve();
      await at("sent").promise;
      return { failure: { kind: "invalid_request", message: "broken" } };
    });
    await sent.supervisor.prompt("go");
    const said = lastOf(sent, "go");
    expect(times(said, 'Agent "task doomed" ended before it read your message')).toBe(1);
    expect(said).toMatch(/<result>\n {2}are you well\?\n<\/result>/);
    expect(times(said, "<task-notification>")).toBe(2);
    await sent.supervisor.close();
    expect(broken(await journalOf(sent))).toEqual([]);
  });

  test("siblings reach one another, many together, each sender's messages in order (C1)", {
    tags: ["long"],
  }, async () => {
    const SENDERS = 6;
    const at = signals();
    const sent = world(host, async (request): Promise<ScriptedTurn> => {
      const said = textsOf(request);
      const task = taskOf(request);
      if (isMain(request)) {
        if (repliesIn(request) === 0) return { calls: [behind("hub")] };
        const [hub] = idsIn(said);
        if (repliesIn(request) === 1)
          return { calls: Array.from({ length: SENDERS }, (_, n) => agent(`sender${n} to ${hub}`)) };
        at("sent").resolve();
        return { text: "answered" };
      }
      if (task === "hub") {
        if (repliesIn(request) > 0) return { text: "hub report" };
        await at("sent").promise;
        return { calls: [{ name: "ListAgents", input: {} }] };
      }
      const [, name, hub = ""] = /(sender\d+) to (\w+)/.exec(task) ?? [];
      const letter = (n: number) => send(hub, `${name} says ${n}.`);
      if (repliesIn(request) === 0) return { calls: [letter(1), letter(2), letter(3)] };
      return repliesIn(request) === 1 ? { calls: [letter(4)] } : { text: "sent" };
    });
    await sent.supervisor.prompt("go");
    const heard = lastOf(sent, "hub");
    for (let n = 0; n < SENDERS; n += 1) {
      const order = [...heard.matchAll(new RegExp(`sender${n} says (\\d)`, "g"))].map(([, k]) => k);
      expect(order).toEqual(["1", "2", "3", "4"]);
    }
    await sent.supervisor.close();
    expect(broken(await journalOf(sent))).toEqual([]);
  });

  test("ends two that wrote to each other after one had failed, without a circular wait", async () => {
    const at = signals();
    const sent = world(
      host,
      async (request): Promise<ScriptedTurn> => {
        const said = textsOf(request);
        const task = taskOf(request);
        if (isMain(request)) {
          if (repliesIn(request) === 0) return { calls: [agent("b")] };
          const b = /Agent (\w+) \(worker\)/.exec(said)?.[1];
          if (repliesIn(request) === 1) return { calls: [agent(`a for ${b}`)] };
          return { text: "answered" };
        }
        if (task === "b") {
          if (repliesIn(request) === 0) return { text: "b is ready" };
          const a = /\(agent (\w+)\)/.exec(said)?.[1] ?? "";
          if (repliesIn(request) > 1) return { text: "b is done" };
          await at("a failed").promise;
          return { calls: [send(a, "what now?")] };
        }
        if (said.includes("what now?")) return { text: "a goes on" };
        if (repliesIn(request) === 0)
          return { calls: [send(/a for (\w+)/.exec(task)?.[1] ?? "", "help me")] };
        return { failure: { kind: "invalid_request", message: "broken" } };
      },
      {
        onEvent(event) {
          if (event.type === "agent" && event.view.summary?.status === "failed") at("a failed").resolve();
        },
      },
    );
    expect((await sent.supervisor.prompt("go")).summary.status).toBe("done");
    await sent.supervisor.close();
    expect(broken(await journalOf(sent))).toEqual([]);
  });
});

test("reports undelivered messages after a restart too, once (C27)", async () => {
  const at = signals();
  const script = async (request: ModelRequest): Promise<ScriptedTurn> => {
    const said = textsOf(request);
    if (isMain(request)) {
      if (said.includes("ended before it read your message")) return { text: "I know" };
      if (repliesIn(request) === 0) return { calls: [behind("doomed")] };
      if (repliesIn(request) > 1) return { text: "answered" };
      await at("asked").promise;
      return { calls: [send(idsIn(said)[0] ?? "", "are you well?"), send(idsIn(said)[0] ?? "", "hello?")] };
    }
    at("asked").resolve();
    await at("fail").promise;
    return { failure: { kind: "invalid_request", message: "broken" } };
  };
  const first = world("in-thread", script, {
    onEvent(event) {
      if (event.type === "agent" && event.view.id === "main" && event.view.turns === 2) at("fail").resolve();
    },
  });
  await first.supervisor.prompt("go");
  await first.supervisor.close();
  const whole = recorded(first);
  expect(broken(recordsOf(whole.lines))).toEqual([]);
  const failed = recordsOf(whole.lines).findIndex(
    ({ event }) => event.type === "summary" && event.summary.status === "failed",
  );
  const again = await takenUp("in-thread", script, { id: whole.id, home: cutAfter(whole, failed + 1) });
  await again.supervisor.resumeUnfinished();
  const said = lastOf(again, "go");
  expect(times(said, "ended before it read your message")).toBe(2);
  expect([times(said, "  are you well?"), times(said, "  hello?")]).toEqual([1, 1]);
  await again.supervisor.close();
  const third = await takenUp("in-thread", script, { id: whole.id, home: again.home });
  expect(await third.supervisor.resumeUnfinished()).toBeNull();
  expect(third.model.requests).toEqual([]);
});

function never(): never {
  throw new Error("not there");
}
