// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are bash's.
import { lines } from "../lines.ts";
import type { Call, Group } from "./ground.ts";

export const readingExpansions: Call[] = [
  ...lines`
    for f in src/*.ts; do wc -l "$f"; done ¦ for f in *.ts; do wc -l "$f"; done ¦ for f in a b; do cat $f; done
    for f in $(git ls-files); do wc -l "$f"; done ¦ for i in $(seq 1 3); do echo "$i"; done
    for f in src/*; do echo "\${f##*/}"; done ¦ for f in src/*.ts; do basename "\${f%.ts}"; done
    while true; do date; sleep 1; done ¦ if grep -q x a; then awk 1 a; fi
    if [ -f a ]; then jq . package.json; else echo none; fi ¦ case "$(uname)" in Linux) nproc;; *) echo other;; esac
    diff <(ls src) <(ls docs) ¦ diff <(sort a) <(sort README.md) ¦ comm -12 <(sort a) <(sort README.md)
    diff <(git show HEAD:a) a ¦ wc -l $(git ls-files) ¦ cat "$(git ls-files | head -1)" ¦ echo $HOME ¦ echo "$HOME"
    echo $PATH ¦ echo \${PATH} ¦ echo "$USER at $PWD" ¦ echo \${X:-none} ¦ echo \${#PATH} ¦ echo $((1 + 2))
    echo $((2 ** 10)) ¦ echo $(( $(wc -l < a) + 1 )) ¦ n=3; echo $n ¦ n=$(wc -l < a); echo "$n lines"
    f=src/a.ts; wc -l "$f" ¦ head=$(git rev-parse HEAD); git log -1 $head
    d=src; for f in "$d"/*.ts; do wc -l "$f"; done ¦ cat src/[ab].ts ¦ basename $(pwd) ¦ ls $(pwd) ¦ ls "$PWD"
    ls "$PWD/src" ¦ cat $PWD/src/a.ts ¦ (cd src && awk 1 a.ts) ¦ { ls; env; } | sort ¦ ! grep -q x a
    [[ -f a ]] && jq . package.json ¦ awk 1 < a ¦ sort -u < a | tac ¦ awk 1 a 2>/dev/null ¦ awk 1 a > /dev/null 2>&1
    jq . <<< '{}'
  `,
  "cat <<E\n$(git rev-parse HEAD)\nE",
  "awk '{print $1}' <<'E'\na b\nE",
  "ls\nawk 1 a\njq . package.json",
];

const expanding: Call[] = [
  ...lines`
    cat $HOME/.bashrc ¦ cat "$HOME/.ssh/id_rsa" ¦ ls $HOME ¦ ls ~ ¦ cat \${HOME}/x ¦ cat $PWD/../README.md
    ls "$PWD/.." ¦ f=/etc/passwd; cat $f ¦ f=../out/secret.txt; cat "$f" ¦ for f in /etc/*; do cat $f; done
    for f in a /etc/passwd; do cat $f; done ¦ for f in ../*; do wc -l "$f"; done ¦ d=..; ls "$d"
    cat $(echo /etc/passwd) ¦ diff <(cat /etc/passwd) a ¦ wc -l $(ls /etc) ¦ echo \${x:=y} ¦ echo \${x:-\${PATH:=.}}
    echo \${x:-$((PATH=1))} ¦ echo \${x=y} ¦ echo \${x@P} ¦ echo \${!x} ¦ echo \${x[$(id)]} ¦ $X a ¦ "$X" a
    $(echo ls) ¦ \`echo ls\` ¦ l$x ¦ l* a ¦ {ls,a} ¦ FOO=1; ls ¦ PATH=x; ls ¦ PATH=x ls ¦ FOO=1 jq . package.json
    LD_PRELOAD=x ls ¦ for FOO in a; do ls; done ¦ for PATH in a; do ls; done ¦ f() { ls; }; f ¦ function f { ls; }
    eval ls ¦ source a ¦ . a ¦ exec ls ¦ trap ls EXIT ¦ alias l=ls ¦ set -e; ls ¦ shopt -s dotglob; ls ¦ unset x; ls
    read x < a ¦ while read f; do wc -l "$f"; done < a ¦ git ls-files | while read f; do wc -l $f; done
    mapfile -C f x < a ¦ let x=1
  `,
  "ls\r",
  "ls (",
  "echo 'a\u200bb'",
];

export const enforcedExpansions: readonly Group[] = [
  { about: "§5.7 loops, conditions, expansions", ctx: { enforced: true }, allow: readingExpansions },
  { about: "§5.7 expansions, names and words of §5.11", ctx: { enforced: true }, ask: expanding },
];
