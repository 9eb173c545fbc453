// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are bash's.
import { lines } from "../lines.ts";
import type { Group } from "./ground.ts";

/** §5.7 a whole line, with rules, in the modes. */
export const enforcedLines: readonly Group[] = [
  {
    about: "§5.7 a line with a part that a rule permits is no line that reads",
    ctx: { enforced: true },
    rules: { allow: ["Bash(npm test:*)", "Bash(make)", "Edit(docs/**)"] },
    allow: lines`
      npm test ¦ npm test | tail -5 ¦ npm test 2>&1 | grep -c ok ¦ npm test; ls ¦ npm test && git status
      make && ls build ¦ ls > docs/n ¦ jq . package.json | awk 1
    `,
    ask: lines`
      npm test | jq . ¦ npm test | awk 1 ¦ npm test 2>&1 | sed 's/a/b/' ¦ npm test && node --version
      npm test; git reflog ¦ npm test | tail -f ¦ make; env ¦ make && find . -exec wc -l {} +
      make && for f in a; do wc -l $f; done ¦ for f in a b; do npm test; awk 1 $f; done ¦ awk 1 a > docs/n
      jq . package.json > docs/n ¦ awk 1 a | tee docs/n
    `,
  },
  {
    about: "§5.7 a rule for one reading part",
    ctx: { enforced: true },
    rules: { allow: ["Bash(jq:*)", "Edit(docs/**)"] },
    allow: ["jq . a", "jq . a | awk 1", "awk 1 a | jq .", "jq . a > docs/n", "node --version && jq . a"],
    ask: ["jq . a | awk 1 > docs/n", "jq . a && npm test", "jq . a | tee x"],
  },
  {
    about: "§5.7 with workspace file commands",
    mode: "acceptEdits",
    ctx: { enforced: true },
    allow: ["mkdir x && ls x", "cat a > x", "awk 1 a", "touch x", "ls | sort > x"],
    ask: lines`
      mkdir x && awk 1 a ¦ touch x; jq . package.json ¦ rm a; git reflog ¦ awk 1 a > x ¦ jq . package.json > x
      sed 's/a/b/' a > x ¦ cp a b && node --version ¦ mkdir x; for f in a b; do wc -l $f; done
    `,
  },
  {
    about: "§5.7 deny and ask rules over every part",
    ctx: { enforced: true },
    rules: { deny: ["Bash(awk:*)", "Bash(git reflog:*)"], ask: ["Bash(jq:*)", "Bash(node:*)"] },
    deny: lines`
      awk 1 a ¦ ls | awk 1 ¦ find . -exec awk 1 {} + ¦ ls | xargs awk 1 ¦ ls | xargs -n1 awk 1 ¦ timeout 5 awk 1 a
      for f in a; do awk 1 $f; done ¦ cat <(awk 1 a) ¦ echo $(awk 1 a) ¦ git reflog ¦ ls; git reflog -5
      jq . a | awk 1
    `,
    ask: lines`
      jq . a ¦ ls | jq . ¦ ls | xargs jq . ¦ find . -exec jq . {} + ¦ node --version ¦ ls && node -v
      x=$(jq . a); echo $x
    `,
    allow: ["tac a", "git ls-tree HEAD", "python3 --version"],
  },
  {
    about: "§5.7 Read denies",
    ctx: { enforced: true },
    rules: { deny: ["Read(.env)", "Read(private/**)"] },
    deny: ["cat .env", "cat sub/.env", "head -1 private/k", "cat < .env", "for f in .env; do cat $f; done"],
    not: [
      ...lines`
        awk 1 .env ¦ jq . .env ¦ base64 .env ¦ sed p .env ¦ tac sub/.env ¦ awk 1 < .env ¦ tail -f .env
        grep -R x .env ¦ grep -R x private ¦ grep -f .env a ¦ grep -f.env a ¦ find . -exec cat .env {} +
        find .env -exec cat {} + ¦ ls | xargs cat .env ¦ echo .env | xargs cat ¦ printf '%s\n' .env | xargs cat
        printf .env | xargs -0 cat ¦ f=.env; awk 1 "$f" ¦ f=.env && cat $f ¦ for f in a .env; do awk 1 "$f"; done
        cat "$PWD/.env" ¦ cat ~+/.env ¦ cat {a,.env} ¦ cat .{env,x} ¦ diff <(cat .env) a ¦ awk 1 private/k
        jq . lib/private/k ¦ cat link-env ¦ cd sub && awk 1 .env ¦ cd sub; cat .env ¦ shuf .env ¦ zcat private/k
    `,
      "cat ${PWD}/.env",
    ],
    allow: ["awk 1 a", "jq . package.json", "cat src/a.ts", "node --version", "sed p README.md"],
  },
  {
    about: "§5.7 Read allow rules",
    ctx: { enforced: true },
    rules: { allow: ["Read(/@out/**)", "Read(~/ref/**)"] },
    allow: lines`
      awk 1 @out/secret.txt ¦ awk 1 ../out/secret.txt ¦ jq . link-secret ¦ sed p ~/ref/f ¦ tac @home/ref/f
      awk 1 < @out/secret.txt ¦ find @out -exec wc -l {} + ¦ for f in @out/secret.txt; do wc -l "$f"; done
      cat $HOME/ref/f
    `,
    ask: ["awk 1 ~/.bashrc", "tac @home/.bashrc", "cat $HOME/.bashrc", "awk 1 /etc/passwd"],
  },
  {
    about: "§5.7 in dontAsk",
    mode: "dontAsk",
    ctx: { enforced: true },
    allow: ["awk 1 a", "jq . package.json", "node --version", "git reflog", "echo $HOME", "ls"],
    deny: ["rm a", "npm test", "node x.js", "awk 1 /etc/passwd", "sed -i s/a/b/ a", "kill 1"],
  },
  {
    about: "§5.6 xargs and what is written to it, under a Read deny",
    rules: { deny: ["Read(.env)"] },
    not: lines`
      echo .env | xargs cat ¦ echo a .env | xargs head ¦ printf '.env' | xargs cat ¦ printf '%s' .env | xargs grep x
      echo -n .env | xargs cat ¦ echo '\.env' | xargs cat ¦ find . -name .env | xargs cat ¦ ls -a | xargs cat
    `,
  },
  {
    about: "§5.6 a Read deny sees what is glued, filled in, and spelt otherwise",
    mode: "bypass",
    rules: { deny: ["Read(.env)"] },
    deny: [
      ...lines`
        cat .env ¦ cat ./.env ¦ cat "$PWD/.env" ¦ cat ~+/.env ¦ cat {a,.env} ¦ cat .{env,x} ¦ cat {.env,}
        grep -f.env a ¦ grep -nf.env a ¦ grep -rnf .env a ¦ grep --file=.env a ¦ diff -X.env src lib ¦ rg -f.env a
        date -r.env ¦ head -qn5 .env ¦ cp .env x ¦ cp -t x .env ¦ mv .env x ¦ cat -- .env ¦ cat <.env
        echo .env | xargs cat ¦ printf .env | xargs cat ¦ sed -n p .env ¦ sort -k1 .env ¦ git show HEAD:.env
        git show :0:.env ¦ git diff -- .env ¦ git log -p -- .env ¦ git blame .env ¦ git log -L1,5:.env
    `,
      "cat ${PWD}/.env",
    ],
    allow: ["cat a", "cat .envx", "git diff -- a", "grep -fa README.md", "echo a | xargs cat"],
  },
  {
    about: "§5.6 a Read deny of a place in the home",
    rules: { deny: ["Read(~/.ssh/**)"] },
    ctx: { additionalDirs: ["@home"] },
    deny: ["cat ~/.ssh/id_rsa", "cat $HOME/.ssh/id_rsa", 'cat "${HOME}/.ssh/id_rsa"', "cat ~/.s''sh/id_rsa"],
  },
];
