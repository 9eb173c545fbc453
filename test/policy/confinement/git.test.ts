import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { enclosed } from "./enclosed.ts";

/** `@` is the main checkout. */
const REFUSED = [
  ["git stash", "Commit on your branch instead"],
  ["git stash push -m x", "Commit on your branch instead"],
  ["git stash -u", "Commit on your branch instead"],
  ["git stash pop", "Commit on your branch instead"],
  ["git stash drop stash@{0}", "Commit on your branch instead"],
  ["git stash clear", "Commit on your branch instead"],
  ["git --no-pager stash save x", "Commit on your branch instead"],
  ["git config user.name x", "git -c NAME=VALUE"],
  ["git config --global user.name x", "git -c NAME=VALUE"],
  ["git config --unset user.name", "git -c NAME=VALUE"],
  ["git config set user.name x", "git -c NAME=VALUE"],
  ["git config --worktree core.x y", "git -c NAME=VALUE"],
  ["git config -e", "git -c NAME=VALUE"],
  ["git worktree add ../x", "Continue in yours"],
  ["git worktree remove --force x", "Continue in yours"],
  ["git worktree prune", "Continue in yours"],
  ["git branch -D main", "yours is worktree-agent-1"],
  ["git branch -d main", "yours is worktree-agent-1"],
  ["git branch -m main other", "yours is worktree-agent-1"],
  ["git branch -f main HEAD", "yours is worktree-agent-1"],
  ["git branch --delete main", "yours is worktree-agent-1"],
  ["git branch --set-upstream-to=origin/main", "yours is worktree-agent-1"],
  ["git switch -C main", "yours is worktree-agent-1"],
  ["git checkout -B main", "yours is worktree-agent-1"],
  ["git checkout --ignore-other-worktrees main", "yours is worktree-agent-1"],
  ["git rebase --update-refs main", "yours is worktree-agent-1"],
  ["git update-ref refs/heads/main HEAD", "yours is worktree-agent-1"],
  ["git update-ref -d refs/heads/worktree-agent-1", "yours is worktree-agent-1"],
  ["git update-ref --stdin", "yours is worktree-agent-1"],
  ["git symbolic-ref refs/heads/x refs/heads/main", "yours is worktree-agent-1"],
  ["git fetch . HEAD:main", "yours is worktree-agent-1"],
  ["git fetch origin main:main", "yours is worktree-agent-1"],
  ["git push . HEAD:main", "yours is worktree-agent-1"],
  ["git tag v1", "Tags are shared"],
  ["git tag -d v1", "Tags are shared"],
  ["git remote add x y", "Remotes are shared"],
  ["git remote remove origin", "Remotes are shared"],
  ["git gc", "Leave that to the user"],
  ["git prune", "Leave that to the user"],
  ["git repack -ad", "Leave that to the user"],
  ["git reflog expire --expire=now --all", "Leave that to the user"],
  ["git maintenance start", "Leave that to the user"],
  ["git filter-branch --all", "ordinary commits"],
  ["git notes add -m x", "ordinary commits"],
  ["git submodule update --init", "git -c NAME=VALUE"],
  ["git sparse-checkout set src", "git -c NAME=VALUE"],
  ["git init", "is a repository already"],
  ["git -c alias.s=stash s", "Write the command itself"],
  ["git --config-env=alias.s=HIDDEN s", "Write the command itself"],
  ['git "$what"', "Write the command out"],
  ["git -C @ status", "main checkout"],
  ["git -C ../../.. log", "main checkout"],
  ["git -C src -C ../../../.. log", "main checkout"],
  ["git --git-dir=@/.git log", "point git out of your worktree"],
  ["git --git-dir @/.git --work-tree @ checkout .", "point git out of your worktree"],
  ["git --work-tree=@ checkout -- .", "point git out of your worktree"],
  ["GIT_DIR=@/.git git status", "point git out of your worktree"],
  ["GIT_WORK_TREE=@ git checkout .", "point git out of your worktree"],
  ["GIT_INDEX_FILE=@/.git/index git add .", "point git out of your worktree"],
  ["GIT_DIR=$X git status", "point git out of your worktree"],
  ["export GIT_DIR=@/.git; git stash list", "point git out of your worktree"],
  ["env GIT_DIR=@/.git git status", "point git out of your worktree"],
  ["cd src && git stash", "Commit on your branch instead"],
  ["true && (git stash)", "Commit on your branch instead"],
  ["bash -c 'git stash'", "Commit on your branch instead"],
  ["timeout 9 git stash", "Commit on your branch instead"],
  ["/usr/bin/git stash", "Commit on your branch instead"],
  ["/usr/lib/git-core/git-stash push", "Commit on your branch instead"],
  ["for c in stash gc; do git $c; done", "before it runs"],
] as const;

