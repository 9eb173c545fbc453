// @module-tag long
import { describe, expect, test } from "vitest";
import { noUsage } from "../../../src/mailbox/conversation.ts";
import { MAIN } from "../../../src/mailbox/ids.ts";
import type { ModelRequest } from "../../../src/model/client.ts";
import { costOf } from "../../../src/model/known-models.ts";
import type { ScriptedTurn } from "../../../src/model/scripted.ts";
import { resumeSession } from "../../../src/session/resume-session.ts";
import {
  cutAfter,
  recorded,
  recordsOf,
  stamping,
  takenUp,
  type World,
  world,
} from "../../supervisor/resume-world.ts";
import { load, skillFile, withSkills } from "../skills/with-skills.ts";

const [SONNET, HAIKU, OPUS] = ["claude-sonnet-5-5", "claude-haiku-5-5", "claude-opus-5-5"];
const modelsOf = ({ model }: Pick<World, "model">) => model.requests.map((request) => request.model);
const stamp: ScriptedTurn = { calls: [{ name: "Stamp", input: { mark: "x" } }] };
const usage = { ...noUsage, input_tokens: 1_000, output_tokens: 10 };
const [sonnetUsd, haikuUsd] = [SONNET, HAIKU].map((model = "") => costOf(model, usage, {}).usd);
const skill = (model: string) => ({
  ".claude/skills/quick/SKILL.md": skillFile({ description: "Be quick", model }, "Be quick."),
});

describe("the model of a running conversation", () => {
  test("changes between two requests of one turn, with its limits, and stays for the next prompt", async () => {
    let change: unknown;
    const { supervisor, model } = world(
      "in-thread",
      (_, n) => {
        if (n === 0) change = supervisor.models.change("haiku");
        return n === 0 ? stamp : { text: "ok" };
      },
      { tools: [stamping([])], compaction: { windows: { [HAIKU ?? ""]: 90_000 } } },
    );
    await supervisor.prompt("go");
    await supervisor.prompt("again");
    expect(change).toEqual({ type: "changed", model: HAIKU });
    expect(modelsOf({ model })).toEqual([SONNET, HAIKU, HAIKU]);
    expect(model.requests[1]?.maxTokens).not.toBe(model.requests[0]?.maxTokens);
    expect(supervisor.describe().model).toBe(HAIKU);
    expect(supervisor.tree()[0]?.model).toBe(HAIKU);
  });

  test("is kept if the program dies before the request that would have asked it", async () => {
    const first = world("in-thread", (_, n) => {
      if (n === 0) first.supervisor.models.change("haiku");
      return { text: "ok" };
    });
    await first.supervisor.prompt("go");
    await first.supervisor.close();
    const whole = recorded(first);
    const asked = recordsOf(whole.lines).findIndex(({ event }) => event.type === "model");
    expect(recordsOf(whole.lines)[asked]?.event).toMatchObject({ model: HAIKU, asked: true });
    const home = cutAfter(whole, asked + 1);
    expect(await resumeSession({ home, cwd: "/w", session: { id: whole.id } })).toMatchObject({
      session: { model: HAIKU },
    });
  });

  test("is the model of agents that start after the change and name none", async () => {
    const { supervisor, model } = world("in-thread", ({ actor }, n) =>
      actor === MAIN && n === 1
        ? { calls: [{ name: "Agent", input: { description: "a", prompt: "b", subagent_type: "worker" } }] }
        : { text: "ok" },
    );
    await supervisor.prompt("go");
    supervisor.models.change("opus");
    await supervisor.prompt("start one");
    expect(modelsOf({ model })).toEqual([SONNET, OPUS, OPUS, OPUS]);
  });

  test("can be chosen before the first prompt", async () => {
    const { supervisor, model } = world("in-thread", [{ text: "ok" }]);
    supervisor.models.change("haiku");
    await supervisor.prompt("go");
    expect(modelsOf({ model })).toEqual([HAIKU]);
    expect(supervisor.models.choices().filter(({ isCurrent }) => isCurrent)).toMatchObject([
      { name: "haiku" },
    ]);
  });

  test.each([
    [
      "one that settings do not allow",
      "opus",
      {},
      /opus is not among availableModels of your settings \(sonnet, haiku\)/,
    ],
    ["no name", "a model", {}, /"a model" is not the name of a model/],
    [
      "one whose window is too small",
      "haiku",
      { input_tokens: 95_000 },
      /about 95,\d+ tokens, and claude-haiku-5-5 takes .*\/compact/,
    ],
    ["the offline model", "offline", {}, /chosen when Troupe starts/],
  ])("refuses %s", async (_, name, used, reason) => {
    const { supervisor, model } = world("in-thread", () => ({ text: "ok", usage: used }), {
      availableModels: [["sonnet", "haiku"]],
      compaction: { windows: { [HAIKU ?? ""]: 90_000 } },
    });
    await supervisor.prompt("go");
    expect(supervisor.models.change(name)).toEqual({
      type: "refused",
      reason: expect.stringMatching(reason),
    });
    await supervisor.prompt("again");
    expect(modelsOf({ model })).toEqual([SONNET, SONNET]);
  });

  test("and each turn's price survive a kill after any record", async () => {
    const script = (_: ModelRequest, n: number) => ({ ...(n === 1 ? stamp : { text: "ok" }), usage });
    const first = world("in-thread", script, { tools: [stamping([])] });
    await first.supervisor.prompt("one");
    first.supervisor.models.change("haiku");
    await first.supervisor.prompt("two");
    await first.supervisor.close();
    const whole = recorded(first);
    const at = recordsOf(whole.lines).findIndex(({ event }) => event.type === "model");
    for (let count = at + 1; count <= whole.lines.length; count += 1) {
      const turns = recordsOf(whole.lines.slice(0, count)).filter(
        ({ event }) => event.type === "turn",
      ).length;
      const again = await takenUp("in-thread", script, {
        ...{ id: whole.id, home: cutAfter(whole, count), tools: [stamping([])] },
        model: HAIKU ?? "",
      });
      const { costUsd: cost, models } = again.supervisor.usage();
      expect(models.map(({ model }) => model)).toEqual([SONNET, HAIKU].slice(0, models.length));
      // A reply whose turn is not recorded counts, too.
      const costs = [turns - 1, turns].map((others) => (sonnetUsd ?? 0) + others * (haikuUsd ?? 0));
      expect(costs.map((usd) => usd.toFixed(6))).toContain(cost.toFixed(6));
      await again.supervisor.close();
    }
  });
});

