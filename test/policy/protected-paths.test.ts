import { describe, expect, test } from "vitest";
import { protectedName } from "../../src/policy/protected-paths.ts";

describe("protected paths (permission-semantics 4.4)", () => {
  test.each([
    ["/w/.git", ".git"],
    ["/w/.git/config", ".git"],
    ["/w/packages/a/.git/hooks/x", ".git"],
    ["/home/me/.config/git/config", ".config/git"],
    ["/w/.vscode/tasks.json", ".vscode"],
    ["/w/.husky/pre-commit", ".husky"],
    ["/w/.claude/settings.json", ".claude"],
    ["/w/.claude/worktrees", ".claude"],
    ["/w/.claude/worktrees/tree/.git/config", ".git"],
    ["/w/.troupe/x", ".troupe"],
    ["/w/.bashrc", ".bashrc"],
    ["/w/a/lefthook.yml", "lefthook.yml"],
    ["/w/.mcp.json", ".mcp.json"],
    ["/w/.GIT/config", ".git"],
    ["/w/.git./config", ".git"],
    ["/w/.git /config", ".git"],
    ["/w/.git::$INDEX_ALLOCATION/config", ".git"],
    ["/w/GIT~1/config", "git~1"],
    ["/w/.g\u200cit/config", ".git"],
    ["/w/.BashRC", ".bashrc"],
  ])("%j: %s", (path, name) => {
    expect(protectedName(path)).toBe(name);
  });

  test.each([
    "/w/src/a.ts",
    "/w/.gitignore",
    "/w/.github/workflows/ci.yml",
    "/w/git/config",
    "/w/.config/other",
    "/w/.claude/worktrees/tree/src/a.ts",
    "/w/.bashrc.d/a",
    "/w/.npmrc/a",
    "/w/profile",
  ])("%j is an ordinary path", (path) => {
    expect(protectedName(path)).toBeNull();
  });
});
