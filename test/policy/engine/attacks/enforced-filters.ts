import { lines } from "../lines.ts";
import type { AttackGroup } from "./fixture.ts";

/** §5.7: filters and options that developers type, which must not ask in the enforced tier. */
export const enforcedFilters: readonly AttackGroup[] = [
  {
    about: "the text's own list of friction",
    tier: "enforced",
    allow: [
      ...lines`
        jq .x data/items.json ¦ awk '{print $2}' data/rows.csv ¦ node --version ¦ git reflog
        find . -exec wc -l {} + ¦ find . | xargs rg x ¦ diff <(ls src) <(ls test) ¦ wc -l $(git ls-files)
        for f in src/*.ts; do wc -l "$f"; done
      `,
    ],
  },
  {
    about: "a loop over the files here",
    at: "@ws/src",
    tier: "enforced",
    allow: lines`
      for f in *.ts; do wc -l "$f"; done ¦ for f in *.ts; do echo "$f"; head -n 2 "$f"; done ¦ wc -l *.ts
      grep -n x *.ts ¦ rg x *.ts ¦ sort *.ts
    `,
  },
  {
    about: "jq, yq and awk",
    tier: "enforced",
    allow: lines`
      jq . package.json ¦ jq '.scripts' package.json ¦ jq -r '.scripts | keys[]' package.json
      jq -r '.dependencies | to_entries[] | "\(.key)@\(.value)"' package.json ¦ jq -c '.[]' data/items.json
      jq -e .name package.json > /dev/null ¦ jq --arg v x '.[] | select(.name == $v)' data/items.json
      jq -s 'add' data/items.json ¦ jq -S . data/items.json | head -50 ¦ jq '.[0] | keys' data/items.json
      jq 'length' < data/items.json ¦ cat package.json | jq .version ¦ git log -1 --format=%H | jq -R .
      jq -n '1 + 2' ¦ yq . data/notes.yaml ¦ yq '.a.b' data/notes.yaml ¦ yq -r .name data/notes.yaml
      awk -F, '{print $1}' data/rows.csv ¦ awk -F: '{ print $1 }' data/list.txt ¦ awk 'NR==1' data/rows.csv
      awk 'NR>=10 && NR<=20' src/a.ts ¦ awk 'END {print NR}' data/rows.csv
      awk '/error/ {n++} END {print n}' data/app.log ¦ awk '{s+=$1} END {print s}' data/numbers.txt
      awk -v n=3 'NR==n' data/list.txt ¦ awk '!seen[$0]++' data/list.txt ¦ awk 'length > 100' src/a.ts src/b.ts
      awk '/start/,/end/' docs/guide.md
      cat data/rows.csv | awk -F, '{print $2}' | sort | uniq -c | sort -rn | head ¦ ls -l | awk '{print $5, $9}'
      git status --short | awk '{print $2}'
      git log --format=%an | awk '{c[$0]++} END {for (a in c) print c[a], a}'
    `,
  },
  {
    about: "sed and the other filters",
    tier: "enforced",
    allow: lines`
      sed -n '1,40p' src/index.ts ¦ sed 's/foo/bar/g' src/a.ts ¦ sed 's/a/b/' README.md | head
      sed -E 's/(a|b)/x/' README.md ¦ sed '/^#/d' README.md ¦ sed -e 's/a/b/' -e 's/c/d/' README.md
      sed 5q README.md ¦ sed '1,5d' README.md ¦ sed -n '/begin/,/end/p' docs/guide.md ¦ sed -n '$=' README.md
      git diff --name-only | sed 's|^|./|' ¦ ls | sed 's/\.ts$//' ¦ tac data/app.log ¦ tac data/app.log | head -20
      fold -w 80 README.md ¦ fmt -w 72 docs/guide.md ¦ expand -t 4 src/a.ts ¦ pr -2 data/list.txt
      shuf -n 3 data/list.txt ¦ numfmt --to=iec 1048576 ¦ du -b src/a.ts | numfmt --to=iec --field=1
      base64 README.md ¦ base64 -d data/list.txt ¦ echo hello | base64 ¦ zcat data/old.gz ¦ zcat data/old.gz | head
      echo '1 + 2' | bc ¦ echo 'scale=2; 10/3' | bc -l ¦ env ¦ env | sort ¦ env | grep NODE ¦ printenv
      printenv HOME ¦ nproc ¦ free -m ¦ groups ¦ getconf PAGE_SIZE
      sort data/list.txt | comm -12 - data/numbers.txt ¦ head -c 200 data/app.log | xxd
      nl -ba src/a.ts | sed -n '5,10p' ¦ paste -sd, data/list.txt ¦ column -t -s, data/rows.csv
      tr -d '\r' < data/rows.csv | wc -l
    `,
  },
  {
    about: "other options of the plain tier's commands",
    tier: "enforced",
    allow: lines`
      grep -rIn TODO . ¦ grep -rn --include='*.ts' TODO src ¦ grep -T x README.md
      grep --line-buffered x data/app.log ¦ grep -rnw --exclude-dir=node_modules x . ¦ rg --stats x
      rg --files-without-match x src ¦ rg --count-matches x src ¦ rg -z x data ¦ rg -r y x src ¦ rg --vimgrep x src
      rg -j 1 x ¦ rg --version ¦ rg --type-list ¦ rg --debug x src ¦ ls --color=always --time-style=long-iso -l
      ls -ltrh --author ¦ cat -u README.md ¦ head --lines=3 README.md ¦ tail --lines=20 data/app.log
      sort --parallel=2 data/list.txt ¦ sort --version ¦ sort -t, -k2,2nr data/rows.csv ¦ uniq --group data/list.txt
      cut --output-delimiter=' ' -d, -f1,2 data/rows.csv ¦ diff --color=always src/a.ts src/b.ts
      diff -y --suppress-common-lines src/a.ts src/b.ts ¦ stat --printf='%n %s\n' README.md ¦ du --time -h src
      du -h --max-depth=1 . ¦ df -h --output=size,avail . ¦ date -I ¦ date -Iseconds ¦ date -d '2 days ago' +%F
      file -L link-in ¦ file -z data/old.gz ¦ od -w8 -c README.md ¦ hexdump -e '16/1 "%02x " "\n"' README.md
      find . -newermt 2020-01-01 ¦ find . -regextype posix-extended -regex '.*\.ts' ¦ find . -links +1
      find . -name '*.ts' -quit ¦ find . -xdev -type f
      find src -type f -size +1k -printf '%s %p\n' | sort -rn | head ¦ tree -L2 ¦ tree -aL 2 ¦ uname -o
      tail -n +5 data/rows.csv ¦ md5sum -c data/list.txt ¦ readlink -v link-in
    `,
  },
];
