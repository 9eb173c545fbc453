import { lines } from "../lines.ts";
import type { Group } from "./ground.ts";

/** The same with git and in whole lines. */
export const everydayPlainGit: readonly Group[] = [
  {
    about: "everyday, the plain tier, git and lines",
    allow: [
      ...lines`
        git diff main ¦ git diff main..HEAD ¦ git diff --name-only HEAD~3 ¦ git diff -- src/a.ts
        git diff HEAD -- src ¦ git diff -w ¦ git diff | head -50 ¦ git log ¦ git log -1 ¦ git log -5 --oneline
        git log --oneline -20 ¦ git log --oneline --graph --all ¦ git log --oneline main..HEAD ¦ git log --stat -1
        git log -p -1 ¦ git log --format='%h %s' -5 ¦ git log --pretty=format:'%h %an %s' -10
        git log --since='1 week ago' --oneline ¦ git log --author=me --oneline ¦ git log --grep=fix --oneline
        git log -S foo --oneline ¦ git log --oneline -- src/a.ts ¦ git log --follow --oneline -- src/a.ts ¦ git show
        git show HEAD ¦ git show --stat ¦ git show HEAD~1:package.json ¦ git show abc123 --name-only
        git blame src/a.ts ¦ git blame -L 1,20 src/a.ts ¦ git branch ¦ git branch -a ¦ git branch -vv
        git branch --show-current ¦ git tag ¦ git tag -l ¦ git remote -v ¦ git stash list ¦ git stash show -p
        git rev-parse HEAD ¦ git rev-parse --short HEAD ¦ git rev-parse --abbrev-ref HEAD
        git rev-parse --show-toplevel ¦ git ls-files ¦ git ls-files src ¦ git ls-files | wc -l
        git ls-files --others --exclude-standard ¦ git describe --tags ¦ git shortlog -sn
        git rev-list --count HEAD ¦ git status && git diff --stat ¦ git log --oneline -3 && git status -sb
        git diff --stat && git diff ¦ ls && git status ¦ ls src; echo; cat README.md ¦ cat a; echo "exit $?"
        cat missing 2>/dev/null || echo none ¦ ls missing 2>&1 | head -1 ¦ head -3 a && echo ... && tail -3 a
        (cd src && ls) ¦ for f in a b; do echo "$f"; done ¦ for i in 1 2 3; do echo $i; done
        for f in src/*.ts; do echo "== $f"; done ¦ for f in a b; do test -f "$f" && echo "$f"; done
        if [ -d src ]; then ls src; fi ¦ if grep -q foo a; then echo yes; else echo no; fi
        while true; do date; sleep 5; done ¦ time ls ¦ time grep -r foo src ¦ timeout 5 grep -r foo src
        timeout 10s rg foo ¦ echo "$(date)" ¦ echo "branch: $(git branch --show-current)"
        echo "files: $(ls | wc -l)" ¦ [ -n "$(git status --porcelain)" ] && echo dirty
        test -z "$(git diff --stat)" && echo clean ¦ LC_ALL=C sort a ¦ LANG=C ls ¦ TZ=UTC date
        grep -n foo src/a.ts | cut -d: -f1
      `,
      "cat <<'EOF'\nplain\nEOF",
      "# what is here\nls -la\ngit status",
      "ls -la \\\n  src",
      "grep -rn foo \\\n  src docs \\\n  | head",
    ],
  },
];
