import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { managedSettingsFile } from "../../src/settings/places.ts";
import { unless } from "../support/needs.ts";
import { foldersWith, put, readAll, readIn, ruleLines } from "./folders.ts";

const nothing = {
  limits: {},
  aliases: {},
  agentModels: {},
  env: {},
  additionalDirectories: [],
  mcpServers: {},
  languageServers: {},
  fileRules: {},
  sandbox: { allowedDomains: [], denyRead: [] },
  compaction: { windows: {} },
  context: {},
  commandEnv: [],
  budgets: { agentBudgets: [], prices: {} },
  worktree: { dependencies: {} },
  redact: [],
  skills: { plugins: [] },
  trustedFolders: [],
  webSearch: {},
};

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
  test("are none where no file is there (A18.1)", async () => {
    const read = await readIn({});
    expect(read.settings).toEqual(nothing);
    expect(read).toMatchObject({
      rules: [],
      hooks: [],
      warnings: [],
      modeLocked: false,
      bypassDisabled: false,
    });
    expect(read).not.toHaveProperty("mode");
  });

  test("come from their four places, and every file is to be watched (A18.1)", async () => {
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

  test("of an organisation are where people's tools have them", () => {
    expect(managedSettingsFile("linux")).toBe("/etc/claude-code/managed-settings.json");
    expect(managedSettingsFile("darwin")).toBe(
      "/Library/Application Support/ClaudeCode/managed-settings.json",
    );
    expect(managedSettingsFile("win32")).toBe("C:\\Program Files\\ClaudeCode\\managed-settings.json");
  });

  test("as the seed shows them are rules, a mode and hooks, each with its file (A6.5, A6.6, A6.8, A18.3)", async () => {
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

  test("may have comments, commas at their ends and a byte order mark", async () => {
    const text = '\ufeff{\n  // mine\n  "model": "opus", /* big */\n  "env": { "CI": true, "N": 3, },\n}';
    const read = await readIn({ user: text });
    expect(read.settings).toEqual({ ...nothing, model: "opus", env: { CI: "true", N: "3" } });
    expect(read.warnings).toEqual([]);
  });

  test("know bypass by its other name (A22.25)", async () => {
    expect((await readIn({ user: { permissions: { defaultMode: "bypass" } } })).mode).toBe(
      "bypassPermissions",
    );
  });

  test.each([
    [{ model: 7 }, "model must be the name of a model (line 1)"],
    [{ model: " " }, "model must be the name of a model (line 1)"],
    ['{\n "troupe":\n {"maxAgents": 0}}', "troupe.maxAgents must be a whole number from 1 to 256 (line 3)"],
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
      "troupe.trustedFolders must be a list of folders that start with / or ~/ (line 1)",
    ],
    [
      { permissions: { defaultMode: "yolo" } },
      'permissions.defaultMode must be one of "plan", "dontAsk", "default", "acceptEdits", "bypassPermissions" (line 1)',
    ],
  ])(
    "that cannot be used are named with their line, and take no other with them: %j",
    async (value, problem) => {
      const folders = foldersWith({ user: value, local: { apiKeyHelper: "kept" } });
      const read = await readAll(folders, true);
      expect(read.warnings).toEqual([
        `${folders.fileOf("user")}: ${problem}; correct it, until then it does not count.`,
      ]);
      expect(read.settings.apiKeyHelper?.text).toBe("kept");
      expect(read.settings).not.toHaveProperty("model");
    },
  );

  test("of a wrong list of restrictions keep what is right in it", async () => {
    const read = await readIn({
      user: { permissions: { deny: ["Bash(dd:*)", 5, null], ask: "Bash(ssh:*)" } },
    });
    expect(ruleLines(read)).toEqual(["user ask Bash(ssh:*)", "user deny Bash(dd:*)"]);
    expect(read.warnings).toHaveLength(2);
    for (const warning of read.warnings)
      expect(warning).toMatch(/correct it, until then only what is right in it counts\.$/);
  });

  test("nobody knows are named once, and those of other tools and remarks are not", async () => {
    const folders = foldersWith({
      user: {
        theme: "dark",
        _comment: "mine",
        "//": 1,
        statusLine: {},
        modle: "x",
        troupe: { maxAgnets: 3, aliases: { opsu: "x" } },
      },
    });
    const read = await readAll(folders, false);
    expect(read.warnings).toEqual([
      `${folders.fileOf("user")}: there is no setting modle, troupe.maxAgnets, troupe.aliases.opsu; correct or remove it.`,
    ]);
    expect(read.leaves.map(({ path }) => path.join("."))).toContain("modle");
  });

  test("nobody knows do not fill the screen, nor move a cursor", async () => {
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
  ])("is named with its line, only restricts, and takes no other down: %s", async (text, problem) => {
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

  test("lets a stricter mode be", async () => {
    const read = await readIn({ user: "{", local: { permissions: { defaultMode: "plan" } } });
    expect(read.mode).toBe("plan");
  });

  test("of the organisation locks the mode at default", async () => {
    const read = await readIn({ enterprise: "{", user: { permissions: { defaultMode: "acceptEdits" } } });
    expect(read).toMatchObject({ mode: "default", modeLocked: true });
  });

  test("that is a folder, a pipe, a device or too large is named, and nothing waits for it", async () => {
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

  test("in a folder that is a file is no file", async () => {
    const folders = foldersWith({});
    put(dirname(folders.fileOf("project")), "I am a file");
    expect((await readAll(folders, true)).warnings).toEqual([]);
  });

  test("that is a link to itself is named", async () => {
    const folders = foldersWith({});
    mkdirSync(dirname(folders.fileOf("project")));
    symlinkSync("settings.json", folders.fileOf("project"));
    expect((await readAll(folders, true)).warnings[0]).toContain("cannot be read (ELOOP)");
  });

  test(
    "that may not be read is named",
    unless(process.getuid?.() === 0 ? "root may read every file" : null),
    async () => {
      const folders = foldersWith({ user: {} });
      chmodSync(folders.fileOf("user"), 0o000);
      expect((await readAll(folders, true)).warnings[0]).toContain("cannot be read (EACCES)");
    },
  );
});

test("in the home itself the person's file is read once, as theirs", async () => {
  const folders = foldersWith({
    user: { permissions: { allow: ["Bash(ls)"], deny: ["Bash(dd:*)"] }, nonsense: 1 },
  });
  const read = await readAll({ ...folders, root: folders.homedir }, false);
  expect(ruleLines(read)).toEqual(["user allow Bash(ls)", "user deny Bash(dd:*)"]);
  expect(read.warnings).toHaveLength(1);
});
