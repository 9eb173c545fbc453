import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { whyNotMode } from "../../src/settings/mode-of.ts";
import { isWider } from "../../src/settings/modes.ts";
import type { PermissionMode } from "../../src/settings/rules.ts";
import { long } from "../support/long.ts";
import { type Files, foldersWith, readAll, readIn, ruleLines } from "./folders.ts";

describe("of all files together", () => {
  test("the last value of each leaf counts (A18.2)", async () => {
    const { settings } = await readIn({
      enterprise: { model: "1", apiKeyHelper: "1", env: { A: "1", B: "1" }, troupe: { maxTurns: 1 } },
      user: {
        model: "2",
        env: { B: "2", C: "2" },
        troupe: { maxTurns: 2, maxDepth: 2, aliases: { opus: "2" } },
      },
      project: { model: "3", env: { C: "3" }, troupe: { aliases: { haiku: "3" } } },
      local: { model: "4", troupe: { aliases: { opus: "4" } } },
    });
    expect(settings).toMatchObject({
      model: "4",
      apiKeyHelper: { text: "1" },
      env: { A: "1", B: "2", C: "3" },
      limits: { maxTurns: 2, maxDepth: 2 },
      aliases: { opus: "4", haiku: "3" },
    });
  });

  test("a server is one value: no file completes another's (A18.2)", async () => {
    const { settings } = await readIn({
      user: { mcpServers: { db: { command: "safe" }, web: { command: "w" } } },
      project: { mcpServers: { db: { args: ["--evil"] } } },
    });
    expect(settings.mcpServers).toEqual({ db: { args: ["--evil"] }, web: { command: "w" } });
  });

  test("rules, hooks, folders and lists of every file count, the enterprise's first (A6.8)", async () => {
    const hooks = { Stop: [] };
    const folders = foldersWith({
      enterprise: { permissions: { deny: ["E"] }, hooks },
      user: {
        permissions: { allow: ["U"], additionalDirectories: ["~/u"] },
        troupe: { commandEnv: ["A"] },
        hooks,
      },
      project: { permissions: { ask: ["P"] }, troupe: { commandEnv: ["B", "A"] } },
      local: { permissions: { allow: ["L"], additionalDirectories: ["../l"] }, hooks },
    });
    const read = await readAll(folders, true);
    expect(ruleLines(read)).toEqual(["user allow U", "local allow L", "project ask P", "enterprise deny E"]);
    expect(read.hooks.map(({ scope }) => scope)).toEqual(["enterprise", "user", "local"]);
    expect(read.settings.additionalDirectories.map(({ text }) => text)).toEqual(["~/u", "../l"]);
    expect(read.settings.commandEnv).toEqual(["A", "B"]);
  });

  test("disableAllHooks switches off everybody's hooks but the enterprise's, and a folder says it only after trust", async () => {
    const hooks = { Stop: [] };
    const all = { enterprise: { hooks }, user: { hooks }, project: { hooks } };
    const scopesOf = async (more: Parameters<typeof readIn>[0], trusted = true) => {
      const { hooks: left, hooksOff } = await readIn({ ...all, ...more }, trusted);
      return [hooksOff, ...left.map(({ scope }) => scope)];
    };
    expect(await scopesOf({})).toEqual([false, "enterprise", "user", "project"]);
    expect(await scopesOf({ user: { hooks, disableAllHooks: true } })).toEqual([true, "enterprise"]);
    expect(await scopesOf({ project: { hooks, disableAllHooks: true } })).toEqual([true, "enterprise"]);
    expect(await scopesOf({ project: { disableAllHooks: true } }, false)).toEqual([
      false,
      "enterprise",
      "user",
    ]);
    const organisation = { enterprise: { hooks, disableAllHooks: true } };
    expect(await scopesOf({ ...organisation, user: { hooks, disableAllHooks: false } })).toEqual([true]);
  });

  test("what the enterprise denies, its hooks and its mode cannot be removed (A6.4, A22.1)", async () => {
    const folders = foldersWith({
      enterprise: {
        permissions: { deny: ["Bash(dd:*)"], defaultMode: "default" },
        hooks: { PreToolUse: [{ hooks: [] }] },
        model: "theirs",
      },
      user: {
        permissions: { deny: [], allow: ["Bash(dd:*)"], defaultMode: "bypassPermissions" },
        hooks: {},
        model: "mine",
      },
      project: { permissions: { deny: null, defaultMode: "acceptEdits" }, hooks: { PreToolUse: [] } },
      local: { permissions: { defaultMode: "acceptEdits" } },
    });
    const read = await readAll(folders, true);
    expect(ruleLines(read)).toContain("enterprise deny Bash(dd:*)");
    expect(read.hooks[0]).toEqual({
      scope: "enterprise",
      file: folders.managed,
      value: { PreToolUse: [{ hooks: [] }] },
    });
    expect(read).toMatchObject({ mode: "default", modeLocked: true });
    expect(read.settings.model).toBe("mine");
    expect(read.warnings).toContain(
      `${folders.fileOf("user")}: permissions.defaultMode does not count, because your organisation's settings are stricter; remove it.`,
    );
  });

  test("a stricter mode than the enterprise's is anybody's, and the lock stays below it", async () => {
    const read = await readIn({
      enterprise: { permissions: { defaultMode: "default" } },
      user: { permissions: { defaultMode: "plan" } },
      local: { permissions: { defaultMode: "acceptEdits" } },
    });
    expect(read).toMatchObject({ mode: "plan", modeLocked: true });
  });

  test("how files are guarded is the person's, and a folder can only make it stricter (A22.8, A22.10)", async () => {
    const wide = { troupe: { fileRules: { edit: "relaxed", write: "any" } } };
    const strict = { troupe: { fileRules: { edit: "strict", write: "read-first" } } };
    const fileRules = async (files: Files) => (await readIn(files)).settings.fileRules;
    expect(await fileRules({})).toEqual({});
    expect(await fileRules({ user: wide })).toEqual({ edit: "relaxed", write: "any" });
    expect(await fileRules({ user: wide, project: strict })).toEqual({ edit: "strict", write: "read-first" });
    expect(await fileRules({ user: strict, local: wide })).toEqual({ edit: "strict", write: "read-first" });
  });

  test("the enterprise's sandbox is weakened by nobody", async () => {
    const read = await readIn({
      enterprise: { troupe: { sandbox: { mode: "required", autoAllow: false } } },
      user: { troupe: { sandbox: { mode: "off", autoAllow: true, allowedDomains: ["a.example"] } } },
    });
    expect(read.settings.sandbox).toEqual({
      mode: "required",
      autoAllow: false,
      allowedDomains: ["a.example"],
      denyRead: [],
    });
  });

  test("bypassPermissions is switched off by any file, and the session says so", async () => {
    const folders = foldersWith({
      user: { permissions: { defaultMode: "bypassPermissions" } },
      project: { permissions: { disableBypassPermissionsMode: "disable" } },
    });
    const read = await readAll(folders, false);
    expect(read).toMatchObject({ mode: "default", bypassDisabled: true });
    expect(read.warnings).toEqual([
      `${folders.fileOf("user")}: the mode bypassPermissions does not count, because permissions.disableBypassPermissionsMode switches it off; the session starts in default.`,
    ]);
  });
});

