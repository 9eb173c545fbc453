// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are bash's.
import { lines } from "../lines.ts";
import type { AttackGroup } from "./fixture.ts";

/** §5.11: expansions and builtins under an allow rule. */
export const allowExpansions: readonly AttackGroup[] = [
  {
    about: "expansions where the rule has its wildcard, and where it has none",
    rules: { allow: ["Bash(npm run:*)", "Bash(make build)"] },
    tier: "both",
    allow: lines`
      npm run test $FILE ¦ npm run "$task" ¦ npm run \${task} ¦ npm run test -- "$?" ¦ npm run test $((1 + 2))
      npm run {lint,test} ¦ npm run test src/*.ts ¦ npm run test ~/x ¦ npm run test "$(git rev-parse HEAD)"
      npm run test $(cat src/a.ts)
    `,
    ask: lines`
      npm $x ¦ npm "$x" test ¦ npm r{un,x} ¦ npm ru? ¦ npm ru* test ¦ npm $(echo run) test ¦ $npm run test
      \${npm} run test ¦ $(echo npm) run test ¦ n{pm,x} run test ¦ np? run test ¦ np* run ¦ make $target ¦ make bu*
      make build{,x} ¦ make "$(echo build)" ¦ npm run "\${x@P}" ¦ npm run \${x@Q} ¦ npm run "\${x@E}"
      npm run \${!x} ¦ npm run "\${!x}" ¦ npm run \${x:=y} ¦ npm run \${x=y} ¦ npm run "\${PATH:=.}"
      npm run \${a[$(touch x)]} ¦ npm run "\${a[$x]}" ¦ npm run $((a[1+x])) ¦ npm run $((x)) ¦ npm run $((x++))
      npm run $((x=1)) ¦ npm run $(./evil.sh) ¦ npm run "$(touch x)" ¦ npm run <(./evil.sh) ¦ npm run \${ touch x; }
      npm run \${| touch x; } ¦ npm run "\${ ls; }" ¦ npm run $(cat /etc/passwd)
      npm run "$(cat ../out/secret.txt)"
    `,
  },
  {
    about: "here-document delimiters in dollar quotes",
    rules: { allow: ["Bash(cat:*)"] },
    tier: "both",
    ask: ["cat <<$'EOF'\nx\nEOF", 'cat <<$"EOF"\nx\nEOF', "cat <<$'E\\x4fF'\nx\nEOF"],
    allow: ["cat <<'EOF'\nx\nEOF", "cat <<EOF\nx\nEOF"],
  },
  {
    about: "builtins that need a rule of their own",
    rules: { allow: ["Bash(npm:*)", "Bash(ls:*)", "Bash(* x)"] },
    tier: "both",
    not: lines`
      alias l=ls ¦ eval ls x ¦ source x ¦ . x ¦ exec ls x ¦ exec x ¦ trap ls x ¦ enable -n x ¦ hash x ¦ shopt -s x
      set x ¦ complete -C ls x ¦ mapfile -C ./evil.sh x ¦ let x ¦ unset x ¦ read x ¦ f() { ls x; }
      function x { ls; } ¦ export x ¦ declare x ¦ typeset x ¦ local x ¦ readonly x
    `,
  },
  {
    about: "builtins that a rule names",
    rules: {
      allow: ["Bash(source x)", "Bash(set -e)", "Bash(unset FOO)", "Bash(export A=1)", "Bash(eval:*)"],
    },
    allow: lines`
      source x ¦ set -e ¦ unset FOO ¦ export A=1
    `,
    ask: lines`
      source y ¦ . x ¦ set -x ¦ unset PATH ¦ export A=2 ¦ export B=1 ¦ declare A=1
    `,
  },
];
