import { lines } from "../lines.ts";
import type { Group } from "./ground.ts";

const shows = lines`
  git diff ¦ git diff HEAD ¦ git diff HEAD~1 ¦ git diff main...HEAD ¦ git diff --cached ¦ git diff -w
  git diff --word-diff ¦ git show ¦ git show HEAD ¦ git show HEAD~3 main ¦ git show abc123 ¦ git stash show -p
  git stash list -p ¦ git log -p ¦ git log -u ¦ git log -p -3 ¦ git log -pw ¦ git log --oneline -p
  git log --all -p --reverse ¦ git log -p -- . ¦ git log -p -- '*.ts' ¦ git diff -- . ¦ git diff -- sub
  git diff HEAD -- sub docs ¦ git diff -- '.e*' ¦ git diff -- ':(icase).ENV' ¦ git diff -- ':!src'
  git diff -- ':/' ¦ git diff -- :^docs ¦ git show HEAD -- sub
`;
const showsNone = lines`
  git diff --stat ¦ git diff --stat HEAD~1 ¦ git diff --name-only ¦ git diff --name-status main ¦ git diff --numstat
  git diff --shortstat ¦ git show --stat ¦ git show --stat HEAD ¦ git show --name-only HEAD ¦ git log
  git log --oneline -5 ¦ git log --stat ¦ git log --name-only ¦ git log --graph --oneline ¦ git log -- src/a.ts
  git diff -- src/a.ts ¦ git diff -- src/a.ts README.md ¦ git log -p -- src/a.ts ¦ git show HEAD:src/a.ts
  git show :0:src/a.ts ¦ git show HEAD -- src/a.ts ¦ git blame src/a.ts ¦ git blame -L 1,5 src/a.ts ¦ git status
  git ls-files ¦ git branch -a ¦ git stash list ¦ git rev-parse HEAD ¦ git shortlog -sn
`;
const denied = lines`
  git show HEAD:.env ¦ git show HEAD:sub/.env ¦ git show HEAD:./.env ¦ git show :.env ¦ git show :0:.env
  git show :1:sub/.env ¦ git show main:src/../.env ¦ git diff -- .env ¦ git diff HEAD -- sub/.env
  git diff HEAD~1 -- src/a.ts .env ¦ git log -p -- .env ¦ git log -p -- src/a.ts sub/.env ¦ git log -L1,5:.env
  git log -L 1,5:.env ¦ git log -L:main:.env ¦ git log -L/a/,/b/:sub/.env ¦ git blame .env ¦ git blame sub/.env
  git blame -L 1,5 .env ¦ git blame HEAD -- .env ¦ git log --stat -- .env
`;

export const gitContents: readonly Group[] = [
  {
    about: "§5.6 git contents against a Read deny",
    rules: { deny: ["Read(.env)"] },
    ask: shows,
    allow: showsNone,
    not: denied,
  },
  {
    about: "§5.6 git contents against a Read ask",
    rules: { ask: ["Read(.env)"] },
    ask: [...shows, ...denied],
    allow: showsNone,
  },
  ...(["yes", "unknown"] as const).map(
    (known): Group => ({
      about: `§5.6 git contents, tracked: ${known}`,
      rules: { deny: ["Read(.env)"] },
      ctx: { everTracked: () => known },
      ask: shows,
      allow: showsNone,
      not: denied,
    }),
  ),
  {
    about: "§5.6 git contents, never tracked",
    rules: { deny: ["Read(.env)"] },
    ctx: { everTracked: () => "no" },
    allow: [
      ...showsNone,
      ...lines`
        git diff ¦ git diff HEAD ¦ git diff main...HEAD ¦ git show ¦ git show HEAD ¦ git stash show -p ¦ git log -p
        git log -p -3
      `,
    ],
    not: denied,
  },
  {
    about: "§5.6 git contents, of several rules one was tracked",
    rules: { deny: ["Read(.env)", "Read(*.pem)"] },
    ctx: { everTracked: (pattern) => (pattern.includes("pem") ? "yes" : "no") },
    ask: ["git diff", "git show HEAD", "git log -p"],
    allow: ["git diff --stat", "git diff -- src/a.ts", "git blame src/a.ts"],
  },
  {
    about: "§5.6 git contents, rules that match nothing of the repository",
    rules: { deny: ["Read(~/.ssh/**)", "Read(//etc/**)", "Read(/@out/**)"] },
    allow: [...showsNone, "git diff", "git show HEAD", "git log -p", "git stash show -p"],
  },
  {
    about: "§5.6 git contents, rules for directories and shapes",
    rules: { deny: ["Read(src/deep/**)", "Read(lib)"] },
    ask: ["git diff", "git log -p", "git show", "git diff -- src", "git diff -- .", "git show HEAD -- src"],
    allow: ["git diff -- docs/x.md", "git diff -- src/a.ts", "git show HEAD:src/a.ts", "git diff --stat"],
    not: ["git show HEAD:src/deep/c.ts", "git show HEAD:lib/private/k", "git diff -- lib", "git blame lib/x"],
  },
  {
    about: "§5.6 git contents in the enforced tier",
    rules: { deny: ["Read(.env)"] },
    ctx: { enforced: true },
    ask: lines`
      git diff ¦ git show HEAD ¦ git log -p ¦ git stash show -p ¦ git grep SECRET ¦ git grep -n SECRET HEAD
      git --no-pager diff ¦ git -C . diff ¦ git -C src log -p ¦ cd src && git diff
    `,
    allow: lines`
      git diff --stat ¦ git log --oneline ¦ git reflog ¦ git ls-tree HEAD ¦ git --no-pager log
      git diff -- src/a.ts ¦ git show HEAD:src/a.ts ¦ git merge-base main HEAD
    `,
    not: lines`
      git cat-file -p HEAD:.env ¦ git show HEAD:.env ¦ git cat-file blob abc ¦ git -C sub show HEAD:.env
    `,
  },
  {
    about: "§5.6 recursive searches look for what a Read rule denies",
    rules: { deny: ["Read(.env)", "Read(*.pem)"] },
    ask: lines`
      grep -r x ¦ grep -r x . ¦ grep -rn x . --include='*.ts' ¦ grep -rl x sub ¦ grep -rn x src sub
      grep -nr x keys ¦ grep --recursive x . ¦ egrep -r x . ¦ fgrep -rn x keys ¦ rg x ¦ rg -n x . ¦ rg x keys
      rg x src keys ¦ rg --hidden x ¦ rg --json x ¦ diff -r sub docs ¦ diff -rq docs sub ¦ diff --recursive keys src
      cd sub && grep -r x . ¦ cd keys && rg x
    `,
    allow: lines`
      grep -r x src ¦ grep -rn x src docs lib ¦ grep x README.md ¦ grep -c x src/a.ts ¦ rg x src ¦ rg x docs src
      rg x README.md ¦ diff -r src docs ¦ diff src/a.ts src/b.ts ¦ cd src && grep -rn x . ¦ ls -R
      find . -name '*.ts'
    `,
  },
  {
    about: "§5.6 diff -r at links that lead out",
    ask: ["diff -r . src", "diff -r linked src", "diff -rq src linked", "diff --recursive linked docs"],
    allow: lines`
      diff -r src docs ¦ diff -r --no-dereference linked src ¦ diff -rq --no-dereference src linked
    `,
  },
  {
    about: "§5.6 recursive searches without rules",
    allow: ["grep -rn x .", "grep -r x", "rg x", "rg --hidden x .", "grep -rn x linked"],
  },
];
