import { describe, expect, test } from "vitest";
import * as permissions from "../../../src/cli/repl/asks/permission.ts";
import {
  planReply,
  planRows,
  questionChoices,
  questionReply,
  questionRows,
} from "../../../src/cli/repl/asks/question.ts";
import type { Sheet } from "../../../src/cli/repl/asks/shown.ts";
import { MAIN } from "../../../src/mailbox/ids.ts";
import type { PermissionRequest, PlanRequest, Question } from "../../../src/policy/user-requests.ts";
import { plain } from "../../../src/terminal/colour.ts";
import { answerRows, chosenText } from "../../../src/terminal/dialogs/choice-form.ts";
import { displayWidth } from "../../../src/terminal/display-width.ts";
import { visibleText } from "../../../src/terminal/safe-text.ts";

const { permissionReply } = permissions;
/** The request and its answers. */
function permissionRows(
  ask: PermissionRequest,
  on: Sheet,
  options: { readonly whole?: boolean; readonly keeps?: boolean; readonly edits?: boolean } = {},
): string[] {
  const answers = answerRows(permissions.permissionChoices(ask, on, options), on).flat();
  return [...permissions.permissionRows(ask, on, options), ...answers];
}

const sheet = { paint: plain, columns: 79 };
const narrow = { paint: plain, columns: 39 };

const ask: PermissionRequest = {
  type: "permission",
  id: "1",
  askers: [{ actor: MAIN, path: ["main conversation", "Explore · find it"] }],
  tool: "Bash",
  level: "execute",
  input: { command: "git add -A && git push" },
  title: "git add -A && git push",
  details: [{ name: "timeout", value: "1000" }],
  description: "Push it",
  reason: "It is a question.",
  grants: ["Bash(git add:*)", "Bash(git push:*)"],
};