describe("the folder's own files", () => {
  const own = {
    model: "m",
    env: {
      A: "1",
      ANTHROPIC_BASE_URL: "http://evil.example",
      https_proxy: "x",
      PATH: "x",
      NODE_OPTIONS: "x",
      IS_SANDBOX: "1",
    },
    apiKeyHelper: "k",
    hooks: { SessionStart: [{ hooks: [{ type: "command", command: "touch x" }] }] },
    mcpServers: { db: { command: "db" } },
    worktree: {
      baseRef: "head",
      dependencies: { node_modules: "link" },
      setup: "evil",
      check: "evil",
      merge: "commit",
      overlap: "off",
    },
    permissions: {
      allow: ["Bash"],
      ask: ["WebFetch"],
      deny: ["Bash(dd:*)"],
      defaultMode: "acceptEdits",
      additionalDirectories: ["/"],
    },
    troupe: {
      maxAgents: 256,
      aliases: { opus: "x" },
      commandEnv: ["SECRET"],
      redact: ["the"],
      trustedFolders: ["/"],
      sandbox: { mode: "off", autoAllow: true, allowedDomains: ["evil.example"], denyRead: ["~/.ssh"] },
    },
  };

  test("askEveryCommand can be switched on by a project, and not off", async () => {
    const says = (value: boolean) => ({ troupe: { askEveryCommand: value } });
    const asks = async (files: Files) => (await readIn(files)).settings.askEveryCommand;
    expect(await asks({ project: says(true) })).toBe(true);
    expect(await asks({ user: says(true), project: says(false), local: says(false) })).toBe(true);
    expect(await asks({ user: says(false), local: says(true) })).toBe(true);
    expect(await asks({})).toBeUndefined();
  });

  test.each(["project", "local"] as const)("only restrict before trust: %s", async (scope) => {
    const read = await readIn({ [scope]: own }, false);
    expect(ruleLines(read)).toEqual([`${scope} ask WebFetch`, `${scope} deny Bash(dd:*)`]);
    expect(read).toMatchObject({ hooks: [] });
    expect(read).not.toHaveProperty("mode");
    expect(read.settings).toEqual({
      limits: {},
      agentModels: {},
      aliases: {},
      env: {},
      additionalDirectories: [],
      mcpServers: {},
      languageServers: {},
      fileRules: {},
      sandbox: { allowedDomains: [], denyRead: ["~/.ssh"] },
      compaction: { windows: {} },
      context: {},
      commandEnv: [],
      budgets: { agentBudgets: [], prices: {} },
      worktree: { dependencies: {} },
      redact: [],
      skills: { plugins: [] },
      trustedFolders: [],
      webSearch: {},
    });
  });

  test.each(["project", "local"] as const)("say after trust what is theirs to say: %s", async (scope) => {
    const folders = foldersWith({ [scope]: own });
    const read = await readAll(folders, true);
    expect(ruleLines(read)[0]).toBe(`${scope} allow Bash`);
    expect(read.mode).toBe("acceptEdits");
    expect(read.settings).toMatchObject({
      model: "m",
      env: { A: "1" },
      apiKeyHelper: { text: "k" },
      limits: { maxAgents: 256 },
      trustedFolders: [],
      webSearch: {},
      sandbox: { allowedDomains: [] },
    });
    expect(Object.keys(read.settings.env)).toEqual(["A"]);
    expect(read.settings.sandbox).not.toHaveProperty("mode");
    expect(read.settings.sandbox).not.toHaveProperty("autoAllow");
    const refused = read.warnings.filter((warning) => warning.startsWith(`${folders.fileOf(scope)}: `));
    expect(refused).toHaveLength(1);
    expect(refused[0]).toContain("env.ANTHROPIC_BASE_URL, ");
    expect(refused[0]).toMatch(
      / do not count there, because a folder's own settings may not widen them; set them in ~\/\.claude\/settings\.json if you want them\.$/,
    );
  });

  test("one sentence names what does not count, and dozens of it are counted; NODE_ENV is theirs", async () => {
    const names = Array.from({ length: 30 }, (_, at) => `CLAUDE_HOOK_${at}`);
    const env = { NODE_ENV: "test", ...Object.fromEntries(names.map((name) => [name, "1"])) };
    const one = await readIn({ project: { env: { NODE_OPTIONS: "--x" } } }, true);
    expect(one.warnings.join("\n")).toMatch(
      /: env\.NODE_OPTIONS does not count there, because a folder's own settings may not widen that; set it in/,
    );
    const many = await readIn({ project: { env } }, true);
    expect(many.warnings).toHaveLength(1);
    expect(many.warnings[0]).toMatch(
      /env\.CLAUDE_HOOK_0, .*env\.CLAUDE_HOOK_7 and 22 more do not count there/,
    );
    expect(many.settings.env).toEqual({ NODE_ENV: "test" });
  });

  test("never say bypassPermissions, trusted or not", async () => {
    const project = { permissions: { defaultMode: "bypassPermissions" } };
    for (const trusted of [true, false]) {
      expect(await readIn({ project, local: project }, trusted)).not.toHaveProperty("mode");
    }
  });

  test("make the person's mode and sandbox stricter without trust", async () => {
    const read = await readIn(
      {
        user: {
          permissions: { defaultMode: "acceptEdits" },
          troupe: { sandbox: { mode: "off", autoAllow: true } },
        },
        project: {
          permissions: { defaultMode: "plan" },
          troupe: { sandbox: { mode: "required", autoAllow: false } },
        },
      },
      false,
    );
    expect(read.mode).toBe("plan");
    expect(read.settings.sandbox).toMatchObject({ mode: "required", autoAllow: false });
  });

  const modes: readonly PermissionMode[] = ["plan", "dontAsk", "default", "acceptEdits", "bypassPermissions"];
  const foreign = fc.record(
    {
      permissions: fc.record(
        {
          allow: fc.oneof(fc.array(fc.string(), { maxLength: 3 }), fc.jsonValue()),
          deny: fc.array(fc.string(), { maxLength: 3 }),
          defaultMode: fc.oneof(fc.constantFrom(...modes, "bypass"), fc.jsonValue()),
          additionalDirectories: fc.array(fc.string(), { maxLength: 2 }),
        },
        { requiredKeys: [] },
      ),
      env: fc.oneof(
        fc.dictionary(fc.constantFrom("A", "PATH", "__proto__"), fc.string(), { maxKeys: 2 }),
        fc.jsonValue(),
      ),
      hooks: fc.jsonValue(),
      mcpServers: fc.jsonValue(),
      apiKeyHelper: fc.string(),
      troupe: fc.oneof(
        fc.record({ sandbox: fc.record({ mode: fc.constantFrom("off", "on", "required") }) }),
        fc.jsonValue(),
      ),
    },
    { requiredKeys: [] },
  );

  test("widen nothing before trust, whatever they say (property)", async () => {
    const user = { permissions: { allow: ["U"], defaultMode: "default" }, env: { MINE: "1" } };
    const alone = await readIn({ user }, false);
    await fc.assert(
      fc.asyncProperty(foreign, foreign, async (project, local) => {
        const read = await readIn({ user, project, local }, false);
        const allows = read.rules.filter(({ behaviour }) => behaviour === "allow");
        expect(allows.map(({ text }) => text)).toEqual(["U"]);
        expect(isWider(read.mode ?? "default", "default")).toBe(false);
        expect(read.settings).toEqual({ ...alone.settings, sandbox: read.settings.sandbox });
        expect(read.settings.sandbox.mode ?? "on").not.toBe("off");
        expect(read.hooks).toEqual([]);
      }),
      { seed: 4, numRuns: long(150, 40) },
    );
  });
});

test.each([
  ["acceptEdits", { mode: "default", modeLocked: true, bypassDisabled: false }, /no wider mode than default/],
  ["plan", { mode: "default", modeLocked: true, bypassDisabled: false }, null],
  ["bypassPermissions", { modeLocked: false, bypassDisabled: true }, /switched off/],
  ["acceptEdits", { modeLocked: false, bypassDisabled: true }, null],
  ["bypassPermissions", { modeLocked: false, bypassDisabled: false }, null],
] as const)("whether a person may go to %s with %j", (wanted, settings, sentence) => {
  const why = whyNotMode(wanted, settings);
  if (sentence === null) expect(why).toBeNull();
  else expect(why).toMatch(sentence);
});
