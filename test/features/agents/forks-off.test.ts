import { expect, test } from "vitest";
import { supervised } from "../../support/supervised.ts";

const fork = { description: "look", prompt: "look around", subagent_type: "fork" };

/** What the model is told of forks, and what its call for one comes to. */
async function told(forks: boolean) {
  const { supervisor, model } = supervised(
    "in-thread",
    ({ actor, messages }) =>
      actor === "main" && messages.length === 1
        ? { calls: [{ name: "Agent", input: fork }] }
        : { text: "Done." },
    { forks },
  );
  await supervisor.prompt("go");
  const [first, second] = model.requests.filter(({ actor }) => actor === "main");
  return {
    tools: JSON.stringify(first?.tools),
    result: JSON.stringify(second?.messages),
    agents: supervisor.tree().map(({ type }) => type),
  };
}

test("forks: false takes forks out of the Agent prompt, and refuses a call for one with a sentence", async () => {
  const { tools, result, agents } = await told(false);
  expect(tools).toContain("subagent_type");
  expect(tools).not.toMatch(/\bforks?\b/i);
  expect(result).toContain(
    "Forks are switched off in this session (troupe.forks). Start an agent of another",
  );
  expect(agents).toEqual(["main"]);
});

test("forks are there unless they are switched off", async () => {
  const { tools, agents } = await told(true);
  expect(tools).toMatch(/\bfork\b/);
  expect(agents).toEqual(["main", "fork"]);
});
