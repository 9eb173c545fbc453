// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are bash's.
import { lines } from "../lines.ts";
import type { Group } from "./ground.ts";

/** §5.6: patterns, text, formats and tests; what is a read and what only looks like one. */
export const plainWords: readonly Group[] = [
  {
    about: "§5.6 patterns and text that look like paths",
    allow: lines`
      grep -rn '../utils' src ¦ grep -n /api/users src/a.ts ¦ grep -e /etc/passwd a ¦ grep -rn "from '../" src
      grep -E '^/' a ¦ grep ~ a ¦ rg /api/v1 src ¦ rg '\.\./lib' src ¦ rg -e ../x src ¦ rg ../x src
      egrep '/(a|b)/' a ¦ sed -n '/foo/p' a ¦ sed -n '/a/,/b/p' a ¦ tr / - ¦ basename /a/b/c ¦ basename ../x
      dirname /usr/local/bin ¦ dirname ../../x ¦ echo /etc/passwd ¦ echo ../x ~x ¦ printf '/x\n'
      printf '%s\n' /etc/passwd ../x ¦ test -e /etc/passwd ¦ [ -d /usr/local ] && echo yes
      [[ -f /etc/hosts ]] || echo no ¦ [ /a = /b ]
    `,
    ask: lines`
      grep x /api/users ¦ grep -e x /etc/passwd ¦ grep -e x -e y ../README.md ¦ rg x ../src ¦ rg -e x /etc
      rg --files /etc ¦ rg --files .. ¦ sed -n 1p /foo/p ¦ sed -n -e 1p /foo/p ¦ tr a b < /etc/passwd
      du --exclude=x /etc ¦ ls --ignore=x .. ¦ git log -- /etc/passwd ¦ cmp a ../README.md ¦ join a /etc/passwd
      comm a link-secret ¦ paste a ../README.md ¦ column ~/x ¦ rev link-secret ¦ nl /etc/hosts ¦ uniq /etc/passwd
      uniq ../README.md ¦ cksum link-secret ¦ tree link-out/ ¦ tree ~ ¦ df / ¦ df .. ¦ od link-secret
      strings /bin/ls ¦ file link-out/dir ¦ readlink /proc/self/exe ¦ readlink -f ../x ¦ realpath .. ¦ realpath ~
      stat .. ¦ du .. ¦ ls src ../lib ¦ wc -l -- ../README.md ¦ sort -- /etc/passwd ¦ find src .. -name x
      find . /etc -name x ¦ find -name x -o -newer /etc/passwd
    `,
  },
  {
    about: "§5.6 tests",
    allow: lines`
      test -f a ¦ test ! -f a ¦ test -n x -a -n y ¦ [ -f a -o -f b ] ¦ [ ! -d src ] ¦ [ -z '' ] ¦ [ a = b ]
      [ a != b ] ¦ [ 1 -lt 2 ] ¦ [ 1 -eq 1 ] && echo same ¦ test 3 -ge 2 ¦ [[ -f a ]] ¦ [[ ! -e x ]]
      [[ a = b || c = d ]] ¦ [[ -n x && -z '' ]] ¦ [[ 3 -gt 2 ]] ¦ [[ abc =~ a.c ]] ¦ [[ a < b ]]
      [ a -nt README.md ] ¦ [ -x a ] || [ -r a ] ¦ [ "$(pwd)" = x ] ¦ [ -n "$(ls src)" ]
      test -z "$(git status --porcelain)"
    `,
    ask: lines`
      test -v x ¦ test -R x ¦ [ -v x ] ¦ [ -R x ] ¦ [[ -v x ]] ¦ [[ -R x ]] ¦ [ ! -v x ] ¦ [ a -o -v x ]
      [ -f a -a -v 'x[$(id)]' ] ¦ [[ -f a && -v x ]] ¦ [[ ! -R x ]] ¦ [[ -v 'a[$(id)]' ]]
      test -n x -o -v 'a[$(id)]' ¦ [ '-v' x ] ¦ [ -''v x ] ¦ [ $'\x2dv' x ] ¦ [[ x -eq 1 ]] ¦ [[ 'a[$(id)]' -eq 0 ]]
      [[ 1 -eq 'a[$(id)]' ]] ¦ [[ $(ls | wc -l) -gt 3 ]] ¦ [ "$(ls | wc -l)" -gt 3 ] ¦ [[ $X ]] ¦ [[ -n $X ]]
      [ -n "$X" ] ¦ [ $X ] ¦ [ -f * ] ¦ [ -n src/* ] ¦ test -f src/*.ts ¦ [ * = a ] ¦ [ -f {a,b} ] ¦ [ "$HOME" = x ]
      [[ a = $(rm x) ]] ¦ [ -n "$(rm x)" ] ¦ [ -n "$(cat /etc/passwd)" ]
    `,
  },
  {
    about: "§5.6 ask rules on what commands read",
    rules: { ask: ["Read(.env)", "Read(private/**)"], allow: ["Bash(cat:*)", "Read"] },
    ask: lines`
      cat .env ¦ cat sub/.env ¦ head private/k ¦ cat < .env ¦ grep x lib/private/k ¦ cat link-env ¦ cat a .env
      cat {a,.env} ¦ cp .env x ¦ git show HEAD:.env ¦ bash -c 'cat .env' ¦ grep -r x private
    `,
    allow: ["cat a", "head README.md", "cat .envx", "grep -rn x src"],
  },
  {
    about: "§5.6 ask rules on what commands read, in bypass",
    mode: "bypass",
    rules: { ask: ["Read(.env)"] },
    ask: ["cat .env", "cat sub/.env", "cat < .env", "cp .env x", "sudo cat .env", "echo .env | xargs cat"],
    allow: ["cat a", "npm test"],
  },
  {
    about: "§4.6 more than 1,000 entries count as found",
    mode: "acceptEdits",
    ask: ["cp -r many x", "mv many x", "cp -a many/. x", "diff -r many src"],
    allow: ["cp -r src x", "ls many", "grep -rn x many", "rg x many", "cp many/f1 x", "rm -rf many"],
  },
  {
    about: "§4.6 more than 1,000 entries under a Read deny",
    rules: { deny: ["Read(.env)"] },
    ask: ["grep -r x many", "rg x many", "diff -r many docs"],
    allow: ["grep -r x src", "ls many", "cat many/f1", "find many -name f1"],
  },
];
