import { mkdirSync, readFileSync, renameSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { settingsReader } from "../../../src/policy/trust/trust.ts";
import { trustFile, trustFolder } from "../../../src/policy/trust/trust-store.ts";
import { trustQuestion, untrustedNote } from "../../../src/policy/trust/trust-text.ts";
import { hookEvents } from "../../../src/settings/hook-events.ts";
import { type Files, foldersWith, put, ruleLines } from "../../settings/folders.ts";
import { FakeClock } from "../../support/fake-clock.ts";

const clock = new FakeClock();
const granting = {
  permissions: {
    allow: ["Bash(npm test:*)"],
    deny: ["Bash(dd:*)"],
    additionalDirectories: ["../docs"],
    defaultMode: "acceptEdits",
  },
  env: { CI: "1" },
  apiKeyHelper: "./key.sh",
  hooks: {
    SessionStart: [{ hooks: [{ type: "command", command: "./setup.sh\u202e" }] }],
    Stop: [
      {
        hooks: [
          { type: "command", command: "a" },
          { type: "prompt", prompt: "b" },
        ],
      },
    ],
  },
  mcpServers: { db: { command: "npx", args: ["db"] } },
  troupe: { maxAgents: 64, commandEnv: ["TOKEN"] },
};

function folders(files: Files) {
  const where = foldersWith(files);
  const home = join(where.homedir, ".troupe");
  const reader = (trusts = false) => settingsReader({ ...where, home }, trusts);
  const trust = async () => {
    const { trust } = await reader().read();
    return trustFolder(home, where.root, "grants" in trust ? trust.grants : [], clock);
  };
  return { where, home, reader, trust };
}

describe("what trusting a folder would grant", () => {
  test("is said in words, with every character visible", async () => {
    const { reader } = folders({ project: granting });
    const { trust } = await reader().read();
    if (trust.type !== "untrusted") throw new Error(trust.type);
    expect(trust.grants.map(({ words }) => words)).toEqual([
      "use Bash(npm test:*) without a question",
      "work in the directory ../docs, too",
      "start in the mode acceptEdits",
      "set the variable CI=1",
      'run the command "./key.sh" for the key of the model',
      'run "./setup.sh<U+202E>" as a hook (SessionStart)',
      'run "a", "b" as a hook (Stop)',
      "start the MCP server db: npx db",
      "set troupe.maxAgents to 64",
      "give commands the variable TOKEN",
    ]);
  });

  test("is nothing where a directory only restricts", async () => {
    const { reader } = folders({
      project: {
        permissions: { deny: ["Bash"], ask: ["Read"], allow: [], defaultMode: "plan" },
        hooks: {},
        theme: "x",
      },
    });
    const { trust } = await reader().read();
    expect(trust).toEqual({ type: "nothing-to-grant" });
    expect([trustQuestion("/x", trust), untrustedNote(trust)]).toEqual([null, null]);
  });

  test("shows how much of a long command is left out, and its end", async () => {
    const { reader } = folders({ project: { apiKeyHelper: `${"x".repeat(5_000)}; rm -rf /` } });
    const { trust } = await reader().read();
    expect(trustQuestion("/x", trust)?.text).toMatch(/characters left out here.*; rm -rf \//);
  });
});

test("trusting a folder shows the commands that its worktrees and its line below the prompt would run", async () => {
  const setup = { command: "npm ci", ready: "test -d node_modules" };
  const worktree = { baseRef: "fresh", dependencies: { "vendor/": "copy" }, setup, check: "npm test" };
  const statusLine = { type: "command", command: "./line.sh" };
  const { reader } = folders({
    ...{ project: { worktree, statusLine }, local: { worktree: { setup: "make\u202e" } } },
  });
  const read = await reader().read();
  expect([read.statusLine, (await reader(true).read()).statusLine]).toEqual([
    undefined,
    { command: "./line.sh", padding: 0 },
  ]);
  expect(read.settings.worktree).toEqual({ dependencies: {} });
  expect(read.trust).toMatchObject({
    grants: [
      { words: 'set worktree.baseRef to "fresh"' },
      { words: 'set worktree.dependencies.vendor/ to "copy"' },
      { words: 'run "npm ci", then "test -d node_modules" until it succeeds, in every new worktree' },
      { words: 'run "npm test" before edits of agents are merged' },
      { words: 'run "./line.sh" for the line below the prompt' },
      { words: 'run "make<U+202E>" in every new worktree' },
    ],
  });
});

describe("a folder", () => {
  test("is untrusted until the user agrees, and only restricts", async () => {
    const { reader, where } = folders({ project: granting });
    const read = await reader().read();
    expect(ruleLines(read)).toEqual(["project deny Bash(dd:*)"]);
    expect(read.settings.env).toEqual({});
    expect(untrustedNote(read.trust)).toBe(
      'This directory is not trusted, so what its own settings allow or run is left out (run the command "./key.sh" for the key of the model; run "./setup.sh<U+202E>" as a hook (SessionStart); run "a", "b" as a hook (Stop); and 7 more, which troupe doctor shows); --trust counts it for this run.',
    );
    expect(trustQuestion(where.root, read.trust)?.text).toMatch(
      /^.*project brings settings of its own \(\.claude, \.mcp\.json, \.git\)\. If you trust it, they will:\n {2}- use Bash\(npm test:\*\) without a question\n/,
    );
  });

  test("that is trusted stays so, under every name it has, until it grants something new", async () => {
    const { where, home, reader, trust } = folders({ project: granting });
    expect(await trust()).toBeNull();
    const read = await reader().read();
    expect(read.trust.type).toBe("trusted");
    expect(ruleLines(read)).toEqual(["project allow Bash(npm test:*)", "project deny Bash(dd:*)"]);
    const link = join(where.homedir, "link");
    symlinkSync(where.root, link);
    expect((await settingsReader({ ...where, root: link, home }, false).read()).trust.type).toBe("trusted");

    put(where.fileOf("project"), { ...granting, env: { CI: "2" }, apiKeyHelper: undefined });
    put(where.fileOf("local"), { permissions: { allow: ["Bash(rm:*)"] } });
    const changed = await reader().read();
    expect(changed.settings.env).toEqual({});
    expect(trustQuestion(where.root, changed.trust)?.text).toBe(
      [
        `The settings of ${where.root} have changed since you trusted them. New is that they would:`,
        "  - set the variable CI=2",
        "  - use Bash(rm:*) without a question",
        "Until you do, they can only deny and ask. Do you trust this directory?",
      ].join("\n"),
    );
    expect(untrustedNote(changed.trust)).toBe(
      "The settings of this directory have changed since it was trusted (new: use Bash(rm:*) without a question; set the variable CI=2), so what its own settings allow or run is left out; --trust counts it for this run.",
    );
  });

  test("that is trusted through a link is trusted by its real path, and stored under that (P11)", async () => {
    const { where, home, reader } = folders({ project: granting });
    const link = join(where.homedir, "link");
    symlinkSync(where.root, link);
    const { trust } = await settingsReader({ ...where, root: link, home }, false).read();
    expect(await trustFolder(home, link, "grants" in trust ? trust.grants : [], clock)).toBeNull();
    expect((await reader().read()).trust.type).toBe("trusted");
    expect(Object.keys(JSON.parse(readFileSync(trustFile(home), "utf8")).folders)).toEqual([where.root]);
  });

  test("that grants less, or the same in another order, is still trusted", async () => {
    const { where, reader, trust } = folders({ project: granting });
    await trust();
    put(where.fileOf("project"), {
      mcpServers: { db: { args: ["db"], command: "npx" } },
      permissions: { allow: ["Bash(npm test:*)"], ask: ["WebFetch"] },
    });
    expect((await reader().read()).trust.type).toBe("trusted");
  });

  test("is another one when another has taken its place elsewhere", async () => {
    const { where, home, reader, trust } = folders({ project: granting });
    await trust();
    renameSync(where.root, `${where.root}-moved`);
    mkdirSync(where.root);
    expect((await reader().read()).trust.type).toBe("nothing-to-grant");
    const moved = settingsReader({ ...where, root: `${where.root}-moved`, home }, false);
    expect((await moved.read()).trust).toMatchObject({ type: "untrusted", wasTrusted: false });
  });

  test("is trusted for one run with --trust, which remembers nothing and covers nothing that comes later (fault 60)", async () => {
    const { where, reader } = folders({ project: granting });
    const running = reader(true);
    expect((await running.read()).trust.type).toBe("trusted");
    put(where.fileOf("project"), { ...granting, apiKeyHelper: "./other.sh" });
    const later = await running.read();
    expect(later.trust.type).toBe("untrusted");
    expect(later.settings).not.toHaveProperty("apiKeyHelper");
    put(where.fileOf("project"), granting);
    expect((await running.read()).trust.type).toBe("trusted");
    expect((await reader().read()).trust.type).toBe("untrusted");
  });

  test.each([
    ["~/work", false],
    ["~/work/**", true],
    ["~/work/repo", true],
    ["~/wor/**", false],
    ["~/work/rep", false],
    ["/nowhere/**", false],
  ])("that the user's own settings name is trusted: %s %s", async (named, isTrusted) => {
    const { where, home } = folders({ user: { troupe: { trustedFolders: [named] } } });
    const root = join(where.homedir, "work/repo");
    put(join(root, ".claude/settings.json"), granting);
    const { trust } = await settingsReader({ ...where, root, home }, false).read();
    expect(trust.type).toBe(isTrusted ? "trusted" : "untrusted");
  });

  test("that is a link into a named folder is not meant", async () => {
    const { where, home } = folders({ user: { troupe: { trustedFolders: ["~/work/**"] } } });
    put(join(where.root, ".claude/settings.json"), granting);
    mkdirSync(join(where.homedir, "work"));
    symlinkSync(where.root, join(where.homedir, "work/link"));
    const root = join(where.homedir, "work/link");
    expect((await settingsReader({ ...where, root, home }, false).read()).trust.type).toBe("untrusted");
  });

  test("cannot name itself", async () => {
    const { reader, where } = folders({});
    put(where.fileOf("project"), { ...granting, troupe: { trustedFolders: [where.root, "/**"] } });
    expect((await reader().read()).trust.type).toBe("untrusted");
  });
});

describe("what is remembered", () => {
  test("is for this user only, and other folders stay in it", async () => {
    const { where, home, trust } = folders({ project: granting });
    const other = foldersWith({ project: { apiKeyHelper: "x" } });
    await trust();
    const reading = await settingsReader({ ...other, home }, false).read();
    await trustFolder(home, other.root, "grants" in reading.trust ? reading.trust.grants : [], clock);
    expect(statSync(trustFile(home)).mode & 0o777).toBe(0o600);
    const stored = JSON.parse(readFileSync(trustFile(home), "utf8"));
    expect(Object.keys(stored.folders)).toEqual([where.root, other.root]);
    expect(stored.folders[where.root].trustedAt).toBe("2030-01-01T00:00:00.000Z");
    expect(JSON.stringify(stored)).not.toContain("npm test");
  });

  test.each(["{", "[]", '{"version": 9, "folders": {}}'])(
    "counts for nothing when it is broken, and is not written over: %s",
    async (text) => {
      const { home, reader, trust } = folders({ project: granting });
      put(trustFile(home), text);
      const read = await reader().read();
      expect(read.trust.type).toBe("untrusted");
      expect(read.warnings.at(-1)).toMatch(
        /trusted\.json is not as Troupe writes it, so no directory counts as trusted/,
      );
      expect(await trust()).toMatch(/move it away/);
      expect(readFileSync(trustFile(home), "utf8")).toBe(text);
    },
  );
});

describe("what git would run for the directory's repository", () => {
  const withGit = (config: string, project?: unknown) => {
    const { where, ...more } = folders(project === undefined ? {} : { project });
    const made = { ...where, ...more };
    put(join(made.root, ".git/config"), config);
    put(join(made.root, ".git/HEAD"), "ref: refs/heads/main\n");
    for (const name of ["objects", "refs"]) mkdirSync(join(made.root, ".git", name), { recursive: true });
    return made;
  };
  const evil = "[core]\n\tfsmonitor = ./x\n";

  test("is asked about like settings, remembered, and asked about again where it has changed", async () => {
    const made = withGit(evil);
    const before = made.reader();
    const { trust } = await before.read();
    expect(trustQuestion("/p", trust)?.text).toContain('let git run "./x" (core.fsmonitor in .git/config)');
    expect(untrustedNote(trust)).toMatch(/^This directory is not trusted .*so git asks first; --trust/);
    expect(before.foreignGit(made.root)).toContain("--trust agrees");
    await made.trust();
    const after = made.reader();
    expect((await after.read()).trust.type).toBe("trusted");
    expect(after.foreignGit(made.root)).toBeNull();
    put(join(made.root, ".git/config"), `${evil}\tpager = ./y\n`);
    expect(after.foreignGit(made.root)).toContain('"./y"');
    expect((await after.read()).trust).toMatchObject({ type: "untrusted", wasTrusted: true });
  });

  test("takes nothing from settings that were agreed to, and they give it nothing", async () => {
    const made = withGit("", { permissions: { allow: ["Bash(npm test:*)"] } });
    await made.trust();
    put(join(made.root, ".git/config"), evil);
    const reader = made.reader();
    const read = await reader.read();
    expect(ruleLines(read)).toEqual(["project allow Bash(npm test:*)"]);
    expect(read.trust).toMatchObject({ type: "untrusted", fresh: [{ git: true }] });
    expect(reader.foreignGit(made.root)).not.toBeNull();
  });

  test("settings without agreement do not count if only git was agreed to", async () => {
    const made = withGit(evil);
    await made.trust();
    put(made.fileOf("project"), { permissions: { allow: ["Bash"] } });
    const reader = made.reader();
    expect(ruleLines(await reader.read())).toEqual([]);
    expect(reader.foreignGit(made.root)).toBeNull();
  });

  test("counts with --trust for what exists at the start, and in a directory that the user has named", async () => {
    const made = withGit(evil);
    const now = made.reader(true);
    await now.read();
    expect(now.foreignGit(made.root)).toBeNull();
    put(made.fileOf("user"), { troupe: { trustedFolders: [made.root] } });
    const named = made.reader();
    await named.read();
    put(join(made.root, ".git/config"), `${evil}\tpager = ./y\n`);
    expect(named.foreignGit(made.root)).toBeNull();
    expect(now.foreignGit(made.root)).not.toBeNull();
  });
});

describe("a hook of an event that does not exist", () => {
  const run = (command: string) => [{ hooks: [{ type: "command", command }] }];

  test("of Claude Code that does not exist here is called so, and its neighbours count", async () => {
    const hooks = { CwdChanged: run("./a.sh"), FileChanged: run("./b.sh"), Stop: run("./right.sh") };
    const { reader, where } = folders({ user: { hooks } });
    const read = await reader().read();
    expect(read.warnings).toEqual([
      `${where.fileOf("user")}: hooks.CwdChanged, hooks.FileChanged are events of Claude Code that do not exist here, so their hooks do not run.`,
    ]);
    expect(read.hooks.map(({ value }) => value)).toEqual([{ Stop: run("./right.sh") }]);
  });

  test("is reported with its file, line and the nearest event; it needs no agreement and never runs", async () => {
    const { where, reader } = folders({
      project: `{\n  "hooks": {\n    "PreTooluse": ${JSON.stringify(run("./mistyped.sh"))},\n    "//": "ours",\n    "Stop": ${JSON.stringify(run("./right.sh"))}\n  }\n}`,
      user: { hooks: { Elsewhere: run("x") } },
    });
    const told = [
      `${where.fileOf("user")}: hooks.Elsewhere is no event; there are ${hookEvents.join(", ")} (line 1); correct it, until then it does not count.`,
      `${where.fileOf("project")}: hooks.PreTooluse is no event; the nearest is PreToolUse (line 3); correct it, until then it does not count.`,
    ];
    const untrusted = await reader().read();
    expect(untrusted.warnings).toEqual(told);
    expect(trustQuestion(where.root, untrusted.trust)).not.toContain("mistyped");
    expect(trustQuestion(where.root, untrusted.trust)?.text).toContain('run "./right.sh" as a hook (Stop)');
    const trusted = await reader(true).read();
    expect(trusted.warnings).toEqual(told);
    expect(trusted.hooks.map(({ value }) => value)).toEqual([{ Stop: run("./right.sh") }]);
  });

  test("needs no agreement alone", async () => {
    const { reader } = folders({ project: { hooks: { PreTooluse: run("x") } } });
    expect((await reader().read()).trust).toEqual({ type: "nothing-to-grant" });
  });
});