test("a reply without its turn keeps its price when the session is resumed twice with another model", async () => {
  const script = (_: ModelRequest, n: number) => ({ ...(n === 0 ? stamp : { text: "ok" }), usage });
  const first = world("in-thread", script, { tools: [stamping([])] });
  await first.supervisor.prompt("one");
  await first.supervisor.close();
  let whole = recorded(first);
  const reply = recordsOf(whole.lines).findIndex(({ event }) => event.type === "reply");
  for (let kills = 0; kills < 2; kills += 1) {
    const again = await takenUp("in-thread", script, {
      ...{ id: whole.id, home: cutAfter(whole, kills === 0 ? reply + 1 : whole.lines.length) },
      ...{ tools: [stamping([])], model: HAIKU ?? "" },
    });
    expect(again.supervisor.usage().costUsd).toBeCloseTo(sonnetUsd ?? 0, 6);
    await again.supervisor.close();
    whole = recorded(again);
  }
});

describe("the model of a skill", () => {
  const quick = skill("haiku");

  test("is asked for the rest of the turn that loads it, and not for the next prompt", async () => {
    const { supervisor, model } = withSkills([load("quick"), { text: "Done." }, { text: "Sure." }], {
      files: quick,
    });
    await supervisor.prompt("be quick");
    await supervisor.prompt("now slowly");
    expect(modelsOf({ model })).toEqual([SONNET, HAIKU, SONNET]);
  });

  test("is asked from the start if the user calls the skill", async () => {
    const { supervisor, model } = withSkills([{ text: "Done." }, { text: "Sure." }], { files: quick });
    await supervisor.prompt("/quick");
    await supervisor.prompt("now slowly");
    expect(modelsOf({ model })).toEqual([HAIKU, SONNET]);
  });

  test("ends when the user chooses a model", async () => {
    const { supervisor, model } = withSkills(
      (_, n) => {
        if (n === 1) supervisor.models.change("opus");
        return n === 0
          ? load("quick")
          : n === 1
            ? { calls: [{ name: "TodoWrite", input: { todos: [] } }] }
            : { text: "Done." };
      },
      { files: quick },
    );
    await supervisor.prompt("be quick");
    expect(modelsOf({ model })).toEqual([SONNET, HAIKU, OPUS]);
  });

  test.each([
    ["inherit", [SONNET, SONNET], "The skill quick is loaded; its text follows. Follow it now."],
    [
      "opus",
      [SONNET, SONNET],
      "The skill quick names the model opus, which is not used: The model opus is not among",
    ],
  ])("stays as it is with model: %s, and the call's result says why", async (name, models, text) => {
    const { supervisor, model } = withSkills([load("quick"), { text: "Done." }], {
      files: skill(name),
      availableModels: [["sonnet"]],
    });
    await supervisor.prompt("be quick");
    expect(modelsOf({ model })).toEqual(models);
    expect(JSON.stringify(model.requests[1]?.messages)).toContain(text);
  });

  test("is given back when the program dies in the middle, and its turn keeps its price", async () => {
    const first = withSkills(
      [
        { ...load("quick"), usage },
        { calls: [{ name: "TodoWrite", input: { todos: [] } }], usage },
        { text: "Done.", usage },
      ],
      { files: quick },
    );
    await first.supervisor.prompt("be quick");
    await first.supervisor.close();
    const whole = recorded({ ...first, warnings: () => [] });
    const turns = recordsOf(whole.lines).flatMap(({ event }, at) => (event.type === "turn" ? [at] : []));
    const again = await takenUp("in-thread", () => ({ text: "Done." }), {
      id: whole.id,
      home: cutAfter(whole, (turns[1] ?? 0) + 1),
      model: SONNET ?? "",
    });
    expect(again.supervisor.usage().costUsd).toBeCloseTo((sonnetUsd ?? 0) + (haikuUsd ?? 0), 6);
    await again.supervisor.resumeUnfinished();
    await again.supervisor.prompt("more");
    expect(modelsOf(again)).toEqual([SONNET, SONNET]);
  });
});
