import { expect, test } from "vitest";
import {
  assemble,
  type Ingredients,
  type MainSection,
  mainRole,
  mainSections,
  messagesOf,
  systemOf,
  tokensOfPart,
} from "../../src/context/assemble.ts";

const of: Ingredients = {
  role: "You are an agent.",
  environment: {
    cwd: "/p",
    additionalDirs: ["/q"],
    platform: "linux",
    model: "m",
    limits: { result: 1_000, results: 2_000 },
  },
  place: "",
  memory: "Memory\nUse tabs.",
  tools: [{ name: "Read", description: "reads", input_schema: { type: "object" } }],
  deferredTools: { text: "Deferred: WebFetch", placement: "inline" },
  skills: { text: "Skills: review", placement: "attached" },
  history: [
    { role: "user", content: "before" },
    { role: "assistant", content: "answer" },
  ],
  turn: { pictures: [], attached: ["Today's date is 2026-11-22."], prompt: "now" },
};

test("has the eight parts in the order of the list (A2.1)", () => {
  expect(assemble(of).map(({ name }) => name)).toEqual([
    ...["system prompt", "environment", "memory", "tool schemas"],
    ...["deferred tools", "skills", "history", "user turn"],
  ]);
});

test("puts what is stable into the system prompt, and attaches what changes to the turn (A22.20)", () => {
  const parts = assemble(of);
  expect(systemOf(parts)).toEqual([
    "You are an agent.",
    expect.stringMatching(
      /^Environment\nWorking directory: \/p\nAdditional directory: \/q\nPlatform: linux\nModel: m\n/,
    ),
    "Memory\nUse tabs.",
    "Deferred: WebFetch",
  ]);
  const [first, second, turn] = messagesOf(parts);
  expect([first, second]).toEqual(of.history);
  expect(turn?.content).toEqual([
    {
      type: "text",
      text: "<system-reminder>\nSkills: review\n\nToday's date is 2026-11-22.\n</system-reminder>",
    },
    { type: "text", text: "now" },
  ]);
});

test("does not send an empty part, which weighs nothing", () => {
  const parts = assemble({
    ...of,
    ...{ memory: null, deferredTools: null, skills: null, history: [], tools: [] },
    turn: { pictures: [], attached: [], prompt: "now" },
  });
  expect(parts).toHaveLength(8);
  expect(systemOf(parts)).toHaveLength(2);
  expect(messagesOf(parts)).toEqual([{ role: "user", content: "now" }]);
  expect(parts.filter((part) => tokensOfPart(part) > 0).map(({ name }) => name)).toEqual([
    ...["system prompt", "environment", "user turn"],
  ]);
});

test("identity, doing tasks, code style and tone are in the main conversation's role, each by itself (A2.2)", () => {
  const names = Object.keys(mainSections) as MainSection[];
  expect(names).toHaveLength(4);
  for (const name of names) {
    expect(mainRole()).toContain(mainSections[name]);
    expect(mainRole([name])).not.toContain(mainSections[name]);
    for (const other of names) if (other !== name) expect(mainRole([name])).toContain(mainSections[other]);
  }
});
