import { lines } from "../lines.ts";
import { readingExpansions } from "./enforced-expansions.ts";
import type { Group } from "./ground.ts";

const only =
  "node npm npx pnpm yarn bun deno tsc python python3 pip ruby gem go cargo rustc java javac mvn gradle dotnet php composer make cmake gcc g++ clang git docker kubectl".split(
    " ",
  );
/** §5.7: what reads where a confinement works. */
export const enforced: readonly Group[] = [
  {
    about: "§5.7 programs that read",
    ctx: { enforced: true },
    allow: lines`
      awk '{print $2}' a ¦ awk -F: '{print $1}' a ¦ awk 'NR==1' a ¦ jq .x package.json
      jq -r '.scripts | keys[]' package.json ¦ yq .a a ¦ sed 's/a/b/' a ¦ sed -E 's/(a)/\1/g' a ¦ sed 5q a
      sed -n 's/a/b/p' a ¦ sed '/^#/d' a ¦ sed '$d' a ¦ tac a ¦ fold -w 80 a ¦ fmt a ¦ expand a ¦ pr a ¦ shuf a
      shuf -n 1 a ¦ numfmt --to=iec 1000 ¦ base64 a ¦ base64 -d a ¦ zcat a ¦ bc ¦ echo 1+1 | bc ¦ env
      env | grep NODE ¦ env | sort ¦ printenv ¦ printenv HOME ¦ nproc ¦ free ¦ free -h ¦ groups ¦ getconf PAGE_SIZE
      find . -exec wc -l {} + ¦ find src -name '*.ts' -exec grep -l foo {} + ¦ find . -type f -exec head -1 {} \;
      find src -execdir wc -l {} + ¦ find . -name '*.ts' -exec awk 1 {} + ¦ find . | xargs rg x
      find . -name '*.ts' | xargs wc -l ¦ find . -name '*.ts' -print0 | xargs -0 grep -n foo
      git ls-files | xargs grep -l foo ¦ git ls-files | xargs -n 1 basename ¦ ls | xargs -I{} wc -l {}
      ls | xargs -n1 -P4 head -1 ¦ git diff --name-only | xargs cat ¦ timeout 5 awk 1 a ¦ time jq . package.json
      nice awk 1 a ¦ timeout 10 find . -exec wc -l {} + ¦ LC_ALL=C awk 1 a ¦ NO_COLOR=1 jq . package.json
    `,
  },
  {
    about: "§5.7 the plain commands with any option that does not write",
    ctx: { enforced: true },
    allow: lines`
      tail -f build/out.js ¦ tail -n +2 -q a ¦ tail -F a ¦ ls -L ¦ ls -lH src ¦ ls --hyperlink src ¦ ls -lD src
      stat -L a ¦ stat --printf=%s a ¦ grep -R x src ¦ grep -rI x src ¦ grep --line-buffered x a
      grep --binary-files=text x a ¦ rg -L x src ¦ rg --replace y x a ¦ rg --debug x src ¦ find src -depth
      find src -newermt 2020-01-01 ¦ find src -xdev -name x ¦ find -L src -name x ¦ find src -executable
      find . -quit ¦ sort -S 1M a ¦ sort --parallel=2 a ¦ sort --debug a ¦ sort *.md ¦ find src/*.ts -size +1
      date -I ¦ date --iso-8601=seconds ¦ du -L src ¦ du --time src ¦ df --output ¦ wc --total=never a
      tree -H . src ¦ tree -l src ¦ tree --du src ¦ file -k a ¦ file -L link-in ¦ diff --color a README.md
      diff -r --unidirectional-new-file src docs ¦ cat -u a ¦ head --lines=-5 a ¦ uname --help
      hexdump -e '1/1 "%x"' a ¦ od -An -tx1 a ¦ strings -e l a ¦ xxd -e a ¦ xxd -i a ¦ id -Z
      nl --join-blank-lines=2 a ¦ md5sum --tag a ¦ sha256sum --zero a ¦ cut --output-delimiter=, -f1 a
      join --header a README.md ¦ column -e a ¦ seq -s, 1 5 ¦ uniq --group a ¦ realpath --relative-base=src src/a.ts
    `,
  },
  {
    about: "§5.7 versions, alone",
    ctx: { enforced: true },
    allow: only.flatMap((name) => [`${name} --version`, `${name} -V`, `${name} -v`, `${name} version`]),
    ask: only
      .flatMap((name) => [
        name,
        `${name} --version x`,
        `${name} x --version`,
        `${name} -v -v x`,
        `./${name} --version`,
      ])
      .filter((line) => line !== "git"),
  },
  {
    about: "§5.7 git",
    ctx: { enforced: true },
    allow: lines`
      git --no-pager log ¦ git --no-pager diff HEAD~1 ¦ git -C src status ¦ git -C src log --oneline ¦ git -C . diff
      git -C @ws status ¦ git --no-pager -C src log -3 ¦ cd src && git status ¦ cd src && git log --oneline -3
      cd src && git diff ¦ (cd docs && git log -1) ¦ git ls-tree HEAD ¦ git ls-tree -r --name-only HEAD ¦ git reflog
      git reflog -5 ¦ git reflog show main ¦ git grep x ¦ git grep -n x ¦ git grep -n x -- '*.ts'
      git cat-file -p HEAD ¦ git cat-file -t HEAD ¦ git cat-file blob HEAD:a ¦ git merge-base main HEAD
      git diff $(git merge-base main HEAD) ¦ git show-ref ¦ git show-ref --heads ¦ git for-each-ref
      git for-each-ref --format='%(refname)' refs/heads ¦ git check-ignore a ¦ git check-ignore -v a
      git worktree list ¦ git worktree list --porcelain ¦ git status && git log -3 && git diff --stat
      git log --format=%H | head -1 ¦ git rev-list --count HEAD
    `,
  },
  {
    about: "§5.7 the same in the plain tier of plan",
    mode: "plan",
    ask: lines`
      awk '{print $2}' a ¦ jq .x package.json ¦ node --version ¦ git reflog ¦ find . -exec wc -l {} +
      find . | xargs rg x
    `,
  },
  {
    about: "§5.7 in plan",
    mode: "plan",
    ctx: { enforced: true },
    allow: [
      ...lines`
        awk '{print $2}' a ¦ jq .x package.json ¦ node --version ¦ git reflog ¦ env
      `,
      ...readingExpansions.slice(0, 12),
    ],
    ask: ["npm test", "rm a", "touch x", "sed -i s/a/b/ a"],
  },
];
