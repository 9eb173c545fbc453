import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { parseArguments } from "../../src/cli/arguments.ts";
import { refusalLines } from "../../src/cli/permissions/format.ts";
import { sessionFlags } from "../../src/cli/session-flags.ts";
import { MAIN } from "../../src/mailbox/ids.ts";
import { exactly } from "../../src/policy/engine/command-rules.ts";
import type { PermissionDenial } from "../../src/policy/judgement.ts";

const refused = (more: Partial<PermissionDenial>): PermissionDenial => ({
  ...{ actor: MAIN, tool_name: "Bash", tool_use_id: "t1", tool_input: { command: "make" } },
  ...{ by: "nobody", reason: "make is not known to be read-only.", grants: [] },
  ...more,
});
const bash = (command: string) => refused({ tool_input: { command }, grants: [exactly(command)] });

describe("a flag that would have allowed a refused call", () => {
  test.each(["npm publish", "echo 'it''s' \"$HOME\" `id` !x", "echo (a b) c, d", "a  b", "echo \\) *"])(
    "allows exactly that if it is pasted in a shell: %s",
    (command) => {
      const [line = ""] = refusalLines([bash(command)]);
      const flag = line.slice(line.indexOf("--allowed-tools"));
      const words = execFileSync("/bin/sh", ["-c", `printf '%s\\0' ${flag}`], { encoding: "utf8" });
      const args = parseArguments(words.split("\0").slice(0, -1), [sessionFlags.allowedTools]);
      expect(args.value(sessionFlags.allowedTools)).toEqual([exactly(command)]);
    },
  );

  test("has all the rules that a call needs", () => {
    expect(refusalLines([refused({ grants: ["Bash(a)", "Edit(//x)"] })])).toEqual([
      "Refused: Bash(make). To allow it: --allowed-tools 'Bash(a),Edit(//x)'",
    ]);
  });

  test("is not given if a line cannot say it exactly", () => {
    const [line] = refusalLines([bash("echo 'a\nb'")]);
    expect(line).toMatch(
      /^Refused: Bash\(echo 'a b'\)\. To allow it: a rule in permissions\.allow of your settings/,
    );
  });
});

test.each<[string, Partial<PermissionDenial>, string]>([
  [
    "a rule that denies",
    {
      by: "rules",
      rule: { text: "Bash(make:*)", behaviour: "deny", scope: "user", file: "/h/settings.json" },
    },
    "The rule Bash(make:*) (user, /h/settings.json) forbids it.",
  ],
  [
    "a protected path",
    { reason: ".git/config is protected" },
    "No rule can allow it: .git/config is protected.",
  ],
  [
    "a hook",
    { by: "hook", reason: "not on Fridays.", grants: ["Bash(make)"] },
    "A hook refused it: not on Fridays.",
  ],
  ["the user", { by: "person", reason: "The user denied it." }, "The user denied it."],
])("says what refused a call: %s", (_, more, sentence) => {
  expect(refusalLines([refused(more)])).toEqual([`Refused: Bash(make). ${sentence}`]);
});

test("names at most ten calls, and none of an agent that was stopped", () => {
  const many = Array.from({ length: 12 }, (_, at) => bash(`make ${at}`));
  const lines = refusalLines([refused({ by: "stop" }), ...many, ...many]);
  expect(lines).toHaveLength(11);
  expect(lines.at(-1)).toBe("2 other calls refused; --output-format json lists them.");
});

test("shows neither control characters nor endless text of a call", () => {
  const [line = ""] = refusalLines([bash(`echo \u001b[2J${"x".repeat(500)}`)]);
  expect(line).not.toContain("\u001b");
  expect(line.indexOf("To allow it")).toBeLessThan(160);
});
