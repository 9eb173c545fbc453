import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseArguments } from "../../src/cli/arguments.ts";
import { UsageError } from "../../src/cli/exit-codes.ts";
import { choice, flag, poolNames, repeated, text, toolNames, whole } from "../../src/cli/option.ts";
import { sessionFlags as flags } from "../../src/cli/session-flags.ts";

const json = flag({ name: "json", short: "j", summary: "" });
const model = text({ name: "model", value: "MODEL", summary: "" });
const turns = whole({ name: "max-turns", value: "N", min: 1, max: 100, summary: "" });
const mode = choice({ name: "mode", choices: ["default", "plan"], also: { normal: "default" }, summary: "" });
const folders = repeated({ name: "add-dir", value: "FOLDER", summary: "" });
const tools = toolNames({ name: "allowed-tools", aliases: ["allowedTools"], value: "TOOLS", summary: "" });
const pool = poolNames(repeated({ name: "pool", value: "NAME", summary: "" }));
const options = [flags.runners, pool, json, model, turns, mode, folders, tools];
const parse = (...argv: string[]) => parseArguments(argv, options);
const complaint = (...argv: string[]) => {
  try {
    parse(...argv);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  return "no complaint";
};

describe("a command line gives", () => {
  test("what was given, and defaults for the rest", () => {
    const args = parse("first", "--json", "--model", "opus", "second");
    expect(args.value(json)).toBe(true);
    expect(args.value(model)).toBe("opus");
    expect(args.value(turns)).toBeUndefined();
    expect(args.value(folders)).toEqual([]);
    expect(args.positionals).toEqual(["first", "second"]);
  });

  test.each([
    { argv: ["--runners", "a task"], pool: "", rest: ["a task"] },
    { argv: ["--runners", "--", "task"], pool: "", rest: ["task"] },
    { argv: ["--runners=gpu", "a task"], pool: "gpu", rest: ["a task"] },
    { argv: ["a task", "--runners"], pool: "", rest: ["a task"] },
    { argv: ["--runners", "--json"], pool: "", rest: [] },
  ])("a pool, and no task as one, in $argv", ({ argv, pool, rest }) => {
    const args = parseArguments(argv, [json, flags.runners]);
    expect([args.value(flags.runners), args.positionals]).toEqual([pool, rest]);
  });

  test.each(["--runners=a/b", "--runners=..", "--pool=a b", `--pool=${"x".repeat(129)}`])(
    "no pool of another name than the engine takes: %s",
    (word) =>
      expect(complaint(word)).toMatch(
        /^--(?:runners|pool) cannot be .*; it is the name of a pool: up to 128 /,
      ),
  );

  test.each([
    { argv: ["--max-turns", "7"], value: 7 },
    { argv: ["--max-turns=007"], value: 7 },
    { argv: ["--max-turns", "3", "--max-turns", "4"], value: 4 },
  ])("the last number in $argv", ({ argv, value }) => {
    expect(parse(...argv).value(turns)).toBe(value);
  });

  test.each([
    { argv: ["--allowedTools", "Read,Grep"], names: ["Read", "Grep"] },
    { argv: ["--allowed-tools", "Read Grep", "--allowedTools", "Glob"], names: ["Read", "Grep", "Glob"] },
    { argv: ["--allowed-tools=Bash(git log:*, -n), Read"], names: ["Bash(git log:*, -n)", "Read"] },
    { argv: ["--allowed-tools", "Bash(unclosed, Read"], names: ["Bash(unclosed, Read"] },
  ])("the tool names in $argv", ({ argv, names }) => {
    expect(parse(...argv).value(tools)).toEqual(names);
  });

  test("every folder of a repeated flag, in order", () => {
    expect(parse("--add-dir", "a", "--add-dir=b").value(folders)).toEqual(["a", "b"]);
  });

  test("other spellings of a choice as the choice", () => {
    expect(parse("--mode", "normal").value(mode)).toBe("default");
  });

  test("text after -- as it is, dashes and all", () => {
    expect(parse("-j", "--", "--model", "-x").positionals).toEqual(["--model", "-x"]);
  });

  test("a value that starts with a dash where it is joined by =", () => {
    expect(parse("--model=--json").value(model)).toBe("--json");
  });
});

describe("a command line is refused in one sentence", () => {
  test.each([
    [["--modle", "x"], 'There is no flag "--modle"; did you mean --model?'],
    [
      ["--dangerously-skip-permissions"],
      'There is no flag "--dangerously-skip-permissions"; write --permission-mode bypassPermissions instead.',
    ],
    [["--dir", "x"], 'There is no flag "--dir"; did you mean --add-dir?'],
    [
      ["--zebra"],
      'There is no flag "--zebra"; --help lists the flags, and text that starts with a dash goes after --.',
    ],
    [
      ["-jx"],
      'There is no flag "-x"; --help lists the flags, and text that starts with a dash goes after --.',
    ],
    [
      ["- item of a list"],
      'There is no flag "- "; --help lists the flags, and text that starts with a dash goes after --.',
    ],
    [
      ["--__proto__"],
      'There is no flag "--__proto__"; --help lists the flags, and text that starts with a dash goes after --.',
    ],
    [["--model"], "--model needs a value: --model MODEL."],
    [["--model="], "--model needs a value: --model MODEL."],
    [["--model", ""], "--model needs a value: --model MODEL."],
    [
      ["--model", "--json"],
      '--model needs a value but is followed by "--json"; if that is the value, write --model=--json.',
    ],
    [
      ["--runners", "gpu", "a task"],
      '--runners is followed by "gpu"; write --runners=gpu if that is the POOL. A task goes before --runners, or after --.',
    ],
    [["--json=yes"], "--json takes no value; write just --json."],
    [["--mode", "plam"], '--mode cannot be "plam"; it is one of default, plan (did you mean plan?).'],
    [["--mode", "toString"], '--mode cannot be "toString"; it is one of default, plan.'],
    [["--allowed-tools", " , "], "--allowed-tools names no tool; give at least one, such as Read,Grep."],
  ])("%j", (argv, sentence) => {
    expect(complaint(...argv)).toBe(sentence);
  });

  test.each(["0", "101", "-5", "1.5", "1e2", "ten", "０", "99999999999999999999", " 5", "0x10"])(
    "a wrong number: %j",
    (word) => {
      expect(complaint("--max-turns", word)).toBe(
        `--max-turns cannot be "${word}"; it is a whole number from 1 to 100.`,
      );
    },
  );
});

test("no command line whatever makes anything but an answer or a UsageError", () => {
  const word = fc.oneof(
    fc.string(),
    fc.constantFrom("--json", "-j", "--model", "--max-turns", "--mode=plan", "--", "-", "=", "--="),
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 6 }), (argv) => {
      expect(typeof complaint(...argv)).toBe("string");
    }),
    { seed: 20261120, numRuns: 300 },
  );
});
