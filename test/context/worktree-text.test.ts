import { expect, test } from "vitest";
import { worktreeText } from "../../src/context/assemble.ts";

const tree = {
  ...{ name: "agent-1", path: "/repo/.claude/worktrees/agent-1", branch: "worktree-agent-1" },
  ...{ checkout: "/repo", base: "b".repeat(40), head: "a".repeat(40) },
};

test("tells an agent its worktree, what paths of the checkout mean, and how its edits are merged (C11)", () => {
  const words = worktreeText(tree);
  expect(words).toContain("/repo/.claude/worktrees/agent-1, on branch worktree-agent-1");
  expect(words).toContain(`HEAD ${tree.head}`);
  expect(words).toContain("/repo/a/b is /repo/.claude/worktrees/agent-1/a/b");
  expect(words).toMatch(/do not commit unless you are asked to, do not stash/);
  expect(worktreeText({ ...tree })).toBe(words);
});

test("describes a repository without commits", () => {
  const words = worktreeText({ ...tree, head: null });
  expect(words).toContain("a checkout without commits");
  expect(words).not.toContain("null");
});
