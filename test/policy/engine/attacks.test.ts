// @module-tag long
import { afterAll, describe, expect, test, vi } from "vitest";
import { decide } from "../../../src/policy/index.ts";
import { type AttackGroup, layFixture } from "./attacks/fixture.ts";
import { readGroups } from "./groups.ts";
import type { Call } from "./independent/ground.ts";

const ground = layFixture();
afterAll(ground.remove);

const groups = await readGroups<AttackGroup>("attacks");

interface Case {
  readonly call: Call;
  readonly expected: "allow" | "ask" | "deny" | "not";
  readonly enforced: boolean;
}

function casesOf(group: AttackGroup): readonly Case[] {
  const { tier = "plain" } = group;
  const tiers = tier === "both" ? [false, true] : [tier === "enforced"];
  return (["allow", "ask", "deny", "not"] as const).flatMap((expected) =>
    (group[expected] ?? []).flatMap((call) => tiers.map((enforced) => ({ call, expected, enforced }))),
  );
}

function decideCase(group: AttackGroup, { call, enforced }: Case): string {
  const { rules = {}, mode = "default", at = "@ws", ctx = {}, tracked } = group;
  const [tool, input] = typeof call === "string" ? ["Bash", { command: call }] : call;
  const context = {
    home: "@home",
    platform: "linux" as const,
    enforced,
    ...(tracked === undefined ? {} : { everTracked: () => tracked }),
    ...ctx,
  };
  return decide(ground.said(rules), mode, ground.said(at), tool, ground.said(input), ground.said(context));
}

function fits({ expected }: Case, decision: string): boolean {
  return expected === "not" ? decision !== "allow" : decision === expected;
}

describe("an adversarial reading of permission-semantics", () => {
  test.each(groups.map((group) => [group.about, group] as const))("decides about %s", (_, group) => {
    const own = ground.said([...(group.path ?? []), "@root/programs"]);
    vi.stubEnv("PATH", [...own, process.env["PATH"] ?? ""].join(":"));
    const wrong = casesOf(group).flatMap((each) => {
      const decision = decideCase(group, each);
      const tier = each.enforced ? "enforced" : "plain";
      return fits(each, decision)
        ? []
        : [`${tier}: ${decision}, not ${each.expected}: ${JSON.stringify(each.call).slice(0, 200)}`];
    });
    expect(wrong).toEqual([]);
  });

  test("has as many cases as promised, and no command twice in a group", () => {
    const calls = groups.map((group) => casesOf(group).map((each) => JSON.stringify(each)));
    expect(calls.flat().length).toBeGreaterThan(10_000);
    expect(calls.flatMap((some) => some.filter((each, index) => some.indexOf(each) !== index))).toEqual([]);
  });
});
