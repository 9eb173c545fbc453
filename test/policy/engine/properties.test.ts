// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are bash's.
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decide, type Mode, type PermissionRules } from "../../../src/policy/index.ts";
import { long } from "../../support/long.ts";
import { randomCommand, seeded } from "../shell/random-commands.ts";
import { makePlace, type Place, removePlace } from "./workspace.ts";

const RUNS = { seed: 4, numRuns: long(400, 100) };
const WIDTH = { deny: 0, ask: 1, allow: 2 };

let place: Place;
beforeAll(() => {
  place = makePlace();
});
afterAll(() => removePlace(place));

const judged = (rules: PermissionRules, mode: Mode, command: string) =>
  decide(rules, mode, place.project, "Bash", { command }, { home: place.home, platform: "linux" });

const modes = fc.constantFrom<Mode>("default", "acceptEdits", "plan", "bypassPermissions", "dontAsk");
const simple = fc.constantFrom(
  ...[
    "ls",
    "npm test",
    "git status",
    "git push origin main",
    "cat src/a.ts",
    "cat /etc/passwd",
    "rm build",
    "echo hi",
    "cd src",
    "sudo npm test",
    "sort a",
  ],
);
const commands = fc
  .array(fc.tuple(simple, fc.constantFrom(" && ", " || ", "; ", " | ", " & ", "\n")), {
    minLength: 1,
    maxLength: 5,
  })
  .map((pairs) => pairs.map(([one, joint], at) => (at === 0 ? one : joint + one)).join(""));
const rule = fc.constantFrom(
  ...[
    "Bash",
    "Bash(npm:*)",
    "Bash(npm test)",
    "Bash(git *)",
    "Bash(git push:*)",
    "Bash(sudo:*)",
    "Bash(rm*)",
    "Read(src/**)",
    "Read(.env)",
    "Read",
    "Edit(**)",
    "Bash(* main)",
    "mcp__*",
  ],
);
const lists = fc.record({
  allow: fc.array(rule, { maxLength: 4 }),
  ask: fc.array(rule, { maxLength: 2 }),
  deny: fc.array(rule, { maxLength: 2 }),
});
const syntax = fc.integer().map((seed) => randomCommand(seeded(seed)));

describe("properties of every decision", () => {
  test("a deny or ask rule more never widens, an allow rule more never narrows", () => {
    fc.assert(
      fc.property(lists, modes, fc.oneof(commands, syntax), rule, (rules, mode, command, more) => {
        const before = WIDTH[judged(rules, mode, command)];
        expect(WIDTH[judged({ ...rules, deny: [...rules.deny, more] }, mode, command)]).toBeLessThanOrEqual(
          before,
        );
        expect(WIDTH[judged({ ...rules, ask: [...rules.ask, more] }, mode, command)]).toBeLessThanOrEqual(
          before,
        );
        expect(
          WIDTH[judged({ ...rules, allow: [...rules.allow, more] }, mode, command)],
        ).toBeGreaterThanOrEqual(before);
      }),
      RUNS,
    );
  });

  test("the order of rules does not matter", () => {
    fc.assert(
      fc.property(lists, modes, commands, (rules, mode, command) => {
        const turned = {
          allow: rules.allow.toReversed(),
          ask: rules.ask.toReversed(),
          deny: rules.deny.toReversed(),
        };
        expect(judged(turned, mode, command)).toBe(judged(rules, mode, command));
      }),
      RUNS,
    );
  });

  test("a whole is allowed only if each of its parts is, and denied if one is", () => {
    fc.assert(
      fc.property(
        lists,
        fc.constantFrom<Mode>("default", "acceptEdits", "plan"),
        simple,
        simple,
        (rules, mode, one, other) => {
          const whole = judged(rules, mode, `${one} | ${other}`);
          const each = [judged(rules, mode, one), judged(rules, mode, other)];
          if (each.includes("deny")) expect(whole).toBe("deny");
          if (whole === "allow") expect(each).toEqual(["allow", "allow"]);
        },
      ),
      RUNS,
    );
  });

  test("however a denied command is quoted, it stays denied", () => {
    const quoted = fc.array(fc.constantFrom("plain", "single", "double", "backslash", "empty", "continued"), {
      minLength: 4,
      maxLength: 4,
    });
    fc.assert(
      fc.property(
        quoted,
        modes,
        fc.constantFrom("", "sudo ", "env X=1 ", "ls; ", "nice -n 3 ", "/bin/"),
        (ways, mode, before) => {
          const spelt = [..."curl"].map((letter, at) => spell(letter, ways[at] ?? "plain")).join("");
          expect(judged({ deny: ["Bash(curl:*)"], allow: ["Bash"] }, mode, `${before}${spelt} -s x`)).toBe(
            "deny",
          );
        },
      ),
      RUNS,
    );
  });

  test("what cannot be parsed is never allowed but in bypass", () => {
    const broken = fc.constantFrom(
      "'",
      '"',
      "$(",
      "`",
      "(",
      "if ls; then",
      "<<E\nx",
      "${",
      "\u200b",
      "\r",
      "&&",
      "| |",
      "; done",
      "\u0000",
    );
    fc.assert(
      fc.property(
        commands,
        broken,
        fc.constantFrom<Mode>("default", "acceptEdits", "plan", "dontAsk"),
        (command, end, mode) => {
          expect(judged({ allow: ["Bash", "Read", "Edit"] }, mode, `${command} ${end}`)).not.toBe("allow");
        },
      ),
      RUNS,
    );
  });

  test("shell syntax of any kind is decided, and the same way twice", { tags: ["long"] }, () => {
    fc.assert(
      fc.property(syntax, lists, modes, (command, rules, mode) => {
        const first = judged(rules, mode, command);
        expect(["allow", "ask", "deny"]).toContain(first);
        expect(judged(rules, mode, command)).toBe(first);
        // The names of the fuzzer are no one's read-only commands.
        if (/^q[a-e]\b/.test(command)) expect(judged({}, "default", command)).not.toBe("allow");
      }),
      { ...RUNS, numRuns: long(2000, 500) },
    );
  });

  test("inside a directory that is denied nothing is read, however the way is written", () => {
    const step = fc.constantFrom(".", "src/..", "lib/../.", "alias/..", "", "docs/./..");
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 5 }),
        fc.constantFrom("private", "alias", "lib/private"),
        modes,
        (steps, folder, mode) => {
          const path = [...steps, folder, "k"].join("/").replace(/^\/+/, "");
          const rules = { deny: ["Read(private/**)"], allow: ["Read"] };
          expect(decide(rules, mode, place.project, "Read", { file_path: path }, { home: place.home })).toBe(
            "deny",
          );
          expect(judged(rules, mode, `cat ${path}`)).toBe("deny");
        },
      ),
      RUNS,
    );
  });
});

function spell(letter: string, way: string): string {
  switch (way) {
    case "single":
      return `'${letter}'`;
    case "double":
      return `"${letter}"`;
    case "backslash":
      return `\\${letter}`;
    case "empty":
      return `''${letter}""`;
    case "continued":
      return `${letter}\\\n`;
    default:
      return letter;
  }
}
