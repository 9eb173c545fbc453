import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { withoutBraces } from "../../../src/policy/engine/values.ts";
import { parseShell } from "../../../src/policy/shell/parse.ts";
import { onLinux } from "../../support/needs.ts";

const WORDS = [
  "a{b,c}d {x,y}{1,2} {a,b{1..3},c} {,x} a{,}b {a} {a,b",
  "{1..3} {3..1} {-2..2} {1..9..4} {9..1..-4} {1..3..0} {a..e..2} {e..a} {a..1} {1..a}",
  "{01..3} {1..03} {08..11} {-01..1} {1..-05..3} {001..1} f{07..8}.txt",
  "'{a,b}' \\{a,b} {a,'b,c'} {a,\"b c\"}",
];

test.for(WORDS)("expands the braces of %s as bash does", onLinux, (words) => {
  const said = execFileSync("bash", ["--norc", "-c", `printf '%s\\n' ${words}`], { encoding: "utf8" });
  const [part] = parseShell(`printf ${words}`).parts;
  const ours = withoutBraces(part?.words ?? []) ?? part?.words ?? [];
  expect(ours.slice(1).map(({ value }) => value)).toEqual(said.trimEnd().split("\n"));
});
