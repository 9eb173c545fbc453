import { expect, test } from "vitest";
import { defineAgent } from "../../../src/context/agents/definition.ts";
import { namedTools } from "../../../src/features/agents/listing.ts";

const agent = (more: object) =>
  defineAgent({ name: "a", whenToUse: "", prompt: "p", tools: ["Read"], ...more });

test("a definition that names servers or skills gets the tools they need, even if it lists others", () => {
  expect(namedTools(agent({}))).toEqual(["Read"]);
  expect(namedTools(agent({ tools: "all", skills: ["x"] }))).toBe("all");
  const mcpServers = { named: ["git hub"], own: { db: {} } };
  expect(namedTools(agent({ mcpServers, skills: ["x"] }))).toEqual([
    ...["Read", "mcp__git_hub", "mcp__db", "Skill"],
  ]);
});
