import { expect, test } from "vitest";
import { defineAgent } from "../../src/actors/definitions/definition.ts";
import { namedTools, skillsWords } from "../../src/supervisor/definition-tools.ts";

const agent = (more: object) =>
  defineAgent({ name: "a", whenToUse: "", prompt: "p", tools: ["Read"], ...more });

test("whoever names servers or skills gets the tools they need, also where others are listed", () => {
  expect(namedTools(agent({}))).toEqual(["Read"]);
  expect(namedTools(agent({ tools: "all", skills: ["x"] }))).toBe("all");
  const mcpServers = { named: ["git hub"], own: { db: {} } };
  expect(namedTools(agent({ mcpServers, skills: ["x"] }))).toEqual([
    ...["Read", "mcp__git_hub", "mcp__db", "Skill"],
  ]);
});

test("skills are named to whoever can load them", () => {
  const definition = agent({ skills: ["sql", "review"] });
  expect(skillsWords(definition, [{ name: "Read" }])).toBeNull();
  expect(skillsWords(agent({}), [{ name: "Skill" }])).toBeNull();
  expect(skillsWords(definition, [{ name: "Skill" }])).toBe(
    "Before you begin, load these skills with the Skill tool, all in one reply: sql, review.",
  );
});
