import { expect, test } from "vitest";
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
  world,
} from "../../supervisor/resume-world.ts";
import { everyNth } from "../../support/long.ts";

const output_schema = { type: "object", required: ["n"], properties: { n: { type: "integer" } } };
const agent = (prompt: string) => ({
  name: "Agent",
  input: { description: prompt, prompt, subagent_type: "worker", output_schema },
});

/** The first one answers with data at its third try, the second one never. */
function turnOf(request: ModelRequest): ScriptedTurn {
  const replies = repliesIn(request);
  const task = taskOf(request);
  if (task === "go") return replies === 0 ? { calls: [agent("good"), agent("bad")] } : { text: "over" };
  return { text: task.startsWith("good") && replies === 2 ? '{"n":1}' : `{"n":"${replies}"}` };
}

test("an answer that must be data is checked again after any death, and no more is requested than before", {
  tags: ["long"],
  timeout: 60_000,
}, async () => {
  const first = world("in-thread", turnOf);
  await first.supervisor.prompt("go");
  await first.supervisor.close();
  const whole = recorded(first);
  const cuts = whole.lines.map((_, at) => at + 1);
  for (const count of everyNth(cuts, 2)) {
    const before = recordsOf(whole.lines.slice(0, count));
    const again = await takenUp("in-thread", turnOf, {
      id: whole.id,
      home: cutAfter(whole, count),
      seed: count,
    });
    await again.supervisor.resumeUnfinished();
    if (!before.some(({ event }) => event.type === "spawn")) await again.supervisor.prompt("go");
    await again.supervisor.close();
    const [, good, bad] = again.supervisor.tree();
    const cut = `cut after ${count}: ${before.at(-1)?.event.type}`;
    expect(good?.summary, cut).toMatchObject({ status: "done", output: { n: 1 }, turns: 3 });
    expect(bad?.summary, cut).toMatchObject({ status: "partial", text: '{"n":"2"}', turns: 3 });
    expect(broken(await journalOf(again)), cut).toEqual([]);
    expect(
      again.model.requests.every(({ messages }) => messages.at(-1)?.role === "user"),
      cut,
    ).toBe(true);
  }
});