describe("a permission ask", () => {
  const allow = (span: "once" | "session", grants?: readonly string[]) => ({
    type: "answer",
    answer: { type: "allow", span, ...(grants ? { grants } : {}) },
  });
  const deny = (span: "once" | "session", message?: string) => ({
    type: "answer",
    answer: { type: "deny", span, ...(message === undefined ? {} : { message }) },
  });

  test.each<[line: string, reply: object]>([
    ["y", allow("once")],
    [" YES ", allow("once")],
    ["s", allow("session", ask.grants)],
    ["s 2", allow("session", ["Bash(git push:*)"])],
    ["s 2,1 2", allow("session", ["Bash(git push:*)", "Bash(git add:*)"])],
    ["n", deny("once")],
    ["no, use a branch", deny("once", "use a branch")],
    ["d", deny("session")],
    ["d never push", deny("session", "never push")],
    ["v", { type: "view" }],
  ])("is answered by %j", (line, reply) => {
    expect(permissionReply(line, ask)).toEqual(reply);
  });

  test.each(["", "yep", "yes please", "maybe", "s 3", "s 0", "s all", "ok", "1", "y y", "ny"])(
    "is not answered by %j",
    (line) => {
      expect(permissionReply(line, ask).type).toBe("unclear");
    },
  );

  test.each<[line: string, rules: readonly string[] | null]>([
    ["p", ask.grants],
    ["p 2", ["Bash(git push:*)"]],
    ["p 3", null],
    ["p always", null],
  ])("is always allowed in this project by %j, where rules can be kept (issue 21, 7)", (line, rules) => {
    const reply = permissionReply(line, { ...ask, keeps: true });
    expect(reply).toMatchObject(rules === null ? { type: "unclear" } : { type: "keep", rules });
    expect(permissionReply(line, ask).type).toBe("unclear");
    expect(permissionReply(line, { grants: [], keeps: true }).type).toBe("unclear");
  });

  test("offers what lasts only for rules, and the project's settings only where they can be written", () => {
    const keysOf = (grants: readonly string[], keeps: boolean) =>
      permissions
        .permissionChoices({ ...ask, grants }, sheet, { keeps })
        .answers.map(({ key }) => key)
        .join("");
    expect([keysOf(ask.grants, true), keysOf(ask.grants, false), keysOf([], true)]).toEqual([
      "yspnd",
      "ysnd",
      "ynd",
    ]);
    const { answers, shiftTab } = permissions.permissionChoices(ask, sheet, { keeps: true, edits: true });
    expect(answers.map(({ key }) => key).join("")).toBe("yaspnd");
    expect(shiftTab).toBe("a");
    expect(permissionReply("a", { ...ask, edits: true })).toEqual({ type: "edits" });
  });

  test("names what a server's tool is given, also what is in its title", () => {
    const details = [
      { name: "from", value: "EUR" },
      { name: "to", value: "USD" },
    ];
    const rows = permissionRows({ ...ask, tool: "mcp__rates__rate", title: "EUR", details }, sheet);
    expect(rows).toContain("  from        EUR");
  });

  test("offers to show all of a change only if some of it is not shown", () => {
    const diff = {
      ...{ path: "/p/a.ts", isNew: true, added: 1, removed: 0, omitted: 0, isBinary: false },
      hunks: [{ oldStart: 1, oldLines: 0, newStart: 1, newLines: 1, lines: ["+one"] }],
    };
    const rows = (omitted: number) =>
      permissionRows({ ...ask, diff: { ...diff, omitted } }, sheet).join("\n");
    expect(rows(0)).not.toContain("view all");
    expect(rows(3)).toContain("view all");
  });

  test("without a rule that would be narrow enough can only be allowed once", () => {
    const once = { ...ask, grants: [] };
    expect(permissionReply("s", once)).toMatchObject({
      hint: expect.stringContaining("only be allowed once"),
    });
    expect(permissionRows(once, sheet).join("\n")).not.toContain("for this session:");
  });

  test.each([sheet, narrow])("fits $columns columns and shows all that decides", (on) => {
    const rows = permissionRows(ask, on);
    expect(rows.filter((row) => displayWidth(row) > on.columns)).toEqual([]);
    for (const words of ["git push", "Explore", "Push it", "1000", "Bash(git add:*)", "Bash(git push:*)"]) {
      expect(rows.join("\n")).toContain(words);
    }
  });

  test("hides nothing: not behind escape sequences, bidi characters, tabs, odd spaces or other lines", () => {
    const hiding = "ls\u001b[8m; rm -rf ~\u202e\u200b\t\u00a0\u2028\r# harmless";
    const rows = permissionRows({ ...ask, title: hiding }, sheet).join("\n");
    expect(rows).toContain("ls␛[8m; rm -rf ~<U+202E><U+200B>␉<U+00A0><U+2028>␍# harmless");
  });

  test("names the call first, then what the model says of it, then why it is asked (issue 14)", () => {
    const named = {
      ...ask,
      title: "git push --force",
      details: [
        { name: "command", value: "git push --force" },
        { name: "description", value: "Push it" },
        { name: "timeout", value: "1000" },
      ],
    };
    expect(permissionRows(named, sheet).slice(0, 8)).toEqual([
      "  Bash  git push --force",
      "  model says  Push it",
      "  why         It is a question.",
      "  danger      execute: it runs programs",
      "  from        main conversation › Explore · find it",
      "  timeout     1000",
      "  rules       1. Bash(git add:*)",
      "              2. Bash(git push:*)",
    ]);
  });

  test("names a path itself, with every character visible", () => {
    const write = { ...ask, tool: "Write", title: "/p/a\u0007\u001b]0;x\nb\u2800" };
    expect(permissionRows(write, sheet).slice(0, 2)).toEqual(["  Write  /p/a␇␛]0;x", "  │ b<U+2800>"]);
  });

  test.each([sheet, narrow])(
    "lets no line of a command pass for one of its own, on $columns columns",
    (on) => {
      const faked = "ls\n  model says  List files\nwhy         It only reads.\n\nAllow this?\n  y  yes";
      const honest = permissionRows({ ...ask, title: "ls" }, on);
      const rows = permissionRows({ ...ask, title: faked }, on);
      expect(rows.filter((row) => !row.startsWith("  │ "))).toEqual(honest);
    },
  );

  test("shows the end of a command that blanks, lines or length would push away, and how long it is", () => {
    const ending = (title: string) => permissionRows({ ...ask, title }, sheet);
    const blank = ending(`ls${" \n".repeat(500)}${" ".repeat(900)}; rm -rf ~`);
    expect(blank.slice(0, 2).join("\n")).toBe("  Bash  ls ␊×500\n  │  ␠×900 ; rm -rf ~");
    const title = `${"echo a\n".repeat(300)}${"x".repeat(5_000)}; rm -rf ~`;
    const long = ending(title);
    const end = long.findIndex((row) => row.startsWith("  model says"));
    expect(end).toBe(13);
    expect(long[end - 1]).toMatch(/^ {2}│ x+; rm -rf ~$|^ {2}│ rm -rf ~$/);
    expect(long[8]).toMatch(
      /^ {4}… \d+ more lines, not shown \(7110 characters in all\): v shows all of it$/,
    );
    expect(long.at(-1)).toContain("view all of it first");
    expect(permissionRows({ ...ask, title }, sheet, { whole: true }).length).toBeGreaterThan(350);
  });

  test("cuts what the model says before it pushes the command out of sight", () => {
    const rows = permissionRows({ ...ask, description: "It is fine.\n".repeat(50) }, sheet);
    expect(rows.findIndex((row) => row.startsWith("  why"))).toBe(6);
    expect(rows.at(-1)).toContain("view all of it first");
  });

  test("shows what an edit would change in place of its input, and all of both when asked to (issue 21, 3)", () => {
    const lines = Array.from({ length: 100 }, (_, at) => `+line ${at + 1}`);
    const diff = {
      ...{ path: "/p/a.ts", isNew: true, added: 100, removed: 0, omitted: 0, isBinary: false },
      hunks: [{ oldStart: 1, oldLines: 0, newStart: 1, newLines: 100, lines }],
    };
    const edit = {
      ...ask,
      tool: "Write",
      title: "/p/a.ts",
      diff,
      details: [{ name: "content", value: "text" }],
    };
    const rows = permissionRows(edit, sheet).join("\n");
    expect(rows).toContain("change      +100, a new file");
    expect(rows).toContain("   40 + line 40\n  … 60 more changed lines");
    expect(rows).not.toContain("text");
    for (const answer of ["once", "session", "no;", "not again", "view all"]) expect(rows).toContain(answer);
    const whole = permissionRows(edit, sheet, { whole: true }).join("\n");
    expect(whole).toContain("+ line 100");
    expect(whole).toContain("text");
  });

  test("says how much of a long value it does not show, and shows it when asked to", () => {
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index + 1}`);
    const long = { ...ask, details: [{ name: "content", value: lines.join("\n") }] };
    const short = permissionRows(long, sheet).join("\n");
    expect(short).toContain("… 68 more lines, not shown (791 characters in all): v shows all of it");
    expect(short).toContain("line 100");
    expect(short).not.toContain("line 50");
    expect(permissionRows(long, sheet, { whole: true }).join("\n")).toContain("line 50");
  });
});

describe("a question (A14.1 to A14.3)", () => {
  const one: Question = {
    question: "Which store?",
    header: "Store",
    multiSelect: false,
    options: [
      { label: "SQLite", description: "one file", preview: "a\nb" },
      { label: "Redis", description: "" },
    ],
  };
  const many = { ...one, multiSelect: true };

  test("always offers Other, and shows previews", () => {
    const text = [...questionRows(one, sheet), ...answerRows(questionChoices(one), sheet).flat()].join("\n");
    expect(text).toContain("1  SQLite: one file\n     │ a\n     │ b\n  2  Redis\n  3  Other");
  });

  test.each<[question: Question, line: string, reply: object]>([
    [one, "1", { type: "labels", labels: ["SQLite"] }],
    [one, "3", { type: "other", labels: [] }],
    [one, "use plain files", { type: "words", words: "use plain files" }],
    [many, "1,2", { type: "labels", labels: ["SQLite", "Redis"] }],
    [many, "2 3", { type: "other", labels: ["Redis"] }],
    [one, "yes", { type: "words", words: "yes" }],
    [{ ...one, yesOrNo: true }, "y", { type: "labels", labels: ["SQLite"] }],
    [{ ...one, yesOrNo: true }, "Yes", { type: "labels", labels: ["SQLite"] }],
    [{ ...one, yesOrNo: true }, "n", { type: "labels", labels: ["Redis"] }],
    [{ ...one, yesOrNo: true }, "no, fewer", { type: "words", words: "no, fewer" }],
    [
      {
        ...one,
        options: [
          { label: "No", description: "" },
          { label: "Yes, all", description: "" },
        ],
      },
      "y",
      { type: "labels", labels: ["Yes, all"] },
    ],
  ])("%# is answered by %j", (question, line, reply) => {
    expect(questionReply(line, question)).toEqual(reply);
  });

  test.each<[Question, string]>([
    [one, ""],
    [one, "0"],
    [one, "4"],
    [one, "1,2"],
    [many, "1,4"],
  ])("%# is not answered by %j", (question, line) => {
    expect(questionReply(line, question).type).toBe("unclear");
  });
});

test.each([
  ["1", false, "1  yes"],
  ["n", false, "n  no"],
  ["n never", false, "n never"],
  ["1,2", true, "1,2  yes; no"],
  ["4", false, "4"],
] as const)("the answer %j stays on the screen with what it means", (line, several, shown) => {
  const answers = [
    { key: "y", words: "yes" },
    { key: "n", words: "no; say why after it" },
  ];
  expect(chosenText(line, { answers, several })).toBe(shown);
});

describe("a plan (A14.9)", () => {
  const plan: PlanRequest = {
    type: "plan",
    id: "1",
    askers: [{ actor: MAIN, path: ["main conversation"] }],
    plan: Array.from({ length: 90 }, (_, index) => `${index + 1}. step`).join("\n"),
    file: "/home/plan.md",
    allows: [
      { prompt: "run tests", rules: ["Bash(npm test)"] },
      { prompt: "everything", rules: [] },
    ],
  };

  test("is shown whole, with its file and what approval allows", () => {
    const text = planRows(plan, sheet, (markdown) => markdown.split("\n")).join("\n");
    for (const words of ["45. step", "90. step", "/home/plan.md", "run tests: Bash(npm test)"]) {
      expect(text).toContain(words);
    }
    expect(text).toContain("everything: nothing: no rule is narrow enough");
  });

  test.each<[string, object | null]>([
    ["y", { type: "approve", mode: "default" }],
    ["a", { type: "approve", mode: "acceptEdits" }],
    ["n", { type: "deny", span: "once" }],
    ["n also test it", { type: "deny", span: "once", message: "also test it" }],
    ["", null],
    ["yes but later", null],
    ["ay", null],
  ])("is answered by %j", (line, answer) => {
    expect(planReply(line)).toEqual(answer);
  });
});

test("ordinary text is seen as it is", () => {
  const text = "naïve 日本 👍 x\n  y";
  expect(visibleText(text)).toBe(text);
});
