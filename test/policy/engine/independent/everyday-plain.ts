import { lines } from "../lines.ts";
import type { Group } from "./ground.ts";

/** What developers type to look around, all in the plain tier. */
export const everydayPlain: readonly Group[] = [
  {
    about: "everyday, the plain tier",
    allow: lines`
      ls ¦ ls -l ¦ ls -a ¦ ls -lh ¦ ls -lt ¦ ls -ltr ¦ ls -lah src ¦ ls -1 src ¦ ls -d */ ¦ ls -R src ¦ ls -S docs
      ls src docs ¦ ls --all ¦ ls --color=never ¦ ls package.json 2>/dev/null ¦ ls src | wc -l ¦ ls src | head -5
      ls -la | grep json ¦ ls -t | head -1 ¦ pwd ¦ pwd && ls -la ¦ cd src && ls -la ¦ cd src/deep && cat c.ts
      cd docs; ls ¦ cd @ws && ls ¦ cd @ws && git log --oneline -5 ¦ cat README.md ¦ cat -n src/a.ts ¦ cat -A a
      cat src/a.ts src/b.ts ¦ cat package.json | head -20 ¦ cat src/*.ts | wc -l ¦ head README.md
      head -5 README.md ¦ head -n 5 README.md ¦ head -n -5 README.md ¦ head -c 100 a ¦ head -20 src/*.ts
      tail README.md ¦ tail -20 build/out.js ¦ tail -n +10 src/a.ts ¦ tail -n 5 build/out.js | head -1
      wc -l README.md ¦ wc -w docs/x.md ¦ wc -c < a ¦ wc -l src/*.ts | tail -1 ¦ nl -ba README.md | head
      grep foo README.md ¦ grep -n foo src/a.ts ¦ grep -i foo README.md ¦ grep -r foo src
      grep -rn foo src --include=*.ts ¦ grep -rn "foo bar" src docs ¦ grep -rl foo src ¦ grep -rnw foo src
      grep -rc foo src ¦ grep -v '^#' a ¦ grep -E '^(a|b)' a ¦ grep -o 'v[0-9]*' README.md
      grep -A3 -B3 foo src/a.ts ¦ grep -C 2 foo src/a.ts ¦ grep -m 1 foo src/a.ts ¦ grep -q foo a && echo found
      grep -qs foo a || echo missing ¦ grep -P '\d+' a ¦ grep -F 'a.b' a ¦ grep -Hn foo src/a.ts
      grep --color=never foo a ¦ grep -rn --exclude-dir=node_modules foo . ¦ grep -rn 'TODO\|FIXME' src
      grep -e foo -e bar a ¦ egrep 'a|b' a ¦ rg foo ¦ rg -n foo src ¦ rg -i foo ¦ rg -l foo src ¦ rg -w foo
      rg -F 'a.b' ¦ rg -t ts foo ¦ rg -tts foo ¦ rg -g '*.ts' foo ¦ rg -g '!*.test.ts' foo src ¦ rg --files
      rg --files src ¦ rg --files -g '*.md' ¦ rg -c foo ¦ rg -A 3 -B 3 foo src/a.ts ¦ rg -C3 foo ¦ rg -uu foo
      rg --hidden foo ¦ rg --no-heading foo ¦ rg -e foo -e bar ¦ rg -o 'v\d+' ¦ rg --json foo src ¦ rg -m 1 foo
      rg "import .* from" src | head -20 ¦ find . -name package.json ¦ find . -name '*.ts'
      find src -name '*.ts' | head ¦ find . -type f | wc -l ¦ find . -type d -maxdepth 2 ¦ find . -iname 'readme*'
      find . -path ./node_modules -prune -o -name '*.ts' -print ¦ find . -name '*.ts' ! -path '*/node_modules/*'
      find src -mtime -1 ¦ find . -size +1M ¦ find . -empty ¦ find src -type f -newer package.json
      find . \( -name '*.ts' -o -name '*.js' \) -type f ¦ find . -type f -name '*.ts' | sort
      find . -type f -print0 ¦ du -sh . ¦ du -sh src ¦ du -sh * | sort -h ¦ du -h -d 1 src
      du -ah src | sort -rh | head ¦ df -h ¦ df -h . ¦ stat a ¦ stat -c %y a ¦ file a ¦ file src/a.ts README.md
      tree -L 2 ¦ tree -a -L 1 ¦ tree src ¦ tree -d src ¦ diff a README.md ¦ diff -u a README.md ¦ diff -rq src docs
      diff -q a README.md ¦ cmp a README.md ¦ comm -12 a README.md ¦ sort a ¦ sort -u a ¦ sort -nr a ¦ sort -k2 -n a
      sort -t: -k1,1 a ¦ sort a | uniq ¦ sort a | uniq -c | sort -nr | head -5 ¦ cut -d: -f1 a ¦ cut -c1-80 a
      cut -f 2 a ¦ tr a-z A-Z < a ¦ cat a | tr -d ' ' ¦ cat a | tr -s ' ' | cut -d' ' -f2 ¦ paste -sd, a
      column -t a ¦ rev a ¦ seq 10 ¦ md5sum a ¦ sha256sum package.json ¦ xxd a | head ¦ xxd -l 32 a ¦ od -c a | head
      hexdump -C a | head -5 ¦ strings a | head ¦ sed -n 5p a ¦ sed -n '10,20p' src/a.ts
      sed -n '/start/,/end/p' src/a.ts ¦ sed -n '$p' a ¦ nl -ba src/a.ts | sed -n '5,10p' ¦ echo hello
      echo -n hello ¦ echo "a" "b" ¦ echo 'done!' ¦ echo --- ¦ printf '%s\n' a ¦ printf 'a\tb\n' ¦ date ¦ date -u
      date +%F ¦ date '+%Y-%m-%d %H:%M' ¦ date -d '1 day ago' +%F ¦ whoami ¦ id ¦ id -u ¦ hostname ¦ uname -a
      uname -sr ¦ uptime ¦ which node ¦ which -a python3 ¦ type git ¦ command -v cargo ¦ basename src/a.ts .ts
      dirname src/a.ts ¦ realpath src ¦ readlink link-in ¦ readlink -f link-in ¦ test -f a && echo yes
      test -d src || echo no ¦ [ -f package.json ] && cat package.json ¦ [ -e x ] || echo missing
      [[ -d src ]] && ls src ¦ true ¦ sleep 1 ¦ sleep 0.5; ls ¦ git status ¦ git status -s ¦ git status -sb
      git status --short ¦ git status --porcelain ¦ git diff ¦ git diff --stat ¦ git diff --staged
      git diff --cached --stat ¦ git diff HEAD~1
    `,
  },
];
