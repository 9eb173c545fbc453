// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are bash's.
import { lines } from "../lines.ts";
import type { AttackGroup } from "./fixture.ts";

/** Every one of them runs `touch x` in bash 5.2 (tried). */
const running = [
  ...lines`
    echo $(case x in x) touch x;; esac) ¦ echo $(case x in (x) touch x;; esac)
    echo "$(case x in x) touch x;; esac)" ¦ echo "\${y:-"$(touch x)"}" ¦ echo "\${y:-\`touch x\`}"
    echo "\${y:-'$(touch x)'}" ¦ echo \${y:-"'"$(touch x)"'"} ¦ echo "a\${y:-b"$(touch x)"c}d"
    echo $((touch x); ls) ¦ echo $( (touch x) ) ¦ ((touch x); ls) ¦ echo "$(( $(touch x; echo 1) + 1 ))"
    echo $(( \`touch x; echo 1\` )) ¦ echo $(echo $(echo $(touch x))) ¦ echo a#b; touch x ¦ echo "#"; touch x
    echo \#; touch x ¦ echo '#' ; touch x ¦ echo $#; touch x ¦ echo \${#x}; touch x ¦ echo \${x#a}; touch x
    echo $((2#1)); touch x ¦ echo a\ #b; touch x ¦ echo {a}#; touch x ¦ echo 'it'\''s'; touch x ¦ echo "\\"; touch x
    echo '\'; touch x ¦ echo "'"; touch x; echo "'" ¦ echo '"'; touch x; echo '"' ¦ echo "a\"b"; touch x
    echo $'a\'b'; touch x ¦ echo $'\''; touch x; echo $'\'' ¦ echo $"a"; touch x ¦ echo \;; touch x
    echo \\; touch x ¦ echo \& touch y & touch x ¦ ls>/dev/null;touch x ¦ ls&touch x ¦ ls|touch x
    ls||touch x;touch x ¦ {  touch x;} ¦ !  touch x ¦ time -p touch x ¦ if :; then :; fi; touch x
    case a in a|b) touch x;; esac ¦ case a in "a") touch x; esac ¦ case a in (b) ;; (a) touch x ;; esac
    for x in 1; { touch x; } ¦ for ((;;)) { touch x; exit; } ¦ for i do touch y; done; touch x
    until touch x; do :; done ¦ touch 'x' ¦ tou"ch" x ¦ t""ouch x ¦ to\uch x ¦ 'touch' x ¦ $'touch' x
    $'\x74ouch' x ¦ $'\164ouch' x ¦ $'\u0074ouch' x ¦ $"touch" x ¦ </dev/null touch x ¦ 2>/dev/null touch x
    >/dev/null touch x ¦ touch>/dev/null x ¦ a=1 touch x ¦ a=1 b=2 touch x ¦ a[0]=1 touch x ¦ a+=1 touch x
    a=$(ls) touch x ¦ a='b c' touch x ¦ cat <(touch x) ¦ cat < <(touch x) ¦ : "$(touch x)" ¦ : \${z:=$(touch x)}
    : \${z+a} $(touch x) ¦ [[ -n a && $(touch x) ]] ¦ [[ a == "$(touch x)"* ]] ¦ [[ a =~ ^$(touch x) ]]
    [[ (a) ]] && touch x ¦ [ "$(touch x)" ] ¦ test a = "$(touch x)" ¦ echo [$(touch x)] ¦ echo ~/$(touch x)
    echo {1..$(touch x)} ¦ echo a{b,$(touch x)}c ¦ y=abc; echo \${y/$(touch x)/} ¦ y=abc; echo \${y//a/$(touch x)}
    y=1; echo \${y:$(touch x; echo 0):1} ¦ y=(1); echo \${y[$(touch x; echo 0)]} ¦ y=([$(touch x; echo 0)]=1)
    y[$(touch x; echo 0)]=1 ¦ [[ -v y[$(touch x; echo 0)] ]] ¦ read 'y[$(touch x)0]' <<< a ¦ let 'y[$(touch x)0]=1'
    declare 'y=$(ls)' "z=$(touch x)" ¦ f() { touch x; }; f ¦ f() ( touch x; ); f ¦ function f() { touch x; }; f
    function f-g { touch x; }; f-g ¦ f () for i in 1; do touch x; done; f ¦ ls() { touch x; }; ls ¦ eval 'touch x'
    eval "to""uch x" ¦ trap 'touch x' EXIT ¦ coproc touch x; wait ¦ mapfile -C 'touch x #' -c 1 <<< a
    select x in a; do :; done < /dev/null; touch x
  `,
  "tou\\\nch x",
  "touch \\\nx",
  "ls \\\n| touch x",
  "ls\\\n;touch x",
  "ls &\\\n& touch x",
  "ls # \\\ntouch x",
  "ls # '\ntouch x # '",
  'ls # "\ntouch x # "',
  "ls #\\\\\ntouch x",
  "echo '\n#'; touch x",
  'echo "\n# "; touch x',
  "echo $(ls # )\ntouch x)",
  'echo "$(ls # ")"\ntouch x)"',
  "echo `ls # \\``\ntouch x",
  "cat <<EOF\nEOF \n$(touch x)\nEOF",
  "cat <<EOF\n EOF\n$(touch x)\nEOF",
  "cat <<'EOF'\nEOF\ntouch x",
  "cat <<'E F'\nx\nE F\ntouch x",
  'cat <<"E F"\n$(ls)\nE F\ntouch x',
  "cat <<-'EOF'\n\tx\n\tEOF\ntouch x",
  "cat <<-EOF\n\t$(touch x)\n\tEOF",
  "cat <<EOF\n\\\\$(touch x)\nEOF",
  "cat <<EOF\n'$(touch x)'\nEOF",
  "cat <<EOF\n${y:-$(touch x)}\nEOF",
  "cat <<EOF\n$((1 + $(touch x; echo 1)))\nEOF",
  "cat <<EOF\n`touch x`\nEOF",
  "cat <<A; cat <<B\n$(ls)\nA\n$(touch x)\nB",
  "cat <<A <<'B'\n$(touch x)\nA\nx\nB",
  "echo $(cat <<EOF\n$(touch x)\nEOF\n)",
  "echo $(cat <<'EOF'\n)\nEOF\ntouch x)",
  "cat <<'EOF' | { cat; touch x; }\nx\nEOF",
  "cat <<EOF && touch x\nx\nEOF",
  "{ cat <<EOF\nx\nEOF\ntouch x; }",
  "if ls\nthen touch x\nfi",
  "while touch x\ndo break\ndone",
  "for i in 1\ndo\ntouch x\ndone",
  "case a in\na)\ntouch x\n;;\nesac",
  "f()\n{\ntouch x\n}\nf",
  "ls &&\n\n# a comment\ntouch x",
  "ls |\n# a comment\ntouch x",
  "(\ntouch x\n)",
  "touch\tx",
  "\ttouch x",
  "\n\ntouch x\n",
];

