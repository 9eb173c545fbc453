import { lines } from "../lines.ts";
import type { Group } from "./ground.ts";

/** §5.6 *git*: no global options; the listed options of each subcommand. */
export const plainGit: readonly Group[] = [
  {
    about: "§5.6 git options that are listed",
    allow: lines`
      git status -sb ¦ git status -z ¦ git status -u ¦ git status -v ¦ git status --porcelain=v2
      git status --ignored ¦ git status --ignored=matching ¦ git status --short ¦ git shortlog -sne ¦ git log -p
      git log -u ¦ git log -z ¦ git log -w ¦ git log -b ¦ git log -i --grep=x ¦ git log -E --grep=x
      git log -F --grep=x ¦ git log -m ¦ git log -c ¦ git log -M ¦ git log -C ¦ git log -n 5 ¦ git log -n5
      git log -5 ¦ git log -S foo ¦ git log -Sfoo ¦ git log -G foo ¦ git log -U5 -p ¦ git log -L 1,5:src/a.ts
      git log -L1,5:src/a.ts ¦ git log --oneline --graph --decorate ¦ git log --format='%h %an %s'
      git log --pretty=oneline ¦ git log --since=yesterday --until=now ¦ git log --after=2024-01-01
      git log --author=me --no-merges ¦ git log --stat --reverse ¦ git log --name-only ¦ git log --name-status
      git log --first-parent main ¦ git log --all --oneline ¦ git log --date=short ¦ git log --date=iso -3
      git log --numstat ¦ git log --shortstat ¦ git log --abbrev-commit ¦ git log --max-count=3
      git log --follow -- src/a.ts ¦ git log --diff-filter=A ¦ git log --merges ¦ git log --topo-order ¦ git diff -w
      git diff -U0 ¦ git diff -M ¦ git diff -C ¦ git diff --cached ¦ git diff --staged ¦ git diff --numstat
      git diff --name-status ¦ git diff --word-diff ¦ git diff --ignore-all-space ¦ git diff --shortstat HEAD
      git diff --unified=3 ¦ git diff --diff-filter=M ¦ git diff --color=never ¦ git show -s
      git show --name-only HEAD ¦ git show -s --format=%s HEAD ¦ git show --stat ¦ git show HEAD:README.md
      git show :0:src/a.ts ¦ git show :src/a.ts ¦ git rev-list --all ¦ git rev-list --count main..HEAD
      git rev-list -n 1 HEAD ¦ git rev-list HEAD --max-count=5 ¦ git stash list -p ¦ git stash show --stat
      git blame -w src/a.ts ¦ git blame -e src/a.ts ¦ git blame -L 1,5 src/a.ts ¦ git blame -L1,5 src/a.ts
      git blame -s -l -t src/a.ts ¦ git blame -p src/a.ts ¦ git blame -n -f -C -M src/a.ts
      git blame HEAD -- src/a.ts ¦ git ls-files -c ¦ git ls-files -d ¦ git ls-files -m ¦ git ls-files -o
      git ls-files -oi --exclude-standard ¦ git ls-files --others --exclude-standard ¦ git ls-files --cached
      git ls-files -s ¦ git ls-files -u ¦ git ls-files -z ¦ git ls-files -t ¦ git ls-files -k
      git ls-files -x '*.o' ¦ git ls-files --exclude='*.o' ¦ git ls-files src ¦ git rev-parse --short HEAD
      git rev-parse --git-dir ¦ git rev-parse --is-inside-work-tree ¦ git rev-parse HEAD~2 ¦ git describe --always
      git describe --tags --abbrev=0 ¦ git describe --long ¦ git branch -a ¦ git branch -r ¦ git branch -v
      git branch -av ¦ git branch -l ¦ git branch -l 'x*' ¦ git branch --show-current ¦ git branch --contains=HEAD
      git branch --sort=-committerdate ¦ git branch --list main ¦ git tag ¦ git tag -l ¦ git tag -l 'v*'
      git tag -n ¦ git tag --contains=HEAD ¦ git tag --sort=-creatordate ¦ git remote ¦ git remote -v
    `,
    ask: lines`
      git status --no-such ¦ git status -x ¦ git status --sho ¦ git shortlog -w ¦ git log --ext-diff
      git log -p --textconv ¦ git log --output=x ¦ git log --output x ¦ git log -O x ¦ git log -Ox
      git log --show-signature ¦ git log --stdin ¦ git log --help ¦ git log --format='%h %G?' ¦ git log --format=%GK
      git log --pretty='format:%GS' ¦ git log --pretty=format:%GG ¦ git show --format=%G? HEAD
      git rev-list --format=%GK HEAD ¦ git show --show-signature ¦ git show --ext-diff ¦ git diff --ext-diff
      git diff --no-index a README.md ¦ git diff --output=x ¦ git diff -O/dev/null ¦ git diff --textconv
      git rev-list --stdin ¦ git stash list --output=x ¦ git stash show --ext-diff ¦ git blame --contents=a src/a.ts
      git blame --contents a src/a.ts ¦ git blame -S a src/a.ts ¦ git blame --ignore-revs-file=a src/a.ts
      git blame -c src/a.ts ¦ git blame -b src/a.ts ¦ git ls-files --exclude-per-directory=.gitignore
      git ls-files -X../out/secret.txt ¦ git ls-files -f ¦ git ls-files --with-tree=x ¦ git describe -x
      git branch -m x ¦ git branch -c x ¦ git branch -u x ¦ git branch -t x ¦ git branch -f x ¦ git branch -d x
      git branch -vd x ¦ git branch -ad x ¦ git branch --track x ¦ git branch --unset-upstream
      git branch --contains x -d y ¦ git branch --lis x ¦ git branch -a x ¦ git branch -v x ¦ git branch --sort=x y
      git tag x ¦ git tag -n x ¦ git tag -s x ¦ git tag -m x y ¦ git tag -v x ¦ git tag --verify x
      git tag --sort=x y ¦ git tag -F a x ¦ git remote -x ¦ git remote get-url origin ¦ git remote set-url origin x
      git remote prune origin ¦ git stash apply ¦ git stash save ¦ git stash create ¦ git stash branch x
      git --version ¦ git version ¦ git -P log ¦ git --paginate log ¦ git --bare log
      git --no-optional-locks status ¦ git --literal-pathspecs log ¦ git --attr-source=x log ¦ git -C . status
      git -c a=b status ¦ git var GIT_EDITOR ¦ git difftool ¦ git show-ref ¦ git for-each-ref ¦ git ls-tree HEAD
      git merge-base a b ¦ git check-ignore x ¦ git whatchanged ¦ git ls-remote ¦ git fsck ¦ git count-objects
      git name-rev HEAD ¦ git cherry ¦ git range-diff a b c ¦ git notes list ¦ git diff-tree HEAD
      git diff-index HEAD ¦ git bugreport ¦ git request-pull a b ¦ git format-patch HEAD~1 ¦ git log HEAD $X
      git log --since="$X" ¦ git show {HEAD,main}
    `,
  },
];
