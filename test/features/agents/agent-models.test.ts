import { describe, expect, test } from "vitest";
import { listAgents } from "../../../src/features/agents/listing.ts";
import { defineAgent } from "../../../src/index.ts";
import { agentModelsFrom, DEFAULT_ALIASES } from "../../../src/model/model-names.ts";
import type { SupervisorOptions } from "../../../src/session/options.ts";
import { supervised } from "../../support/supervised.ts";

const { haiku, sonnet, opus } = DEFAULT_ALIASES;
const own = defineAgent({
  name: "db-expert",
  whenToUse: "Databases.",
  prompt: "Look.",
  tools: ["Read"],
  model: "opus",
});

describe("the model of an agent (A11.4, A22.37)", () => {
  type Given = Pick<SupervisorOptions, "agentModels" | "smallModel"> & { readonly call?: "sonnet" };
  test.each<[string, string, Given, string]>([
    ["the call's first", "db-expert", { agentModels: { "db-expert": "haiku" }, call: "sonnet" }, sonnet],
    ["then the setting's", "db-expert", { agentModels: { "db-expert": "haiku" } }, haiku],
    ["by any spelling of the type", "db-expert", { agentModels: { DB_Expert: "haiku" } }, haiku],
    ["of a setting for every type", "db-expert", { agentModels: { "*": "haiku" } }, haiku],
    [
      "before that for every type",
      "db-expert",
      { agentModels: { "*": "haiku", "db-expert": "sonnet" } },
      sonnet,
    ],
    ["a full ID as it is", "db-expert", { agentModels: { "db-expert": "my-model" } }, "my-model"],
    ["inherit: the session's", "db-expert", { agentModels: { "db-expert": "inherit" } }, sonnet],
    ["then the definition's", "db-expert", {}, opus],
    ["then the session's", "general-purpose", {}, sonnet],
    ["the small one for Explore", "Explore", { smallModel: "haiku" }, haiku],
    ["another for Explore", "Explore", { smallModel: "haiku", agentModels: { explore: "opus" } }, opus],
    ["not the small one for others", "Plan", { smallModel: "haiku" }, sonnet],
  ])("is %s", { tags: ["long"] }, async (_, type, { call, ...options }, expected) => {
    const { supervisor, model } = supervised("in-thread", [{ text: "Found." }], {
      agents: [own],
      ...options,
    });
    await supervisor.spawn({ type, prompt: "look", ...(call === undefined ? {} : { model: call }) });
    expect(model.requests[0]?.model).toBe(expected);
  });

  test("is in the list of agents, and what is built in stays marked as built in", () => {
    const explore = listAgents([], { smallModel: "haiku" }).find(({ name }) => name === "Explore");
    expect(explore).toMatchObject({ model: "haiku", source: { scope: "built-in" } });
  });

  test("comes from the environment as well, which no named type follows", () => {
    const env = { CLAUDE_CODE_SUBAGENT_MODEL: "haiku", ANTHROPIC_SMALL_FAST_MODEL: "small" };
    expect(agentModelsFrom(env, { agentModels: { Plan: "opus", "*": "sonnet" }, smallModel: "x" })).toEqual({
      agentModels: { Plan: "opus", "*": "haiku" },
      smallModel: "small",
    });
    expect(agentModelsFrom({ CLAUDE_CODE_SUBAGENT_MODEL: " " }, {})).toEqual({ agentModels: {} });
  });
});
