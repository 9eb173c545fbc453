// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are bash's.
import { lines } from "../lines.ts";
import type { AttackGroup } from "./fixture.ts";

/** §5.7: git, versions, find, xargs and loops, which must not ask in the enforced tier. */
export const enforcedLines: readonly AttackGroup[] = [
  {
    about: "git",
    tier: "enforced",
    allow: lines`
      git --no-pager log --oneline -10 ¦ git --no-pager diff ¦ git -C src log --oneline -3 ¦ git -C src status
      git -C . diff --stat ¦ git --no-pager -C src show --stat ¦ git ls-tree HEAD ¦ git ls-tree -r --name-only HEAD
      git ls-tree HEAD src/ ¦ git reflog -5 ¦ git reflog show main ¦ git grep TODO ¦ git grep -n TODO -- src
      git grep -l foo HEAD ¦ git cat-file -t HEAD ¦ git cat-file -p HEAD ¦ git cat-file -p HEAD:README.md
      git merge-base main topic ¦ git show-ref ¦ git show-ref --heads ¦ git for-each-ref
      git for-each-ref --format='%(refname)' refs/heads ¦ git for-each-ref --sort=-committerdate refs/heads
      git check-ignore -v .env ¦ git worktree list ¦ git worktree list --porcelain ¦ git log --graph --oneline --all
      git log --since='2 weeks ago' --author=x ¦ git log -S foo --oneline ¦ git log --follow -- README.md
      git log -p -2 ¦ git diff HEAD~1 ¦ git diff main...topic ¦ git diff --cached ¦ git diff --word-diff
      git show HEAD ¦ git show HEAD:README.md ¦ git show --stat HEAD~1 ¦ git blame README.md
      git blame -L 1,3 src/a.ts ¦ git stash list ¦ git stash show -p ¦ git branch -a ¦ git branch -vv ¦ git tag -l
      git remote -v ¦ git status ¦ git describe --tags --always ¦ git rev-parse HEAD ¦ git rev-list --count HEAD
      git shortlog -sn ¦ git ls-files ¦ git ls-files | wc -l ¦ git diff --name-only HEAD~1 | xargs wc -l
      cd src && git log --oneline -3 ¦ cd src && git status ¦ cd src && git diff HEAD~1 -- a.ts
      git log --oneline $(git merge-base main topic)..HEAD ¦ git show $(git rev-parse HEAD)
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
        node -v ¦ npm -v ¦ go version ¦ python3 -V ¦ cargo -V ¦ make -v ¦ docker version
        node --version && npm --version ¦ node -v; npm -v; git --version ¦ python3 --version 2>&1 ¦ java --version
        javac --version ¦ node --version | tr -d v ¦ echo "node $(node --version)"
      `,
    ],
  },
  {
    about: "find and xargs before what reads",
    tier: "enforced",
    allow: lines`
      find . -name '*.ts' -exec wc -l {} + ¦ find . -name '*.ts' -exec wc -l {} \;
      find src -type f -exec grep -l x {} + ¦ find src -type f -exec head -n 1 {} \;
      find src -name '*.ts' -exec cat {} + ¦ find . -name '*.json' -exec jq -r .name {} \;
      find . -name '*.md' -exec md5sum {} + ¦ find src -type f -exec ls -la {} +
      find src -type f -exec stat -c '%s %n' {} + ¦ find src -type f -exec basename {} \;
      find src -type f -exec file {} + ¦ find . -name '*.ts' | xargs wc -l
      find . -name '*.ts' -print0 | xargs -0 wc -l ¦ find . -name '*.ts' -print0 | xargs -0 grep -n x
      find src -type f | xargs -n1 basename ¦ find src -type f | xargs -I{} head -n 1 {}
      find src -type f | xargs -P4 -n10 grep -l x ¦ git ls-files | xargs wc -l
      git ls-files '*.ts' | xargs grep -n x ¦ git ls-files -z | xargs -0 wc -l ¦ git diff --name-only | xargs -r cat
      rg -l x | xargs sed -n 1p ¦ rg --files | xargs wc -l | sort -n | tail ¦ grep -rl x src | xargs head -n 3
      ls src | xargs -I{} echo src/{} ¦ cat data/list.txt | xargs -n 1 echo ¦ ls -d src/* | xargs du -sh
      find . -type f -name '*.ts' | xargs cat | wc -l ¦ find . -name package.json | xargs jq .version
      find src -name '*.ts' | xargs awk 'END {print NR}'
    `,
  },
  {
    about: "loops, conditions, substitutions and values",
    tier: "enforced",
    allow: lines`
      for f in src/*.ts; do echo "$f: $(wc -l < "$f")"; done ¦ for f in src/a.ts src/b.ts; do head -n 1 "$f"; done
      for f in src/a.ts src/b.ts; do head -n 1 $f; done ¦ for d in src test docs; do echo "$d"; ls "$d"; done
      for d in src/*/; do ls "$d"; done ¦ for i in 1 2 3; do echo $i; done ¦ for i in $(seq 1 5); do echo "$i"; done
      for f in $(git ls-files); do wc -l "$f"; done ¦ for f in $(find src -name '*.ts'); do grep -c x "$f"; done
      for f in src/*.ts; do if grep -q x "$f"; then echo "$f"; fi; done
      for f in src/*.ts; do [ -f "$f" ] && wc -c "$f"; done ¦ for f in src/*.ts; do basename "\${f%.ts}"; done
      for b in main topic; do git log -1 --format=%s "$b"; done ¦ for ((i = 0; i < 3; i++)); do echo $i; done
      if [ -f package.json ]; then jq .name package.json; fi
      if grep -q x README.md; then echo yes; else echo no; fi ¦ [ -d src ] && ls src || echo none
      [[ -f package.json ]] && cat package.json ¦ test -f tsconfig.json && cat tsconfig.json
      case x in x) ls;; *) pwd;; esac ¦ diff <(sort data/list.txt) <(sort data/numbers.txt)
      diff <(git show HEAD:README.md) README.md ¦ diff <(jq -S . package.json) <(jq -S . tsconfig.json)
      comm -12 <(ls src) <(ls test) ¦ cat <(head -n 1 README.md) <(tail -n 1 README.md) ¦ wc -l < <(git ls-files)
      f=src/a.ts; wc -l "$f" ¦ f=src/a.ts; wc -l $f ¦ f=src/a.ts && head -n 3 "$f" && tail -n 3 "$f"
      d=src; ls "$d" ¦ d=src; cat "$d/a.ts" ¦ n=5; head -n "$n" README.md ¦ n=$(wc -l < README.md); echo "$n lines"
      rev=$(git rev-parse HEAD); git show --stat "$rev" ¦ name=$(jq -r .name package.json); echo "$name"
      x=3; echo $((x * 2)) ¦ echo $((1 + 2 * 3)) ¦ echo $HOME ¦ echo "$HOME" ¦ echo "$PWD" ¦ echo "\${PWD##*/}"
      echo $PATH ¦ echo "$USER" ¦ ls "$PWD" ¦ cat "$PWD/README.md" ¦ ls $PWD/src ¦ cat \${PWD}/src/a.ts
      echo "files: $(ls | wc -l)" ¦ echo "\${x:-none}" ¦ ls *.json ¦ cat src/*.ts | wc -l ¦ head -n 1 src/*.ts
      wc -l src/*.ts test/*.ts ¦ grep -c x src/*.ts ¦ ls -la src/ test/ docs/ ¦ basename "$PWD"
      dirname "$PWD/src/a.ts" ¦ basename $(pwd) ¦ cat $(git ls-files 'docs/*.md') ¦ head -n 5 $(ls -d src/*.ts)
      wc -c $(find src -name '*.ts') ¦ until true; do ls; done ¦ (cd src && ls) && pwd ¦ { ls; pwd; } | wc -l
      time ls ¦ ! grep -q x README.md ¦ cat <<< "$(ls)" ¦ wc -w <<< "$(git log -1 --format=%B)"
    `,
  },
];
