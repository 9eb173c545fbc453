import { expect, test } from "vitest";
import { type AgentDefinition, findAgent } from "../../src/context/agents/definition.ts";
import { definitionsWith } from "../../src/features/agents/listing.ts";

const own = (name: string): AgentDefinition => ({ name, whenToUse: "", prompt: "", tools: [] });

test("an own agent is reached by its name, also where a built-in has it as an alias (A11.2)", () => {
  const definitions = definitionsWith([own("Reviewer")]);
  expect(findAgent(definitions, "reviewer")).toEqual(own("Reviewer"));
  expect(findAgent(definitions, "code-reviewer")?.name).toBe("code-reviewer");
});

test("an own agent with a built-in's name takes its place, whatever its case and separators", () => {
  const definitions = definitionsWith([own("general purpose")]);
  expect(definitions.map(({ name }) => name)).not.toContain("general-purpose");
  expect(findAgent(definitions, "generalPurpose")).toEqual(own("general purpose"));
});

test("odd names mean themselves and nothing else", () => {
  const definitions = definitionsWith([own("***"), own("审查"), own("__proto__")]);
  expect(findAgent(definitions, "***")).toEqual(own("***"));
  expect(findAgent(definitions, "审查")).toEqual(own("审查"));
  expect(findAgent(definitions, "__proto__")).toEqual(own("__proto__"));
  for (const nobody of ["", "?", "  ", "constructor"]) expect(findAgent(definitions, nobody)).toBeUndefined();
});
