import { lines } from "../lines.ts";
import { type AttackGroup, combine } from "./fixture.ts";

/** §5.12: behind wrappers, by rules that say so, and daily work. */
export const permittedGit: readonly AttackGroup[] = [
  {
    about: "git that destroys behind wrappers, under bare Bash",
    rules: { allow: ["Bash"] },
    ask: combine(
      lines`
        timeout 9 %% ¦ env %% ¦ env -i %% ¦ env -S '%%' ¦ sudo %% ¦ sudo -u me %% ¦ nohup %% ¦ command %%
        command -p %% ¦ exec %% ¦ exec -a x %% ¦ time %% ¦ xargs %% ¦ xargs -0n1 %% ¦ find . -exec %% \;
        bash -c '%%' ¦ sh -ec '%%' ¦ eval '%%' ¦ eval %% ¦ (%%) ¦ if true; then %%; fi ¦ for i in a; do %%; done
        ls | %% ¦ /usr/bin/%% ¦ \%% ¦ X=1 %%
      `,
      ["git push --force", "git reset --hard", "git clean -fd", "git branch -D topic"],
    ),
  },
  {
    about: "git that destroys, permitted by rules whose text says so, or by bypass",
    rules: {
      allow: lines`
        Bash(git push --force:*) ¦ Bash(git rebase:*) ¦ Bash(git clean:*) ¦ Bash(git reset --hard)
        Bash(git branch -D:*) ¦ Bash(git commit --amend:*) ¦ Bash(git stash drop) ¦ Bash(git checkout -- .)
      `,
    },
    allow: lines`
      git push --force ¦ git push --force origin main ¦ git rebase main ¦ git rebase -i HEAD~2 ¦ git clean -fd
      git clean -fdx ¦ git reset --hard ¦ git branch -D topic ¦ git commit --amend ¦ git commit --amend --no-edit
      git stash drop ¦ git checkout -- .
    `,
    ask: lines`
      git push -f ¦ git push --force-with-lease ¦ git reset --hard HEAD~1 ¦ git reset --keep HEAD
      git branch -M a b ¦ git stash clear ¦ git checkout . ¦ git restore . ¦ git push origin --force
      git push --mirror
    `,
  },
  {
    about: "bypass permits git that destroys",
    mode: "bypassPermissions",
    allow: lines`
      git push --force ¦ git reset --hard ¦ git clean -fdx ¦ git checkout . ¦ git branch -D topic ¦ git rebase main
    `,
  },
  {
    about: "daily work with git, under Bash(git:*)",
    rules: { allow: ["Bash(git:*)"] },
    allow: lines`
      git add . ¦ git add -A ¦ git add -p src ¦ git commit -m x ¦ git commit -am 'fix: a thing'
      git commit -m "remove --force" ¦ git commit -m 'use -n' ¦ git commit -F data/list.txt
      git commit --fixup HEAD ¦ git push ¦ git push origin main ¦ git push -u origin topic ¦ git pull
      git pull --rebase ¦ git pull --ff-only ¦ git fetch --all --prune ¦ git fetch -p ¦ git checkout main
      git checkout -b topic2 ¦ git switch topic ¦ git switch -c topic3 ¦ git restore README.md
      git restore --staged README.md ¦ git checkout -- README.md ¦ git merge topic ¦ git merge --abort
      git cherry-pick topic ¦ git revert HEAD ¦ git stash ¦ git stash pop ¦ git stash push -m wip ¦ git reset
      git reset HEAD~1 ¦ git reset --soft HEAD~1 ¦ git reset -- README.md ¦ git clean -n ¦ git clean -nd
      git clean -ndx ¦ git branch topic4 ¦ git branch -d topic ¦ git branch -m topic topic5 ¦ git tag v2
      git tag -a v2 -m x ¦ git rm README.md ¦ git mv README.md README2.md ¦ git bisect start ¦ git gc
      git worktree add ../x ¦ git remote add x y ¦ git config user.name x ¦ git log --grep='--force' ¦ git reflog
      git show HEAD
    `,
  },
];
