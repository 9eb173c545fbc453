// biome-ignore-all lint/suspicious/noTemplateCurlyInString: such is what skills are written in
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Files } from "../../../src/context/files.ts";
import { names } from "../../../src/context/markdown/field-reader.ts";
import { type RenderedCommand, renderSkill } from "../../../src/context/skills/render.ts";
import type { Skill } from "../../../src/context/skills/skill.ts";
import { argumentsIn, findTemplateCommands, templatePieces } from "../../../src/context/skills/template.ts";

const skill: Skill = {
  ...{ name: "s", description: "", whenToUse: null, allowedTools: [], argumentHint: null, arguments: [] },
  ...{ model: null, forModel: true, forUser: true, alias: null, forks: false, agent: null, commands: [] },
  ...{ kind: "skill", origin: "user", path: "/skills/s/SKILL.md", plugin: null },
};

async function filled(
  body: string,
  line = "",
  called: readonly string[] = [],
  ran?: (command: string) => RenderedCommand,
) {
  const files: Files = {
    look: () => ({ type: "none" }),
    read: () => ({ type: "text", text: `---\nname: s\n---\n${body}`, bytes: 1, real: "" }),
    bytes: () => null,
    real: (path) => path,
    entries: () => [],
    me: null,
  };
  const runs: string[] = [];
  const text = await renderSkill({ ...skill, arguments: called }, line, {
    files,
    variables: { CLAUDE_SKILL_DIR: "/skills/s" },
    named: () => ({ texts: [], reads: [] }),
    async run(command) {
      runs.push(command);
      return ran?.(command) ?? { type: "ran", output: `<${command}>`, exitCode: 0 };
    },
  });
  return { text: text.type === "text" ? text.text : text.reason, runs };
}

describe("arguments", () => {
  test.each([
    ["all: $ARGUMENTS.", "a 'b c'", "all: a 'b c'."],
    ["$1 and $2 and $3.", "a 'b c'", "a and b c and $3."],
    ["$0 and $1.", "a b", "a and b."],
    ["$ARGUMENTS[1]", "a b", "b"],
    ["costs \\$1 and \\$ARGUMENTS, $10, $HOME", "a", "costs $1 and $ARGUMENTS, $10, $HOME\n\nARGUMENTS: a"],
    ["in ${CLAUDE_SKILL_DIR}/x and ${OTHER}", "", "in /skills/s/x and ${OTHER}"],
    ["nothing asked", "a b", "nothing asked\n\nARGUMENTS: a b"],
    ["nothing given: $ARGUMENTS", "", "nothing given: "],
    ["costs $5.00 or $1,000", "a b c d e", "costs $5.00 or $1,000\n\nARGUMENTS: a b c d e"],
    ["awk '{print $1}'", "", "awk '{print $1}'"],
    ["$1:\n```sh\nawk '{print $1}' $ARGUMENTS\n```\n$2", "a b", "a:\n```sh\nawk '{print $1}' a b\n```\nb"],
    ["~~~\n$1", "a", "~~~\n$1\n\nARGUMENTS: a"],
  ])("%s", async (body, line, text) => {
    expect((await filled(body, line)).text).toBe(text);
  });

  test("by name; without one the placeholder stays", async () => {
    expect((await filled("fix $issue on ${branch}", "12", ["issue", "branch"])).text).toBe(
      "fix 12 on ${branch}",
    );
    expect((await filled("fix $issue on ${branch}", "12 main", ["issue", "branch"])).text).toBe(
      "fix 12 on main",
    );
  });

  test("are taken apart as a shell would", () => {
    expect(argumentsIn(`a "b c" d\\ e 'f "g"' h"i j"k`)).toEqual(["a", "b c", "d e", 'f "g"', "hi jk"]);
    expect(argumentsIn("don't stop")).toEqual(["don't", "stop"]);
    expect(argumentsIn("  ")).toEqual([]);
    expect(argumentsIn('""')).toEqual([""]);
  });

  test("what they hold is only text", async () => {
    const { text, runs } = await filled("x: $ARGUMENTS", "!`rm -rf /` $1 ${CLAUDE_SKILL_DIR}");
    expect(text).toBe("x: !`rm -rf /` $1 ${CLAUDE_SKILL_DIR}");
    expect(runs).toEqual([]);
  });
});

describe("commands", () => {
  test("are replaced by their output, which is only text", async () => {
    const { text, runs } = await filled(
      "now !`date $1` (!`two`)\n```!\nthree\nfour\n```\nbut not a!`b` nor `!c`",
      "-u",
      [],
      (command) => ({
        type: "ran",
        output: command === "two" ? "$1 !`again`\n" : command,
        exitCode: 0,
      }),
    );
    expect(runs).toEqual(["date -u", "two", "three\nfour"]);
    expect(text).toBe("now date -u ($1 !`again`)\nthree\nfour\nbut not a!`b` nor `!c`");
  });

  test("are reported if they failed or did not run", async () => {
    expect((await filled("!`x`", "", [], () => ({ type: "ran", output: "no\n", exitCode: 2 }))).text).toBe(
      "no\n[The command ended with exit code 2.]",
    );
    expect(
      (await filled("!`x`", "", [], () => ({ type: "not-run", reason: "A rule denies it." }))).text,
    ).toBe("[A command that belongs here was not run: A rule denies it.]");
  });

  test("they and their output are bounded", async () => {
    const { text, runs } = await filled(
      Array.from({ length: 60 }, (_, at) => `!\`c${at}\``).join("\n"),
      "",
      [],
      () => ({ type: "ran", output: "o".repeat(100_000), exitCode: 0 }),
    );
    expect(runs).toHaveLength(50);
    expect(text).toContain("too long");
    const one = await filled("!`x`", "", [], () => ({
      type: "ran",
      output: "o".repeat(100_000),
      exitCode: 0,
    }));
    expect(one.text.length).toBeLessThan(21_000);
    expect((await filled("$ARGUMENTS ".repeat(10_000), "y".repeat(100))).text).toContain("too long");
  });

  test("are known before they run, as they are written", () => {
    expect(findTemplateCommands("!`a $1` and !`a $1`\n```!\nb\n```")).toEqual(["a $1", "b"]);
  });
});

test("keeps a body without placeholders as it is", () => {
  fc.assert(
    fc.property(
      fc.string({ maxLength: 400 }).filter((text) => !/[$!\\]/.test(text)),
      (body) => {
        const text = templatePieces(body)
          .map((piece) => (piece.type === "text" ? piece.text : "?"))
          .join("");
        expect(text).toBe(body);
      },
    ),
    { seed: 20261122, numRuns: 200 },
  );
});

test.each([
  [
    'Bash(git add:*), Bash(git commit -m "a, b"), Read',
    ["Bash(git add:*)", 'Bash(git commit -m "a, b")', "Read"],
  ],
  ["Read Grep Glob", ["Read", "Grep", "Glob"]],
  [
    ["Read", "Bash(npm run *), Edit"],
    ["Read", "Bash(npm run *)", "Edit"],
  ],
  ["Bash(f(x) y), Read", ["Bash(f(x) y)", "Read"]],
  ["", []],
  [7, null],
])("rules as people write them: %j", (given, rules) => {
  expect(names(given)).toEqual(rules === null ? { wrong: expect.any(String) } : { value: rules });
});
