import { describe, expect, test } from "vitest";
import { worktreeDefaults } from "../../src/features/isolation/worktree-settings.ts";
import { settingsReader } from "../../src/policy/trust/trust.ts";
import { foldersWith, readIn } from "./folders.ts";

const all = {
  baseRef: "fresh",
  dependencies: { node_modules: "link", "packages/a/vendor/": "copy" },
  setup: { command: "npm ci", ready: "test -d node_modules", timeoutMs: 60_000 },
  check: "npm test",
  checkTimeoutMs: 90_000,
  merge: "commit",
  overlap: "wait",
};

describe("settings of worktrees", () => {
  test("are read together, a folder of dependencies being a setting of its own (A16.1, A18.2)", async () => {
    const { settings, warnings } = await readIn({
      user: { worktree: { ...all, setup: "make", dependencies: { node_modules: "copy", ".venv": "link" } } },
      project: { worktree: all },
    });
    expect(warnings).toEqual([]);
    expect(settings.worktree).toEqual({
      ...all,
      dependencies: { ".venv": "link", node_modules: "link", "packages/a/vendor": "copy" },
    });
  });

  test("are those of the defaults where nobody says anything", async () => {
    const { settings } = await readIn({});
    expect({ ...worktreeDefaults, ...settings.worktree }).toEqual(worktreeDefaults);
  });

  test("a set-up may be its command alone, and has five minutes", async () => {
    expect((await readIn({ user: { worktree: { setup: "make" } } })).settings.worktree.setup).toEqual({
      command: "make",
      timeoutMs: 300_000,
    });
    expect(
      (await readIn({ user: { worktree: { setup: { command: "make" } } } })).settings.worktree.setup,
    ).toEqual({
      command: "make",
      timeoutMs: 300_000,
    });
  });

  test.each([
    [{ baseRef: "main" }, 'worktree.baseRef must be one of "checkout", "head", "fresh"'],
    [{ merge: "yes" }, 'worktree.merge must be one of "apply", "commit", "keep", "ask"'],
    [{ overlap: true }, 'worktree.overlap must be one of "tell", "wait", "refuse", "off"'],
    [{ check: " " }, "worktree.check must be a command"],
    [{ checkTimeoutMs: 0.5 }, "worktree.checkTimeoutMs must be a whole number from 1000 to 86400000"],
    [{ setup: {} }, "worktree.setup must be a command, or an object with command"],
    [{ setup: '{ "command": 3 }' }, "worktree.setup must be a command, or an object with command"],
    [{ setup: { ready: "x" } }, "worktree.setup must be a command, or an object with command"],
    [{ setup: { command: "x", after: "y" } }, "worktree.setup must be a command, or an object with command"],
    [{ setup: { command: "x", timeoutMs: "1 s" } }, "worktree.setup must be a command, or an object with"],
    [{ dependencies: ["node_modules"] }, "worktree.dependencies must be a folder below the top"],
    [{ dependencies: { "../shared": "link" } }, "worktree.dependencies.../shared must be a folder below"],
    [{ dependencies: { "a/../../b": "copy" } }, "must be a folder below the top of the repository"],
    [{ dependencies: { "/etc": "copy" } }, "worktree.dependencies./etc must be a folder below"],
    [{ dependencies: { ".": "copy" } }, "worktree.dependencies.. must be a folder below"],
    [{ dependencies: { "": "copy" } }, "must be a folder below the top"],
    [{ dependencies: { "a//b": "copy" } }, "must be a folder below the top"],
    [{ dependencies: { "a\\b": "copy" } }, "must be a folder below the top"],
    [{ dependencies: { ".GIT/hooks": "link" } }, "must be a folder below the top"],
    [{ dependencies: { node_modules: "move" } }, "worktree.dependencies.node_modules must be a folder below"],
  ])("%j is named with what it must be, and does not count", async (worktree, sentence) => {
    const { settings, warnings } = await readIn({ user: { worktree } });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(sentence);
    expect(settings.worktree).toEqual({ dependencies: {} });
  });

  test("what others read in the same place is nobody's mistake, a misspelt one is", async () => {
    const { warnings } = await readIn({
      user: { worktree: { symlinkDirectories: ["node_modules"], sparsePaths: ["src"] } },
    });
    expect(warnings).toEqual([]);
    expect((await readIn({ user: { worktree: { basRef: "head" } } })).warnings[0]).toMatch(
      /there is no setting worktree\.basRef/,
    );
    expect((await readIn({ user: { worktree: "yes" } })).warnings[0]).toMatch(/worktree must be an object/);
  });

  test("a folder's commands are shown before they are trusted, and nothing of it counts until then", async () => {
    const where = foldersWith({ project: { worktree: all } });
    const read = await settingsReader({ ...where, home: `${where.homedir}/.troupe` }, false).read();
    expect(read.settings.worktree).toEqual({ dependencies: {} });
    if (read.trust.type !== "untrusted") throw new Error(read.trust.type);
    expect(read.trust.grants.map(({ words }) => words)).toEqual([
      'set worktree.baseRef to "fresh"',
      'set worktree.dependencies.node_modules to "link"',
      'set worktree.dependencies.packages/a/vendor/ to "copy"',
      'run "npm ci", then "test -d node_modules" until it succeeds, in every new worktree',
      'run "npm test" before edits of agents are merged',
      "set worktree.checkTimeoutMs to 90000",
      'set worktree.merge to "commit"',
      'set worktree.overlap to "wait"',
    ]);
    const short = foldersWith({ local: { worktree: { setup: "make\u202e" } } });
    const { trust } = await settingsReader({ ...short, home: `${short.homedir}/.troupe` }, false).read();
    expect(trust).toMatchObject({ grants: [{ words: 'run "make<U+202E>" in every new worktree' }] });
  });
});
