import { describe, expect, test } from "vitest";
import { engineOf } from "../../../src/policy/engine/engine.ts";
import * as policy from "../../../src/policy/index.ts";
import type { Rule } from "../../../src/settings/permissions.ts";
import { ownPlace, type Place } from "./workspace.ts";

const rule = (behaviour: Rule["behaviour"], text: string, scope: Rule["scope"] = "project"): Rule => ({
  behaviour,
  text,
  scope,
});
const anchorsOf = ({ project, home }: Place) => ({ projectRoot: project, home, platform: "linux" as const });

describe("the package's own entry", () => {
  test("exports decide and judge, and nothing else", () => {
    expect(Object.keys(policy)).toEqual(["decide", "judge"]);
  });
});

describe("what a judgement says (A6.8)", () => {
  test("the rule with its file, a reason, and the parts of a command", () => {
    const place = ownPlace();
    const denied: Rule = {
      ...rule("deny", "Bash(git push:*)", "user"),
      file: "/home/me/.claude/settings.json",
    };
    const judgement = engineOf([denied, rule("allow", "Bash(npm test:*)")], anchorsOf(place)).judge(
      "default",
      place.project,
      "Bash",
      {
        command: "npm test && git push",
      },
    );
    expect(judgement).toMatchObject({ decision: "deny", rule: denied, grants: [] });
    expect(judgement.reason).toContain("Bash(git push:*)");
    expect(judgement.parts).toEqual([
      { text: "npm test", decision: "allow" },
      { text: "git push", decision: "deny" },
    ]);
  });
});

describe("the grants of a question are the narrowest that lift it", () => {
  test.each<[rules: string[], tool: string, input: object, grants: string[]]>([
    [
      [],
      "Bash",
      { command: "git push origin main && npm test" },
      ["Bash(git push origin main)", "Bash(npm test)"],
    ],
    [["Bash(npm test:*)"], "Bash", { command: "git push && npm test" }, ["Bash(git push)"]],
    [[], "Bash", { command: "npm test > out" }, ["Bash(npm test)", "Edit(/@PROJ/out)"]],
    [[], "Bash", { command: "echo $HOME" }, ["Bash(echo $HOME)"]],
    [[], "Bash", { command: "npm run '*' (x" }, []],
    [[], "Bash", { command: "npm run 'a*b'" }, ["Bash(npm run a\\*b)"]],
    [[], "Bash", { command: "rm -rf /" }, []],
    [[], "Bash", { command: "rm .git/x" }, []],
    [[], "Bash", { command: "find . | xargs rm" }, ["Bash(xargs rm)"]],
    [[], "Read", { file_path: "@OUT/secret" }, ["Read(/@OUT/secret)"]],
    [[], "Read", { file_path: "secret-link" }, ["Read(/@PROJ/secret-link)", "Read(/@OUT/secret)"]],
    [[], "Read", { file_path: "//x/y" }, []],
    [[], "Write", { file_path: "a[1].ts" }, ["Write(/@PROJ/a\\[1\\].ts)"]],
    [[], "Write", { file_path: ".git/config" }, []],
    [[], "Glob", { pattern: "*", path: "@OUT" }, ["Read(/@OUT)"]],
    [[], "Glob", { pattern: "/etc/*" }, []],
    [[], "WebFetch", { url: "https://example.com/x", prompt: "" }, ["WebFetch(domain:example.com)"]],
    [[], "WebFetch", { url: "http://127.1/", prompt: "" }, ["WebFetch(domain:127.0.0.1)"]],
    [[], "WebFetch", { url: "https://a:b@example.com/", prompt: "" }, []],
    [[], "mcp__db__drop", {}, ["mcp__db__drop"]],
    [[], "ExitPlanMode", { plan: "" }, []],
  ])("%j %s %j: %j", (allows, tool, input, grants) => {
    const place = ownPlace();
    const put = <Value>(value: Value): Value =>
      JSON.parse(JSON.stringify(value).replaceAll("@OUT", place.outside).replaceAll("@PROJ", place.project));
    const rules = allows.map((text) => rule("allow", text));
    const judgement = engineOf(rules, anchorsOf(place)).judge("default", place.project, tool, put(input));
    expect(judgement).toMatchObject({ decision: "ask", grants: put(grants) });
    const granted = engineOf(
      [...rules, ...judgement.grants.map((text) => rule("allow", text, "session"))],
      anchorsOf(place),
    );
    const { decision } = granted.judge("default", place.project, tool, put(input));
    expect(decision).toBe(grants.length > 0 ? "allow" : "ask");
  });

  test("none where an ask rule asks, and none in plan mode for a command", () => {
    const place = ownPlace();
    const judge = (rules: Rule[], mode: "default" | "plan" | "dontAsk") =>
      engineOf(rules, anchorsOf(place)).judge(mode, place.project, "Bash", { command: "npm test" });
    expect(judge([rule("ask", "Bash(npm:*)")], "default").grants).toEqual([]);
    expect(judge([], "plan").grants).toEqual([]);
    expect(judge([], "dontAsk")).toMatchObject({ decision: "deny", grants: ["Bash(npm test)"] });
    expect(judge([], "plan").reason).toContain("in plan mode no rule allows more than reading");
  });
});

describe("rules are anchored where they come from", () => {
  test("/p of the user's own settings is below the directory of those settings", () => {
    const place = ownPlace();
    const judge = (scope: Rule["scope"], path: string) =>
      engineOf([rule("allow", "Edit(/notes/**)", scope)], anchorsOf(place)).judge(
        "default",
        place.project,
        "Edit",
        { file_path: path },
      ).decision;
    expect(judge("project", "notes/x")).toBe("allow");
    expect(judge("user", "notes/x")).toBe("ask");
    expect(judge("cli", "notes/x")).toBe("allow");
  });
});

describe("rules that mean nothing are named at the start", () => {
  test.each([
    ["deny", "Bash(npm", "parenthesis"],
    ["allow", "Bash()", "between its parentheses"],
    ["allow", "Bash(:*)", "before its wildcard"],
    ["allow", "bash(npm:*)", "called Bash"],
    ["allow", "mcp__*", "mcp__<server>__"],
    ["deny", "Read(../x)", "anchor"],
    ["deny", "Read(file_path:x)", "written as a path"],
    ["allow", "WebSearch(x)", "condition"],
  ] as const)("%s %s: %s", (behaviour, text, words) => {
    const { problems } = engineOf([{ ...rule(behaviour, text), file: "settings.json" }], {
      projectRoot: "/w",
      home: "/h",
      platform: "linux",
    });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(words);
    expect(problems[0]).toContain("settings.json");
  });
});

describe("what a search found is filtered (4.5)", () => {
  test("denied files are hidden, through links too", () => {
    const place = ownPlace();
    const hides = engineOf(
      [rule("deny", "Read(private/**)"), rule("deny", "Read(.env)")],
      anchorsOf(place),
    ).hides(place.project);
    expect(hides(`${place.project}/src/a.ts`)).toBe(false);
    expect(hides(`${place.project}/a/.env`)).toBe(true);
    expect(hides(`${place.project}/lib/private/k`)).toBe(true);
    expect(hides(`${place.project}/alias/k`)).toBe(true);
  });
});
