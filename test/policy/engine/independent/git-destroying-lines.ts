import { lines } from "../lines.ts";

/** Commands that §5.12 names. */
const pushes = lines`
  git push -f ¦ git push --force ¦ git push --force-with-lease ¦ git push --force-with-lease=main:abc origin main
  git push --force-if-includes ¦ git push --forc ¦ git push --force origin main ¦ git push origin main --force
  git push origin main -f ¦ git push -uf origin x ¦ git push -fu origin x ¦ git push -qf ¦ git push --mirror
  git push --mirr origin ¦ git push --delete origin x ¦ git push origin --delete x ¦ git push --del origin x
  git push -d origin x ¦ git push -qd origin x ¦ git push --prune origin ¦ git push --prun origin
  git push origin +main ¦ git push origin +main:main ¦ git push origin :x ¦ git push origin main :x
  git push origin '+refs/heads/*:refs/heads/*' ¦ git push --no-verify ¦ git push --no-veri ¦ git -C sub push --force
  git -C . push -f ¦ git --no-pager push --force ¦ git 'push' --force ¦ git push "--force" ¦ git push --fo''rce
  timeout 30 git push --force ¦ CI=1 git push --force ¦ git status && git push --force ¦ git fetch; git push -f
  for b in a b; do git push -f origin $b; done ¦ (git push --force) ¦ echo $(git push --force)
`;
const trees = lines`
  git reset --hard ¦ git reset --hard HEAD~1 ¦ git reset HEAD~1 --hard ¦ git reset --har ¦ git reset -q --hard
  git reset --keep HEAD~1 ¦ git reset --kee HEAD~1 ¦ git clean -f ¦ git clean -fd ¦ git clean -fdx ¦ git clean -xdf
  git clean --force ¦ git clean -f src ¦ git clean -d -f ¦ git checkout -f ¦ git checkout -f main
  git checkout --force main ¦ git checkout --forc main ¦ git checkout -qf main ¦ git checkout -B x
  git checkout -B x origin/main ¦ git checkout -qB x ¦ git checkout . ¦ git checkout -- . ¦ git checkout HEAD -- .
  git checkout HEAD~1 . ¦ git checkout :/ ¦ git checkout -- :/ ¦ git checkout src ¦ git checkout -- src
  git checkout -- src/ ¦ git checkout -- src/a.ts docs ¦ git checkout -- '*.ts' ¦ git checkout -- *.md
  git restore . ¦ git restore :/ ¦ git restore src ¦ git restore src/deep ¦ git restore '*.ts'
  git restore --source=HEAD~1 . ¦ git restore --worktree . ¦ git restore a docs ¦ git switch -C x
  git switch -f main ¦ git switch --force main ¦ git switch --discard-changes main ¦ git switch --discard main
  git switch -qf main
`;
const refs = lines`
  git branch -D x ¦ git branch -D x y ¦ git branch -qD x ¦ git branch -M x ¦ git branch -M x y ¦ git branch -C x y
  git branch -f x HEAD~1 ¦ git branch --force x HEAD~1 ¦ git branch -df x ¦ git branch -d -f x
  git branch --delete --force x ¦ git tag -d v1 ¦ git tag -f v1 ¦ git tag --delete v1 ¦ git tag --force v1
  git tag -am x -f v1 ¦ git tag -fam x v1 ¦ git commit --amend ¦ git commit --amend --no-edit ¦ git commit --amen
  git commit -a --amend -m x ¦ git commit -n -m x ¦ git commit -nm x ¦ git commit -anm x
  git commit --no-verify -m x ¦ git commit -m x --no-verify ¦ git commit -m x --no-ver ¦ git merge --no-verify x
  git rebase ¦ git rebase main ¦ git rebase -i HEAD~3 ¦ git rebase --onto a b ¦ git rebase --continue
  git filter-branch --tree-filter x ¦ git filter-repo --path x ¦ git replace a b ¦ git update-ref refs/heads/x HEAD
  git update-ref -d refs/heads/x ¦ git reflog expire --expire=now --all ¦ git reflog delete HEAD@{1}
  git gc --prune=now ¦ git gc --prune ¦ git gc --aggressive --prune=all ¦ git stash drop ¦ git stash drop stash@{0}
  git stash clear
`;
export const destroys = [...pushes, ...trees, ...refs];

/** Daily work with git, of which nothing is lost. */
export const daily = lines`
  git push ¦ git push -u origin x ¦ git push origin main ¦ git push origin HEAD:refs/heads/x ¦ git push --tags
  git push --follow-tags ¦ git push --dry-run ¦ git pull ¦ git pull --rebase ¦ git pull --rebase origin main
  git pull --ff-only ¦ git reset ¦ git reset HEAD a ¦ git reset --soft HEAD~1 ¦ git reset --mixed HEAD~1
  git clean -n ¦ git clean -nd ¦ git clean -ndx ¦ git checkout main ¦ git checkout -b x
  git checkout -b x origin/main ¦ git checkout -- src/a.ts ¦ git checkout HEAD -- src/a.ts ¦ git restore src/a.ts
  git restore --staged src/a.ts ¦ git switch main ¦ git switch -c x ¦ git branch x ¦ git branch -d x
  git branch -m x y ¦ git branch --merged ¦ git tag v1 ¦ git tag -a v1 -m x ¦ git commit -m x ¦ git commit -am x
  git commit -m 'no --amend here' ¦ git commit -m 'drop -n' ¦ git commit -F a ¦ git merge x ¦ git merge --no-ff x
  git cherry-pick abc ¦ git revert HEAD ¦ git stash ¦ git stash push -m x ¦ git stash pop ¦ git stash apply
  git add -A ¦ git add -f build/out.js ¦ git rm a ¦ git mv a b ¦ git gc ¦ git fetch --all ¦ git remote add x y
  git reflog ¦ git worktree add ../x
`;