const LEFT = [
  "git status",
  "git diff HEAD~1",
  "git log --oneline -5",
  "git add -A",
  "git commit -m x",
  "git -c user.name=x commit -am y",
  "git stash list",
  "git stash show -p",
  "git config user.name",
  "git config --get user.name",
  "git config --list",
  "git config get user.name",
  "git worktree list",
  "git branch",
  "git branch -a",
  "git branch new",
  "git branch --show-current",
  "git switch -c new",
  "git checkout -b new",
  "git checkout -- src/a.ts",
  "git switch persons-other",
  "git reset --hard HEAD~1",
  "git rebase main",
  "git merge main",
  "git tag",
  "git tag -l 'v*'",
  "git remote -v",
  "git remote show origin",
  "git fetch",
  "git fetch origin main",
  "git fetch origin '+refs/heads/*:refs/remotes/origin/*'",
  "git fetch git@example.org:a/b main",
  "git pull --rebase",
  "git push origin HEAD",
  "git push -u origin HEAD:feature",
  "git update-ref refs/heads/worktree-agent-1 HEAD",
  "git symbolic-ref HEAD",
  "git reflog",
  "git notes list",
  "git submodule status",
  "git -C src status",
  "git init fresh",
  "git --version",
  "git",
  "GIT_AUTHOR_NAME=x git commit -m y",
  "GIT_INDEX_FILE=/tmp/index git add .",
  "git clone https://example.org/x.git /tmp/x && cd /tmp/x && git stash",
  "git -C /tmp/x tag v1",
];

test("refuses what changes the things that all worktrees and the user share, with what to do instead; the rest is left to the rules", async () => {
  const { running, checkout } = await enclosed();
  const said = (command: string) => running(command.replaceAll("@", checkout));
  expect(REFUSED.filter(([command, says]) => !said(command)?.includes(says))).toEqual([]);
  expect(LEFT.filter((command) => said(command) !== null)).toEqual([]);
});

test("a repository within the tree is the actor's own affair", async () => {
  const { running, path } = await enclosed();
  mkdirSync(join(path, "inner", ".git"));
  expect(running("git -C inner stash")).toBeNull();
  expect(running("git tag v1", join(path, "inner"))).toBeNull();
  expect(running("git tag v1")).not.toBeNull();
});

test("refuses exactly what would have changed the user's repository", {
  tags: ["long"],
}, async () => {
  const { repository, path, running } = await enclosed();
  const seen = async () => {
    const asked = [
      "status --porcelain",
      "for-each-ref",
      "config --list --local",
      "worktree list",
      "stash list",
    ];
    return Promise.all(asked.map((line) => repository.must(line.split(" "))));
  };
  const before = await seen();
  const inTree = repository.git.at(path);
  for (const words of [
    ["add", "-A"],
    ["status"],
    ["stash", "list"],
    ["config", "--list"],
    ["worktree", "list"],
  ]) {
    expect(running(`git ${words.join(" ")}`)).toBeNull();
    expect((await inTree.run(words)).code).toBe(0);
  }
  expect(await seen()).toEqual(before);
  for (const words of [["stash"], ["config", "a.b", "c"], ["tag", "v1"], ["branch", "-f", "other", "HEAD"]]) {
    expect(running(`git ${words.join(" ")}`)).not.toBeNull();
    const was = await seen();
    expect((await inTree.run(words)).code).toBe(0);
    expect(await seen()).not.toEqual(was);
  }
});
