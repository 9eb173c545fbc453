// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are bash's.
import { type AttackGroup, lines } from "./fixture.ts";

/** §5.6: what reads without asking in every tier; each that asks is a false prompt. */
export const plainReads: readonly AttackGroup[] = [
  {
    about: "ordinary reading with the text tools",
    tier: "both",
    allow: lines`
      ls
      ls -la
      ls -lah src
      ls -1
      ls -R src
      ls -lt docs
      ls -ltr
      ls -S -r src
      ls --color=never
      ls --color
      ls -d src docs
      ls --sort=size src
      ls -w 80 src
      ls -I node_modules
      ls --all --human-readable -l
      ls 'docs/with blank.md'
      ls docs/with\ blank.md
      cat README.md
      cat -n src/a.ts
      cat README.md LICENSE
      cat -A data/rows.csv
      cat ./src/a.ts
      cat "README.md"
      cat -- README.md
      rev data/list.txt
      head README.md
      head -n 20 src/a.ts
      head -20 src/a.ts
      head -n20 src/a.ts
      head -c 100 README.md
      head -n -1 data/rows.csv
      head --lines=5 README.md
      head --lines 5 README.md
      head -q -n 1 src/a.ts src/b.ts
      tail data/app.log
      tail -n 50 data/app.log
      tail -50 data/app.log
      tail -n +2 data/rows.csv
      tail -c 1k data/app.log
      wc README.md
      wc -l src/a.ts src/b.ts
      wc -lw README.md
      wc --lines README.md
      nl README.md
      nl -ba src/a.ts
      nl -b a -w 4 src/a.ts
      cut -d, -f1 data/rows.csv
      cut -d ',' -f 1,3 data/rows.csv
      cut -c1-10 README.md
      cut -f2 --complement data/rows.csv
      paste data/list.txt data/numbers.txt
      paste -d, data/list.txt data/numbers.txt
      paste -s data/list.txt
      column -t data/list.txt
      column -t -s , data/rows.csv
      tr a-z A-Z < README.md
      tr -d '\n' < data/list.txt
      tr -s ' ' < README.md
      basename src/a.ts .ts
      basename -s .ts src/a.ts
      basename -a src/a.ts src/b.ts
      dirname src/a.ts
      which node
      which -a node
      type ls
      type -t cd
      true
      false
      id
      id -un
      comm data/list.txt data/numbers.txt
      comm -12 data/list.txt data/numbers.txt
      join data/list.txt data/numbers.txt
      join -t, -1 1 -2 1 data/rows.csv data/list.txt
      diff README.md LICENSE
      diff -u src/a.ts src/b.ts
      diff -ruN src test
      diff -rq src test
      diff --brief src/a.ts src/b.ts
      diff -U 5 src/a.ts src/b.ts
      diff -w -B src/a.ts src/b.ts
      diff -y -W 120 src/a.ts src/b.ts
      cmp src/a.ts src/b.ts
      cmp -s src/a.ts src/b.ts
      sort data/list.txt
      sort -u data/list.txt
      sort -rn data/numbers.txt
      sort -k2,2n -t, data/rows.csv
      sort -t , -k 2 data/rows.csv
      sort --reverse data/list.txt
      sort -c data/list.txt
      sort data/list.txt | uniq -c | sort -rn | head -5
      uniq data/list.txt
      uniq -c data/list.txt
      uniq -d data/list.txt
      uniq -f 1 data/list.txt
      seq 5
      seq 1 2 10
      seq -s, 3
      seq -w 10
      sleep 1
      sleep 0.5
      echo hello
      echo -n hello
      echo -e 'a\tb'
      echo "a b" c
      echo $?
      echo "exit $?"
      echo "$(pwd)"
      echo "$(git rev-parse --short HEAD)"
      printf '%s\n' hello
      printf '%d\n' 3
      printf 'done\n'
      md5sum README.md
      sha256sum package.json
      sha1sum -b package.json
      cksum README.md
      od -c README.md
      od -A x -t x1 README.md
      od -An -tx1 README.md
      hexdump -C README.md
      hexdump -C -n 64 README.md
      strings README.md
      strings -n 8 data/app.log
      xxd README.md
      xxd -l 64 README.md
      xxd -p README.md
      xxd -c 8 -g 1 README.md
    `,
  },
  {
    about: "ordinary reading of files, directories and the system",
    tier: "both",
    allow: lines`
      stat README.md
      stat -c '%s %n' README.md
      stat -c %Y src/a.ts
      stat -f .
      du -sh .
      du -sh src docs
      du -h -d 1
      du -ah src
      du -d1 src
      du --apparent-size -s src
      du --exclude=node_modules -sh .
      df -h
      df -h .
      df -T
      pwd
      pwd -P
      whoami
      uname
      uname -a
      uname -sr
      uptime
      uptime -p
      hostname
      hostname -s
      realpath src/a.ts
      realpath --relative-to=src README.md
      realpath -m src/missing
      readlink -f link-in
      readlink link-out
      date
      date +%F
      date '+%Y-%m-%d %H:%M'
      date -u +%s
      date -d yesterday +%F
      date -r README.md
      tree
      tree src
      tree -L 2 src
      tree -a -L 1
      tree -I 'node_modules|dist'
      tree --dirsfirst
      file README.md
      file -b src/a.ts
      file --mime-type README.md
      file -i README.md
      test -f README.md
      test -d src && echo yes
      test -n "$(git status --porcelain)"
      test 1 -eq 1
      [ -f package.json ]
      [ -f package.json ] && echo yes || echo no
      [ ! -d dist ]
      [ a = b ]
      [[ -d src ]]
      [[ -f a && -d b ]]
      [[ abc == a* ]] && echo yes
      if [ -f README.md ]; then cat README.md; fi
      if [ -d dist ]; then ls dist; else echo none; fi
      for f in a b c; do echo $f; done
      for f in src/*.ts; do echo "$f"; done
      for i in 1 2 3; do printf '%s\n' "$i"; done
      cd src
      cd src && ls
      cd src && cat a.ts
      cd src/deep && cat ../a.ts
      cd ./src; pwd
      (cd src && ls -la)
      cd @ws && ls
      ls src/*.ts
      cat src/*.ts
      wc -l src/*.ts
      wc -l src/*.ts test/*.ts
      head -n 1 src/*.ts
      ls src/[ab].ts
      ls *.md
      ls *.json
      cat package.json | head -20
      cat README.md | wc -l
      ls -la | grep md
      ls | wc -l
      ls 2>/dev/null
      cat missing 2>/dev/null || echo none
      timeout 5 ls
      timeout 30 grep -rn x src
      time ls
      nice ls
      nohup ls
      command ls
      command -v node
      stdbuf -oL cat README.md
      LC_ALL=C sort data/list.txt
      TZ=UTC date
      NO_COLOR=1 ls
      LANG=C ls -la
    `,
  },
  {
    about: "ordinary searches",
    tier: "both",
    allow: lines`
      grep foo README.md
      grep -n foo src/a.ts
      grep -rn foo src
      grep -rn 'foo bar' src test
      grep -rn "import .* from" src
      grep -r foo
      grep -rl foo .
      grep -rni foo --include='*.ts' src
      grep -rn --include=*.ts foo src/
      grep -rn --exclude-dir=node_modules foo .
      grep -rn --exclude-dir node_modules foo .
      grep -E 'a|b' src/a.ts
      grep -Eo '[0-9]+' data/numbers.txt
      grep -c foo src/a.ts
      grep -v '^#' config/dev.json
      grep -w foo src/a.ts
      grep -A 3 -B 3 foo src/a.ts
      grep -C3 foo src/a.ts
      grep -3 foo src/a.ts
      grep -A3 -n foo src/a.ts
      grep -m 1 foo src/a.ts
      grep -q foo README.md && echo yes
      grep -e foo -e bar src/a.ts
      grep -f data/list.txt README.md
      grep -F 'a.b' README.md
      grep -P '\d+' data/numbers.txt
      grep -L foo src/a.ts src/b.ts
      grep --color=always foo README.md
      grep --ignore-case foo README.md
      grep -- -x README.md
      grep '' README.md
      grep foo < README.md
      egrep 'a|b' README.md
      fgrep a.b README.md
      cat src/a.ts | grep foo
      grep foo src/*.ts
      grep -i 'rm -rf' docs/guide.md
      rg foo
      rg foo src
      rg -n foo src/
      rg -i foo
      rg -l foo
      rg -c foo src
      rg -w foo
      rg -F 'a.b('
      rg -t ts foo
      rg -tts foo src
      rg -g '*.ts' foo
      rg -g '!dist' foo
      rg --glob '*.md' foo
      rg --glob='*.md' foo
      rg -A 3 foo
      rg -C2 foo
      rg -e foo -e bar
      rg --files
      rg --files src
      rg --files -g '*.ts'
      rg --hidden foo src
      rg -uu foo src
      rg -o '[a-z]+' README.md
      rg -U 'a\nb' src
      rg --json foo src
      rg --no-heading -n foo
      rg --sort=path foo
      rg --type-list
      rg -m 3 foo
      rg foo -g '*.ts' | head -20
      rg 'a|b' src test
      find . -name '*.ts'
      find src -type f
      find . -type f -name '*.md'
      find . -maxdepth 2 -type d
      find . -name '*.ts' -o -name '*.js'
      find . \( -name a -o -name b \) -print
      find . -not -path './node_modules/*'
      find . -path ./node_modules -prune -o -name '*.ts' -print
      find . ! -name '*.ts'
      find . -iname readme.md
      find . -size +1M
      find . -mtime -1
      find . -newer README.md
      find . -empty
      find src -name '*.ts' | wc -l
      find src -name '*.ts' -print0
      find src -type f -ls
      find src -printf '%s %p\n'
      find . -regex '.*\.ts'
      find . -perm 644
      find . -mmin -60 -type f
      find
      find src test -name '*.ts'
      find . -name '*.md' | head -5
      find . -name '*.ts' | sort
      sed -n '1,20p' src/a.ts
      sed -n 5p README.md
      sed -n '/foo/p' src/a.ts
      sed -n '/a/,/b/p' docs/guide.md
      sed -n '$p' README.md
      sed -n -e 5p README.md
      sed -ne 5p README.md
      sed -nE '/a|b/p' README.md
      sed -n '10,+5p' src/a.ts
      cat src/a.ts | sed -n 1,5p
    `,
  },
  {
    about: "ordinary reading of git",
    tier: "both",
    allow: lines`
      git status
      git status -s
      git status -sb
      git status --short
      git status --porcelain
      git status --porcelain=v2
      git status --ignored
      git log
      git log --oneline
      git log --oneline -5
      git log -5
      git log -n 5
      git log -n5 --oneline
      git log -1 --format=%H
      git log --format='%h %an %s' -10
      git log --pretty=oneline
      git log --stat
      git log -p -1
      git log -p -- src/a.ts
      git log -- src
      git log --graph --oneline --all
      git log --since=yesterday
      git log --since='1 week ago' --oneline
      git log --author=me
      git log --grep=fix
      git log -S foo
      git log -G 'foo.*'
      git log main..topic
      git log main...topic --oneline
      git log --follow src/a.ts
      git log HEAD~1..HEAD
      git log -L 1,1:src/a.ts
      git log --merges
      git log --reverse --oneline
      git log --all --decorate --oneline
      git log v1.0.0
      git diff
      git diff --stat
      git diff --cached
      git diff --staged --name-only
      git diff HEAD
      git diff HEAD~1
      git diff HEAD~1 HEAD -- src
      git diff main topic
      git diff main...topic --stat
      git diff --name-status
      git diff -w
      git diff -U10
      git diff --word-diff
      git diff --numstat
      git diff src/a.ts
      git diff -- src/a.ts docs
      git show
      git show HEAD
      git show --stat
      git show HEAD~1 --name-only
      git show HEAD:src/a.ts
      git show v1.0.0:README.md
      git show -s --format=%B HEAD
      git show topic
      git blame src/a.ts
      git blame -L 1,1 src/a.ts
      git blame -w src/a.ts
      git ls-files
      git ls-files src
      git ls-files '*.ts'
      git ls-files --others --exclude-standard
      git ls-files -o
      git ls-files -m
      git rev-parse HEAD
      git rev-parse --short HEAD
      git rev-parse --abbrev-ref HEAD
      git rev-parse --show-toplevel
      git rev-list --count HEAD
      git rev-list HEAD -n 3
      git describe --tags
      git describe --tags --always
      git branch
      git branch -a
      git branch -r
      git branch -v
      git branch -vv
      git branch --show-current
      git branch --list
      git branch --list 'top*'
      git branch -l 'top*'
      git branch --contains=HEAD
      git branch --sort=-committerdate
      git tag
      git tag -l
      git tag -l 'v*'
      git tag --list 'v*'
      git tag -n
      git tag --sort=-creatordate
      git remote
      git remote -v
      git stash list
      git stash show
      git stash show -p
      git shortlog -sn
      git shortlog -sne HEAD
      git log --oneline | head -20
      git diff | head -100
      git diff --name-only | grep ts
      git status && git diff --stat
      git status; git log -1
      git diff | cat
      git log --oneline | wc -l
      git ls-files | grep test | head
    `,
  },
];
