import { lines } from "../lines.ts";
import type { AttackGroup } from "./fixture.ts";

const gitContents = lines`
  git diff ¦ git diff HEAD ¦ git diff --cached ¦ git diff HEAD~1 HEAD ¦ git diff main topic ¦ git diff -w
  git diff -U0 ¦ git diff --stat -p ¦ git diff --stat -U1 ¦ git diff --stat --patch ¦ git diff --raw -p
  git diff --patch-with-stat ¦ git diff --binary ¦ git diff --check ¦ git diff HEAD:src ¦ git diff HEAD: HEAD:src
  git diff -- . ¦ git diff -- sub ¦ git diff -- :/ ¦ git diff -- '*' ¦ git diff -- ':!src'
  git diff -- ':(exclude)src' ¦ git diff -- ':^src' ¦ git diff -- '.e*' ¦ git diff -- '**/.env'
  git diff -- ':(icase).ENV' ¦ git diff -- ':(glob)**' ¦ git diff -- src/a.ts . ¦ git show ¦ git show HEAD
  git show topic ¦ git show --stat -p ¦ git show stash ¦ git show --oneline HEAD ¦ git show -s -p
  git show HEAD -- . ¦ git log -p ¦ git log -p -1 ¦ git log -p1 ¦ git log -1p ¦ git log -u ¦ git log -U3
  git log --unified=0 ¦ git log --patch ¦ git log -p --stat ¦ git log --stat -p ¦ git log --binary
  git log --patch-with-stat ¦ git log --patch-with-raw ¦ git log --remerge-diff ¦ git log -c ¦ git log --cc
  git log -s -p ¦ git log --no-patch -p ¦ git log -p --full-diff -- src/a.ts ¦ git log --full-diff -p -- README.md
  git log --all -p ¦ git log -p -- . ¦ git log -p -- sub ¦ git log -p -S foo ¦ git log -p --reverse
  git log -L1,5:.env ¦ git stash show -p ¦ git stash show --patch ¦ git stash list -p ¦ git stash list --stat -p
`;

const gitNames = lines`
  git log ¦ git log --oneline -5 ¦ git log --stat ¦ git log --name-only ¦ git log --format=%H -- src
  git diff --stat ¦ git diff --name-only ¦ git diff --name-status HEAD~1 ¦ git diff --numstat ¦ git diff --shortstat
  git show --stat ¦ git show --name-only HEAD ¦ git show HEAD:src/a.ts ¦ git show HEAD:README.md
  git diff -- src/a.ts ¦ git diff HEAD~1 -- src/a.ts README.md ¦ git log -p -- src/a.ts ¦ git blame src/a.ts
  git blame README.md ¦ git status ¦ git branch -a ¦ git ls-files ¦ git rev-parse HEAD ¦ git shortlog -sn
  git stash list ¦ git stash show --stat ¦ git remote -v
`;

