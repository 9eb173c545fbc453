import { expect, test } from "vitest";
import list from "./everything/present.json" with { type: "json" };
import { everything, ownValues, whatIsThere } from "./everything/what-is-there.ts";

const present: readonly string[] = list;

/**
 * Nothing forgotten (A21), as a ratchet: what the seeds name and the product has is written down in
 * `everything/present.json`; the list may grow and never shrink. The last issue makes it the whole of A21.
 */
test("everything that was there is there, and what is new is written down (A21)", {
  tags: ["long"],
}, async () => {
  const there = await whatIsThere(ownValues());
  const missing = everything().filter((id) => !there.includes(id));
  console.log(`A21: ${there.length} of ${everything().length} are there. Missing:\n${missing.join("\n")}`);

  const gone = present.filter((id) => !there.includes(id));
  expect(gone, "was there and is gone").toEqual([]);
  const unwritten = there.filter((id) => !present.includes(id));
  expect(unwritten, "is there now: add it to test/everything/present.json").toEqual([]);
});

test("the ratchet names nothing that A21 does not, and nothing twice", () => {
  expect(present.filter((id) => !everything().includes(id))).toEqual([]);
  expect(new Set(present).size).toBe(present.length);
});

test("a name is found by what a registry holds: its names, its aliases, its values", async () => {
  const registries: Record<string, unknown> = {
    agentTools: [
      { name: "Read", aliases: ["LSP"], definition: { description: "Edit 2-4 lines, never 10." } },
    ],
    hookEvents: ["Stop", "NotOfA21"],
    builtInSkills: [{ name: "review" }],
    commandSummaries: { config: "the settings in force" },
    DEFAULT_HEAD_LIMIT: 250,
    MAX_PDF_PAGES: 21,
  };
  expect(await whatIsThere(async (path) => registries[path])).toEqual([
    "command /config",
    "command /review",
    "hook Stop",
    "number Grep's head_limit (A10.4)",
    "skill review",
    "tool LSP",
    "tool Read",
  ]);
  expect(await whatIsThere(async () => undefined)).toEqual([]);
});
