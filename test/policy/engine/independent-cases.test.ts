import { afterAll, describe, expect, test, vi } from "vitest";
import { decide } from "../../../src/policy/index.ts";
import { commandParts } from "./independent/command-parts.ts";
import { commandReads } from "./independent/command-reads.ts";
import { commandRules } from "./independent/command-rules.ts";
import { commandWrites } from "./independent/command-writes.ts";
import { effects } from "./independent/effects.ts";
import { effectsGit } from "./independent/effects-git.ts";
import { enforced } from "./independent/enforced.ts";
import { enforcedAsks } from "./independent/enforced-asks.ts";
import { enforcedExpansions } from "./independent/enforced-expansions.ts";
import { enforcedLines } from "./independent/enforced-lines.ts";
import { enforcedOthers } from "./independent/enforced-others.ts";
import { everyday } from "./independent/everyday.ts";
import { everydayEnforced } from "./independent/everyday-enforced.ts";
import { everydayPlain } from "./independent/everyday-plain.ts";
import { everydayPlainGit } from "./independent/everyday-plain-git.ts";
import { gitContents } from "./independent/git-contents.ts";
import { gitDestroys } from "./independent/git-destroys.ts";
import { globs } from "./independent/globs.ts";
import { type Call, type Group, layGround } from "./independent/ground.ts";
import { modes } from "./independent/modes.ts";
import { network } from "./independent/network.ts";
import { paths } from "./independent/paths.ts";
import { plainFindGit } from "./independent/plain-find-git.ts";
import { plainGit } from "./independent/plain-git.ts";
import { plainRowGroups } from "./independent/plain-rows.ts";
import { ruleForms } from "./independent/rule-forms.ts";
import { wrappers } from "./independent/wrappers.ts";

const ground = layGround();
afterAll(() => {
  vi.unstubAllEnvs();
  ground.remove();
});

const groups = [
  ...modes,
  ...ruleForms,
  ...paths,
  ...network,
  ...commandReads,
  ...commandParts,
  ...commandRules,
  ...commandWrites,
  ...plainRowGroups,
  ...plainFindGit,
  ...plainGit,
  ...effects,
  ...effectsGit,
  ...globs,
  ...enforced,
  ...enforcedAsks,
  ...enforcedOthers,
  ...enforcedExpansions,
  ...enforcedLines,
  ...wrappers,
  ...gitContents,
  ...gitDestroys,
  ...everyday,
  ...everydayPlain,
  ...everydayPlainGit,
  ...everydayEnforced,
];

/** What the table expects, written from permission-semantics alone and without the engine in view. */
function casesOf(group: Group): readonly (readonly [Call, string])[] {
  return (["allow", "ask", "deny", "not"] as const).flatMap((expected) =>
    (group[expected] ?? []).map((call) => [call, expected] as const),
  );
}

function decided(group: Group, call: Call): string {
  const { rules = {}, mode = "default", at = "@ws", ctx = {} } = group;
  vi.stubEnv("PATH", ground.said(group.path ?? "/usr/bin:/bin:@root/bin"));
  const [tool, input] = typeof call === "string" ? ["Bash", { command: call }] : call;
  const surroundings = { home: "@home", platform: "linux" as const, ...ctx };
  return decide(
    ground.said(rules),
    mode,
    ground.said(at),
    tool,
    ground.said(input),
    ground.said(surroundings),
  );
}

function textOf(call: Call): string {
  return typeof call === "string" ? call : JSON.stringify(call);
}

function fits(expected: string, decision: string): boolean {
  return expected === "not" ? decision !== "allow" : decision === expected;
}

describe("an independent reading of permission-semantics", () => {
  test.each(groups.map((group) => [group.about, group] as const))("%s", (_, group) => {
    const wrong = casesOf(group).flatMap(([call, expected]) => {
      const decision = decided(group, call);
      return fits(expected, decision)
        ? []
        : [
            `${decision}, not ${expected === "not" ? "ask or deny" : expected}: ${textOf(call).slice(0, 200)}`,
          ];
    });
    expect(wrong).toEqual([]);
  });

  test("there are as many cases as the reading promised, and everyday ones among them", () => {
    const count = (some: readonly Group[]) => some.reduce((sum, group) => sum + casesOf(group).length, 0);
    expect(count(groups)).toBeGreaterThan(3_000);
    expect(count(everyday)).toBeGreaterThan(150);
  });
});
