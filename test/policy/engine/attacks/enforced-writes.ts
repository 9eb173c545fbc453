// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are bash's.
import { lines } from "../lines.ts";
import type { AttackGroup } from "./fixture.ts";

/** §5.7, "Asks in both tiers": what writes or starts programs. */
export const enforcedWrites: readonly AttackGroup[] = [
  {
    about: "what by its manual writes, or starts what is not known to read",
    tier: "both",
    ask: lines`
      sed -i s/a/b/ README.md ¦ sed -ni p README.md ¦ sed -Ei.bak s/a/b/ README.md ¦ sed --in-place s/a/b/ README.md
      sed --in-pl=x s/a/b/ README.md ¦ sed -n p -i README.md ¦ sed -e p -ibak README.md ¦ sort -o x data/list.txt
      sort data/list.txt -ox ¦ sort -uo x data/list.txt ¦ sort --outp=x data/list.txt ¦ sort --out x data/list.txt
      shuf -o x data/list.txt ¦ shuf -ox data/list.txt ¦ shuf --output=x data/list.txt
      shuf --out x -n 1 data/list.txt ¦ uniq data/list.txt x ¦ uniq -c data/list.txt x ¦ xxd data/list.txt x
      xxd -r data/list.txt x ¦ xxd -r -p data/list.txt x ¦ xxd -iR README.md --output=x ¦ xxd -bubl 0 -upu
      tree -o x ¦ tree -Lo 2 x ¦ tree -R -L 1 ¦ tee x ¦ ls | tee x ¦ ls | tee -a x ¦ ls | tee -- x
      git blame --output x README.md ¦ git status --help ¦ git ls-tree --help HEAD ¦ git stash list --help
      git blame --output=x README.md ¦ git blame --outp x -p README.md ¦ git shortlog --output=x HEAD
      find . -delete ¦ find src -name a -delete ¦ find src -fprint x ¦ find src -fls x ¦ find src -fprintf x %p
      find src -fprint0 x ¦ find src -exec rm {} + ¦ find src -exec touch {} \; ¦ find src -exec sed -i s/a/b/ {} +
      find src -exec sort -o x {} + ¦ find src -exec tee {} \; ¦ find src -exec ./evil.sh {} \;
      find src -exec sh -c 'cat {}' \; ¦ find src -exec bash -c 'wc -l "$1"' _ {} \; ¦ find src -exec python3 {} \;
      find src -exec node {} + ¦ find src -exec {} \; ¦ find src -exec cat {} \; -exec rm {} \;
      find src -exec cat {} + -delete ¦ find src -execdir ./evil.sh {} \; ¦ find src -execdir rm {} \;
      find src -ok rm {} \; ¦ find src -exec git add {} + ¦ find src -exec npm test \;
      find src -exec node --version {} \; ¦ ls | xargs rm ¦ ls | xargs -I{} rm {} ¦ ls | xargs -0 -n1 touch
      ls | xargs sed -i s/a/b/ ¦ ls | xargs sort -o x ¦ ls | xargs -I{} sed -i s/a/b/ {} ¦ ls | xargs tee
      ls | xargs sh -c 'cat "$@"' ¦ ls | xargs -I{} sh -c 'cat {}' ¦ ls | xargs bash ¦ ls | xargs ./evil.sh
      ls | xargs bin/jq . ¦ ls | xargs node ¦ ls | xargs python3 ¦ ls | xargs npm test ¦ ls | xargs git add
      ls | xargs git checkout ¦ ls | xargs -I{} {} x ¦ ls | xargs env rm ¦ ls | xargs xargs rm
      ls | xargs timeout 5 rm ¦ ls | xargs find . -delete -name ¦ ls | xargs curl ¦ file -C -m data/list.txt
      awk -i inplace 1 README.md ¦ gawk -i inplace 1 README.md ¦ yq -i .a=1 data/notes.yaml
      yq --in-place .a data/notes.yaml ¦ yq -yi .a data/notes.yaml ¦ touch x ¦ rm README.md ¦ mkdir x
      mv README.md x ¦ cp README.md x ¦ ln -s README.md x ¦ chmod +x evil.sh ¦ truncate -s 0 README.md
      dd if=README.md of=x ¦ split README.md ¦ csplit README.md 1 ¦ gzip README.md ¦ gunzip data/old.gz
      tar cf x.tar src ¦ install README.md x ¦ patch -p1 ¦ jq . package.json > x ¦ awk 1 README.md > x ¦ ls > x
      ls >> README.md ¦ ls 2> x ¦ jq . package.json &> x ¦ awk 1 README.md | cat > x
      for f in src/*.ts; do wc -l "$f" > x; done ¦ for f in src/*.ts; do wc -l "$f"; done > x
      { jq . package.json; } > x ¦ diff <(ls) <(ls > x) ¦ jq . package.json; touch x ¦ jq . package.json && npm test
      jq . package.json | ./evil.sh ¦ awk 1 README.md | sh ¦ cat README.md | bash ¦ echo x | python3 ¦ node src/a.js
      node -e 1 ¦ node --version x.js ¦ node -v -e 1 ¦ node --version --eval 1 ¦ node -p 1 ¦ node ¦ npm test
      npm ls ¦ npm version patch ¦ npm --version install ¦ npx tsc --version ¦ npx --version tsc ¦ python3 -c 1
      python3 -m x ¦ python3 x.py --version ¦ make ¦ make build ¦ make --version build ¦ cargo build ¦ go run .
      go version -m bin ¦ docker ps ¦ kubectl get pods ¦ bin/node --version ¦ ./node --version
      node_modules/.bin/tsc --version ¦ /usr/bin/node --version ¦ tsc -p . ¦ tsc --version --build
      env node --version ¦ env -i ls ¦ env X=1 ls ¦ env ls ¦ env -S 'ls' ¦ env jq . package.json ¦ sudo ls
      watch ls ¦ ps ¦ ps aux ¦ kill 1 ¦ kill -9 $$ ¦ pkill x ¦ killall x ¦ top ¦ lsof ¦ curl https://example.com
      wget https://example.com ¦ nc a 80 ¦ ssh a ls ¦ scp a b ¦ ping a ¦ dig a ¦ git fetch ¦ git pull
      git ls-remote ¦ npm view x ¦ jq . package.json | curl -d @- https://example.com
      for f in src/*.ts; do curl "$f"; done ¦ for f in src/*.ts; do rm "$f"; done
      for f in src/*.ts; do node "$f"; done ¦ for f in evil.sh; do ./$f; done
      for f in src/*.ts; do sed -i s/a/b/ "$f"; done ¦ for f in src/*.ts; do $f; done ¦ f=ls; $f
      f=jq; $f . package.json ¦ \${f:-ls} ¦ $(echo ls) ¦ j? . package.json ¦ {jq,.} package.json ¦ f() { ls; }
      f() { ls; }; f ¦ function jq { ls; }; jq . package.json ¦ alias x=ls ¦ eval ls ¦ source README.md
      . ./README.md ¦ exec ls ¦ exec < README.md ¦ trap ls EXIT ¦ enable -n echo ¦ hash -r ¦ shopt -s globstar
      set -e ¦ set -euo pipefail; ls ¦ complete -F x y ¦ mapfile -C ls a < README.md ¦ let x=1 ¦ unset x
      read x < README.md ¦ while read -r l; do echo "$l"; done < README.md
      git ls-files | while read f; do wc -l "$f"; done ¦ FOO=1; ls ¦ F=src/a.ts; wc -l "$F"
      PATH=bin:$PATH jq . package.json ¦ PATH=bin; jq . package.json ¦ GIT_DIR=x git log
      LD_PRELOAD=./x jq . package.json ¦ IFS=,; ls ¦ export x=1; ls ¦ declare x=1; ls ¦ echo \${x:=1}
      echo "\${x:=$(ls)}" ¦ echo $((x[$(touch y)])) ¦ cat \${x[$(touch y)]} ¦ x=$(touch y); ls
      diff <(touch y) <(ls) ¦ cat <(./evil.sh) ¦ wc -l $(./evil.sh) ¦ wc -l $(node x.js) ¦ if ./evil.sh; then ls; fi
      while touch x; do ls; done ¦ coproc ./evil.sh
    `,
  },
];
