import { lines } from "../lines.ts";
import type { AttackGroup } from "./fixture.ts";

/** §5.6, git: what its rows do not list asks. */
export const tableGit: readonly AttackGroup[] = [
  {
    about: "git options that write, run or read elsewhere",
    tier: "both",
    ask: lines`
      git diff --output=out ¦ git diff --output out ¦ git diff --outp=out ¦ git diff --stat --output=README.md
      git diff HEAD --output=out ¦ git diff HEAD~1 HEAD --output=.npmrc ¦ git diff "--output=out"
      git diff --out''put=out ¦ git diff --output{=out,} ¦ git log --output=out ¦ git log -1 --output=out
      git log -p --output out ¦ git show --output=out ¦ git show HEAD --output=out ¦ git stash list --output=out
      git stash show --output=out ¦ git stash show -p --output=out ¦ git diff --no-index /etc/passwd README.md
      git diff --no-index README.md /etc/passwd ¦ git diff --no-ind /etc/passwd README.md
      git diff -- /etc/passwd README.md ¦ git diff /etc/passwd README.md ¦ git diff ../out/secret.txt README.md
      git diff --no-index -- ../out/secret.txt README.md ¦ git diff -O/etc/passwd ¦ git diff -O ../out/secret.txt
      git blame --contents /etc/passwd README.md ¦ git blame --contents=/etc/passwd README.md
      git blame --ignore-revs-file=/etc/passwd README.md ¦ git blame -S /etc/passwd README.md
      git blame ../out/secret.txt ¦ git ls-files -X /etc/passwd ¦ git ls-files -X/etc/passwd -i -o
      git ls-files -oX ../out/secret.txt ¦ git ls-files --exclude-from=/etc/passwd -i -o ¦ git ls-files ../out
      git ls-files -- /etc ¦ git show HEAD:../out/secret.txt ¦ git show :../x ¦ git log -L1,5:../x
      git log -L1,5:/etc/passwd ¦ git log -- ../out ¦ git log -- /etc ¦ git branch foo ¦ git branch foo HEAD
      git branch -d topic ¦ git branch -D topic ¦ git branch -m topic other ¦ git branch -M topic other
      git branch -c topic other ¦ git branch -f topic HEAD ¦ git branch -u origin/main
      git branch --set-upstream-to=origin/main ¦ git branch --unset-upstream ¦ git branch --edit-description
      git branch --edit-desc ¦ git branch -r -d origin/x ¦ git branch -av topic ¦ git branch -v foo ¦ git tag v2
      git tag -a v2 -m x ¦ git tag -d v1.0.0 ¦ git tag -f v1.0.0 ¦ git tag -n1 v3 -d ¦ git tag --del v1.0.0
      git remote add x y ¦ git remote update ¦ git remote show origin ¦ git remote prune origin
      git remote -v update ¦ git remote set-url origin x ¦ git stash ¦ git stash pop ¦ git stash push
      git stash drop ¦ git stash clear ¦ git stash apply ¦ git stash -p ¦ git stash list pop --output=x ¦ git fetch
      git pull ¦ git push ¦ git ls-remote ¦ git ls-remote origin ¦ git checkout topic ¦ git switch topic
      git restore README.md ¦ git reset ¦ git add . ¦ git commit -m x ¦ git merge topic ¦ git rebase topic
      git cherry-pick topic ¦ git revert HEAD ¦ git clean -n ¦ git rm README.md ¦ git mv README.md x ¦ git init
      git clone x y ¦ git config user.name x ¦ git config core.fsmonitor ./evil.sh ¦ git config --global x.y z
      git worktree add x ¦ git worktree prune ¦ git worktree remove x ¦ git submodule update ¦ git gc ¦ git prune
      git repack ¦ git fsck --lost-found ¦ git notes add ¦ git bisect start ¦ git archive -o x HEAD
      git archive --output=x HEAD ¦ git bundle create x HEAD ¦ git format-patch HEAD~1 ¦ git apply x ¦ git am x
      git filter-branch ¦ git replace a b ¦ git update-ref refs/x HEAD ¦ git update-index --refresh
      git symbolic-ref HEAD refs/heads/x ¦ git read-tree HEAD ¦ git write-tree ¦ git hash-object -w README.md
      git reflog expire --all ¦ git reflog delete HEAD@{1} ¦ git difftool ¦ git mergetool ¦ git daemon
      git instaweb ¦ git evil ¦ git -c core.fsmonitor=./evil.sh status ¦ git -c diff.external=./evil.sh diff
      git -ccore.pager=./evil.sh log ¦ git --config-env=core.fsmonitor=PWD status ¦ git --exec-path=. status
      git --exec-path=./bin log ¦ git --git-dir=traps/bare status ¦ git --git-dir traps/bare log
      git --work-tree=/ status ¦ git --work-tree / ls-files -o ¦ git -p log ¦ git --paginate log
      git --namespace=x log ¦ git -C /etc status ¦ git -C .. status ¦ git -C ../out log ¦ git -C @out status
      git -C ~ status ¦ git -C/etc status ¦ git -C src -C ../../out status
      git "-c" core.fsmonitor=./evil.sh status ¦ git '-c'core.fsmonitor=./evil.sh status
      git -{c,C} core.fsmonitor=./evil.sh status ¦ GIT_DIR=traps/bare git status
      GIT_EXTERNAL_DIFF=./evil.sh git diff ¦ GIT_PAGER=./evil.sh git log ¦ GIT_CONFIG_COUNT=1 git status
      GIT_TRACE=@ws/out git status ¦ PAGER=./evil.sh git log ¦ PAGER=./evil.sh git -p log
    `,
  },
  {
    about:
      "git options that run programs of a configuration, global options, and what is not listed, without a confinement",
    ask: lines`
      git diff --ext-diff ¦ git diff --ext-d ¦ git log -p --ext-diff ¦ git show --ext-diff ¦ git diff --textconv
      git show --textconv HEAD:README.md ¦ git log -p --textconv ¦ git log --show-signature ¦ git log --show-sig
      git log -1 --format=%G? ¦ git log --format='%h %GS' ¦ git log --pretty='format:%GK'
      git log --pretty=tformat:%GG ¦ git show -s --format=%GF ¦ git show --pretty=format:%G?
      git stash list --format=%GT ¦ git rev-list --format=%G? HEAD ¦ git log "--format=%G"? ¦ git log --help
      git status --help ¦ git diff --help ¦ git log --stdin ¦ git rev-list --stdin ¦ git log --unknown
      git status --renam ¦ git status -x ¦ git -C src log ¦ git --no-pager log ¦ git --no-optional-locks status
      git --bare log ¦ git --literal-pathspecs log ¦ git ls-tree HEAD ¦ git cat-file -p HEAD ¦ git grep x
      git reflog ¦ git worktree list ¦ git for-each-ref ¦ git show-ref ¦ git merge-base HEAD topic
      git check-ignore x ¦ git ls-files --format='%(path)' ¦ git ls-files --eol ¦ git ls-files --with-tree=HEAD
      git ls-files --recurse-submodules ¦ git blame --contents README.md LICENSE ¦ git shortlog --group=author
      cd src && git status ¦ cd src; git log ¦ cd src && git diff ¦ (cd src && git status)
      cd src && ls && git log -1
    `,
  },
];
