import { describe, expect, test } from "vitest";
import { everyBuiltInTool } from "../../scripts/tools-doc/every-tool.ts";
import { TASK_OUTPUT_WAIT_MS } from "../../src/tools/background.ts";
import { MAX_TIMEOUT_MS } from "../../src/tools/bash.ts";
import { bashPrompt, LONGEST_SLEEP_SECONDS } from "../../src/tools/bash-prompt.ts";
import { MAX_OUTPUT_CHARS } from "../../src/tools/command-output.ts";
import { descriptionOf } from "../../src/tools/definition.ts";
import { DEFAULT_HEAD_LIMIT, MAX_COLUMNS } from "../../src/tools/grep/grep-arguments.ts";
import { MAX_PDF_PAGES } from "../../src/tools/pdf-pages.ts";
import { DEFAULT_LINES } from "../../src/tools/read.ts";
import { MAX_LINE_CHARS } from "../../src/tools/text-lines.ts";
import { MAX_IN_PROGRESS } from "../../src/tools/todo-write.ts";
import { everyTool, facetText, naming, renderPrompt, type ToolPrompt } from "../../src/tools/tool.ts";
import { definitionOf } from "../support/definition-of.ts";
import { supervised } from "../support/supervised.ts";
import { temporaryFolder } from "../support/temporary.ts";

const tools = everyBuiltInTool().map(({ tool }) => tool);
const names = tools.flatMap(({ name, aliases }) => [name, ...aliases]);

