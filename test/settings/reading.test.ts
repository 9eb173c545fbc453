import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { managedSettingsFile } from "../../src/settings/paths.ts";
import { unless } from "../support/needs.ts";
import { foldersWith, put, readAll, readIn, ruleLines } from "./folders.ts";

/** As the seed shows settings (A18.3). */
const seed = {
  permissions: {
    allow: ["Bash(npm test:*)", "Read(**)"],
    deny: ["Bash(rm -rf*)", "Write(/etc/**)"],
    defaultMode: "acceptEdits",
  },
  hooks: {
    PreToolUse: [{ matcher: "Edit|Write", hooks: [{ type: "command", command: "npm run lint:check" }] }],
  },
};

describe("settings", () => {
  test("are empty without any file (A18.1)", async () => {
    const read = await readIn({});
    expect(Object.keys(read.settings)).not.toContain("model");
    expect(read.settings).toMatchObject({ limits: {}, env: {}, redact: [], agentBudgets: [] });
    expect(read).toMatchObject({
      rules: [],
      hooks: [],
      warnings: [],
      modeLocked: false,
      bypassDisabled: false,
    });
    expect(read).not.toHaveProperty("mode");
  });

  test("come from their four files, which are all watched (A18.1)", async () => {
    const folders = foldersWith({
      enterprise: { model: "a" },
      user: { apiKeyHelper: "b" },
      project: { env: { C: "c" } },
      local: { troupe: { maxTurns: 4 } },
    });
    const read = await readAll(folders, true);
    expect(read.settings).toMatchObject({
      model: "a",
      apiKeyHelper: { text: "b", scope: "user", file: folders.fileOf("user") },
      env: { C: "c" },
      limits: { maxTurns: 4 },
    });
    expect(read.files).toEqual((["enterprise", "user", "project", "local"] as const).map(folders.fileOf));
  });

  test("of an organisation are in the file that other tools read", () => {
    expect(managedSettingsFile("linux")).toBe("/etc/claude-code/managed-settings.json");
    expect(managedSettingsFile("darwin")).toBe(
      "/Library/Application Support/ClaudeCode/managed-settings.json",
    );
    expect(managedSettingsFile("win32")).toBe("C:\\Program Files\\ClaudeCode\\managed-settings.json");
  });

  test("of the seed are rules, a mode and hooks, each with its file (A6.5, A6.6, A6.8, A18.3)", async () => {
    const folders = foldersWith({ user: seed });
    const file = folders.fileOf("user");
    const read = await readAll(folders, false);
    expect(read.mode).toBe("acceptEdits");
    expect(read.rules).toEqual([
      { text: "Bash(npm test:*)", behaviour: "allow", scope: "user", file },
      { text: "Read(**)", behaviour: "allow", scope: "user", file },
      { text: "Bash(rm -rf*)", behaviour: "deny", scope: "user", file },
      { text: "Write(/etc/**)", behaviour: "deny", scope: "user", file },
    ]);
    expect(read.hooks).toEqual([{ scope: "user", file, value: seed.hooks }]);
    expect(read.warnings).toEqual([]);
  });

  test("can have comments, trailing commas and a byte order mark", async () => {
    const text = '\ufeff{\n  // mine\n  "model": "opus", /* big */\n  "env": { "CI": true, "N": 3, },\n}';
    const read = await readIn({ user: text });
    expect(read.settings).toMatchObject({ model: "opus", env: { CI: "true", N: "3" } });
    expect(read.warnings).toEqual([]);
  });

  test("accept bypass as a name of bypassPermissions (A22.25)", async () => {
    expect((await readIn({ user: { permissions: { defaultMode: "bypass" } } })).mode).toBe(
      "bypassPermissions",
    );
  });

  test("know the modes of Claude Code: manual is default, and auto counts in no file of a user", async () => {
    expect((await readIn({ user: { permissions: { defaultMode: "manual" } } })).mode).toBe("default");
    const auto = { permissions: { defaultMode: "auto", allow: ["Bash(ls)"] } };
    const edits = { permissions: { defaultMode: "acceptEdits" } };
    const folders = foldersWith({ user: edits, project: auto });
    const read = await readAll(folders, true);
    expect(read.mode).toBe("acceptEdits");
    expect(ruleLines(read)).toEqual(["project allow Bash(ls)"]);
    expect(read.warnings).toEqual([
      `${folders.fileOf("project")}: permissions.defaultMode "auto" is not used here.`,
    ]);
    const managed = await readIn({ enterprise: auto, user: edits });
    expect(managed).toMatchObject({ mode: "default", modeLocked: true });
  });

  test("know each key of the published schema of Claude Code, and which of them count", async () => {
    const keys = {
      ...{ fallbackModel: ["sonnet"], fastMode: true, enabledMcpjsonServers: ["a"], voice: {} },
      permissions: { disableAutoMode: "disable" },
    };
    const folders = foldersWith({ user: { ...keys, disabledMcpjsonServers: ["b"], disableWorkflows: true } });
    const file = folders.fileOf("user");
    expect((await readAll(folders, true)).warnings).toEqual([
      `${file}: fallbackModel, fastMode, enabledMcpjsonServers, voice, permissions.disableAutoMode are not used here.`,
      `${file}: Troupe does not enforce disableWorkflows; use permission rules or troupe.sandbox instead.`,
    ]);
  });

  test.each([
    [{ model: 7 }, "model must be the name of a model (line 1)"],
    [{ model: " " }, "model must be the name of a model (line 1)"],
    ['{\n "troupe":\n {"maxAgents": 0}}', "troupe.maxAgents must be a whole number from 1 to 1024 (line 3)"],
    [{ troupe: [] }, "troupe must be an object (line 1)"],
    [{ permissions: "no" }, "permissions must be an object (line 1)"],
    [{ permissions: { allow: "Bash" } }, "permissions.allow must be a list of rules (line 1)"],
    [
      { env: { "A B": "1" } },
      "env.A B must be a variable's name (letters, digits, _) with a text, a number, true or false (line 1)",
    ],
    [
      { env: { A: ["1"] } },
      "env.A must be a variable's name (letters, digits, _) with a text, a number, true or false (line 1)",
    ],
    [
      { env: { A: "\0" } },
      "env.A must be a variable's name (letters, digits, _) with a text, a number, true or false (line 1)",
    ],
    [{ hooks: [] }, "hooks must be an object (line 1)"],
    [{ mcpServers: { db: "x" } }, "mcpServers.db must be an object (line 1)"],
    [
      { troupe: { sandbox: { mode: "maybe" } } },
      'troupe.sandbox.mode must be one of "off", "on", "required" (line 1)',
    ],
    [{ troupe: { sandbox: { autoAllow: 1 } } }, "troupe.sandbox.autoAllow must be true or false (line 1)"],
    [
      { troupe: { trustedFolders: ["work"] } },
      "troupe.trustedFolders must be a list of directories that start with / or ~/ (line 1)",
    ],
    [
      { worktree: { merge: "yes" } },
      'worktree.merge must be one of "apply", "commit", "keep", "ask" (line 1)',
    ],
    [{ worktree: { check: " " } }, "worktree.check must be a command (line 1)"],
    [
      { worktree: { checkTimeoutMs: 0.5 } },
      "worktree.checkTimeoutMs must be a whole number from 1000 to 86400000 (line 1)",
    ],
    [{ worktree: "yes" }, "worktree must be an object (line 1)"],
    [{ troupe: { deferToolsAbove: 10 } }, "troupe.deferToolsAbove must be a number from 0 to 1 (line 1)"],
    [{ troupe: { maxBudgetUsd: 0 } }, "troupe.maxBudgetUsd must be a number from 0.001 to 1000000 (line 1)"],
    [
      { troupe: { maxBudgetUsd: "5" } },
      "troupe.maxBudgetUsd must be a number from 0.001 to 1000000 (line 1)",
    ],
    [{ troupe: { maxChildren: 0 } }, "troupe.maxChildren must be a whole number from 1 to 10000 (line 1)"],
    [
      { permissions: { defaultMode: "yolo" } },
      'permissions.defaultMode must be one of "plan", "dontAsk", "default", "acceptEdits", "bypassPermissions" (line 1)',
    ],
  ])("that cannot be used are named with their line and left out alone: %j", async (value, problem) => {
    const folders = foldersWith({ user: value, local: { apiKeyHelper: "kept" } });
    const read = await readAll(folders, true);
    expect(read.warnings).toEqual([
      `${folders.fileOf("user")}: ${problem}; correct it, until then it does not count.`,
    ]);
    expect(read.settings.apiKeyHelper?.text).toBe("kept");
    expect(read.settings).not.toHaveProperty("model");
  });

  test.each([
    ...[
      {},
      '{ "command": 3 }',
      { ready: "x" },
      { command: "x", after: "y" },
      { command: "x", timeoutMs: "1 s" },
    ].map(
      (setup) =>
        [{ worktree: { setup } }, "worktree.setup must be a command, or an object with command"] as const,
    ),
    ...["../shared", "a/../../b", "/etc", ".", "", "a//b", "a\\b", ".GIT/hooks"].map(
      (name) =>
        [
          { worktree: { dependencies: { [name]: "link" } } },
          `worktree.dependencies.${name} must be a directory below the top of the repository`,
        ] as const,
    ),
    [
      { worktree: { dependencies: ["node_modules"] } },
      "worktree.dependencies must be a directory below the top",
    ],
    [{ worktree: { dependencies: { node_modules: "move" } } }, "worktree.dependencies.node_modules must be"],
    ...[{ dollars: 1 }, 1, { turns: 0 }, { constructor: 1 }].map(
      (Explore) =>
        [
          { troupe: { agentBudgets: { Explore } } },
          "troupe.agentBudgets must be an object of agent types, each an object with any of tokens",
        ] as const,
    ),
    [{ troupe: { prices: { m: { input: 1 } } } }, "troupe.prices.m must be an object of models"],
    [{ troupe: { prices: { m: { input: 1, output: -1 } } } }, "troupe.prices.m must be an object of models"],
  ] as const)("that have parts which cannot be used are named and left out: %j", async (user, sentence) => {
    const { warnings, settings } = await readIn({ user });
    expect(warnings).toEqual([expect.stringContaining(sentence)]);
    expect(settings).toEqual((await readIn({})).settings);
  });

  test("complete a worktree's set-up with five minutes, and directories without a last slash (A16.1)", async () => {
    const dependencies = { node_modules: "link", "packages/a/vendor/": "copy" };
    const worktree = async (setup: unknown) =>
      (await readIn({ user: { worktree: { setup, dependencies } } })).settings.worktree;
    const whole = {
      setup: { command: "make", timeoutMs: 300_000 },
      dependencies: { node_modules: "link", "packages/a/vendor": "copy" },
    };
    expect(await worktree("make")).toEqual(whole);
    expect(await worktree({ command: "make" })).toEqual(whole);
    const all = { command: "npm ci", ready: "test -d node_modules", timeoutMs: 60_000 };
    expect((await worktree(all)).setup).toEqual(all);
  });

  test("that only restrict elsewhere are named as not enforced, and a wrong value of a restriction still restricts", async () => {
    const folders = foldersWith({
      user: { availableModels: ["opus"], forceLoginOrgUUID: "x", deniedMcpServers: [] },
      project: { availableModels: ["haiku", 5] },
      local: { permissions: { disableBypassPermissionsMode: true }, availableModels: 5 },
    });
    const read = await readAll(folders, false);
    const file = folders.fileOf("user");
    expect(read.warnings.slice(0, 2)).toEqual([
      `${file}: forceLoginOrgUUID is not used here.`,
      `${file}: Troupe does not enforce deniedMcpServers; use permission rules or troupe.sandbox instead.`,
    ]);
    expect(read.bypassDisabled).toBe(true);
    expect(read.settings.availableModels).toEqual([["opus"], ["haiku"], []]);
  });

  test("keep the valid part of a wrong list of restrictions", async () => {
    const read = await readIn({
      user: { permissions: { deny: ["Bash(dd:*)", 5, null], ask: "Bash(ssh:*)" } },
    });
    expect(ruleLines(read)).toEqual(["user ask Bash(ssh:*)", "user deny Bash(dd:*)"]);
    expect(read.warnings).toHaveLength(2);
    for (const warning of read.warnings)
      expect(warning).toMatch(/correct it, until then only what is right in it counts\.$/);
  });

  test("that do not exist are named together; keys of other tools are not used here, and remarks are remarks", async () => {
    const folders = foldersWith({
      user: {
        theme: "dark",
        worktree: { sparsePaths: ["src"], basRef: "head" },
        $schema: "https://example.org/schema.json",
        _comment: "mine",
        "//": 1,
        outputStyle: {},
        modle: "x",
        troupe: { maxAgnets: 3, aliases: { opsu: "x" } },
      },
    });
    const read = await readAll(folders, false);
    expect(read.warnings).toEqual([
      `${folders.fileOf("user")}: there is no setting worktree.basRef, modle, troupe.maxAgnets, troupe.aliases.opsu; correct or remove it.`,
      `${folders.fileOf("user")}: theme, worktree.sparsePaths, outputStyle are not used here.`,
    ]);
    expect(read.leaves.map(({ path }) => path.join("."))).toContain("modle");
  });

  test("that do not exist neither fill the screen nor move a cursor", async () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`\u202e\u001b[2J${at}`, 1]));
    const [warning = ""] = (await readIn({ project: many })).warnings;
    expect(warning).toContain("<U+202E><U+001B>[2J0");
    expect(warning).toContain("and 492 more");
    expect(warning).not.toMatch(/\p{Cc}|\p{Cf}/u);
  });

  test("with a dot in their key are other settings", async () => {
    const read = await readIn({ user: { "permissions.allow": ["Bash"] } });
    expect(read.rules).toEqual([]);
  });

  test("called __proto__ change nothing but themselves", async () => {
    const read = await readIn({ user: '{"__proto__": {"model": "x"}, "env": {"__proto__": "1"}}' });
    expect(read.settings).not.toHaveProperty("model");
    expect(Object.getPrototypeOf(read.settings.env)).toBe(Object.prototype);
  });
});

