// biome-ignore-all lint/suspicious/noTemplateCurlyInString: such is what skills are written in
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Files } from "../../../src/context/files.ts";
import { names } from "../../../src/context/markdown/fields.ts";
import { type RenderedCommand, renderSkill } from "../../../src/context/skills/render.ts";
import type { Skill } from "../../../src/context/skills/skill.ts";
import { argumentsIn, findTemplateCommands } from "../../../src/context/skills/template.ts";

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
    ["$0 and $1 and $2.", "a 'b c'", "a and b c and $2."],
    ["only the second: $1.", "a b", "only the second: b."],
    ["$ARGUMENTS[1]", "a b", "b"],
    ["with \\$1 and \\$ARGUMENTS and $1, $HOME", "a b", "with $1 and $ARGUMENTS and b, $HOME"],
    ["\\$1 without an argument", "a", "\\$1 without an argument\n\nARGUMENTS: a"],
    ["\\\\$0", "a", "\\\\a"],
    ["in ${CLAUDE_SKILL_DIR}/x and ${OTHER}", "", "in /skills/s/x and ${OTHER}"],
    ["nothing asked", "a b", "nothing asked\n\nARGUMENTS: a b"],
    ["nothing given: $ARGUMENTS", "", "nothing given: "],
    ["$0:\n```sh\nawk '{print $1}' $ARGUMENTS\n```\n$1", "a b", "a:\n```sh\nawk '{print $1}' a b\n```\nb"],
    ["1. $0\n\n   In the list: $1", "a b", "1. a\n\n   In the list: b"],
    ["PR #$0, path src/$0/$1.ts, label a-$0-b", "a b", "PR #a, path src/a/b.ts, label a-a-b"],
    ["Run !`gh pr view $0 --json x`", "7", "Run <gh pr view 7 --json x>"],
    ["```sh\necho $0\n```\nBranch $1, issue $2.", "a b c", "```sh\necho $0\n```\nBranch b, issue c."],
    ["Costs $0.50 a run. Fix $ARGUMENTS[0]", "a b", "Costs $0.50 a run. Fix a"],
  ])("replaces %j", async (body, line, text) => {
    expect((await filled(body, line)).text).toBe(text);
  });

  const six = "one two three four five six";

  test.each([
    // Amounts of money.
    ..."$5 a month|$9k|$2-$4|$1-5|$0.50|$1,000|$10|US$5|$3/user|$1 per request|$0+|\\$5.00|\\$4".split("|"),
    "| Plan | Price |\n|---|---|\n| Free | $0 |\n| Pro | $9/mo |\n| Team | $1 |",
    // Code: fenced, indented, in backticks, bare.
    "```sh\necho $0 $1\n```",
    "~~~\n$0",
    "- a list:\n  ```awk\n  { print $1 }\n  ```",
    "Text.\n\n    cp $0 $1\n\nMore.",
    "\tmv $0 $1",
    "Use `awk '{print $1}'` or `perl -ne 'print if $1'`.",
    "awk '{print $1}' access.log | sort",
    "gawk -F, '$1 > 5 { sum += $2 } END { print sum }'",
    "perl -pe 's/(a)(b)/$2$1/'",
    "sed -E 's/(x)/$1/' file",
    'bash -c \'echo "$0" "$1"\'',
    'greet() { echo "$1"; }',
    'if [ -z "$1" ]; then exit 1; fi',
    'local name="$1"',
    'case "$1" in',
    'dir=$(dirname "$0")',
    'cp "$1" "$2" && rm "$1"',
    "git log --format=%H | while read x; do echo $1; done",
    "SELECT * FROM users WHERE id = $1 LIMIT $2",
    "rewrite ^/(.*)$ /$1 last;",
    'text.replace(/(a+)/g, "<$1>")',
    "preg_replace('/(a)/', '$1', $text)",
    // Formulas, spreadsheets, makefiles, jq, PHP.
    "Let $0 \\le x \\le 1$ and $1 + 2 = n$.",
    "=H6*(1+$B$3) and $B$1",
    "all: $(OBJ)\n\tcc -o $@ $^ $(call f,$1)",
    "jq --arg x \"$HOME\" '.a | $1'",
    "<?php $name = $_GET['x']; $$name; ?>",
    "${HOME} ${1} $@ $# $? $! $$ $- $*",
  ])("leaves %j as it is, with six arguments", async (body) => {
    expect((await filled(body, six)).text).toBe(`${body.trimEnd()}\n\nARGUMENTS: ${six}`);
  });

  test.each([
    ["Compare `src/$0` with `$1`", "Compare `src/one` with `two`"],
    ["Check $0:\n\n| Pro | $5.00 |\n| Team | $1 |", "Check one:\n\n| Pro | $5.00 |\n| Team | $1 |"],
    ["| File | Reviewer |\n|---|---|\n| $0 | $1 |", "| File | Reviewer |\n|---|---|\n| one | two |"],
    ["`awk '{print $1}'` on $0", "`awk '{print $1}'` on one"],
    ["Issue $0, at most $5 a month, or $20", "Issue one, at most $5 a month, or $20"],
    ["```sh\nrm $0\n```\n$0", "```sh\nrm $0\n```\none"],
    ["    indented $0\n\n$0", "    indented $0\n\none"],
    ["- read $0;\n- mend $1;", "- read one;\n- mend two;"],
    ["Run `gh pr checkout $0 && npm test`", "Run `gh pr checkout one && npm test`"],
    ["rewrite $0 in ruby's own style, as $1 does", "rewrite one in ruby's own style, as two does"],
    ["target=$0", "target=one"],
  ])("replaces %j next to code and prices", async (body, text) => {
    expect((await filled(body, six)).text).toBe(text);
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
      "now !`date $0` (!`two`)\n```!\nthree\nfour\n```\nbut not a!`b` nor `!c`",
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

  test.each([
    ["cd $0 && git log $1", "cd one && git log two"],
    ["echo $(gh pr view $0)", "echo $(gh pr view one)"],
    ['psql -c "SELECT * FROM tides WHERE id = $0"', 'psql -c "SELECT * FROM tides WHERE id = one"'],
    ["ps | awk '{print $1}' | grep $0", "ps | awk '{print $1}' | grep one"],
  ])("get their arguments: %s", async (command, run) => {
    expect((await filled(`!\`${command}\``, "one two")).runs).toEqual([run]);
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

describe("a text without placeholders that have an argument", () => {
  const parts = fc.constantFrom(
    ..."$ $$ \\$ $5 $9k $0.5 $99 \\$1 ` `` ``` ~~~ ' \" { } ( ) [ ] | - a b awk print ; && = \n \r\n \t #".split(
      " ",
    ),
    ...["\n", "\n\n", "    ", " ", "$HOME", "${HOME}", "$(x)", "é", "🙂", "\u{2028}"],
  );
  const body = fc
    .array(fc.oneof(parts, fc.string({ maxLength: 8 })), { maxLength: 60 })
    .map((all) => all.join(""))
    // The white space around a body, and what runs, is another matter.
    .filter((text) => text === text.trim() && text !== "" && !/!`|```!|\$\{?ARGUMENTS|\$\{CLAUDE/.test(text));

  test("comes through byte for byte if there are no arguments", async () => {
    await fc.assert(
      fc.asyncProperty(body, async (text) => {
        expect((await filled(text)).text).toBe(text);
      }),
      { seed: 20261128, numRuns: 500 },
    );
  });

  test("comes through byte for byte with as many arguments as it has no placeholders for", async () => {
    await fc.assert(
      fc.asyncProperty(
        body.filter((text) => !/\$\d/.test(text)),
        fc.array(fc.constantFrom("x", "$0", "$1", "\\"), { minLength: 1, maxLength: 9 }),
        async (text, words) => {
          const line = words.join(" ");
          expect((await filled(text, line)).text).toBe(`${text}\n\nARGUMENTS: ${line}`);
        },
      ),
      { seed: 20261128, numRuns: 500 },
    );
  });

  test("comes through byte for byte in a code fence, whatever is in it", async () => {
    await fc.assert(
      fc.asyncProperty(
        body.filter((text) => !/[`~\\]/.test(text)),
        async (text) => {
          const fenced = `\`\`\`\n${text}\n\`\`\``;
          expect((await filled(fenced, six)).text).toBe(`${fenced}\n\nARGUMENTS: ${six}`);
        },
      ),
      { seed: 20261128, numRuns: 500 },
    );
  });

  const six = "one two three four five six";

  test("takes a moment, however large and hostile it is", async () => {
    for (const part of [
      "$1",
      "```!\n",
      "`$1``",
      "{ $1 ",
      "awk '",
      "$1 a month\n",
      "\\$1",
      "- ",
      "    $1\n\n",
    ]) {
      const text = part.repeat(100_000 / part.length);
      expect((await filled(text, "a b")).text.length).toBeGreaterThan(49_999);
    }
  });
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
