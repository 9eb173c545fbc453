import { lines } from "../lines.ts";
import { type AttackGroup, combine } from "./fixture.ts";

/** Lines 3, 8, 10 and 14 of "What was seen": what must not be shown is shown. */
export const seenLeaks: readonly AttackGroup[] = [
  {
    about: "xargs that is given a path outside",
    tier: "both",
    ask: lines`
      echo /etc/passwd | xargs cat ¦ echo '/etc/passwd' | xargs cat ¦ echo '\/etc/shadow' | xargs cat
      echo "'/etc/passwd'" | xargs cat ¦ echo ../out/secret.txt | xargs cat ¦ echo @out/secret.txt | xargs cat
      printf '%s\n' /etc/passwd | xargs head ¦ printf /etc/passwd | xargs head -n 1
      printf '%s\0' /etc/passwd | xargs -0 cat ¦ echo -n /etc/passwd | xargs wc -l
      git ls-files --format=/etc/hostname | xargs cat ¦ git ls-files --format /etc/hostname | xargs cat
      git log --format=/etc/hostname | xargs cat ¦ git log -1 --pretty=/etc/hostname | xargs cat
      grep -l --label=/etc/hostname '' - < README.md | xargs cat
      grep -l --label /etc/hostname '' - < README.md | xargs cat
      grep -c --lab=/etc/hostname '' - < README.md | xargs cat
      find . -maxdepth 0 -printf '/etc/hostname\n' | xargs cat
      find . -maxdepth 0 -printf /etc/hostname | xargs cat ¦ seq -f /etc/hostname 1 | xargs cat
      xargs cat <<< /etc/passwd ¦ xargs cat <<< '/etc/passwd' ¦ xargs -a /etc/passwd echo ¦ xargs -a/etc/passwd echo
      xargs --arg-file=/etc/passwd echo ¦ echo x | xargs cat /etc/passwd ¦ echo x | xargs -I{} cat /etc/{}
      echo src | xargs cat ../out/secret.txt
    `,
  },
  {
    about: "xargs whose input nobody can foresee, without a confinement",
    ask: lines`
      date +/etc/hostname | xargs cat ¦ echo etc | tr e / | xargs cat ¦ basename x/etc | xargs cat
      rev data/list.txt | xargs cat ¦ echo src/a.ts | xargs cat ¦ pwd | xargs dirname | xargs ls ¦ ls -d | xargs ls
      cut -d, -f1 data/rows.csv | xargs stat ¦ which ls | xargs file
    `,
  },
  {
    about: "searches and git under a Read deny",
    rules: { deny: ["Read(.env)"] },
    tier: "plain",
    not: [
      ...combine(
        ["%%", "ls && %%", "(%%)", 'echo "$(%%)"', "time %%"],
        [
          ...lines`
            find . -name .env | xargs cat ¦ git ls-files -o | xargs grep -h SECRET ¦ grep -rn SECRET .
            rg --hidden SECRET ¦ diff -r . docs ¦ git show :0:.env ¦ git log -L1,5:.env ¦ git log -p -- '.e*'
            git diff -- ':(icase).ENV'
          `,
        ],
      ),
      ...lines`
        grep -r SECRET ¦ grep -rh SECRET ./ ¦ grep --recursive SECRET . ¦ grep -nrs SECRET ./sub ¦ grep -re SECRET .
        grep -rf data/list.txt . ¦ egrep -r SECRET . ¦ fgrep -r SECRET . ¦ rg SECRET ¦ rg -uu SECRET
        rg -. SECRET . ¦ rg --no-ignore --hidden SECRET ¦ rg -uuu SECRET sub ¦ diff -rN docs .
        diff -r --no-dereference . docs ¦ diff --recursive sub docs ¦ diff -r sub docs ¦ git show HEAD:.env
        git show :.env ¦ git show HEAD:./.env ¦ git show HEAD:sub/.env ¦ git show HEAD~1:.env ¦ git show v1.0.0:.env
        git blame .env ¦ git blame HEAD -- .env ¦ git log -p .env ¦ git log -L 1,5:.env ¦ git log -L:x:.env
        git log -p -- .env ¦ git log -p -- .en? ¦ git log -p -- '*' ¦ git log -p -- ':(glob)**/.env'
        git log -p -- ':!src' ¦ git log -p -- ':/' ¦ git log -p -- . ¦ git diff -- sub ¦ git diff -- ':(top).env'
        git diff -- ':/.env' ¦ git diff -- ':^README.md' ¦ git diff HEAD~1 HEAD -- '.[e]nv'
        git diff HEAD~1:.env HEAD:.env ¦ find . -newer .env ¦ find . -name '.env' -print0 | xargs -0 cat
        find . -path './.env' | xargs head ¦ ls -a | xargs cat ¦ echo .env | xargs cat
        printf '%s\n' .env | xargs cat
      `,
    ],
  },
  {
    about: "searches under a Read deny, in plan mode",
    rules: { deny: ["Read(.env)"] },
    mode: "plan",
    not: lines`
      grep -rn SECRET . ¦ rg --hidden SECRET ¦ diff -r . docs ¦ git diff ¦ git show ¦ git log -p ¦ git show :0:.env
      find . -name .env | xargs cat
    `,
    allow: lines`
      grep -rn x src ¦ rg x src ¦ cat README.md
    `,
  },
  {
    about: "a directory that git takes for a repository",
    at: "@ws/traps/commondir",
    ask: lines`
      git diff HEAD~1 HEAD ¦ git status ¦ git log ¦ git log -p ¦ git show ¦ git diff ¦ git blame HEAD ¦ git ls-files
      git stash list ¦ git describe --tags ¦ git branch ¦ git rev-parse HEAD ¦ git remote -v ¦ timeout 5 git status
      time git status ¦ ls; git status ¦ echo "$(git status)" ¦ git status | head ¦ (git log)
    `,
  },
  {
    about: "a bare repository in a directory, and a directory in it",
    at: "@ws/traps/bare/inner",
    ask: lines`
      git status ¦ git log --oneline ¦ git diff --stat ¦ git rev-parse --show-toplevel
    `,
    allow: lines`
      ls ¦ cat f
    `,
  },
  {
    about: "reading that follows links out",
    ask: lines`
      grep -R x . ¦ grep -nR x linked ¦ grep -Rn x linked ¦ grep --dereference-recursive x . ¦ grep --deref x .
      egrep -R x . ¦ fgrep -Rl x linked ¦ rg -L x ¦ rg -nL x linked ¦ rg --follow x ¦ rg --foll x ¦ find -L .
      find -L . -name f ¦ find -H link-out ¦ find . -follow ¦ find linked -follow -type f
      find -L linked -name '*.txt' ¦ du -L linked ¦ du -D link-out ¦ ls -L linked ¦ ls -lL linked ¦ ls -H link-out
      ls --dereference linked ¦ tree -l linked ¦ tree -al linked ¦ stat -L link-secret ¦ stat -L linked/out
      file -L link-secret ¦ file --dereference link-secret ¦ diff -r linked docs ¦ diff -r docs linked
      diff -ru linked docs ¦ diff -rq docs links-only ¦ cat linked/out/secret.txt ¦ cat link-secret
      grep - link-secret ¦ grep -- - link-secret ¦ rg - link-secret ¦ cat linked/* ¦ cat linked/*/secret.txt
      head links-only/* ¦ cat link-* ¦ cat */secret.txt
    `,
    allow: lines`
      diff -r src test ¦ diff -rq src test ¦ diff -r --no-dereference linked docs ¦ grep -rn x linked
      find linked -name '*.md' ¦ ls -l linked ¦ du -sh linked ¦ ls -d link-* ¦ stat link-* ¦ echo link-*
      readlink link-*
    `,
  },
];
