// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are bash's.
import { lines } from "../lines.ts";
import type { Group } from "./ground.ts";

/** What developers type to look around, beyond the plain tier. */
export const everydayEnforced: readonly Group[] = [
  {
    about: "everyday, the enforced tier",
    ctx: { enforced: true },
    allow: [
      ...lines`
        jq . package.json ¦ jq .version package.json ¦ jq -r .name package.json ¦ jq '.scripts' package.json
        jq -r '.scripts | keys[]' package.json ¦ jq '.dependencies | length' package.json
        jq -r '.devDependencies | to_entries[] | "\(.key) \(.value)"' package.json ¦ cat package.json | jq .scripts
        jq -e .x package.json > /dev/null && echo has ¦ yq . a ¦ awk '{print $1}' a ¦ awk '{print $NF}' a
        awk -F, '{print $2}' a ¦ awk 'NR>=10 && NR<=20' src/a.ts ¦ awk '/foo/{print FILENAME": "$0}' src/*.ts
        awk '{s+=$1} END {print s}' a ¦ awk 'length > 100' src/a.ts ¦ ls -l | awk '{print $5, $9}'
        du -sk * | awk '{s+=$1} END {print s}' ¦ git log --format=%an | sort | uniq -c | awk '{print $2}'
        git diff --numstat | awk '{a+=$1} END {print a}' ¦ sed 's/foo/bar/g' src/a.ts
        sed 's/foo/bar/' src/a.ts | head ¦ sed -e 's/a/b/' -e 's/c/d/' a ¦ sed '/^$/d' a ¦ sed 1d a
        sed -n 's/.*version: //p' README.md ¦ sed '1,5d' a ¦ sed 10q a ¦ sed -E 's/[0-9]+/N/g' a
        cat a | sed 's/^/  /' ¦ node --version ¦ node -v ¦ npm --version ¦ npm -v ¦ npx --version ¦ pnpm -v
        yarn --version ¦ python3 --version ¦ python --version ¦ python3 -V ¦ pip --version ¦ go version
        cargo --version ¦ rustc --version ¦ rustc -V ¦ java --version ¦ ruby -v ¦ gcc --version
        gcc --version | head -1 ¦ make --version ¦ cmake --version ¦ docker --version ¦ docker -v ¦ git --version
        tsc --version ¦ tsc -v ¦ php -v ¦ mvn -v ¦ dotnet --version ¦ node --version && npm --version
        node -v; npm -v; git --version ¦ which node && node --version ¦ git reflog ¦ git reflog -10
        git reflog | head ¦ git ls-tree HEAD ¦ git ls-tree -r HEAD --name-only ¦ git ls-tree --name-only HEAD src/
        git grep foo ¦ git grep -n foo ¦ git grep -n foo -- src ¦ git grep -il foo ¦ git grep -c foo
        git grep -w foo HEAD~3 ¦ git merge-base main HEAD ¦ git merge-base --is-ancestor main HEAD && echo yes
        git show-ref ¦ git show-ref --tags ¦ git for-each-ref refs/heads
        git for-each-ref --sort=-committerdate --count=5 refs/heads ¦ git cat-file -t HEAD ¦ git cat-file -p HEAD
        git cat-file -s HEAD:a ¦ git check-ignore node_modules ¦ git check-ignore -v build ¦ git worktree list
        git --no-pager log -5 ¦ git --no-pager diff ¦ git --no-pager show --stat
        git --no-pager log --oneline | head -5 ¦ git -C src log -1 ¦ git -C . status ¦ git -C docs diff
        cd src && git status ¦ cd src && git log --oneline -5 -- . ¦ cd docs && git diff --stat
        git diff $(git merge-base main HEAD) ¦ git log $(git describe --tags --abbrev=0)..HEAD --oneline
        git diff --name-only | xargs wc -l ¦ git ls-files | xargs wc -l ¦ git ls-files | xargs wc -l | tail -1
        git ls-files '*.ts' | xargs grep -n foo ¦ git ls-files -z | xargs -0 wc -l
        git ls-files | xargs -n1 dirname | sort -u ¦ git ls-files | sed 's/.*\.//' | sort | uniq -c | sort -nr
        git log --format=%ad --date=short | sort | uniq -c | tail ¦ find . -name '*.ts' -exec wc -l {} +
        find . -name '*.ts' -exec grep -l foo {} + ¦ find . -name '*.ts' -exec grep -n foo {} \;
        find src -type f -exec head -3 {} \; ¦ find . -name '*.json' -exec cat {} \;
        find . -type f -exec du -h {} + | sort -h | tail ¦ find . -type f -exec md5sum {} +
        find . -name '*.md' | xargs head -1 ¦ find . -name '*.ts' | xargs grep -n foo
        find . -name '*.ts' -print0 | xargs -0 wc -l ¦ find src -name '*.ts' | xargs -I{} basename {}
        find . -type f | sed 's/.*\.//' | sort | uniq -c ¦ find . -maxdepth 1 -newermt '2024-01-01'
        find . -depth -name x ¦ find . -name x -print -quit ¦ ls | xargs -n1 echo ¦ ls src | xargs -I{} wc -l src/{}
        rg -l foo | xargs wc -l ¦ rg -l foo | xargs -n 1 dirname | sort | uniq -c
        grep -rl foo src | xargs grep -n bar ¦ grep -rIn foo src ¦ grep -RIn foo src
        grep -rn --binary-files=without-match foo src ¦ tail -f build/out.js ¦ tail -F build/out.js
        tail -f build/out.js | grep --line-buffered error ¦ tac a | head ¦ base64 a ¦ base64 -w0 a
        echo aGk= | base64 -d ¦ env | grep -i node ¦ env | sort ¦ printenv PATH ¦ printenv | sort ¦ echo $PATH
        echo $HOME ¦ echo "$SHELL" ¦ echo $PATH | tr ':' '\n' ¦ nproc ¦ free -h ¦ free -m
        getconf _NPROCESSORS_ONLN ¦ groups ¦ shuf -n 3 a ¦ shuf -i 1-10 -n 1 ¦ fold -w 80 -s README.md
        fmt -w 72 README.md ¦ expand -t 4 src/a.ts ¦ numfmt --to=iec 1048576 ¦ zcat a | head ¦ echo '2^10' | bc
        bc <<< '1 + 2' ¦ echo $((1024 * 1024)) ¦ date -I ¦ date -Iseconds ¦ ls -L ¦ stat --format=%s a
        stat --printf='%s\n' a ¦ wc -l $(git ls-files) ¦ wc -l $(find src -name '*.ts') ¦ cat $(git ls-files src)
        head -5 $(ls src/*.ts) ¦ diff <(sort a) <(sort README.md) ¦ diff <(ls src) <(ls docs)
        diff <(jq -S . package.json) <(git show HEAD:package.json) ¦ comm -13 <(sort a) <(sort README.md)
        diff --color a README.md ¦ sort *.md | uniq -d ¦ for f in src/*.ts; do wc -l "$f"; done
        for f in src/*.ts; do echo "== $f"; head -3 "$f"; done ¦ for f in $(git diff --name-only); do wc -l $f; done
        for d in src docs; do echo "$d: $(ls $d | wc -l)"; done ¦ for i in $(seq 1 3); do echo $i; done
        for f in *.md; do grep -c foo "$f"; done ¦ for c in $(git rev-list -3 HEAD); do git show --stat $c; done
        if [ "$(git branch --show-current)" = main ]; then git log -1; fi ¦ x=$(git rev-parse HEAD); echo "$x"
        count=$(grep -c foo a); echo "count: $count" ¦ f=src/a.ts; head -5 $f; tail -5 $f
        dir=$(dirname src/a.ts); ls "$dir" ¦ basename "$PWD" ¦ basename $(git rev-parse --show-toplevel) ¦ ls "$PWD"
        timeout 5 jq . package.json ¦ time awk 1 a ¦ LC_ALL=C awk 1 a
        ls -la && node --version && jq .name package.json
      `,
      ...lines`
        for f in src/*; do echo "\${f%.ts}"; done ¦ echo \${HOME} ¦ echo "\${EDITOR:-none}"
      `,
      "jq . package.json \\\n  | head -20",
      "awk '\n{ print $1 }\n' a",
      'for f in src/*.ts\ndo\n  wc -l "$f"\ndone',
    ],
  },
];
