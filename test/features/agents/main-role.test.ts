import { expect, test } from "vitest";
import { defineAgent } from "../../../src/index.ts";
import { DEFAULT_ALIASES } from "../../../src/model/model-names.ts";
import type { SupervisorOptions } from "../../../src/session/options.ts";
import { supervised } from "../../support/supervised.ts";

const { haiku, sonnet } = DEFAULT_ALIASES;
const reader = defineAgent({
  ...{ name: "reader", whenToUse: "Reading.", prompt: "You only read.", model: "haiku" },
  ...{ tools: ["Read", "Grep", "Agent"], disallowedTools: ["Grep"] },
});

async function asked(options: Partial<SupervisorOptions>) {
  const { supervisor, model, cwd } = supervised("in-thread", [{ text: "Done." }], options);
  await supervisor.prompt("hello");
  const [request] = model.requests;
  const system = JSON.stringify(request?.system);
  return { system, cwd, model: request?.model, tools: request?.tools?.map(({ name }) => name) };
}

test("systemPrompt replaces the main role; environment, limits, tools and additions remain", async () => {
  const own = await asked({ systemPrompt: "You are a poet.", appendSystemPrompt: "Be brief." });
  expect(own.system).toMatch(/You are a poet\..*Be brief\./);
  expect(own.system).not.toContain("You are Troupe");
  expect(own.system).toContain(own.cwd);
  const usual = await asked({});
  expect(usual.system).toContain("You are Troupe");
  expect(own.tools).toEqual(usual.tools);
});

test("mainAgent gives the main conversation its prompt, tools and model", async () => {
  const { system, model, tools } = await asked({ mainAgent: reader });
  expect(system).toContain("You only read.");
  expect(system).not.toContain("You are Troupe");
  expect({ model, tools }).toEqual({ model: haiku, tools: ["Read", "Agent"] });
});

test("systemPrompt and model win over mainAgent", async () => {
  const { system, model } = await asked({ mainAgent: reader, systemPrompt: "A poet.", model: "sonnet" });
  expect(system).not.toContain("You only read.");
  expect(model).toBe(sonnet);
});
