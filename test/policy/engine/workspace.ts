// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are bash's.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type DecisionContext, decide, type Mode, type PermissionRules } from "../../../src/policy/index.ts";

/** A project, a home and a folder outside, with links between them. */
export interface Place {
  readonly root: string;
  readonly project: string;
  readonly home: string;
  readonly outside: string;
}

export function makePlace(): Place {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "troupe-policy-")));
  const [project, home, outside] = [
    join(root, "work", "proj"),
    join(root, "homes", "me"),
    join(root, "other"),
  ];
  for (const folder of ["src", "docs", "private", "lib/private", "build"])
    mkdirSync(join(project, folder), { recursive: true });
  mkdirSync(join(home, "ref", "deep"), { recursive: true });
  mkdirSync(join(outside, "inner"), { recursive: true });
  writeFileSync(join(outside, "secret"), "x");
  writeFileSync(join(project, "src", "a.ts"), "x");
  symlinkSync(join(home, "ref"), join(project, "ref-link"));
  symlinkSync(join(outside, "inner"), join(project, "out-link"));
  symlinkSync(join(outside, "secret"), join(project, "secret-link"));
  symlinkSync(join(outside, "missing"), join(project, "dangling"));
  symlinkSync(join(project, "private"), join(project, "alias"));
  return { root, project, home, outside };
}

export function removePlace({ root }: Place): void {
  rmSync(root, { recursive: true, force: true });
}

/** A place that is removed with the test. */
export function ownPlace(): Place {
  const place = makePlace();
  onTestFinished(() => removePlace(place));
  return place;
}

export type Call = readonly [tool: string, input: unknown];

/** A decision in a place; `$OUT`, `$HOME_` and `$PROJ` in texts stand for its folders. */
export function decideIn(
  place: Place,
  rules: PermissionRules,
  mode: Mode,
  tool: string,
  input: unknown,
  ctx: DecisionContext = {},
): string {
  return decide(filled(rules, place), mode, place.project, tool, filled(input, place), {
    home: place.home,
    platform: "linux",
    ...ctx,
  });
}

function filled<Value>(value: Value, place: Place): Value {
  const text = JSON.stringify(value);
  if (text === undefined) return value;
  const put = text
    .replaceAll("@OUT", place.outside)
    .replaceAll("@HOME", place.home)
    .replaceAll("@PROJ", place.project);
  return JSON.parse(put) as Value;
}

/** Rules in one line: `allow Bash(npm test:*); deny Read(.env)`. */
export function rulesOf(line: string): PermissionRules {
  const rules = { allow: [] as string[], ask: [] as string[], deny: [] as string[] };
  for (const one of line.split(" ;; ").filter(Boolean)) {
    const [, behaviour, rule] = /^(allow|ask|deny) (.*)$/s.exec(one) ?? [];
    if (behaviour === "allow" || behaviour === "ask" || behaviour === "deny")
      rules[behaviour].push(rule ?? "");
    else throw new Error(`"${one}" is no rule of a table`);
  }
  return rules;
}
