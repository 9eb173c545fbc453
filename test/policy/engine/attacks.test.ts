import { afterAll, describe, expect, test, vi } from "vitest";
import { decide } from "../../../src/policy/index.ts";
import { allowExpansions } from "./attacks/allow-expansions.ts";
import { allowRules } from "./attacks/allow-rules.ts";
import { destructiveGit } from "./attacks/destructive-git.ts";
import { effects } from "./attacks/effects.ts";
import { enforcedFilters } from "./attacks/enforced-filters.ts";
import { enforcedLines } from "./attacks/enforced-lines.ts";
import { enforcedOutside } from "./attacks/enforced-outside.ts";
import { enforcedRules } from "./attacks/enforced-rules.ts";
import { enforcedWrites } from "./attacks/enforced-writes.ts";
import { type AttackGroup, layFixture } from "./attacks/fixture.ts";
import { modeDefaults } from "./attacks/modes.ts";
import { orderAndRoots } from "./attacks/order-and-roots.ts";
import { parsing } from "./attacks/parsing.ts";
import { parsingText } from "./attacks/parsing-text.ts";
import { parsingTricks } from "./attacks/parsing-tricks.ts";
import { permittedGit } from "./attacks/permitted-git.ts";
import { placed } from "./attacks/placed.ts";
import { places } from "./attacks/places.ts";
import { plainReads } from "./attacks/plain-reads.ts";
import { plainSearches } from "./attacks/plain-searches.ts";
import { protectedNames } from "./attacks/protected-names.ts";
import { readOperands } from "./attacks/read-operands.ts";
import { readSearches } from "./attacks/read-searches.ts";
import { redirects } from "./attacks/redirects.ts";
import { criticalRemovals } from "./attacks/removals.ts";
import { seenEdits } from "./attacks/seen-edits.ts";
import { seenLeaks } from "./attacks/seen-leaks.ts";
import { seenPrograms } from "./attacks/seen-programs.ts";
import { seenXargs } from "./attacks/seen-xargs.ts";
import { deniedSpellings } from "./attacks/spellings.ts";
import { tableFiles } from "./attacks/table-files.ts";
import { tableGit } from "./attacks/table-git.ts";
import { tableSearches } from "./attacks/table-searches.ts";
import { tableText } from "./attacks/table-text.ts";
import { toolRules } from "./attacks/tool-rules.ts";
import { tools } from "./attacks/tools.ts";
import { webFetch } from "./attacks/web-fetch.ts";
import { wrappers } from "./attacks/wrappers.ts";
import type { Call } from "./independent/ground.ts";

const ground = layFixture();
afterAll(ground.remove);

const groups: readonly AttackGroup[] = [
  ...allowExpansions,
  ...allowRules,
  ...destructiveGit,
  ...effects,
  ...enforcedFilters,
  ...enforcedLines,
  ...enforcedOutside,
  ...enforcedRules,
  ...enforcedWrites,
  ...modeDefaults,
  ...orderAndRoots,
  ...parsingText,
  ...parsingTricks,
  ...parsing,
  ...permittedGit,
  ...placed,
  ...places,
  ...plainReads,
  ...plainSearches,
  ...protectedNames,
  ...readOperands,
  ...readSearches,
  ...redirects,
  ...criticalRemovals,
  ...seenEdits,
  ...seenLeaks,
  ...seenPrograms,
  ...seenXargs,
  ...deniedSpellings,
  ...tableFiles,
  ...tableGit,
  ...tableSearches,
  ...tableText,
  ...toolRules,
  ...tools,
  ...webFetch,
  ...wrappers,
];

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
