import { describe, expect, test } from "vitest";
import { unless } from "../../support/needs.ts";
import { difference, isUnderstood } from "./differences.ts";
import { randomCommand, seeded } from "./random-commands.ts";
import { observe, whyNoBash } from "./real-bash.ts";

const why = whyNoBash();

describe("our parser against the real bash (faults-and-threats 6)", unless(why), () => {
  test("of 2,000 random strings none runs a command that no part shows", {
    tags: ["long"],
    timeout: 120_000,
  }, async () => {
    const random = seeded(20_261_121);
    const commands = Array.from({ length: 2000 }, () => randomCommand(random)).filter(isUnderstood);
    const tried = await observe(commands);
    expect(tried.filter((names) => names.length > 0).length).toBeGreaterThan(200);
    expect(commands.flatMap((command, at) => difference(command, tried[at] ?? []) ?? [])).toEqual([]);
  });

  test.each([
    ["qa; qb", ["qa", "qb"]],
    ["qa <<E\n$(qb)\nE", ["qb", "qa"]],
    ["q\\\na", ["qa"]],
  ])("bash tries the names of %j", async (command, names) => {
    expect(await observe([command])).toEqual([names]);
  });
});
