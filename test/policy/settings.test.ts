import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { maxAgentsIn, readPersonSettings } from "../../src/policy/settings.ts";
import { temporaryFolder } from "../support/temporary.ts";

function homeWith(text: string): string {
  const home = temporaryFolder();
  mkdirSync(join(home, ".claude"));
  writeFileSync(join(home, ".claude/settings.json"), text);
  return home;
}

const nothing = { limits: {}, aliases: {} };

describe("the person's settings", () => {
  test("are none where there is no file", async () => {
    expect(await readPersonSettings(temporaryFolder())).toEqual({ settings: nothing });
  });

  test("are model, limits and aliases; other programs' keys are none of our business", async () => {
    const troupe = { maxAgents: 256, thinkingTokens: 0, aliases: { opus: "big" } };
    const home = homeWith(
      `\ufeff${JSON.stringify({ model: "opus", theme: "dark", env: { A: "1" }, troupe })}`,
    );
    expect(await readPersonSettings(home)).toEqual({
      settings: { model: "opus", limits: { maxAgents: 256, thinkingTokens: 0 }, aliases: { opus: "big" } },
    });
  });

  test.each([
    ['{\n "model": "x"\n "troupe": {}}', "line 3, column 2 is not valid JSON"],
    ['{ "model": }', "is not valid JSON"],
    ["", "is not valid JSON"],
    ["[]", "must be an object"],
    ["null", "must be an object"],
    ['{"model": 7}', "model must be the name of a model"],
    ['{"model": " "}', "model must be the name of a model"],
    ['{"troupe": []}', "troupe must be an object"],
    ['{"troupe": {"maxAgents": 0}}', "troupe.maxAgents must be a whole number from 1 to 256"],
    ['{"troupe": {"maxAgents": "8"}}', "troupe.maxAgents must be a whole number from 1 to 256"],
    ['{"troupe": {"maxAgents": null}}', "troupe.maxAgents must be a whole number from 1 to 256"],
    ['{"troupe": {"patienceMs": 1.5}}', "troupe.patienceMs must be a whole number from 0 to 86400000"],
    ['{"troupe": {"aliases": {"haiku": ""}}}', "troupe.aliases.haiku must be the name of a model"],
  ])("that are broken are named and not used: %s", async (text, problem) => {
    const home = homeWith(text);
    expect(await readPersonSettings(home)).toEqual({
      settings: nothing,
      warning: `${join(home, ".claude/settings.json")}: ${problem}; correct it, until then none of its settings are used.`,
    });
  });

  test("with a name that is none are used, and the name is said", async () => {
    const home = homeWith('{"troupe": {"maxAgnets": 3, "maxTurns": 5, "aliases": {"opsu": "x"}}}');
    expect(await readPersonSettings(home)).toEqual({
      settings: { limits: { maxTurns: 5 }, aliases: {} },
      warning: `${join(home, ".claude/settings.json")}: there is no setting troupe.maxAgnets, troupe.aliases.opsu; correct or remove it.`,
    });
  });

  test("that are a folder are named", async () => {
    const home = temporaryFolder();
    mkdirSync(join(home, ".claude/settings.json"), { recursive: true });
    expect(await readPersonSettings(home)).toEqual({
      settings: nothing,
      warning: expect.stringContaining("cannot be read (EISDIR)"),
    });
  });

  test.skipIf(process.getuid?.() === 0)("that may not be read are named", async () => {
    const home = homeWith("{}");
    chmodSync(join(home, ".claude/settings.json"), 0o000);
    expect((await readPersonSettings(home)).warning).toContain("cannot be read (EACCES)");
  });

  test("do not come from a project", async () => {
    const project = homeWith('{"model": "evil"}');
    const before = process.cwd();
    try {
      process.chdir(project);
      expect(await readPersonSettings(temporaryFolder())).toEqual({ settings: nothing });
    } finally {
      process.chdir(before);
    }
  });
});

test.each([
  [undefined, {}],
  ["", {}],
  [" 8 ", { value: 8 }],
  ["1", { value: 1 }],
  ["256", { value: 256 }],
  ["0", { problem: 'TROUPE_MAX_AGENTS is "0"; set it to a whole number from 1 to 256, or unset it.' }],
  ["257", { problem: expect.stringContaining("1 to 256") }],
  ["-1", { problem: expect.stringContaining("1 to 256") }],
  ["8.0", { problem: expect.stringContaining("1 to 256") }],
])("TROUPE_MAX_AGENTS=%s", (word, answer) => {
  expect(maxAgentsIn({ TROUPE_MAX_AGENTS: word })).toEqual(answer);
});