/** §5.6: Read rules against globs, searches and git. */
export const readSearches: readonly AttackGroup[] = [
  {
    about: "globs that could match a denied file",
    rules: { deny: ["Read(.env)"] },
    not: lines`
      cat .e* ¦ cat .en? ¦ cat .[e]nv ¦ cat .[a-z]nv ¦ cat .[!x]nv ¦ cat .??v ¦ cat ./.e* ¦ cat */.env ¦ cat s*/.env
      cat sub/.* ¦ cat sub/.e* ¦ head -n 1 .* ¦ grep X .e* ¦ wc -l sub/.[e]* ¦ for f in .e*; do cat "$f"; done
    `,
    allow: lines`
      cat src/*.ts ¦ wc -l src/*.ts test/*.ts ¦ ls *.md ¦ grep -n x src/*.ts ¦ head -n 1 docs/*.md
    `,
  },
  {
    about: "globs that could match a denied file whose name has a letter beyond the first 65,536",
    rules: { deny: ["Read(🔑.pem)"] },
    not: lines`cat 🔑* ¦ cat ?.pem ¦ cat *.pem`,
  },
  {
    about: "searches in many files under a Read deny",
    rules: { deny: ["Read(.env)"] },
    not: lines`
      grep -rn X . ¦ grep -r X ¦ grep -rn X sub ¦ grep -rn X sub src ¦ grep -rn X src sub ¦ grep -nR X sub
      grep -rl X config/.. ¦ grep -rn X many ¦ egrep -rn X . ¦ rg X ¦ rg X . ¦ uptime | rg X .
      cat README.md | rg X sub ¦ rg -. X ¦ rg --hidden X sub ¦ rg X sub ¦ rg X many ¦ diff -r sub docs
      diff -r . docs ¦ diff -rN docs sub ¦ cd sub && grep -r X ¦ cd sub && rg X ¦ (cd sub; grep -r X .)
    `,
    allow: lines`
      grep -rn X src ¦ grep -rn X src test docs ¦ grep -n X README.md ¦ rg X src ¦ rg -n X src test
      diff -r src test ¦ cd src && grep -rn X . ¦ find . -name '*.ts' ¦ ls -la ¦ ls -R src
    `,
  },
  {
    about: "searches where no denied file can be",
    rules: { deny: ["Read(~/.ssh/**)", "Read(//etc/**)"] },
    allow: lines`
      grep -rn X . ¦ rg X ¦ diff -r src test ¦ git diff ¦ git show ¦ git log -p -1
    `,
    deny: lines`
      cat ~/.ssh/id_rsa ¦ cat @home/.ssh/id_rsa ¦ cat /etc/passwd ¦ grep -rn X ~/.ssh/id_rsa ¦ wc -l < /etc/hosts
    `,
  },
  {
    about: "contents that git shows, without knowing what was tracked",
    rules: { deny: ["Read(.env)"] },
    not: gitContents,
    allow: gitNames,
  },
  {
    about: "contents that git shows, tracked unknown",
    rules: { deny: ["Read(.env)"] },
    tracked: "unknown",
    tier: "both",
    not: gitContents,
    allow: gitNames,
  },
  {
    about: "contents that git shows of what was once tracked",
    rules: { ask: ["Read(.env)"] },
    tracked: "yes",
    tier: "both",
    ask: gitContents.filter((command) => !command.endsWith(".env")),
    allow: gitNames,
  },
  {
    about: "scripts that may start git, which shows what was once tracked",
    rules: { deny: ["Read(.env)"] },
    tracked: "yes",
    tier: "enforced",
    not: lines`
      awk 'BEGIN { while (("git show HEAD:.env" | getline line) > 0) print line }'
      awk 'BEGIN { system("gi" "t log -p") }' ¦ awk 'BEGIN { print | "git log -p" }' ¦ awk -f README.md
      sed -n '1e git show HEAD:.env' README.md ¦ sed 's/x/git log -p/e' README.md ¦ sed -f README.md package.json
      find . -name README.md -exec sed '1e git log -p' {} + ¦ git ls-files | xargs awk '{ system("git log -p") }'
    `,
    allow: lines`
      awk '{ print $1 }' README.md ¦ awk -F '|' '$1 > 2 || $2 { print $1 }' README.md ¦ sed s/a/b/ README.md
    `,
  },
  {
    about: "scripts that may start git where no denied path was ever tracked",
    rules: { deny: ["Read(.env)"] },
    tracked: "no",
    tier: "enforced",
    allow: lines`
      awk '{ print | "sort" }' README.md ¦ sed '1e git log -p' README.md
    `,
  },
  {
    about: "contents that git shows where no denied path was ever tracked",
    rules: { deny: ["Read(.env)"] },
    tracked: "no",
    tier: "both",
    allow: [
      ...gitNames,
      ...lines`
        git diff ¦ git diff HEAD~1 ¦ git diff --cached ¦ git show ¦ git show HEAD ¦ git log -p -2 ¦ git log -p
        git stash show -p ¦ git diff -- src
    `,
    ],
    not: lines`
      git diff -- .env ¦ git show HEAD:.env ¦ git show :0:.env ¦ git log -p -- .env ¦ git log -L1,5:.env
      git blame .env ¦ git diff --no-index .env README.md ¦ git diff --no-index README.md .env ¦ git diff --output=x
      cat .env
    `,
  },
];
