import { lines } from "../lines.ts";
import type { AttackGroup } from "./fixture.ts";

/** §5.6: text tools, files and the system; each that asks is a false prompt. */
export const plainReads: readonly AttackGroup[] = [
  {
    about: "ordinary reading with the text tools",
    tier: "both",
    allow: lines`
      ls ¦ ls -la ¦ ls -lah src ¦ ls -1 ¦ ls -R src ¦ ls -lt docs ¦ ls -ltr ¦ ls -S -r src ¦ ls --color=never
      ls --color ¦ ls -d src docs ¦ ls --sort=size src ¦ ls -w 80 src ¦ ls -I node_modules
      ls --all --human-readable -l ¦ ls 'docs/with blank.md' ¦ ls docs/with\ blank.md ¦ cat README.md
      cat -n src/a.ts ¦ cat README.md LICENSE ¦ cat -A data/rows.csv ¦ cat ./src/a.ts ¦ cat "README.md"
      cat -- README.md ¦ rev data/list.txt ¦ head README.md ¦ head -n 20 src/a.ts ¦ head -20 src/a.ts
      head -n20 src/a.ts ¦ head -c 100 README.md ¦ head -n -1 data/rows.csv ¦ head --lines=5 README.md
      head --lines 5 README.md ¦ head -q -n 1 src/a.ts src/b.ts ¦ tail data/app.log ¦ tail -n 50 data/app.log
      tail -50 data/app.log ¦ tail -n +2 data/rows.csv ¦ tail -c 1k data/app.log ¦ wc README.md
      wc -l src/a.ts src/b.ts ¦ wc -lw README.md ¦ wc --lines README.md ¦ nl README.md ¦ nl -ba src/a.ts
      nl -b a -w 4 src/a.ts ¦ cut -d, -f1 data/rows.csv ¦ cut -d ',' -f 1,3 data/rows.csv ¦ cut -c1-10 README.md
      cut -f2 --complement data/rows.csv ¦ paste data/list.txt data/numbers.txt
      paste -d, data/list.txt data/numbers.txt ¦ paste -s data/list.txt ¦ column -t data/list.txt
      column -t -s , data/rows.csv ¦ tr a-z A-Z < README.md ¦ tr -d '\n' < data/list.txt ¦ tr -s ' ' < README.md
      basename src/a.ts .ts ¦ basename -s .ts src/a.ts ¦ basename -a src/a.ts src/b.ts ¦ dirname src/a.ts
      which node ¦ which -a node ¦ type ls ¦ type -t cd ¦ true ¦ false ¦ id ¦ id -un
      comm data/list.txt data/numbers.txt ¦ comm -12 data/list.txt data/numbers.txt
      join data/list.txt data/numbers.txt ¦ join -t, -1 1 -2 1 data/rows.csv data/list.txt ¦ diff README.md LICENSE
      diff -u src/a.ts src/b.ts ¦ diff -ruN src test ¦ diff -rq src test ¦ diff --brief src/a.ts src/b.ts
      diff -U 5 src/a.ts src/b.ts ¦ diff -w -B src/a.ts src/b.ts ¦ diff -y -W 120 src/a.ts src/b.ts
      cmp src/a.ts src/b.ts ¦ cmp -s src/a.ts src/b.ts ¦ sort data/list.txt ¦ sort -u data/list.txt
      sort -rn data/numbers.txt ¦ sort -k2,2n -t, data/rows.csv ¦ sort -t , -k 2 data/rows.csv
      sort --reverse data/list.txt ¦ sort -c data/list.txt ¦ sort data/list.txt | uniq -c | sort -rn | head -5
      uniq data/list.txt ¦ uniq -c data/list.txt ¦ uniq -d data/list.txt ¦ uniq -f 1 data/list.txt ¦ seq 5
      seq 1 2 10 ¦ seq -s, 3 ¦ seq -w 10 ¦ sleep 1 ¦ sleep 0.5 ¦ echo hello ¦ echo -n hello ¦ echo -e 'a\tb'
      echo "a b" c ¦ echo $? ¦ echo "exit $?" ¦ echo "$(pwd)" ¦ echo "$(git rev-parse --short HEAD)"
      printf '%s\n' hello ¦ printf '%d\n' 3 ¦ printf 'done\n' ¦ md5sum README.md ¦ sha256sum package.json
      sha1sum -b package.json ¦ cksum README.md ¦ od -c README.md ¦ od -A x -t x1 README.md ¦ od -An -tx1 README.md
      hexdump -C README.md ¦ hexdump -C -n 64 README.md ¦ strings README.md ¦ strings -n 8 data/app.log
      xxd README.md ¦ xxd -l 64 README.md ¦ xxd -p README.md ¦ xxd -c 8 -g 1 README.md
    `,
  },
  {
    about: "ordinary reading of files, directories and the system",
    tier: "both",
    allow: lines`
      stat README.md ¦ stat -c '%s %n' README.md ¦ stat -c %Y src/a.ts ¦ stat -f . ¦ du -sh . ¦ du -sh src docs
      du -h -d 1 ¦ du -ah src ¦ du -d1 src ¦ du --apparent-size -s src ¦ du --exclude=node_modules -sh . ¦ df -h
      df -h . ¦ df -T ¦ pwd ¦ pwd -P ¦ whoami ¦ uname ¦ uname -a ¦ uname -sr ¦ uptime ¦ uptime -p ¦ hostname
      hostname -s ¦ realpath src/a.ts ¦ realpath --relative-to=src README.md ¦ realpath -m src/missing
      readlink -f link-in ¦ date ¦ date +%F ¦ date '+%Y-%m-%d %H:%M' ¦ date -u +%s ¦ date -d yesterday +%F
      date -r README.md ¦ tree ¦ tree src ¦ tree -L 2 src ¦ tree -a -L 1 ¦ tree -I 'node_modules|dist'
      tree --dirsfirst ¦ file README.md ¦ file -b src/a.ts ¦ file --mime-type README.md ¦ file -i README.md
      test -f README.md ¦ test -d src && echo yes ¦ test -n "$(git status --porcelain)" ¦ test 1 -eq 1
      [ -f package.json ] ¦ [ -f package.json ] && echo yes || echo no ¦ [ ! -d dist ] ¦ [ a = b ] ¦ [[ -d src ]]
      [[ -f a && -d b ]] ¦ if [ -f README.md ]; then cat README.md; fi
      if [ -d dist ]; then ls dist; else echo none; fi ¦ for f in a b c; do echo $f; done
      for f in src/*.ts; do echo "$f"; done ¦ for i in 1 2 3; do printf '%s\n' "$i"; done ¦ cd src ¦ cd src && ls
      cd src && cat a.ts ¦ cd src/deep && cat ../a.ts ¦ cd ./src; pwd ¦ (cd src && ls -la) ¦ cd @ws && ls
      ls src/*.ts ¦ cat src/*.ts ¦ wc -l src/*.ts ¦ wc -l src/*.ts test/*.ts ¦ head -n 1 src/*.ts ¦ ls src/[ab].ts
      ls *.md ¦ ls *.json ¦ cat package.json | head -20 ¦ cat README.md | wc -l ¦ ls -la | grep md ¦ ls | wc -l
      ls 2>/dev/null ¦ cat missing 2>/dev/null || echo none ¦ timeout 5 ls ¦ timeout 30 grep -rn x src ¦ time ls
      nice ls ¦ nohup ls ¦ command ls ¦ command -v node ¦ stdbuf -oL cat README.md ¦ LC_ALL=C sort data/list.txt
      TZ=UTC date ¦ NO_COLOR=1 ls ¦ LANG=C ls -la
    `,
  },
];
