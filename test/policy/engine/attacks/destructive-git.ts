import { lines } from "../lines.ts";
import type { AttackGroup } from "./fixture.ts";

const pushes = lines`
  git push -f ¦ git push -f origin main ¦ git push origin main -f ¦ git push --force ¦ git push --force origin main
  git push origin --force main ¦ git push "--force" ¦ git push --for''ce ¦ git push '-f' origin
  git push -uf origin main ¦ git push -fu origin main ¦ git push -qf ¦ git push -nvf ¦ git push --force-with-lease
  git push --force-with-lease=main ¦ git push --force-w ¦ git push --force-if-includes ¦ git push --mirror
  git push --mir ¦ git push --delete origin topic ¦ git push origin --delete topic ¦ git push --del origin topic
  git push -d origin topic ¦ git push -qd origin topic ¦ git push --prune ¦ git push --prune origin 'refs/heads/*'
  git push --pru origin ¦ git push origin +main ¦ git push origin +main:main ¦ git push origin '+main'
  git push origin "+refs/heads/*:refs/heads/*" ¦ git push origin :topic ¦ git push origin ":topic"
  git push origin main :topic ¦ git push origin -- +main ¦ git push --no-verify ¦ git push origin --no-verify
  git push --no-verif origin ¦ timeout 60 git push --force ¦ cd src && git push -f
  git push origin main; git push -f ¦ echo "$(git push -f)"
`;

const others = lines`
  git reset --hard ¦ git reset --hard HEAD~1 ¦ git reset -q --hard ¦ git reset HEAD~1 --hard ¦ git reset --har
  git reset --ha HEAD ¦ git reset "--hard" ¦ git reset --keep HEAD~1 ¦ git reset --ke HEAD~1 ¦ git clean
  git clean -f ¦ git clean -fd ¦ git clean -df ¦ git clean -fdx ¦ git clean -xdf ¦ git clean -f -- -n
  git clean -n --no-dry-run -f ¦ git clean -f -d -x ¦ git clean --force ¦ git clean --fo ¦ git clean -qf src
  git clean -dffx ¦ git clean -i ¦ git checkout -f ¦ git checkout -f main ¦ git checkout --force main
  git checkout --forc main ¦ git checkout -qf main ¦ git checkout -B main ¦ git checkout -qB main origin/main
  git checkout . ¦ git checkout -- . ¦ git checkout HEAD -- . ¦ git checkout HEAD . ¦ git checkout :/
  git checkout -- :/ ¦ git checkout -- 'src/*' ¦ git checkout -- src/* ¦ git checkout -- '*.ts' ¦ git checkout src
  git checkout -- src ¦ git checkout -- src/ ¦ git checkout HEAD~1 -- docs ¦ git checkout -- ./ ¦ git restore .
  git restore -- . ¦ git restore :/ ¦ git restore --staged --worktree . ¦ git restore -SW .
  git restore --source=HEAD~1 . ¦ git restore src ¦ git restore src/ ¦ git restore 'src/*' ¦ git restore '*'
  git restore * ¦ git switch -f main ¦ git switch --force main ¦ git switch -C main ¦ git switch -qC main
  git switch --discard-changes main ¦ git switch --discard main ¦ git branch -D topic ¦ git branch -qD topic
  git branch -Dq topic ¦ git branch -rD origin/x ¦ git branch -M topic main ¦ git branch -C topic main
  git branch -f main HEAD~1 ¦ git branch -qf main HEAD~1 ¦ git branch "-D" topic ¦ git tag -d v1.0.0
  git tag -f v1.0.0 ¦ git tag -af v1.0.0 -m x ¦ git commit --amend ¦ git commit --amend --no-edit
  git commit --ame -m x ¦ git commit -a --amend ¦ git commit -n -m x ¦ git commit -nm x ¦ git commit -anm x
  git commit -an -m x ¦ git commit --no-verify -m x ¦ git commit -m x --no-verify ¦ git commit --no-verif -m x
  git merge --no-verify topic ¦ git rebase ¦ git rebase main ¦ git rebase -i HEAD~3 ¦ git rebase --onto main topic
  git rebase --abort ¦ git filter-branch --all ¦ git filter-repo --force ¦ git replace a b
  git update-ref -d refs/heads/main ¦ git update-ref refs/heads/main HEAD~1 ¦ git reflog expire --expire=now --all
  git reflog delete HEAD@{1} ¦ git gc --prune=now ¦ git gc --prune ¦ git gc --pru=now
  git gc --aggressive --prune=all ¦ git stash drop ¦ git stash drop stash@{1} ¦ git stash clear
  git -C src reset --hard ¦ git -C . clean -fd ¦ git --no-pager push -f ¦ git -c core.x=y reset --hard
  git -c a.b=c -C src branch -D topic ¦ git --git-dir=.git checkout . ¦ git --git-dir .git push -f
  git -P clean -fd ¦ git --work-tree=. --git-dir=.git reset --hard
`;

/** §5.12: what asks, whatever allows git. */
export const destructiveGit: readonly AttackGroup[] = [
  {
    about: "git that destroys, under bare Bash",
    rules: { allow: ["Bash"] },
    ask: [...pushes, ...others],
  },
  {
    about: "git that destroys, under Bash(git:*)",
    rules: { allow: ["Bash(git:*)"] },
    mode: "acceptEdits",
    tier: "both",
    ask: [...pushes, ...others],
  },
  {
    about: "pushes that destroy, under rules for push",
    rules: { allow: ["Bash(git push:*)", "Bash(git push origin:*)", "Bash(git p*)"] },
    ask: pushes,
    allow: lines`
      git push ¦ git push origin main ¦ git push -u origin topic ¦ git push --set-upstream origin topic
      git push origin HEAD:topic ¦ git push --tags ¦ git push -n
    `,
  },
];
