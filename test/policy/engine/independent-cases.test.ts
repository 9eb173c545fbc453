import { afterAll, describe, expect, test, vi } from "vitest";
import { decide, judge } from "../../../src/policy/index.ts";
import { readGroups } from "./groups.ts";
import { everydayEnforced } from "./independent/everyday-enforced.ts";
import { everydayPlain } from "./independent/everyday-plain.ts";
import { everydayPlainGit } from "./independent/everyday-plain-git.ts";
import { type Call, type Group, layGround } from "./independent/ground.ts";

const ground = layGround();
afterAll(() => {
  vi.unstubAllEnvs();
  ground.remove();
});

const groups = await readGroups<Group>("independent");

/** What the table expects, written from permission-semantics alone and without the engine in view. */
function casesOf(group: Group): readonly (readonly [Call, string])[] {
  return (["allow", "ask", "deny", "not"] as const).flatMap((expected) =>
    (group[expected] ?? []).map((call) => [call, expected] as const),
  );
}

function argumentsOf(group: Group, call: Call): Parameters<typeof judge> {
  const { rules = {}, mode = "default", at = "@ws", ctx = {} } = group;
  const [tool, input] = typeof call === "string" ? ["Bash", { command: call }] : call;
  const context = { home: "@home", platform: "linux" as const, ...ctx };
  return [ground.said(rules), mode, ground.said(at), tool, ground.said(input), ground.said(context)];
}

/** `got, not expected: command`, or nothing. */
function findMismatch(group: Group, call: Call, expected: string): string[] {
  vi.stubEnv("PATH", ground.said(group.searchPath ?? "/usr/bin:/bin:@root/bin"));
  const { decision, tier } = judge(...argumentsOf(group, call));
  const text = (typeof call === "string" ? call : JSON.stringify(call)).slice(0, 200);
  if (expected === "not" ? decision === "allow" : decision !== expected)
    return [`${decision}, not ${expected === "not" ? "ask or deny" : expected}: ${text}`];
  if (group.tier !== undefined && decision === "allow" && tier !== group.tier)
    return [`tier ${tier}, not ${group.tier}: ${text}`];
  return [];
}

describe("an independent reading of permission-semantics", () => {
  test.each(groups.map((group) => [group.about, group] as const))("%s", { tags: ["long"] }, (_, group) => {
    expect(casesOf(group).flatMap(([call, expected]) => findMismatch(group, call, expected))).toEqual([]);
  });

  test("decide is the decision of judge", () => {
    const few = groups.flatMap((group) =>
      casesOf(group)
        .slice(0, 2)
        .map(([call]) => argumentsOf(group, call)),
    );
    expect(few.map((each) => decide(...each))).toEqual(few.map((each) => judge(...each).decision));
  });

  test("there are as many cases as the reading promised, and everyday ones among them", () => {
    const count = (some: readonly Group[]) => some.reduce((sum, group) => sum + casesOf(group).length, 0);
    expect(count(groups)).toBeGreaterThan(20_000);
    expect(count([...everydayPlain, ...everydayPlainGit])).toBeGreaterThan(150);
    expect(count(everydayEnforced)).toBeGreaterThan(150);
  });
});
