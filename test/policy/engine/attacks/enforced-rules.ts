import { lines } from "../lines.ts";
import type { AttackGroup } from "./fixture.ts";

/** §5.7 with rules, with denies and with another PATH. */
export const enforcedRules: readonly AttackGroup[] = [
  {
    about: "a program of the workspace that PATH finds first",
    path: ["@ws/bin"],
    tier: "both",
    ask: lines`
      jq . package.json ¦ cat package.json | jq . ¦ find . -name '*.json' -exec jq . {} \; ¦ ls | xargs jq .
      for f in data/*.json; do jq . "$f"; done ¦ echo "$(jq . package.json)" ¦ diff <(jq . package.json) <(ls)
    `,
    allow: ["ls", "cat package.json"],
  },
  {
    about: "git and searches against Read denies",
    rules: { deny: ["Read(.env)"] },
    tier: "enforced",
    not: lines`
      git grep SECRET ¦ git grep SECRET HEAD ¦ git grep -h SECRET -- . ¦ git cat-file -p HEAD:.env
      git cat-file blob HEAD:.env ¦ git cat-file -p :.env ¦ git --no-pager diff ¦ git --no-pager show
      git -C src log -p ¦ git -C src show HEAD:.env ¦ git -C sub show HEAD:./.env ¦ cd src && git diff
      cd sub && git show HEAD:./.env ¦ git diff ¦ git log -p ¦ git log --patch ¦ git log -U3 ¦ git log --binary
      git log --patch-with-stat ¦ git log --remerge-diff ¦ git show ¦ git stash show -p ¦ git reflog -p
      git reflog show -p ¦ awk 1 .env ¦ jq -R . .env ¦ sed s/a/b/ .env ¦ tac .env ¦ base64 .env
      for f in .env; do cat "$f"; done ¦ f=.env; cat "$f" ¦ f=.env; cat < "$f" ¦ cat $(echo .env)
      diff <(cat .env) <(ls) ¦ wc -l < .env ¦ find . -name .env -exec cat {} + ¦ cat "$PWD/.env"
      cat \${PWD}/sub/.env
    `,
    allow: lines`
      git log --oneline ¦ git diff --stat ¦ git status ¦ git blame README.md ¦ git show HEAD:README.md
      git diff -- src/a.ts ¦ git cat-file -t HEAD ¦ git ls-tree HEAD ¦ jq . package.json ¦ git reflog
      cat README.md
    `,
  },
  {
    about: "deny and ask rules that see a part",
    rules: { deny: ["Bash(awk:*)"], ask: ["Bash(jq:*)"] },
    tier: "enforced",
    deny: lines`
      awk 1 README.md ¦ ls | awk 1 ¦ find src -exec awk 1 {} + ¦ ls | xargs awk 1 ¦ echo "$(awk 1 README.md)"
      jq . package.json | awk 1
    `,
    ask: lines`
      jq . package.json ¦ ls | xargs -n1 jq . ¦ find . -exec jq . {} + ¦ for f in data/*.json; do jq . "$f"; done
      diff <(jq . package.json) <(ls)
    `,
    allow: ["sed s/a/b/ README.md", "ls"],
  },
  {
    about: "lines whose parts some rule carries",
    rules: { allow: ["Bash(npm test)", "Bash(jq:*)"] },
    tier: "enforced",
    allow: lines`
      npm test; jq . package.json ¦ npm test && cat README.md ¦ npm test | head
    `,
    ask: lines`
      npm test; awk 1 README.md ¦ npm test | sed s/a/b/ ¦ npm test && git grep x ¦ npm test; node --version
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
