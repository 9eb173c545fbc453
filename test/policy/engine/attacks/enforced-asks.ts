// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are bash's.
import { type AttackGroup, combine, lines } from "./fixture.ts";

const readers = [
  "cat %%",
  "head -n 1 %%",
  "jq . %%",
  "awk 1 %%",
  "sed s/a/b/ %%",
  "wc -l < %%",
  "grep -n x %%",
];

/** §5.7, "Asks in both tiers"; every case holds in the plain tier too. */
export const enforcedAsks: readonly AttackGroup[] = [
  {
    about: "values that the line shows to lead outside",
    tier: "both",
    ask: [
      ...combine(
        [
          "f=/etc/passwd; %%",
          "f=../out/secret.txt; %%",
          "f=link-secret; %%",
          "f=$HOME/.bashrc; %%",
          "f=~/.bashrc; %%",
          "for f in /etc/passwd; do %%; done",
          "for f in README.md ../out/secret.txt; do %%; done",
          "for f in /etc/*; do %%; done",
          "for f in ~/.ssh/*; do %%; done",
          "for f in ../out/*; do %%; done",
          'for f in "$HOME"/.ssh/*; do %%; done',
          "for f in link-out/*; do %%; done",
        ],
        readers.map((reader) => reader.replace("%%", '"$f"')),
      ),
      ...lines`
        d=/etc; cat $d/passwd
        d=/etc; cat "\${d}/passwd"
        d=..; cat $d/out/secret.txt
        d=..; ls "$d"
        d=../out; ls $d
        a=/et b=c; cat $a$b/passwd
        a=/etc b=passwd; cat $a/$b
        x=README.md; x=/etc/passwd; cat $x
        if true; then x=/etc/passwd; else x=README.md; fi; cat "$x"
        x=README.md; if true; then x=/etc/passwd; fi; cat "$x"
        x=README.md; for i in 1 2; do cat "$x"; x=/etc/passwd; done
        for d in / /etc; do ls $d; done
        for d in src ..; do ls "$d"; done
        for d in src; do ls "$d/../.."; done
        for a in .; do cat $a./out/secret.txt; done
        for a in etc; do cat /$a/passwd; done
        for a in /etc; do for b in passwd; do cat $a/$b; done; done
        cat $HOME/.ssh/id_rsa
        cat "$HOME/.bashrc"
        cat "\${HOME}/.aws/credentials"
        ls $HOME
        ls "$HOME/.."
        cat $PWD/../out/secret.txt
        cat "\${PWD}/../out/secret.txt"
        cat "\${PWD%/*}/out/secret.txt"
        cat $(echo /etc/passwd)
        cat $(echo ../out/secret.txt)
        cat $(printf '%s' /etc/passwd)
        cat "$(echo /etc/passwd)"
        cat \`echo /etc/passwd\`
        cat "\${x:-/etc/passwd}"
        cat \${x:-../out/secret.txt}
        cat \${x-/etc/passwd}
        diff <(cat /etc/passwd) <(ls)
        diff <(ls) ../out/secret.txt
        comm <(sort /etc/passwd) <(ls)
        cat <(cat < /etc/passwd)
        echo "$(cat /etc/passwd)"
        echo "$(< /etc/passwd)"
        echo $(< ../out/secret.txt)
        x=$(cat /etc/passwd); echo "$x"
        n=$(wc -l < /etc/passwd); echo $n
        [ "$(cat /etc/passwd)" = x ]
        if grep -q x /etc/passwd; then ls; fi
        case $(cat /etc/passwd) in x) ls;; esac
        cat <<< "$(cat ../out/secret.txt)"
        while cat /etc/passwd; do ls; done
        find . -exec cat /etc/passwd \;
        find /etc -exec cat {} +
        find .. -exec wc -l {} +
        find ~ -exec wc -l {} +
        find link-out/ -exec cat {} +
        find . -newer /etc/passwd -exec wc -l {} +
        ls | xargs cat /etc/passwd
        ls | xargs -I{} cat ../out/{}
        ls | xargs -a /etc/passwd wc -l
        find /etc | xargs cat
        ls ../out | xargs -I{} cat ../out/{}
        jq -n --slurpfile a /etc/passwd '$a'
        jq --rawfile a /etc/passwd . package.json
        jq -f ../out/secret.txt package.json
        jq --from-file ../out/secret.txt package.json
        jq -L /etc . package.json
        awk -f ../out/secret.txt README.md
        awk -f/etc/passwd README.md
        awk 1 README.md /etc/passwd
        awk 1 < /etc/passwd
        sed -f ../out/secret.txt README.md
        sed -n p README.md /etc/passwd
        yq . /etc/passwd
        tac link-secret
        tac ../out/secret.txt
        fold /etc/passwd
        fmt /etc/passwd
        expand link-out/secret.txt
        pr /etc/passwd
        shuf /etc/passwd
        shuf --random-source=/etc/passwd -n 1 README.md
        base64 ~/.ssh/id_rsa
        base64 < ~/.ssh/id_rsa
        zcat link-out/x.gz
        bc /etc/passwd
        sort --files0-from=/etc/passwd
        wc --files0-from=/etc/passwd
        grep -rf /etc/passwd .
        rg -f /etc/passwd
        file -f /etc/passwd
        file -m /etc/magic README.md
        date -f /etc/passwd
        du --exclude-from=/etc/passwd .
        diff --from-file=/etc/passwd README.md
        md5sum -c /etc/passwd
        git -C .. log
        git -C /etc status
        git -C "$HOME" log
        git -C ../out status
        git -C link-out status
        git --no-pager -C .. log
        git grep --no-index x /etc
        git grep x -- ../out
        git grep -f /etc/passwd
        git diff --no-index /etc/passwd README.md
        cd .. && git log
        cd ../out; git status
        cd .. && jq . package.json
        cd /etc && for f in *; do cat "$f"; done
        cd src && awk 1 ../../out/secret.txt
        cd "$HOME" && ls
        cd $d && ls
      `,
    ],
  },
  {
    about: "what by its manual writes, or starts what is not known to read",
    tier: "both",
    ask: lines`
      sed -i s/a/b/ README.md
      sed -ni p README.md
      sed -Ei.bak s/a/b/ README.md
      sed --in-place s/a/b/ README.md
      sed --in-pl=x s/a/b/ README.md
      sed -n p -i README.md
      sed -e p -ibak README.md
      sort -o x data/list.txt
      sort data/list.txt -ox
      sort -uo x data/list.txt
      sort --outp=x data/list.txt
      sort --out x data/list.txt
      shuf -o x data/list.txt
      shuf -ox data/list.txt
      shuf --output=x data/list.txt
      shuf --out x -n 1 data/list.txt
      uniq data/list.txt x
      uniq -c data/list.txt x
      xxd data/list.txt x
      xxd -r data/list.txt x
      xxd -r -p data/list.txt x
      tree -o x
      tree -Lo 2 x
      tree -R -L 1
      tee x
      ls | tee x
      ls | tee -a x
      ls | tee -- x
      find . -delete
      find src -name a -delete
      find src -fprint x
      find src -fls x
      find src -fprintf x %p
      find src -fprint0 x
      find src -exec rm {} +
      find src -exec touch {} \;
      find src -exec sed -i s/a/b/ {} +
      find src -exec sort -o x {} +
      find src -exec tee {} \;
      find src -exec ./evil.sh {} \;
      find src -exec sh -c 'cat {}' \;
      find src -exec bash -c 'wc -l "$1"' _ {} \;
      find src -exec python3 {} \;
      find src -exec node {} +
      find src -exec {} \;
      find src -exec cat {} \; -exec rm {} \;
      find src -exec cat {} + -delete
      find src -execdir ./evil.sh {} \;
      find src -execdir rm {} \;
      find src -ok rm {} \;
      find src -exec git add {} +
      find src -exec npm test \;
      find src -exec node --version {} \;
      ls | xargs rm
      ls | xargs -I{} rm {}
      ls | xargs -0 -n1 touch
      ls | xargs sed -i s/a/b/
      ls | xargs sort -o x
      ls | xargs -I{} sed -i s/a/b/ {}
      ls | xargs tee
      ls | xargs sh -c 'cat "$@"'
      ls | xargs -I{} sh -c 'cat {}'
      ls | xargs bash
      ls | xargs ./evil.sh
      ls | xargs bin/jq .
      ls | xargs node
      ls | xargs python3
      ls | xargs npm test
      ls | xargs git add
      ls | xargs git checkout
      ls | xargs -I{} {} x
      ls | xargs env rm
      ls | xargs xargs rm
      ls | xargs timeout 5 rm
      ls | xargs find . -delete -name
      ls | xargs curl
      file -C -m data/list.txt
      awk -i inplace 1 README.md
      gawk -i inplace 1 README.md
      yq -i .a=1 data/notes.yaml
      yq --in-place .a data/notes.yaml
      yq -yi .a data/notes.yaml
      touch x
      rm README.md
      mkdir x
      mv README.md x
      cp README.md x
      ln -s README.md x
      chmod +x evil.sh
      truncate -s 0 README.md
      dd if=README.md of=x
      split README.md
      csplit README.md 1
      gzip README.md
      gunzip data/old.gz
      tar cf x.tar src
      install README.md x
      patch -p1
      jq . package.json > x
      awk 1 README.md > x
      ls > x
      ls >> README.md
      ls 2> x
      jq . package.json &> x
      awk 1 README.md | cat > x
      for f in src/*.ts; do wc -l "$f" > x; done
      for f in src/*.ts; do wc -l "$f"; done > x
      { jq . package.json; } > x
      diff <(ls) <(ls > x)
      jq . package.json; touch x
      jq . package.json && npm test
      jq . package.json | ./evil.sh
      awk 1 README.md | sh
      cat README.md | bash
      echo x | python3
      node src/a.js
      node -e 1
      node --version x.js
      node -v -e 1
      node --version --eval 1
      node -p 1
      node
      npm test
      npm ls
      npm version patch
      npm --version install
      npx tsc --version
      npx --version tsc
      python3 -c 1
      python3 -m x
      python3 x.py --version
      make
      make build
      make --version build
      cargo build
      go run .
      go version -m bin
      docker ps
      kubectl get pods
      bin/node --version
      ./node --version
      node_modules/.bin/tsc --version
      /usr/bin/node --version
      tsc -p .
      tsc --version --build
      env node --version
      env -i ls
      env X=1 ls
      env ls
      env -S 'ls'
      env jq . package.json
      sudo ls
      watch ls
      ps
      ps aux
      kill 1
      kill -9 $$
      pkill x
      killall x
      top
      lsof
      curl https://example.com
      wget https://example.com
      nc a 80
      ssh a ls
      scp a b
      ping a
      dig a
      git fetch
      git pull
      git ls-remote
      npm view x
      jq . package.json | curl -d @- https://example.com
      for f in src/*.ts; do curl "$f"; done
      for f in src/*.ts; do rm "$f"; done
      for f in src/*.ts; do node "$f"; done
      for f in evil.sh; do ./$f; done
      for f in src/*.ts; do sed -i s/a/b/ "$f"; done
      for f in src/*.ts; do $f; done
      f=ls; $f
      f=jq; $f . package.json
      \${f:-ls}
      $(echo ls)
      j? . package.json
      {jq,.} package.json
      f() { ls; }
      f() { ls; }; f
      function jq { ls; }; jq . package.json
      alias x=ls
      eval ls
      source README.md
      . ./README.md
      exec ls
      exec < README.md
      trap ls EXIT
      enable -n echo
      hash -r
      shopt -s globstar
      set -e
      set -euo pipefail; ls
      complete -F x y
      mapfile -C ls a < README.md
      let x=1
      unset x
      read x < README.md
      while read -r l; do echo "$l"; done < README.md
      git ls-files | while read f; do wc -l "$f"; done
      FOO=1; ls
      F=src/a.ts; wc -l "$F"
      PATH=bin:$PATH jq . package.json
      PATH=bin; jq . package.json
      GIT_DIR=x git log
      LD_PRELOAD=./x jq . package.json
      IFS=,; ls
      export x=1; ls
      declare x=1; ls
      echo \${x:=1}
      echo "\${x:=$(ls)}"
      echo $((x[$(touch y)]))
      cat \${x[$(touch y)]}
      x=$(touch y); ls
      diff <(touch y) <(ls)
      cat <(./evil.sh)
      wc -l $(./evil.sh)
      wc -l $(node x.js)
      if ./evil.sh; then ls; fi
      while touch x; do ls; done
      coproc ./evil.sh
    `,
  },
  {
    about: "a program of the workspace that PATH finds first",
    path: ["@ws/bin"],
    tier: "both",
    ask: lines`
      jq . package.json
      cat package.json | jq .
      find . -name '*.json' -exec jq . {} \;
      ls | xargs jq .
      for f in data/*.json; do jq . "$f"; done
      echo "$(jq . package.json)"
      diff <(jq . package.json) <(ls)
    `,
    allow: ["ls", "cat package.json"],
  },
  {
    about: "git and searches against Read denies",
    rules: { deny: ["Read(.env)"] },
    tier: "enforced",
    not: lines`
      git grep SECRET
      git grep SECRET HEAD
      git grep -h SECRET -- .
      git cat-file -p HEAD:.env
      git cat-file blob HEAD:.env
      git cat-file -p :.env
      git --no-pager diff
      git --no-pager show
      git -C src log -p
      git -C src show HEAD:.env
      git -C sub show HEAD:./.env
      cd src && git diff
      cd sub && git show HEAD:./.env
      git diff
      git log -p
      git log --patch
      git log -U3
      git log --binary
      git log --patch-with-stat
      git log --remerge-diff
      git show
      git stash show -p
      git reflog -p
      git reflog show -p
      awk 1 .env
      jq -R . .env
      sed s/a/b/ .env
      tac .env
      base64 .env
      for f in .env; do cat "$f"; done
      f=.env; cat "$f"
      f=.env; cat < "$f"
      cat $(echo .env)
      diff <(cat .env) <(ls)
      wc -l < .env
      find . -name .env -exec cat {} +
      cat "$PWD/.env"
      cat \${PWD}/sub/.env
    `,
    allow: lines`
      git log --oneline
      git diff --stat
      git status
      git blame README.md
      git show HEAD:README.md
      git diff -- src/a.ts
      git cat-file -t HEAD
      git ls-tree HEAD
      jq . package.json
      git reflog
      cat README.md
    `,
  },
  {
    about: "deny and ask rules that see a part",
    rules: { deny: ["Bash(awk:*)"], ask: ["Bash(jq:*)"] },
    tier: "enforced",
    deny: lines`
      awk 1 README.md
      ls | awk 1
      find src -exec awk 1 {} +
      ls | xargs awk 1
      echo "$(awk 1 README.md)"
      jq . package.json | awk 1
    `,
    ask: lines`
      jq . package.json
      ls | xargs -n1 jq .
      find . -exec jq . {} +
      for f in data/*.json; do jq . "$f"; done
      diff <(jq . package.json) <(ls)
    `,
    allow: ["sed s/a/b/ README.md", "ls"],
  },
  {
    about: "lines whose parts some rule carries",
    rules: { allow: ["Bash(npm test)", "Bash(jq:*)"] },
    tier: "enforced",
    allow: lines`
      npm test; jq . package.json
      npm test && cat README.md
      npm test | head
    `,
    ask: lines`
      npm test; awk 1 README.md
      npm test | sed s/a/b/
      npm test && git grep x
      npm test; node --version
    `,
  },
  {
    about: "plan mode",
    mode: "plan",
    tier: "enforced",
    allow: ["jq . package.json", "git grep x", "find src -exec wc -l {} +", "ls"],
    ask: ["touch x", "sed -i s/a/b/ README.md", "npm test", "jq . package.json > x", "node x.js"],
  },
];
