import { describe, expect, test } from "vitest";
import { loadedText } from "../../../src/context/skills/render.ts";
import { forkWords } from "../../../src/features/skills/slash-line.ts";
import { MAIN } from "../../../src/mailbox/ids.ts";
import { unanswered } from "../../../src/model/offline/conversation.ts";
import { ask, callsIn, EVERYTHING, request } from "./conversing.ts";

const skill = (name: string, kind: "skill" | "command" = "skill") => ({
  ...{ name, kind, description: "", whenToUse: null, allowedTools: [], argumentHint: null, arguments: [] },
  ...{ model: null, forModel: true, forUser: true, forks: false, agent: null, commands: [], alias: null },
  ...{ origin: "project" as const, path: `/w/${name}/SKILL.md`, plugin: null },
});
const LONG = Array.from({ length: 20 }, (_, at) => `- Look for kind ${at} of mistakes in the change.`).join(
  "\n",
);
const review = (args: string) => loadedText(skill("review"), args, `# Review\n\n${LONG}`, true);

describe("what a called skill asks for", () => {
  test.each([
    ["where is the parser?", "where is the parser?", undefined],
    [review(""), "", "review"],
    [review("12"), "12", "review"],
    [review("where is the parser?"), "where is the parser?", "review"],
    [review('run "npm test"'), 'run "npm test"', "review"],
    [`What a hook adds.\n\n${review("12")}`, "What a hook adds.\n12", "review"],
    // A few lines are a prompt that somebody has written down.
    [
      loadedText(skill("where", "command"), "x", "Where is x defined?", true),
      "Where is x defined?",
      undefined,
    ],
    [forkWords(skill("dig"), "deep"), "", "dig"],
  ])("%j", (text, prompt, name) => {
    const asked = unanswered([{ role: "user", content: text }], false);
    expect(asked.prompt).toBe(prompt);
    expect(asked.skills).toEqual(name === undefined ? [] : [name]);
  });
});

test("instructions are not taken for questions: it says that it cannot work by them", async () => {
  const messages = [{ role: "user" as const, content: review("12") }];
  const reply = await ask(request({ actor: MAIN, tools: EVERYTHING, messages }));
  expect(callsIn(reply)).toEqual([]);
  expect(JSON.stringify(reply.content)).toMatch(
    /\/review is a skill: instructions\..*This needs a model.*ANTHROPIC_API_KEY/,
  );
});

test("a command that is one instruction is carried out", async () => {
  const content = loadedText(skill("check", "command"), "", 'run "npm test"', true);
  const reply = await ask(request({ actor: MAIN, tools: EVERYTHING, messages: [{ role: "user", content }] }));
  expect(callsIn(reply).map(({ name, input }) => [name, input])).toEqual([
    ["Bash", expect.objectContaining({ command: "npm test" })],
  ]);
});