describe.each(tools.map((tool) => [tool.name, tool] as const))("the prompt of %s", (name, tool) => {
  if (typeof tool.description === "string") throw new Error(`${name} has no prompt, only a text.`);
  const facets = tool.description;

  test("answers the six questions, whatever else is offered (A4.1)", () => {
    expect(Object.keys(facets).sort()).toEqual(["how", "limits", "recover", "what", "when", "whenNot"]);
    for (const offered of [new Set([name]), new Set(names)]) {
      for (const facet of Object.values(facets)) expect(facetText(facet, offered).length).toBeGreaterThan(10);
    }
  });

  test("names no tool that is not offered with it", () => {
    const alone = descriptionOf(tool, new Set([name, ...tool.aliases]));
    const others = names.filter((other) => other !== name && !tool.aliases.includes(other));
    // The Agent tool lists the tools of the agents it starts; these are theirs.
    const own = alone.split("\n").filter((line) => !line.includes("(Tools: "));
    for (const other of others) expect(own.join("\n")).not.toMatch(new RegExp(`\\b${other}\\b`));
  });

  test("names no tool that does not exist", () => {
    const known = new Set(names);
    expect(namedIn(facets).filter((other) => !known.has(other))).toEqual([]);
    expect(descriptionOf(tool, everyTool)).not.toMatch(/undefined|NaN|\$\{/);
  });
});

function namedIn(prompt: ToolPrompt): string[] {
  return Object.values(prompt).flatMap((facet: ToolPrompt[keyof ToolPrompt]) =>
    typeof facet === "string"
      ? []
      : facet.flatMap((part) => (typeof part === "string" ? [] : [...part.tools])),
  );
}

describe("numbers in prompts are the runtime's own", () => {
  test.each([
    ["Read", DEFAULT_LINES],
    ["Read", MAX_LINE_CHARS],
    ["Grep", DEFAULT_HEAD_LIMIT],
    ["Grep", MAX_COLUMNS],
    ["TodoWrite", MAX_IN_PROGRESS],
    ["Read", MAX_PDF_PAGES],
    ["Bash", MAX_OUTPUT_CHARS],
    ["Bash", MAX_TIMEOUT_MS],
    ["Bash", LONGEST_SLEEP_SECONDS],
    ["TaskOutput", TASK_OUTPUT_WAIT_MS],
  ])("%s says %d (A4.11, A4.15)", (name, number) => {
    const tool = tools.find((one) => one.name === name);
    expect(tool && definitionOf(tool).description).toMatch(new RegExp(`\\b${number}\\b`));
  });
});

describe("rendering", () => {
  const prompt: ToolPrompt = {
    what: "Does it.",
    when: "always",
    whenNot: ["never:", naming`- with ${"Saw"} or ${"Axe"}`, "- by hand", naming`See ${"Axe"}.`],
    how: "so",
    recover: "again",
    limits: "one",
  };

  test("a sentence is there only where all the tools it names are; a list stays a list", () => {
    const told = (...offered: string[]) => facetText(prompt.whenNot, new Set(offered));
    expect(told("Saw", "Axe")).toBe("never:\n- with Saw or Axe\n- by hand\nSee Axe.");
    expect(told("Axe")).toBe("never:\n- by hand\nSee Axe.");
    expect(told()).toBe("never:\n- by hand");
  });

  test("without a set, every tool is there", () => {
    expect(renderPrompt(prompt)).toContain("When not to: never:\n- with Saw or Axe");
  });
});

describe("the Bash prompt", () => {
  const prompt = bashPrompt({ usual: 120_000, most: 600_000 });
  const whole = renderPrompt(prompt);
  const line = (name: string, words: RegExp) => [name, words] as const;
  const matrix = [
    line("Glob", /Glob, not find or ls/),
    line("Grep", /Grep, not grep or rg/),
    line("Read", /Read, not cat, head or tail/),
    line("Edit", /Edit, not sed or awk/),
    line("Write", /Write, not echo > or a heredoc/),
  ];

  test("has the six lines of what does it better (A4.2)", () => {
    for (const [, words] of matrix) expect(whole).toMatch(words);
    expect(whole).toMatch(/the text of your reply, not echo or printf/);
  });

  test.each(matrix)("the line of %s is gone where it is not offered (A4.2)", (name, words) => {
    const others = new Set(names.filter((other) => other !== name));
    expect(renderPrompt(prompt, others)).not.toMatch(words);
    expect(renderPrompt(prompt, new Set([name]))).toMatch(words);
  });

  test.each([
    [/do not depend on each other are separate calls in one reply/],
    [/depend on each other are one call, joined by &&/],
    [/Use ; only if an earlier failure does not matter/],
    [/Never separate commands by line breaks/],
  ])("has the rule for several commands: %s (A4.3)", (words) => {
    expect(whole).toMatch(words);
  });

  test.each([
    [/Do not sleep between commands that can run right away/],
    [/use run_in_background.*no sleep is needed/],
    [/Do not repeat a failing command in a loop/],
    [/Do not poll what runs in the background/],
    [new RegExp(`1-${LONGEST_SLEEP_SECONDS} seconds`)],
  ])("has the rule for waiting: %s (A4.4)", (words) => {
    expect(whole).toMatch(words);
  });

  test.each([
    [/Never change git's configuration/],
    [/push --force, reset --hard, checkout \., restore \., clean -f, branch -D/],
    [/Never skip hooks or signatures \(--no-verify, --no-gpg-sign\)/],
    [/Never force-push to main or master.*warn/],
    [/Make a new commit and do not amend/],
    [/Stage files by their names; git add -A and git add \./],
    [/Never commit unless the user asked/],
  ])("has the rule for git: %s (A4.5)", (words) => {
    expect(whole).toMatch(words);
  });

  test("says the numbers it is given", () => {
    expect(whole).toContain("2 minutes unless timeout says otherwise, 10 minutes (600000 ms) at most");
    expect(whole).toContain("30000 characters");
  });

  test("and Grep's send each other what is not theirs (A4.14)", () => {
    const grep = tools.find(({ name }) => name === "Grep");
    expect(whole).toMatch(/Grep, not grep or rg/);
    expect(grep && definitionOf(grep).description).toMatch(/NEVER run grep or rg as a Bash command/);
  });
});

test.each([
  ["Agent", "A4.19", /Never delegate understanding/],
  ["Skill", "A4.20", /BLOCKING REQUIREMENT: invoke .* BEFORE generating any other response/],
  ["Skill", "A4.21", /<command-name> tag in the current conversation turn.*ALREADY been loaded/],
])("the prompt of %s has the sentence of %s", (name, _, sentence) => {
  const tool = tools.find((one) => one.name === name);
  expect(tool && definitionOf(tool).description).toMatch(sentence);
});

describe("what agents read", () => {
  const told = async (mode: "default" | "acceptEdits") => {
    const { supervisor, model } = supervised("in-thread", () => ({ text: "ok" }), {
      permissionMode: mode,
      home: temporaryFolder("another-place-"),
    });
    await supervisor.prompt("hi");
    for (const type of ["Explore", "code-reviewer"]) await supervisor.spawn({ type, prompt: "look" });
    return model.requests.map(({ tools: offered }) => JSON.stringify(offered));
  };

  test.each(["default", "acceptEdits"] as const)(
    "is the same bytes in two sessions with other folders, in mode %s (A4.7)",
    async (mode) => {
      expect(await told(mode)).toEqual(await told(mode));
    },
  );

  test.each(["main", "Explore", "code-reviewer"])(
    "is written down for %s, in mode acceptEdits",
    async (type) => {
      const { supervisor, model } = supervised("in-thread", () => ({ text: "ok" }), {
        permissionMode: "acceptEdits",
        person: { ask: async () => ({ type: "deny", span: "once" }) },
      });
      if (type === "main") await supervisor.prompt("hi");
      else await supervisor.spawn({ type, prompt: "look" });
      const texts = model.requests[0]?.tools.map(({ name, description }) => `## ${name}\n\n${description}\n`);
      await expect(texts?.join("\n")).toMatchFileSnapshot(`../fixtures/prompts/${type}.md`);
    },
  );
});
