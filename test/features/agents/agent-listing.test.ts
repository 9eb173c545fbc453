import { expect, test } from "vitest";
import { type AgentDefinition, defineAgent } from "../../../src/context/agents/definition.ts";
import { MAIN } from "../../../src/mailbox/ids.ts";
import type { ModelRequest } from "../../../src/model/client.ts";
import { supervised } from "../../support/supervised.ts";

const helper = (name: string) =>
  defineAgent({ name, whenToUse: `For ${name} matters.`, prompt: "You help.", tools: ["Read"] });
const one = helper("first-helper");
const two = helper("second-helper");
const line = (name: string) => `- ${name}: For ${name} matters. (Tools: Read)`;

const toolOf = ({ tools }: ModelRequest) => tools.find(({ name }) => name === "Agent")?.description ?? "";
const saidIn = ({ messages }: ModelRequest) => JSON.stringify(messages);

async function firstRequest(
  agents: readonly ReturnType<typeof helper>[],
  agentListing?: "attached" | "inline",
): Promise<ModelRequest> {
  const { supervisor, model } = supervised("in-thread", () => ({ text: "Done." }), {
    agents,
    ...(agentListing === undefined ? {} : { agentListing }),
  });
  await supervisor.prompt("go");
  const [request] = model.requests;
  if (!request) throw new Error("Nothing was asked.");
  return request;
}

/** Files of agents that change while a session runs. */
function agentsNow() {
  let fresh: readonly AgentDefinition[] | null = null;
  return {
    become(agents: readonly AgentDefinition[]) {
      fresh = agents;
    },
    ask: async () => {
      const found = fresh;
      fresh = null;
      return found === null ? null : { agents: found, notes: [] };
    },
  };
}

test("the list is in the tool unless it is attached; then one agent more changes no byte of the tools (A4.17)", {
  tags: ["long"],
}, async () => {
  for (const request of [await firstRequest([one]), await firstRequest([one], "inline")]) {
    expect(toolOf(request)).toContain(line("first-helper"));
    expect(saidIn(request)).not.toContain("first-helper");
  }
  const attached = await firstRequest([one], "attached");
  expect(toolOf(attached)).not.toContain("first-helper");
  expect(saidIn(attached)).toContain(line("first-helper"));
  const more = await firstRequest([one, two], "attached");
  expect(saidIn(more)).toContain(line("second-helper"));
  expect(JSON.stringify(more.tools)).toBe(JSON.stringify(attached.tools));
  expect(more.system[0]).toBe(attached.system[0]);
  expect(JSON.stringify((await firstRequest([one, two])).tools)).not.toBe(
    JSON.stringify((await firstRequest([one])).tools),
  );
});

test.each(["inline", "attached"] as const)(
  "agents added while the session runs are announced with the next turn, once, and tools stay as they were (%s)",
  async (agentListing) => {
    const now = agentsNow();
    const { supervisor, model } = supervised("in-thread", () => ({ text: "Done." }), {
      ...{ agents: [one], agentListing, agentsNow: now.ask },
    });
    await supervisor.prompt("one");
    now.become([two]);
    await supervisor.prompt("two");
    await supervisor.prompt("three");
    const [first, ...later] = model.requests;
    const tools = JSON.stringify(first?.tools);
    for (const request of later) {
      expect(JSON.stringify(request.tools)).toBe(tools);
      expect(saidIn(request).split(line("second-helper"))).toHaveLength(2);
    }
    expect((await supervisor.spawn({ type: "Second Helper", prompt: "go" })).type).toBe("second-helper");
    await expect(supervisor.spawn({ type: "first-helper", prompt: "go" })).rejects.toThrow(
      /There is no agent type/,
    );
    // What starts now is told of it, too, by the same tools.
    await supervisor.spawn({ type: "general-purpose", prompt: "go" });
    const started = model.requests.at(-1);
    expect(started && saidIn(started)).toContain(line("second-helper"));
  },
);

test("shows a compacted conversation the list again", async () => {
  const now = agentsNow();
  const { supervisor, model } = supervised(
    "in-thread",
    (request) => ({
      text: saidIn(request).includes("Write under these headings") ? "Notes." : "Done. ".repeat(300),
    }),
    { agents: [one], agentsNow: now.ask },
  );
  for (const prompt of ["one", "two", "three"]) {
    await supervisor.prompt(prompt);
    now.become([one, two]);
  }
  expect(await supervisor.compact(MAIN)).toMatchObject({ type: "compacted" });
  await supervisor.prompt("four");
  const last = model.requests.at(-1);
  expect(last && saidIn(last).split(line("second-helper"))).toHaveLength(2);
});
