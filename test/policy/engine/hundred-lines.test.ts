// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are bash's.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { judge } from "../../../src/policy/index.ts";
import { ownPlace } from "./workspace.ts";

/** A hundred lines that developers type to look around, written down before the engine was asked about any of them. */
const LINES = String.raw`
ls -la
ls -lah src
tree -L 2 -I node_modules
cat package.json
cat package.json | jq .scripts
jq .version package.json
jq -r '.dependencies | keys[]' package.json
jq '.scripts | to_entries[] | .key' package.json | head
head -50 README.md
tail -n 20 docs/guide.md
wc -l src/*.ts
find . -name '*.ts' -not -path './node_modules/*' | wc -l
find . -name '*.ts' -exec wc -l {} +
find src -type f -name '*.ts' -print0 | xargs -0 wc -l
find . -maxdepth 2 -type d
find . -size +100k -type f -exec ls -lh {} \;
find . -newer package.json -name '*.ts'
find . -name '*.test.ts' | xargs grep -l describe
find src -name '*.ts' | xargs cat | wc -l
grep -rn TODO src
grep -rn "import .* from" src --include='*.ts' | head -20
grep -rlE 'foo|bar' src
grep -c '' src/a.ts
grep -v '^#' README.md | grep -v '^$'
rg -n 'export function' src
rg --files | head
rg -l TODO | wc -l
rg TODO --stats
rg -c import src | sort -t: -k2 -rn | head
rg --type ts 'class \w+'
awk '{print $1}' README.md
awk -F: '{print $2}' data.txt
awk 'NR>10 && NR<20' src/a.ts
awk '{s+=$1} END {print s}' numbers.txt
awk 'length > 100' src/*.ts
sed -n '10,20p' src/a.ts
sed 's/foo/bar/g' src/a.ts | diff src/a.ts -
sed -e '/^$/d' README.md
cut -d: -f1 data.txt | sort | uniq -c | sort -rn
sort -u data.txt
sort data.txt | uniq -d
tr 'a-z' 'A-Z' < README.md
paste -sd, numbers.txt
column -t -s: data.txt
xxd README.md | head -3
file src/a.ts
stat -c '%s %n' src/a.ts
du -sh *
du -sh src docs
df -h .
md5sum src/a.ts
sha256sum package.json | cut -c1-12
base64 README.md | head -1
git status
git status -sb
git diff
git diff --stat
git diff HEAD~1 -- src
git log --oneline -10
git log --oneline --graph --all | head -20
git log -p -1
git log --format='%h %an %s' -5
git log --since='2 weeks ago' --author=me
git show HEAD
git show HEAD:src/a.ts
git show --stat
git blame src/a.ts
git branch -a
git branch -vv
git tag -l
git remote -v
git stash list
git reflog
git ls-files | wc -l
git ls-tree -r HEAD --name-only
git grep -n TODO
git rev-parse --show-toplevel
git rev-list --count HEAD
git describe --tags --always
git shortlog -sn
git merge-base HEAD main
git cat-file -p HEAD
git --no-pager log -3
git -C src log --oneline -1
wc -l $(git ls-files)
git ls-files '*.ts' | xargs wc -l | tail -1
git log --pretty=format:%H | head -1
node --version
npm --version
python3 --version
go version
for f in src/*.ts; do echo "$f: $(wc -l < "$f")"; done
for f in src/*.ts; do head -1 "$f"; done
for d in src docs; do find $d -type f | wc -l; done
n=$(ls | wc -l); echo "$n files"
diff <(ls src) <(ls docs)
[ -f tsconfig.json ] && cat tsconfig.json || echo none
if grep -q foo src/a.ts; then echo yes; else echo no; fi
echo $HOME
env | sort | head
`
  .trim()
  .split("\n");

test("at most ten of a hundred lines that developers type to read ask in the enforced tier", () => {
  const place = ownPlace();
  const git = (...args: string[]) => execFileSync("git", args, { cwd: place.project });
  for (const [file, text] of [
    ["package.json", "{}"],
    ["README.md", "# x\n"],
    ["data.txt", "a:b\n"],
    ["numbers.txt", "1\n"],
    ["docs/guide.md", "x\n"],
    ["src/b.ts", "x\n"],
  ] as const) {
    mkdirSync(join(place.project, file, ".."), { recursive: true });
    writeFileSync(join(place.project, file), text);
  }
  git("init", "-q");
  const asked = LINES.filter((command) => {
    const context = { home: place.home, platform: "linux", enforced: true } as const;
    return judge({}, "default", place.project, "Bash", { command }, context).decision !== "allow";
  });
  expect(LINES).toHaveLength(100);
  // The workspace of this test has links that lead out, so what looks at all of it with a wildcard asks.
  expect(asked.length, asked.join("\n")).toBeLessThanOrEqual(10);
});