/** They run it too, but a value hides it: in the enforced tier it runs and fails. */
const hiddenInValues = lines`
  y=; [[ -v 'y[$(touch x)]' ]] ¦ test -v 'y[$(touch x)]' ¦ printf -v 'y[$(touch x)0]' a
  [[ 'y[$(touch x)0]' -eq 0 ]] ¦ y='z[$(touch x)0]'; echo $((y)) ¦ y='z[$(touch x)0]'; (( y ))
  y='z[$(touch x)0]'; [[ y -eq 0 ]] ¦ y='a[$(touch x)0]'; echo \${!y} ¦ y='$(touch x)'; echo "\${y@P}"
`;

/** §5.1 and §5.2 again, with lines on which simple parsers go wrong. */
export const parsingTricks: readonly AttackGroup[] = [
  {
    about: "arithmetic comparisons that assign",
    tier: "both",
    not: lines`
      [[ 0 -eq PATH=0 ]]; ls ¦ [[ PATH=0 -lt 1 ]] && ls ¦ [[ 1 -eq 'PATH=0' ]]; ls ¦ [[ PATH++ -eq 1 ]]; ls
      [[ 1 -ge --PATH ]]; ls
    `,
  },
  {
    about: "lines that run a command where simple parsers see none",
    tier: "both",
    ask: running,
  },
  {
    about: "lines that run a command which a value hides, without a confinement",
    ask: hiddenInValues,
  },
  {
    about: "the same lines in plan mode",
    mode: "plan",
    rules: { allow: ["Bash(cat:*)", "Bash(echo:*)", "Bash(ls:*)"] },
    ask: [...running, ...hiddenInValues],
  },
  {
    about: "the same lines under rules for the harmless part of them",
    rules: {
      allow: ["Bash(cat:*)", "Bash(echo:*)", "Bash(ls:*)", "Bash(a*)"],
    },
    ask: [...running, ...hiddenInValues],
  },
];