describe("a broken settings file (fault 59)", () => {
  const denies = `"permissions": {"deny": ["Bash(dd:*)"], "ask": ["WebFetch"], "allow": ["Bash"], "defaultMode": "acceptEdits"}`;

  test.each([
    [`{\n "model": "x"\n ${denies}}`, "line 3, column 2 is not valid JSON"],
    [`{${denies}`, `line 1, column ${denies.length + 2} is not valid JSON`],
    [`{"env": {"A": "1", ${denies}}`, "is not valid JSON"],
    [`{${denies}, "model": }`, "is not valid JSON"],
    [`{${denies}} trailing`, "is not valid JSON"],
    [
      `{"permissions": {"deny": ["Bash(dd:*)"], "ask": ["WebFetch"]}, "permissions": {"allow": ["Bash"]}}`,
      'line 1, column 64 says "permissions" a second time',
    ],
  ])("is named with its line and only restricts, without harm to other files: %s", async (text, problem) => {
    const folders = foldersWith({
      user: text,
      local: { model: "kept", permissions: { defaultMode: "acceptEdits" } },
    });
    const read = await readAll(folders, true);
    expect(ruleLines(read)).toEqual(["user ask WebFetch", "user deny Bash(dd:*)"]);
    expect(read.settings.model).toBe("kept");
    expect(read.warnings[0]).toContain(problem);
    expect(read.warnings[0]).toMatch(/; correct it, until then only what denies or asks in it counts\.$/);
    expect(read.mode).toBe("default");
  });

  test.each([
    ["", "line 1, column 1 is not valid JSON"],
    ["[]", "line 1, column 1 must be an object"],
    ["null", "must be an object"],
    ["[".repeat(200_000), "is nested too deeply"],
    [`{"a":${"[".repeat(50_000)}${"]".repeat(50_000)}}`, ""],
  ])("with nothing to salvage has no settings: %.20s", async (text, problem) => {
    const read = await readIn({ user: text });
    expect(read.rules).toEqual([]);
    expect(read.warnings[0]).toContain(problem);
  });

  test("does not prevent a stricter mode", async () => {
    const read = await readIn({ user: "{", local: { permissions: { defaultMode: "plan" } } });
    expect(read.mode).toBe("plan");
  });

  test("of the organisation locks the mode at default", async () => {
    const read = await readIn({ enterprise: "{", user: { permissions: { defaultMode: "acceptEdits" } } });
    expect(read).toMatchObject({ mode: "default", modeLocked: true });
  });

  test("that is a directory, a pipe, a device or too large is named without waiting for it", async () => {
    const folders = foldersWith({});
    mkdirSync(folders.fileOf("user"), { recursive: true });
    mkdirSync(dirname(folders.fileOf("project")), { recursive: true });
    execFileSync("mkfifo", [folders.fileOf("project")]);
    symlinkSync("/dev/zero", folders.fileOf("local"));
    put(folders.managed, " ".repeat(1_048_577));
    expect((await readAll(folders, true)).warnings).toEqual([
      `${folders.managed} is larger than 1 MB; correct that, until then none of its settings count.`,
      ...(["user", "project", "local"] as const).map(
        (scope) =>
          `${folders.fileOf(scope)} is not a regular file; correct that, until then none of its settings count.`,
      ),
    ]);
  });

  test("below a path that is a file is absent, and one line names that file", async () => {
    const folders = foldersWith({});
    const dir = dirname(folders.fileOf("project"));
    put(dir, "I am a file");
    const line = `${dir} is a file, not a directory, so nothing is read from it.`;
    expect((await readAll(folders, true)).warnings).toEqual([line]);
  });

  test("that is a link to itself is named", async () => {
    const folders = foldersWith({});
    mkdirSync(dirname(folders.fileOf("project")));
    symlinkSync("settings.json", folders.fileOf("project"));
    expect((await readAll(folders, true)).warnings[0]).toContain("cannot be read (ELOOP)");
  });

  test(
    "without read permission is named",
    unless(process.getuid?.() === 0 ? "root may read every file" : null),
    async () => {
      const folders = foldersWith({ user: {} });
      chmodSync(folders.fileOf("user"), 0o000);
      expect((await readAll(folders, true)).warnings[0]).toContain("cannot be read (EACCES)");
    },
  );
});

test("in the home itself the user's file is read once, as the user's", async () => {
  const folders = foldersWith({
    user: { permissions: { allow: ["Bash(ls)"], deny: ["Bash(dd:*)"] }, nonsense: 1 },
  });
  const read = await readAll({ ...folders, root: folders.homedir }, false);
  expect(ruleLines(read)).toEqual(["user allow Bash(ls)", "user deny Bash(dd:*)"]);
  expect(read.warnings).toHaveLength(1);
});
