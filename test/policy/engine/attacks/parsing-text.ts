// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are bash's.
import { lines } from "../lines.ts";
import type { AttackGroup } from "./fixture.ts";

/** §5.1: texts, letters and command words. */
export const parsingText: readonly AttackGroup[] = [
  {
    about: "what only looks like a command: quoted, escaped, commented",
    tier: "both",
    allow: [
      ...lines`
        echo '$(touch x)' ¦ echo "\$(touch x)" ¦ echo '\`touch x\`' ¦ echo \$\(touch x\) ¦ echo 'a; touch x'
        echo "a && touch x" ¦ echo a\;touch ¦ ls # ; touch x ¦ ls #; touch x ¦ grep '$(touch x)' README.md
        grep -n 'a | touch x' README.md ¦ rg 'foo; rm -rf' src ¦ [ a = 'a[$(touch x)]' ] ¦ true # $(touch x)
      `,
      "cat <<'EOF'\n$(touch x)\nEOF",
      "cat <<\\EOF\n$(touch x)\nEOF",
      'cat <<"EOF"\n`touch x`\nEOF',
      "cat <<E'O'F\n$(touch x)\nEOF",
      "ls # a comment\n# touch x\npwd",
      "ls \\\n  -l \\\n  src",
      "ls |\n  head",
      "ls &&\n  pwd",
    ],
  },
  {
    about: "text that bash does not run, or runs otherwise than it looks",
    tier: "both",
    not: [
      ...lines`
        ls;; ¦ ls && ¦ | ls ¦ ls | ¦ (ls ¦ ls)
      `,
      "{ ls; ",
      ...lines`
        echo 'a ¦ echo "a ¦ echo $(ls ¦ echo \`ls ¦ echo \${x ¦ if ls; then pwd ¦ for f in a; do ls
        case x in x) ls
      `,
      "cat <<EOF\nx",
      "cat <<EOF",
      "cat <<'EOF'\nx\n EOF",
      "ls &&& pwd",
      "ls ; ; pwd",
      "ls\rpwd",
      "ls\r\npwd",
      "ls \u0001",
      "ls \u0007src",
      "ls \u001b[2J",
      "ls\u007f",
      "ls\u000bsrc",
      "ls\u000csrc",
      "ls\u00a0src",
      "echo 'a\u00a0b'",
      "echo 'a\u200bb'",
      "echo '\u202etxt'",
      "echo '\u2066x'",
      "echo '\ufeff'",
      "ls\u2003src",
      "ls\u3000src",
      "echo \u00ad",
      "l\u0455",
      "\u217ds",
      "c\u0430t README.md",
      "ｌｓ",
      "ls # \u202e hidden",
      `ls ${"a".repeat(10_001)}`,
      `ls ${"src ".repeat(2_600)}`,
    ],
  },
  {
    about: "letters of other languages in operands, and many parts",
    tier: "both",
    allow: [
      ...lines`
        echo 'größer' ¦ grep -n 'naïve' README.md ¦ echo '日本語' ¦ rg 'Привет' src
      `,
      "ls 'src'\t-l",
      Array.from({ length: 200 }, () => "true").join("; "),
      Array.from({ length: 60 }, (_, index) => `echo ${index}`).join(" && "),
    ],
  },
  {
    about: "command words that are not what they look like, without a confinement",
    ask: lines`
      $x ¦ $x ls ¦ "$x" ¦ \${x} README.md ¦ $(echo ls) ¦ \`echo ls\` ¦ l{s,x} ¦ {ls,-l} ¦ {ls,} ¦ l? ¦ l* ¦ l[s]
      ~/ls ¦ ./ls ¦ bin/jq ¦ ../ls ¦ /bin/ls ¦ /usr/bin/cat README.md ¦ LS ¦ Cat README.md ¦ GREP x README.md
      ls.exe ¦ "ls " ¦ " ls" ¦ "ls -l" ¦ '' ¦ "" ls ¦ . ¦ . ./evil.sh ¦ source evil.sh ¦ !ls x ¦ %1 ¦ [[ ¦ x=1
      x=ls; $x ¦ alias ls=./evil.sh ¦ alias ls='touch x'; ls ¦ unalias ls ¦ eval ls ¦ exec ls ¦ trap 'touch x' EXIT
      enable -n echo ¦ enable -f ./evil.so x ¦ hash -p ./evil.sh ls; ls ¦ hash -p ./evil.sh ls
      shopt -s expand_aliases ¦ set -x ¦ set -- a ¦ complete -C ./evil.sh ls ¦ mapfile -C ./evil.sh -c 1 < README.md
      let 'a[$(touch x)]=1' ¦ let x=1 ¦ unset PATH ¦ unset 'a[$(touch x)]' ¦ read PATH < README.md ¦ read -r x
      mapfile x < README.md ¦ readarray x < README.md ¦ getopts a x ¦ wait ¦ ulimit -n ¦ umask 000
      bind -x '"a":touch x' ¦ fc -s ¦ history -s x ¦ caller ¦ compgen -C ./evil.sh x ¦ command_not_found_handle x
    `,
  },
];
