import { describe, expect, test } from "vitest";
import { askerOf, sessionAsks } from "../../../src/features/gate/asking.ts";
import { ActorId, callId, MAIN } from "../../../src/mailbox/ids.ts";
import { createActor } from "../../../src/supervisor/actor-record.ts";
import type { Actors } from "../../../src/supervisor/actors.ts";
import { brokerWith, never, Someone, which } from "../../policy/asking/someone.ts";
import { settled } from "../../support/fake-clock.ts";
import { everyDayHosts, supervised } from "../../support/supervised.ts";

function actorNamed(name: string, parent: string | null, given: { type: string; description: string }) {
  return createActor(
    {
      ...{
        id: ActorId.parse(name),
        parent: parent === null ? null : ActorId.parse(parent),
        depth: 0,
        attempt: 1,
      },
      ...{ system: [], tools: [], model: "m", maxTokens: 1, maxTurns: 1, root: "/", additionalDirs: [] },
      ...{ messages: [], turns: [], heard: [], ...given },
    },
    0,
  );
}

/** The main conversation, an agent of it, and one below that. */
function family() {
  const records = [
    actorNamed("main", null, { type: "main", description: "main conversation" }),
    actorNamed("ann1", "main", { type: "Explore", description: "find it" }),
    actorNamed("bob1", "ann1", { type: "own", description: "" }),
  ];
  const waits: string[] = [];
  const actors: Pick<Actors, "find" | "whileWaiting"> = {
    find: (id) => records.find((record) => record.id === id),
    async whileWaiting(actor, other) {
      waits.push(`${actor.id} waits`);
      const answer = await other;
      waits.push(`${actor.id} goes on`);
      return answer;
    },
  };
  return { actors, waits };
}

const bob = ActorId.parse("bob1");
const context = { actor: bob, call: callId(bob, 1, 0), signal: never };

describe("an agent that asks", () => {
  test("is shown with its ancestors (A6.10)", () => {
    const { actors } = family();
    expect(askerOf(actors, MAIN)).toEqual({ actor: "main", path: ["main conversation"] });
    expect(askerOf(actors, bob)).toEqual({
      actor: "bob1",
      path: ["main conversation", "Explore · find it", "own"],
    });
    expect(askerOf(actors, ActorId.parse("gone1"))).toEqual({ actor: "gone1", path: ["gone1"] });
  });

  test("releases its slot until the user has answered", async () => {
    const { actors, waits } = family();
    const person = new Someone();
    const asks = sessionAsks(brokerWith(person).broker, actors);
    const outcome = asks.question(which, context);
    await settled();
    expect(waits).toEqual(["bob1 waits"]);
    await person.say({ type: "answers", answers: { "Which one?": "A" } });
    expect(await outcome).toEqual({ type: "answers", answers: { "Which one?": "A" } });
    expect(waits).toEqual(["bob1 waits", "bob1 goes on"]);
    expect(person.asks[0]?.askers[0].path).toHaveLength(3);
  });

  test("keeps its slot if no user can be asked: the answer comes immediately", async () => {
    const { actors, waits } = family();
    const asks = sessionAsks(brokerWith(null).broker, actors);
    expect(asks.hasPerson).toBe(false);
    expect(await asks.question(which, context)).toMatchObject({ type: "deny", by: "nobody" });
    expect(waits).toEqual([]);
  });
});

describe.each(everyDayHosts)("a session without a user, on %s", (host) => {
  test("offers the question to no agent at any depth, and refuses a call of it (A14.1)", async () => {
    const call = { name: "AskUserQuestion", input: { questions: which } };
    const { supervisor, model } = supervised(host, ({ messages }) => {
      const said = JSON.stringify(messages);
      if (said.includes("There is no tool named")) return { text: "I assumed A." };
      if (said.includes("delegate")) {
        const input = { description: "ask", prompt: "ask them", subagent_type: "general-purpose" };
        return said.includes("I assumed A.")
          ? { text: "It assumed A." }
          : { calls: [{ name: "Agent", input }] };
      }
      return { calls: [call] };
    });
    expect((await supervisor.prompt("delegate")).summary.text).toBe("It assumed A.");
    const offered = model.requests.flatMap(({ tools }) => tools.map(({ name }) => name));
    expect(offered).not.toContain("AskUserQuestion");
  });

  test("neither enters nor exits plan mode (A6.7)", async () => {
    for (const mode of ["default", "plan"] as const) {
      const { supervisor, model } = supervised(
        host,
        [
          { calls: [{ name: "EnterPlanMode", input: {} }] },
          { calls: [{ name: "ExitPlanMode", input: { plan: "1. Do it." } }] },
          { text: "Here is the plan." },
        ],
        { permissionMode: mode },
      );
      await supervisor.prompt("plan it");
      const last = JSON.stringify(model.requests.at(-1)?.messages);
      expect(last.match(/There is no tool named/g)).toHaveLength(2);
      expect(supervisor.mode()).toBe(mode);
    }
  });
});
