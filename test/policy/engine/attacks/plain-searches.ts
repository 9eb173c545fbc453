import { lines } from "../lines.ts";
import type { AttackGroup } from "./fixture.ts";

/** §5.6: searches and git; each that asks is a false prompt. */
export const plainSearches: readonly AttackGroup[] = [
  {
    about: "ordinary searches",
    tier: "both",
    allow: lines`
      grep foo README.md ¦ grep -n foo src/a.ts ¦ grep -rn foo src ¦ grep -rn 'foo bar' src test
      grep -rn "import .* from" src ¦ grep -r foo ¦ grep -rl foo . ¦ grep -rni foo --include='*.ts' src
      grep -rn --include=*.ts foo src/ ¦ grep -rn --exclude-dir=node_modules foo .
      grep -rn --exclude-dir node_modules foo . ¦ grep -E 'a|b' src/a.ts ¦ grep -Eo '[0-9]+' data/numbers.txt
      grep -c foo src/a.ts ¦ grep -v '^#' config/dev.json ¦ grep -w foo src/a.ts ¦ grep -A 3 -B 3 foo src/a.ts
      grep -C3 foo src/a.ts ¦ grep -3 foo src/a.ts ¦ grep -A3 -n foo src/a.ts ¦ grep -m 1 foo src/a.ts
      grep -q foo README.md && echo yes ¦ grep -e foo -e bar src/a.ts ¦ grep -f data/list.txt README.md
      grep -F 'a.b' README.md ¦ grep -P '\d+' data/numbers.txt ¦ grep -L foo src/a.ts src/b.ts
      grep --color=always foo README.md ¦ grep --ignore-case foo README.md ¦ grep -- -x README.md
      grep '' README.md ¦ grep foo < README.md ¦ egrep 'a|b' README.md ¦ fgrep a.b README.md
      cat src/a.ts | grep foo ¦ grep foo src/*.ts ¦ grep -i 'rm -rf' docs/guide.md ¦ rg foo ¦ rg foo src
      rg -n foo src/ ¦ rg -i foo ¦ rg -l foo ¦ rg -c foo src ¦ rg -w foo ¦ rg -F 'a.b(' ¦ rg -t ts foo
      rg -tts foo src ¦ rg -g '*.ts' foo ¦ rg -g '!dist' foo ¦ rg --glob '*.md' foo ¦ rg --glob='*.md' foo
      rg -A 3 foo ¦ rg -C2 foo ¦ rg -e foo -e bar ¦ rg --files ¦ rg --files src ¦ rg --files -g '*.ts'
      rg --hidden foo src ¦ rg -uu foo src ¦ rg -o '[a-z]+' README.md ¦ rg -U 'a\nb' src ¦ rg --json foo src
      rg --no-heading -n foo ¦ rg --sort=path foo ¦ rg --type-list ¦ rg -m 3 foo ¦ rg foo -g '*.ts' | head -20
      rg 'a|b' src test ¦ find . -name '*.ts' ¦ find src -type f ¦ find . -type f -name '*.md'
      find . -maxdepth 2 -type d ¦ find . -name '*.ts' -o -name '*.js' ¦ find . \( -name a -o -name b \) -print
      find . -not -path './node_modules/*' ¦ find . -path ./node_modules -prune -o -name '*.ts' -print
      find . ! -name '*.ts' ¦ find . -iname readme.md ¦ find . -size +1M ¦ find . -mtime -1
      find . -newer README.md ¦ find . -empty ¦ find src -name '*.ts' | wc -l ¦ find src -name '*.ts' -print0
      find src -type f -ls ¦ find src -printf '%s %p\n' ¦ find . -regex '.*\.ts' ¦ find . -perm 644
      find . -mmin -60 -type f ¦ find ¦ find src test -name '*.ts' ¦ find . -name '*.md' | head -5
      find . -name '*.ts' | sort ¦ sed -n '1,20p' src/a.ts ¦ sed -n 5p README.md ¦ sed -n '/foo/p' src/a.ts
      sed -n '/a/,/b/p' docs/guide.md ¦ sed -n '$p' README.md ¦ sed -n -e 5p README.md ¦ sed -ne 5p README.md
      sed -nE '/a|b/p' README.md ¦ sed -n '10,+5p' src/a.ts ¦ cat src/a.ts | sed -n 1,5p
    `,
  },
  {
    about: "ordinary reading of git",
    tier: "both",
    allow: lines`
      git status ¦ git status -s ¦ git status -sb ¦ git status --short ¦ git status --porcelain
      git status --porcelain=v2 ¦ git status --ignored ¦ git log ¦ git log --oneline ¦ git log --oneline -5
      git log -5 ¦ git log -n 5 ¦ git log -n5 --oneline ¦ git log -1 --format=%H ¦ git log --format='%h %an %s' -10
      git log --pretty=oneline ¦ git log --stat ¦ git log -p -1 ¦ git log -p -- src/a.ts ¦ git log -- src
      git log --graph --oneline --all ¦ git log --since=yesterday ¦ git log --since='1 week ago' --oneline
      git log --author=me ¦ git log --grep=fix ¦ git log -S foo ¦ git log -G 'foo.*' ¦ git log main..topic
      git log main...topic --oneline ¦ git log --follow src/a.ts ¦ git log HEAD~1..HEAD ¦ git log -L 1,1:src/a.ts
      git log --merges ¦ git log --reverse --oneline ¦ git log --all --decorate --oneline ¦ git log v1.0.0
      git diff ¦ git diff --stat ¦ git diff --cached ¦ git diff --staged --name-only ¦ git diff HEAD
      git diff HEAD~1 ¦ git diff HEAD~1 HEAD -- src ¦ git diff main topic ¦ git diff main...topic --stat
      git diff --name-status ¦ git diff -w ¦ git diff -U10 ¦ git diff --word-diff ¦ git diff --numstat
      git diff src/a.ts ¦ git diff -- src/a.ts docs ¦ git show ¦ git show HEAD ¦ git show --stat
      git show HEAD~1 --name-only ¦ git show HEAD:src/a.ts ¦ git show v1.0.0:README.md
      git show -s --format=%B HEAD ¦ git show topic ¦ git blame src/a.ts ¦ git blame -L 1,1 src/a.ts
      git blame -w src/a.ts ¦ git ls-files ¦ git ls-files src ¦ git ls-files '*.ts'
      git ls-files --others --exclude-standard ¦ git ls-files -o ¦ git ls-files -m ¦ git rev-parse HEAD
      git rev-parse --short HEAD ¦ git rev-parse --abbrev-ref HEAD ¦ git rev-parse --show-toplevel
      git rev-list --count HEAD ¦ git rev-list HEAD -n 3 ¦ git describe --tags ¦ git describe --tags --always
      git branch ¦ git branch -a ¦ git branch -r ¦ git branch -v ¦ git branch -vv ¦ git branch --show-current
      git branch --list ¦ git branch --list 'top*' ¦ git branch -l 'top*' ¦ git branch --contains=HEAD
      git branch --sort=-committerdate ¦ git tag ¦ git tag -l ¦ git tag -l 'v*' ¦ git tag --list 'v*' ¦ git tag -n
      git tag --sort=-creatordate ¦ git remote ¦ git remote -v ¦ git stash list ¦ git stash show ¦ git stash show -p
      git shortlog -sn ¦ git shortlog -sne HEAD ¦ git log --oneline | head -20 ¦ git diff | head -100
      git diff --name-only | grep ts ¦ git status && git diff --stat ¦ git status; git log -1 ¦ git diff | cat
      git log --oneline | wc -l ¦ git ls-files | grep test | head
    `,
  },
];
