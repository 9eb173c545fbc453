// @module-tag long
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agentsInFlag } from "../../../src/context/agents/from-fields.ts";
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
import { shippedHosts, supervised } from "../../support/supervised.ts";
import { textsOf } from "../../support/texts-of.ts";

const host = shippedHosts[0] ?? "worker threads";
const defined = (accept: unknown) =>
  agentsInFlag({ checked: { description: "Is checked.", prompt: "You work.", accept } });

describe("a definition", () => {
  test.each(["test -f made", { run: "test -f made", expect: { exit: 0 } }])(
    "states it for each of its agents (%j), and a call's own wins",
    async (accept) => {
      const { agents, problems } = defined(accept);
      expect(problems).toEqual([]);
      const { supervisor } = supervised(host, () => ({ text: "All is done." }), {
        ...{ agents, permissionMode: "bypassPermissions" },
      });
      const asked = { type: "checked", description: "work", prompt: "work" };
      const { summary } = await supervisor.spawn(asked);
      expect(summary).toMatchObject({ status: "failed", acceptance: { verdict: "rejected" } });
      const other = await supervisor.spawn({ ...asked, accept: { run: "test ! -f made" } });
      expect(other.summary).toMatchObject({ status: "done", acceptance: { verdict: "accepted" } });
    },
  );

  test.each(["true", "", { runs: "npm test" }, { files: "a.txt" }])(
    "with a check that states nothing (%j) is no agent, instead of one without a check",
    (accept) => {
      const { agents, problems } = defined(accept);
      expect(agents).toEqual([]);
      expect(problems[0]?.message).toContain("accept");
    },
  );
});

test("a script states it of a call, which is null if the work is rejected, and the line says why", async () => {
  const { supervisor } = supervised(host, () => ({ text: "All is done." }), {
    permissionMode: "bypassPermissions",
  });
  const logs: string[] = [];
  const source = `
    const [bad, good] = await parallel([
      () => agent("lie", { accept: { run: "echo looked; test -f made" } }),
      () => agent("work", { accept: { run: "test ! -f made", expect: { exit: 0 } } }),
    ]);
    return { bad, good };`;
  const onNews = (one: object) => logs.push(JSON.stringify(one));
  const end = await supervisor.runScript({ source, name: "work.ts", onNews });
  expect(end).toEqual({ type: "returned", value: { bad: null, good: "All is done." } });
  expect(logs.join("\n")).toContain(
    "Its work was rejected. The check `echo looked; test -f made` ended with exit code 1",
  );
});

test("a model's Agent call has the same object, with all of its parts", async () => {
  const schema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
  const accept = { run: "exit 3", expect: { exit: 3 }, schema };
  const { supervisor } = supervised(
    host,
    (request) => {
      const said = textsOf(request);
      if (request.actor !== "main") return { text: '{"n":1}' };
      if (said.includes("ended")) return { text: said };
      const input = { description: "work", prompt: "work", subagent_type: "general-purpose", accept };
      return { calls: [{ name: "Agent", input }] };
    },
    { permissionMode: "bypassPermissions" },
  );
  const { summary } = await supervisor.prompt("go");
  expect(summary.text).toContain("The check that was stated for its work passed.");
});

const agent = (prompt: string) => ({
  name: "Agent",
  input: { description: prompt, prompt, subagent_type: "worker", accept: { run: `test -f ${prompt}` } },
});

/** One makes its file when it is sent back for the first time, the other one never does. */
function turnOf(request: ModelRequest): ScriptedTurn {
  const replies = repliesIn(request);
  const task = taskOf(request);
  if (task === "go") return replies === 0 ? { calls: [agent("good"), agent("bad")] } : { text: "over" };
  const isLast = textsOf(request).includes("is not accepted") && !textsOf(request).includes("Tool ran");
  if (task.startsWith("good") && isLast && replies === 1)
    return { calls: [{ name: "Bash", input: { command: "touch good && echo Tool ran" } }] };
  return { text: "It is done." };
}

test("what is stated holds after any death: no verdict is lost or turned around", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  const first = world("in-thread", turnOf);
  await first.supervisor.prompt("go");
  await first.supervisor.close();
  const whole = recorded(first);
  const cuts = whole.lines.map((_, at) => at + 1);
  for (const count of everyNth(cuts, 4)) {
    const before = recordsOf(whole.lines.slice(0, count));
    const again = await takenUp("in-thread", turnOf, {
      ...{ id: whole.id, home: cutAfter(whole, count), seed: count },
    });
    await again.supervisor.resumeUnfinished();
    if (!before.some(({ event }) => event.type === "spawn")) await again.supervisor.prompt("go");
    await again.supervisor.close();
    const [, good, bad] = again.supervisor.tree();
    const cut = `cut after ${count}: ${before.at(-1)?.event.type}`;
    expect(good?.summary, cut).toMatchObject({ status: "done", acceptance: { verdict: "accepted" } });
    expect(bad?.summary, cut).toMatchObject({ status: "failed", acceptance: { verdict: "rejected" } });
    expect(broken(await journalOf(again)), cut).toEqual([]);
  }
  expect(existsSync(join(first.cwd, "good"))).toBe(true);
});
