// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are bash's.
import { type AttackGroup, lines } from "./fixture.ts";

/** §5.7: what developers type to look at things, and must not be asked about in the enforced tier. */
export const enforcedReads: readonly AttackGroup[] = [
  {
    about: "the text's own list of friction",
    tier: "enforced",
    allow: [
      ...lines`
        jq .x data/items.json
        awk '{print $2}' data/rows.csv
        node --version
        git reflog
        find . -exec wc -l {} +
        find . | xargs rg x
        diff <(ls src) <(ls test)
        wc -l $(git ls-files)
        for f in src/*.ts; do wc -l "$f"; done
      `,
    ],
  },
  {
    about: "a loop over the files here",
    at: "@ws/src",
    tier: "enforced",
    allow: lines`
      for f in *.ts; do wc -l "$f"; done
      for f in *.ts; do echo "$f"; head -n 2 "$f"; done
      wc -l *.ts
      grep -n x *.ts
      rg x *.ts
      sort *.ts
    `,
  },
  {
    about: "jq, yq and awk",
    tier: "enforced",
    allow: lines`
      jq . package.json
      jq '.scripts' package.json
      jq -r '.scripts | keys[]' package.json
      jq -r '.dependencies | to_entries[] | "\(.key)@\(.value)"' package.json
      jq -c '.[]' data/items.json
      jq -e .name package.json > /dev/null
      jq --arg v x '.[] | select(.name == $v)' data/items.json
      jq -s 'add' data/items.json
      jq -S . data/items.json | head -50
      jq '.[0] | keys' data/items.json
      jq 'length' < data/items.json
      cat package.json | jq .version
      git log -1 --format=%H | jq -R .
      jq -n '1 + 2'
      yq . data/notes.yaml
      yq '.a.b' data/notes.yaml
      yq -r .name data/notes.yaml
      awk -F, '{print $1}' data/rows.csv
      awk -F: '{ print $1 }' data/list.txt
      awk 'NR==1' data/rows.csv
      awk 'NR>=10 && NR<=20' src/a.ts
      awk 'END {print NR}' data/rows.csv
      awk '/error/ {n++} END {print n}' data/app.log
      awk '{s+=$1} END {print s}' data/numbers.txt
      awk -v n=3 'NR==n' data/list.txt
      awk '!seen[$0]++' data/list.txt
      awk 'length > 100' src/a.ts src/b.ts
      awk '/start/,/end/' docs/guide.md
      cat data/rows.csv | awk -F, '{print $2}' | sort | uniq -c | sort -rn | head
      ls -l | awk '{print $5, $9}'
      git status --short | awk '{print $2}'
      git log --format=%an | awk '{c[$0]++} END {for (a in c) print c[a], a}'
    `,
  },
  {
    about: "sed and the other filters",
    tier: "enforced",
    allow: lines`
      sed -n '1,40p' src/index.ts
      sed 's/foo/bar/g' src/a.ts
      sed 's/a/b/' README.md | head
      sed -E 's/(a|b)/x/' README.md
      sed '/^#/d' README.md
      sed -e 's/a/b/' -e 's/c/d/' README.md
      sed 5q README.md
      sed '1,5d' README.md
      sed -n '/begin/,/end/p' docs/guide.md
      sed -n '$=' README.md
      git diff --name-only | sed 's|^|./|'
      ls | sed 's/\.ts$//'
      tac data/app.log
      tac data/app.log | head -20
      fold -w 80 README.md
      fmt -w 72 docs/guide.md
      expand -t 4 src/a.ts
      pr -2 data/list.txt
      shuf -n 3 data/list.txt
      numfmt --to=iec 1048576
      du -b src/a.ts | numfmt --to=iec --field=1
      base64 README.md
      base64 -d data/list.txt
      echo hello | base64
      zcat data/old.gz
      zcat data/old.gz | head
      echo '1 + 2' | bc
      echo 'scale=2; 10/3' | bc -l
      env
      env | sort
      env | grep NODE
      printenv
      printenv HOME
      nproc
      free -m
      groups
      getconf PAGE_SIZE
      sort data/list.txt | comm -12 - data/numbers.txt
      head -c 200 data/app.log | xxd
      nl -ba src/a.ts | sed -n '5,10p'
      paste -sd, data/list.txt
      column -t -s, data/rows.csv
      tr -d '\r' < data/rows.csv | wc -l
    `,
  },
  {
    about: "other options of the plain tier's commands",
    tier: "enforced",
    allow: lines`
      grep -rIn TODO .
      grep -rn --include='*.ts' TODO src
      grep -T x README.md
      grep --line-buffered x data/app.log
      grep -rnw --exclude-dir=node_modules x .
      rg --stats x
      rg --files-without-match x src
      rg --count-matches x src
      rg -z x data
      rg -r y x src
      rg --vimgrep x src
      rg -j 1 x
      rg --version
      rg --type-list
      rg --debug x src
      ls --color=always --time-style=long-iso -l
      ls -ltrh --author
      cat -u README.md
      head --lines=3 README.md
      tail --lines=20 data/app.log
      sort --parallel=2 data/list.txt
      sort --version
      sort -t, -k2,2nr data/rows.csv
      uniq --group data/list.txt
      cut --output-delimiter=' ' -d, -f1,2 data/rows.csv
      diff --color=always src/a.ts src/b.ts
      diff -y --suppress-common-lines src/a.ts src/b.ts
      stat --printf='%n %s\n' README.md
      du --time -h src
      du -h --max-depth=1 .
      df -h --output=size,avail .
      date -I
      date -Iseconds
      date -d '2 days ago' +%F
      file -L link-in
      file -z data/old.gz
      od -w8 -c README.md
      hexdump -e '16/1 "%02x " "\n"' README.md
      find . -newermt 2020-01-01
      find . -regextype posix-extended -regex '.*\.ts'
      find . -links +1
      find . -name '*.ts' -quit
      find . -xdev -type f
      find src -type f -size +1k -printf '%s %p\n' | sort -rn | head
      tree -L2
      tree -aL 2
      uname -o
      tail -n +5 data/rows.csv
      md5sum -c data/list.txt
      readlink -v link-in
    `,
  },
  {
    about: "git",
    tier: "enforced",
    allow: lines`
      git --no-pager log --oneline -10
      git --no-pager diff
      git -C src log --oneline -3
      git -C src status
      git -C . diff --stat
      git --no-pager -C src show --stat
      git ls-tree HEAD
      git ls-tree -r --name-only HEAD
      git ls-tree HEAD src/
      git reflog -5
      git reflog show main
      git grep TODO
      git grep -n TODO -- src
      git grep -l foo HEAD
      git cat-file -t HEAD
      git cat-file -p HEAD
      git cat-file -p HEAD:README.md
      git merge-base main topic
      git show-ref
      git show-ref --heads
      git for-each-ref
      git for-each-ref --format='%(refname)' refs/heads
      git for-each-ref --sort=-committerdate refs/heads
      git check-ignore -v .env
      git worktree list
      git worktree list --porcelain
      git log --graph --oneline --all
      git log --since='2 weeks ago' --author=x
      git log -S foo --oneline
      git log --follow -- README.md
      git log -p -2
      git diff HEAD~1
      git diff main...topic
      git diff --cached
      git diff --word-diff
      git show HEAD
      git show HEAD:README.md
      git show --stat HEAD~1
      git blame README.md
      git blame -L 1,3 src/a.ts
      git stash list
      git stash show -p
      git branch -a
      git branch -vv
      git tag -l
      git remote -v
      git status
      git describe --tags --always
      git rev-parse HEAD
      git rev-list --count HEAD
      git shortlog -sn
      git ls-files
      git ls-files | wc -l
      git diff --name-only HEAD~1 | xargs wc -l
      cd src && git log --oneline -3
      cd src && git status
      cd src && git diff HEAD~1 -- a.ts
      git log --oneline $(git merge-base main topic)..HEAD
      git show $(git rev-parse HEAD)
    `,
  },
  {
    about: "versions",
    tier: "enforced",
    allow: [
      ..."node npm npx pnpm yarn bun deno tsc python python3 pip ruby gem cargo rustc mvn gradle dotnet php composer make cmake gcc g++ clang git docker kubectl"
        .split(" ")
        .map((program) => `${program} --version`),
      ...lines`
        node -v
        npm -v
        go version
        python3 -V
        cargo -V
        make -v
        docker version
        node --version && npm --version
        node -v; npm -v; git --version
        python3 --version 2>&1
        java --version
        javac --version
        node --version | tr -d v
        echo "node $(node --version)"
      `,
    ],
  },
  {
    about: "find and xargs before what reads",
    tier: "enforced",
    allow: lines`
      find . -name '*.ts' -exec wc -l {} +
      find . -name '*.ts' -exec wc -l {} \;
      find src -type f -exec grep -l x {} +
      find src -type f -exec head -n 1 {} \;
      find src -name '*.ts' -exec cat {} +
      find . -name '*.json' -exec jq -r .name {} \;
      find . -name '*.md' -exec md5sum {} +
      find src -type f -exec ls -la {} +
      find src -type f -exec stat -c '%s %n' {} +
      find src -type f -exec basename {} \;
      find src -type f -exec file {} +
      find . -name '*.ts' | xargs wc -l
      find . -name '*.ts' -print0 | xargs -0 wc -l
      find . -name '*.ts' -print0 | xargs -0 grep -n x
      find src -type f | xargs -n1 basename
      find src -type f | xargs -I{} head -n 1 {}
      find src -type f | xargs -P4 -n10 grep -l x
      git ls-files | xargs wc -l
      git ls-files '*.ts' | xargs grep -n x
      git ls-files -z | xargs -0 wc -l
      git diff --name-only | xargs -r cat
      rg -l x | xargs sed -n 1p
      rg --files | xargs wc -l | sort -n | tail
      grep -rl x src | xargs head -n 3
      ls src | xargs -I{} echo src/{}
      cat data/list.txt | xargs -n 1 echo
      ls -d src/* | xargs du -sh
      find . -type f -name '*.ts' | xargs cat | wc -l
      find . -name package.json | xargs jq .version
      find src -name '*.ts' | xargs awk 'END {print NR}'
    `,
  },
  {
    about: "loops, conditions, substitutions and values",
    tier: "enforced",
    allow: lines`
      for f in src/*.ts; do echo "$f: $(wc -l < "$f")"; done
      for f in src/a.ts src/b.ts; do head -n 1 "$f"; done
      for f in src/a.ts src/b.ts; do head -n 1 $f; done
      for d in src test docs; do echo "$d"; ls "$d"; done
      for d in src/*/; do ls "$d"; done
      for i in 1 2 3; do echo $i; done
      for i in $(seq 1 5); do echo "$i"; done
      for f in $(git ls-files); do wc -l "$f"; done
      for f in $(find src -name '*.ts'); do grep -c x "$f"; done
      for f in src/*.ts; do if grep -q x "$f"; then echo "$f"; fi; done
      for f in src/*.ts; do [ -f "$f" ] && wc -c "$f"; done
      for f in src/*.ts; do basename "\${f%.ts}"; done
      for b in main topic; do git log -1 --format=%s "$b"; done
      for ((i = 0; i < 3; i++)); do echo $i; done
      if [ -f package.json ]; then jq .name package.json; fi
      if grep -q x README.md; then echo yes; else echo no; fi
      [ -d src ] && ls src || echo none
      [[ -f package.json ]] && cat package.json
      test -f tsconfig.json && cat tsconfig.json
      case x in x) ls;; *) pwd;; esac
      diff <(sort data/list.txt) <(sort data/numbers.txt)
      diff <(git show HEAD:README.md) README.md
      diff <(jq -S . package.json) <(jq -S . tsconfig.json)
      comm -12 <(ls src) <(ls test)
      cat <(head -n 1 README.md) <(tail -n 1 README.md)
      wc -l < <(git ls-files)
      f=src/a.ts; wc -l "$f"
      f=src/a.ts; wc -l $f
      f=src/a.ts && head -n 3 "$f" && tail -n 3 "$f"
      d=src; ls "$d"
      d=src; cat "$d/a.ts"
      n=5; head -n "$n" README.md
      n=$(wc -l < README.md); echo "$n lines"
      rev=$(git rev-parse HEAD); git show --stat "$rev"
      name=$(jq -r .name package.json); echo "$name"
      x=3; echo $((x * 2))
      echo $((1 + 2 * 3))
      echo $HOME
      echo "$HOME"
      echo "$PWD"
      echo "\${PWD##*/}"
      echo $PATH
      echo "$USER"
      ls "$PWD"
      cat "$PWD/README.md"
      ls $PWD/src
      cat \${PWD}/src/a.ts
      echo "files: $(ls | wc -l)"
      echo "\${x:-none}"
      ls *.json
      cat src/*.ts | wc -l
      head -n 1 src/*.ts
      wc -l src/*.ts test/*.ts
      grep -c x src/*.ts
      ls -la src/ test/ docs/
      basename "$PWD"
      dirname "$PWD/src/a.ts"
      basename $(pwd)
      cat $(git ls-files 'docs/*.md')
      head -n 5 $(ls -d src/*.ts)
      wc -c $(find src -name '*.ts')
      until true; do ls; done
      (cd src && ls) && pwd
      { ls; pwd; } | wc -l
      time ls
      ! grep -q x README.md
      cat <<< "$(ls)"
      wc -w <<< "$(git log -1 --format=%B)"
    `,
  },
];
