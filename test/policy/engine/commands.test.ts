// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are bash's.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Mode } from "../../../src/policy/index.ts";
import { lines } from "./lines.ts";
import { decideIn, makePlace, type Place, removePlace, rulesOf } from "./workspace.ts";

let place: Place;
beforeAll(() => {
  place = makePlace();
});
afterAll(() => removePlace(place));

const run = (command: string, rules = "", mode: Mode = "default") =>
  decideIn(place, rulesOf(rules), mode, "Bash", { command });

function table(
  title: string,
  expected: string,
  rows: readonly (string | readonly [rules: string, command: string])[],
  mode: Mode = "default",
): void {
  describe(title, () => {
    test.each(rows.map((row) => (typeof row === "string" ? (["", row] as const) : row)))(
      `[%s] %j: ${expected}`,
      (rules, command) => {
        expect(run(command, rules, mode)).toBe(expected);
      },
    );
  });
}

/** Commands under the same rules. */
const under = (rules: string, commands: readonly string[]) =>
  commands.map((command) => [rules, command] as const);

table(
  "5.6 commands that people run every day need no question",
  "allow",
  lines`
  ls -la src docs ¦ ls *.ts ¦ ls -la && git status ¦ git log -n 5 --stat
  git log --since="2 weeks ago" --author=me ¦ git log -S "/api" ¦ git log --format='%h %s' main..HEAD
  git log --grep=/foo ¦ git diff HEAD~1 -- src/a.ts ¦ git diff --stat origin/main...HEAD ¦ git diff --text
  git show stash@{0} ¦ git show HEAD^{tree} ¦ git branch --contains HEAD ¦ git tag -l 'v1.*' ¦ git tag -n3
  cat package.json ¦ cat package.json | wc -l ¦ tail -n +5 src/a.ts ¦ cut -d: -f1 src/a.ts
  cut -d/ -f1 src/a.ts ¦ cut -d '/' -f 1 src/a.ts ¦ paste -d, a b ¦ column -t -s, a.csv ¦ cat a | tr '/' '-'
  tr a-z A-Z < src/a.ts ¦ comm -12 a b ¦ join -t, a b ¦ diff a b ¦ cmp a b ¦ stat src/a.ts
  stat -c '%s' src/a.ts ¦ basename /a/b/c.txt .txt ¦ dirname /a/b/c ¦ readlink -f src/a.ts
  test -f package.json ¦ test -f /etc/passwd && echo yes ¦ [ -d src ] && echo "there" ¦ [ "$?" -eq 0 ]
  [[ -f package.json ]] && cat package.json ¦ [[ abc == a* ]] ¦ echo "done: $?"
  echo "on $(git branch --show-current)" ¦ seq -s/ 3 ¦ grep -rn "x" src | head ¦ grep -rn '/api/users' src
  grep -rn --include='*.ts' foo src ¦ grep -e foo src/a.ts ¦ egrep 'a|b' src/a.ts ¦ fgrep a src/a.ts
  md5sum src/a.ts ¦ od -c src/a.ts ¦ hexdump -C src/a.ts ¦ strings src/a.ts
  sort a | uniq -c | sort -rn | head -20 ¦ sort -t: -k2 a ¦ sort -t o a ¦ sort -k2,2n a ¦ xxd src/a.ts
  xxd -l 16 src/a.ts ¦ find . -name '*.ts' -not -path './node_modules/*' ¦ find src -type f -mtime -1
  find . -name "*.ts" | head ¦ find . -perm /111 ¦ find . -path '/x*' ¦ find . -name '*.ts' -print0
  sed -n 5p src/a.ts ¦ sed -n '/foo/,/bar/p' src/a.ts ¦ sed -n -e '1p' -e '$p' src/a.ts
  sed -nE '/a+/p' src/a.ts ¦ cat a | sed -n '1~2p' ¦ rg -n 'foo' src -g '*.ts' ¦ cd src && cat ../package.json
  cd . && git log ¦ cd src/ && cd .. && ls ¦ (cd src && ls); ls ¦ ls -la @PROJ/src ¦ cat @PROJ/package.json
  cat <<< "hello" ¦ timeout -k 1 5s cat a ¦ nice -n 5 ls ¦ stdbuf -oL cat a ¦ ! ls ¦ ls & ¦ \ls ¦ "ls" -l
  if [ -f a ]; then cat a; else echo none; fi ¦ for f in *.ts; do echo $f; done
  for f in $(ls); do echo "\${f}"; done ¦ case abc in a*) ls;; esac ¦ cat src/a.ts # a comment
  grep "don't" src/a.ts ¦ echo 'a;b|c&d>e' ¦ echo "a && b" ¦ ls -- -odd
  exit ¦ ls || exit 1 ¦ for i in 1 2; do echo $i; done; exit 3
`,
);

table("5.1 to 5.9 what is not plainly harmless is a question", "ask", [
  ...lines`
  exit $(npm i) ¦ echo "a $b" ¦ echo $((1+1)) ¦ ls && npm test ¦ ls | sh ¦ ls; rm x ¦ ls & npm i ¦ ls |& npm i ¦ (npm i)
  { npm i; } ¦ if npm i; then ls; fi ¦ while npm i; do ls; done ¦ for i in 1; do npm i; done
  for PATH in /tmp; do ls; done ¦ case x in x) npm i;; esac ¦ echo $(npm i) ¦ echo "$(npm i)" ¦ echo \`npm i\`
  echo "\`npm i\`" ¦ cat <(npm i) ¦ cat <<< "$(npm i)" ¦ ls \${x:-$(npm i)} ¦ ls $((a[$(npm i)]))
  [[ -n $(npm i) ]] ¦ coproc ls ¦ ((x=1)) ¦ for ((i=0;i<3;i++)); do ls; done ¦ LANG+=x ls ¦ LANG=$(npm i) ls
  FOO=bar ¦ export FOO=bar ¦ declare x=1 ¦ ls "unterminated ¦ ls 'x ¦ ls $( ¦ if ls; then ¦ ls && ¦ l$x
  l? -la ¦ {ls,-la} ¦ cat {a,b} ¦ cat $FILE ¦ cat "$FILE" ¦ cat ~/x ¦ cat ~root/x ¦ cat ../x ¦ cat src/../../x
  cat @OUT/secret ¦ cat secret-link ¦ ls out-link ¦ ls /etc/* ¦ grep -f/etc/passwd x ¦ grep --fil=../x y
  grep root /etc/passwd ¦ wc --files0-from=a ¦ sort -o out a ¦ sort -oF a ¦ sort --output=F a
  sort --outpu=F a ¦ sort "-o" F a ¦ sort \-o F a ¦ sort '-o'F a ¦ sort --comp sh a ¦ uniq *
  find . -exec rm {} ; ¦ find . -exec ls {} \; ¦ find . -ex\ec ls {} + ¦ find . '-exec' ls {} +
  find . -ok ls {} \; ¦ find . -fprint x ¦ find . -fprintf x %p ¦ find . -fls x ¦ find $DIR -name x
  find .. -name x ¦ sed -n '1e id' a ¦ sed -n 'p;w x' a ¦ sed -n '/a/w x' a ¦ sed -ni p a
  sed --in-place -n p a ¦ rg --pre sh x ¦ rg --pre=sh x ¦ rg --hostname-bin=x y ¦ date -us 1
  date 010100002026 ¦ hostname -F x ¦ tree -o out ¦ tree -ao out ¦ tree -R -H . -L 1 ¦ file -C -m x
  test -v 'a[$(npm i)]' ¦ [ x -eq 1 ] ¦ git checkout main ¦ git branch new ¦ git branch -D old
  git branch -d old ¦ git branch -m a b ¦ git branch -u origin/x ¦ git tag -a v1 ¦ git -c core.pager=id log
  git --git-dir=x log ¦ git log --textc ¦ git diff --outp=x ¦ git log -Oorder ¦ git log -pOx
  git diff --no-index a b ¦ git diff --no-i a b ¦ git diff /etc/passwd /dev/null ¦ git diff *.ts ¦ git log $X
  git config -l ¦ cd /tmp ¦ cd $X ¦ (cd src; git log) ¦ cd src; cat ../../x ¦ cd src || cat ../x
  cd src; cat ../x ¦ for d in a b; do cd $d; ls; done ¦ while true; do cd src; cat a; done ¦ cd out-link && ls
  printenv ¦ help x ¦ awk '{print}' a ¦ find . | xargs rm ¦ find . | xargs -I{} ls {}
  echo -delete | xargs find . ¦ cat list | xargs cat ¦ ls | xargs sort ¦ find . | xargs sed -n
  find . | xargs find ¦ ls \ ¦ xargs cat < list ¦ command -p ls ¦ sh x.sh ¦ source x ¦ . x ¦ alias ls=x
  trap x EXIT ¦ read x ¦ set -a ¦ shopt -s x ¦ enable -n ls ¦ hash -p /tmp/x ls ¦ mapfile x ¦ echo hi > out
  echo hi >> out ¦ echo hi >| out ¦ ls &> out ¦ ls &>> out ¦ ls >& out ¦ ls 2> out ¦ ls 5> out ¦ ls <> out
  { ls; } > out ¦ for i in a; do echo $i; done > out ¦ [[ -f x ]] > out ¦ > out ¦ ls > $X ¦ ls > *.x
  ls > ~/x ¦ ls > /dev/tcp/h/1 ¦ ls < $X ¦ ls {fd}> out ¦ cat <<EOF ¦ echo \${a[i]} ¦ echo $'a\x41' ¦ ls !(a)
  :
`,
  "ls\u00a0x",
  "ls \u200bx",
  "echo '\u202e'",
  "ls\rx",
  "ls\u000bx",
  "ls\u007f",
  "l\u0455",
  `echo ${"x".repeat(10_000)}`,
  "cat <<EOF\nhi\nEOF \nnpm i",
  "cat <<$'EOF'\nhi\nEOF",
  "cat <<EOF\n$(npm i)\nEOF",
  "cat <<EOF\n${x@P}\nEOF",
  "echo \"`cat <<'E'\n`npm i`\nE`\"",
  "ls\nnpm i",
  "ls #\nnpm i",
  "echo ${ npm i; }",
  "echo ${| npm i; }",
  "",
  "  ",
]);

table("5.1 to 5.8 here-documents, continued lines and long lines are read as bash reads them", "allow", [
  "cat <<'EOF'\n$(npm i) `x` ${y@P}\nEOF",
  "cat <<EOF\nplain text; with | signs\nEOF",
  "cat <<EOF\nHello $USER\nEOF",
  "cat <<EOF\n$(git status)\nEOF",
  "ls \\\n  -la",
  "l\\\ns",
  "ls # comment; npm i",
  "# a comment\nls",
  "ls\npwd",
  `echo ${"x".repeat(9_990)}`,
  "echo 'äöü 日本 ✓'",
  "ls;pwd;\n",
]);

table("5.3 what a prefix rule allows", "allow", [
  ["allow Bash(cargo check *)", "cargo check --all"],
  ["allow Bash(cargo check *)", "cargo check"],
  ["allow Bash(cargo check)", "cargo check"],
  ["allow Bash(cargo check)", "cargo  check"],
  ["allow Bash(cargo check)", "'cargo' \"check\""],
  ["allow Bash(npm*)", "npmx y"],
  ["allow Bash(git * main)", "git push origin main"],
  ["allow Bash(* --version)", "node --version"],
  ["allow Bash(*)", "npm publish"],
  ["allow Bash", "npm publish"],
  ["allow Bash(npm test:*) ;; allow Bash(git push:*)", "npm test && git push"],
  ["allow Bash(npm test:*)", "cd src && npm test"],
  ["allow Bash(npm test:*)", "timeout 60 npm test"],
  ["allow Bash(npm test:*)", "time npm test"],
  ["allow Bash(npm test:*)", "NODE_ENV=test CI=1 npm test"],
  ["allow Bash(npm test:*)", "npm test 2>&1"],
  ["allow Bash(npm test:*)", "npm test > /dev/null"],
  ["allow Bash(npm test:*)", "npm test -- $FILE"],
  ["allow Bash(npm test:*)", 'npm test -- "${FILE}" *.ts {a,b} ~/x $? $((1+2))'],
  ["allow Bash(npm test:*)", "npm test $(git ls-files)"],
  ["allow Bash(npm test:*)", "if npm test; then echo ok; fi"],
  ["allow Bash(grep:*)", "find . -name x | xargs grep foo"],
  ["allow Bash(FOO=1 npm test)", "FOO=1 npm test"],
  ["allow Bash(FOO=1 npm test:*)", "FOO=1 npm test --x"],
  ["allow Bash(timeout 60 npm test:*)", "timeout 60 npm test --x"],
  ["allow Bash(export FOO=bar)", "export FOO=bar"],
  ["allow Bash(find . -name '*.o' -delete)", "find . -name '*.o' -delete"],
  ["allow Bash(watch ls)", "watch ls"],
  ["allow Bash(npm test && npm run lint)", "npm test && npm run lint"],
  ["allow Bash(cd src && git status)", "cd src && git status"],
  ["allow Bash(./gradlew:*)", "./gradlew build"],
  ["allow Bash(source venv/bin/activate)", "source venv/bin/activate"],
  ["allow Bash(npx:*)", "npx tsc"],
  ["allow Bash(docker exec:*)", "docker exec x ls"],
  ["allow Bash(bash:*)", "bash script.sh"],
  ["allow Bash", "FOO=1; $FOO x"],
  ["allow Bash", "echo ${x@P}"],
  ["allow Bash", "eval ls"],
  ["allow Bash", "echo hi > out"],
  ["allow Bash", "npm test < $FILE"],
  ["allow Bash", "echo hi > @OUT/x"],
  ["allow Bash ;; ask Bash(gh release:*)", "gh pr list"],
  ["allow Edit", "echo hi > out"],
  ["allow Edit(out)", "echo hi > out"],
  ["allow Read(@OUT/**)".replace("@OUT", "/@OUT"), "cat @OUT/secret"],
  ["allow Read(~/ref/**)", "cat ~/ref/x"],
  ["allow Bash(echo \\*)", "echo '*'"],
  ["deny Read(.env) ;; allow Bash(cat:*)", "cat *.ts"],
  ["deny Read(.env) ;; allow Bash(cat:*)", "cat *"],
  ["deny Read(private/**) ;; allow Bash", "wc -l src/*.ts"],
]);

table("5.3 to 5.9 what a rule does not allow", "ask", [
  ["allow Bash(cargo check:*)", "./cargo check"],
  ["allow Bash(cargo check:*)", "Cargo check"],
  ["allow Bash(cargo check)", "cargo check --all"],
  ["allow Bash(:*)", "npm i"],
  ["allow Bash( *)", "npm i"],
  ["allow Bash()", "npm i"],
  ["allow Bash(npm i", "npm i"],
  ["allow bash", "npm i"],
  ["allow *", "npm i"],
  ["allow B*", "npm i"],
  ["allow Bash(command:npm i)", "npm i"],
  ["allow Bash(npm test:*)", "npm test; npm i"],
  ["allow Bash(npm test:*)", "npm test $(npm i)"],
  ["allow Bash(npm test:*)", "npm test ${x:-$(npm i)}"],
  ["allow Bash(npm test:*)", "npm test ${x@P}"],
  ["allow Bash(npm test:*)", "npm test ${!x}"],
  ["allow Bash(npm test:*)", "npm test ${a[$i]}"],
  ["allow Bash(npm test:*)", "npm test $((x))"],
  ["allow Bash(npm test:*)", "npm test > out"],
  ["allow Bash(npm test:*)", "npm test < /etc/passwd"],
  ["allow Bash(npm test:*)", "npm $X"],
  ["allow Bash(npm test:*)", "$X npm test"],
  ["allow Bash(npm test:*)", "env npm test"],
  ["allow Bash(npm test:*)", "sudo npm test"],
  ["allow Bash(npm test:*)", "bash -c 'npm test'"],
  ["allow Bash(npm test:*)", "npm te*t"],
  ["allow Bash(timeout:*)", "timeout 5 npm i"],
  ["allow Bash(timeout 60:*)", "timeout 60 npm i"],
  ["allow Bash(nice *)", "nice npm i"],
  ["allow Bash(FOO=1:*)", "FOO=1 npm i"],
  ["allow Bash(env:*)", "env npm i"],
  ["allow Bash(sudo:*)", "sudo ls"],
  ["allow Bash(watch:*)", "watch ls"],
  ["allow Bash(xargs:*)", "xargs rm"],
  ["allow Bash(xargs:*)", "xargs -n1 rm"],
  ["allow Bash(bash:*)", "bash -c 'npm i'"],
  ["allow Bash(bash -c:*)", "bash -c 'npm i'"],
  ["allow Bash(eval:*)", "eval 'npm i'"],
  ["allow Bash(find:*)", "find src -exec rm {} +"],
  ["allow Bash(find:*)", "find src -delete"],
  ["allow Bash(find:*)", "find src -fprint x"],
  ["allow Bash(* --version)", "./evil --version"],
  ["allow Bash(* x)", "source x"],
  ["allow Bash(r*)", "read x"],
  ["allow Bash(export:*)", "export FOO=bar"],
  ["allow Bash(npm:*)", "npm() { ls; }"],
  ["allow Bash(git:*)", "cd src && git status"],
  ["allow Bash", "cd src && git status"],
  ["allow Bash", "echo x > .git/config"],
  ["allow Bash", "echo x > $FILE"],
  ["allow Bash", "cat < /dev/tcp/h/1"],
  ["allow Bash", "echo x >> ~/.bashrc"],
  ["allow Bash", "ls <<EOF"],
  ["allow Bash", "ls \u200b"],
  ["allow Bash", `echo ${"x".repeat(10_001)}`],
  ["allow Bash(find . -name '*.o' -delete > x)", "find . -name '*.o' -delete > x"],
  ["allow Edit", "cd src && echo hi > out"],
  ["allow Write(out)", "echo hi > out"],
  ["allow Bash(rm:*)", "rm .git/index.lock"],
  ["ask Bash(gh release:*) ;; allow Bash", "gh release create v1"],
  ["ask Bash(git push:*)", "ls && git push"],
  ["deny Read(.env)", "cat *"],
  ["deny Read(.env)", "cat .e*"],
  ["deny Read(.env) ;; allow Bash", "cat .e*"],
  ["deny Read(.env) ;; allow Bash(cat:*)", "cat .en?"],
  ["deny Read(.env) ;; allow Bash(cat:*)", "cat src/.e*"],
  ["deny Read(~/.ssh/**) ;; allow Bash(cat:*)", "cat ~/.s*/id"],
  ["deny Read(*.pem) ;; allow Bash(cat:*)", "cat *.p*"],
  ["deny Read(private/**) ;; allow Bash(cat:*)", "cat priv*/k"],
  ["deny Read(~/.ssh/**) ;; allow Bash(cat:*)", "cat @HOME/.s*/id"],
]);

table(
  "5.5 a deny rule sees through every wrapper",
  "deny",
  [
    ...[
      "dd if=a of=b",
      "nice env dd if=a of=b",
      "FOO=1 dd x",
      "env FOO=1 dd x",
      "env -i -u X dd x",
      "env -S 'dd x'",
      "sudo dd x",
      "sudo -u root dd x",
      "sudo -n -- dd x",
      "doas dd x",
      "watch dd x",
      "watch -n 1 'dd x'",
      "ionice -c 3 dd x",
      "setsid dd x",
      "flock /tmp/l dd x",
      "flock /tmp/l -c 'dd x'",
      "xargs dd",
      "xargs -n 1 dd",
      "xargs -I{} dd {}",
      "find . -exec dd {} +",
      "find . -name x -execdir dd {} \\;",
      "find . -ok dd \\;",
      "sh -c 'dd x'",
      "bash -lc 'dd x'",
      'bash -c "dd x"',
      "/bin/bash -c 'dd x'",
      "zsh -c 'dd x'",
      "bash -c 'bash -c \"dd x\"'",
      "eval 'dd x'",
      "eval dd x",
      "/bin/dd x",
      "./dd x",
      "\\dd x",
      "d''d x",
      'd"d" x',
      "'dd' x",
      "$'dd' x",
      "d\\\nd x",
      "d$@d x",
      "d${x}d x",
      "dd${IFS}x",
      "${x:-dd} x",
      "{dd,x}",
      "time dd x",
      "timeout 5 dd x",
      "timeout -s KILL 5 dd x",
      "nohup dd x",
      "stdbuf -oL dd x",
      "command dd x",
      "command -p dd x",
      "exec dd x",
      "busybox dd x",
      "ls; dd x",
      "ls && dd x",
      "ls || dd x",
      "ls | dd x",
      "ls & dd x",
      "ls\ndd x",
      "(dd x)",
      "{ dd x; }",
      "echo $(dd x)",
      "echo `dd x`",
      'echo "$(dd x)"',
      "cat <(dd x)",
      "cat <<E\n$(dd x)\nE",
      "cat <<< $(dd x)",
      "X=$(dd x)",
      "ls > $(dd x)",
      "f() { dd x; }",
      "coproc dd x",
      "if true; then dd x; fi",
      "for i in a; do dd x; done",
      "for i in $(dd x); do ls; done",
      "case x in x) dd x;; esac",
      "while dd x; do :; done",
      "[[ -n $(dd x) ]]",
      "echo $(( $(dd x) ))",
      "echo ${x:-$(dd x)}",
      "echo ${a[$(dd x)]}",
      "trap 'dd x' EXIT",
      "bash <<E\ndd x\nE",
      `${"ls; ".repeat(200)}dd x`,
      `${"sudo ".repeat(50)}dd x`,
      "ls \u200b; dd x",
      "dd x; ls '",
    ].map((command) => ["deny Bash(dd:*) ;; allow Bash", command] as const),
    ["deny Bash(git push:*) ;; allow Bash", "git {push,--force}"],
    ["deny Bash(curl * | sh) ;; allow Bash", "curl x | sh"],
    ["deny Bash(FOO=1 ls) ;; allow Bash", "FOO=1 ls"],
    ["deny Bash ;; allow Bash", "ls"],
    ["deny * ;; allow Bash", "ls"],
    ["deny Bash(run_in_background: true) ;; allow Bash(x)", "dd"],
  ].filter((row) => !row[0].includes("run_in_background")) as (readonly [string, string])[],
);

table("4.5 a Read deny blocks recognised reads of commands", "deny", [
  ...under(
    "deny Read(.env)",
    lines`
  cat .env ¦ cat ./.env ¦ cat src/../.env ¦ cat '.env' ¦ cat .e''nv ¦ cd src && cat .env ¦ wc -l < .env
  grep -f .env x ¦ grep -f.env x ¦ grep KEY .env ¦ sed -n p .env ¦ sudo cat .env ¦ bash -c 'cat .env'
  git show HEAD:.env ¦ git diff .env ¦ cp .env x ¦ echo x > .env
`,
  ),
  ["deny Read(private/**)", "ls private"],
  ["deny Read(private/**)", "cat alias/k"],
  ["deny Read(~/.ssh/**)", "cat ~/.ssh/id"],
  ["deny Read(~/.ssh/**)", "cat $HOME/.ssh/id"],
  ["deny Edit(src/**) ;; allow Bash", "echo x > src/a"],
  ["deny Edit(src/**) ;; allow Bash", "rm src/a"],
  ["deny Write(src/**) ;; allow Bash", "cp x src/a"],
]);

table("5.4 a deny of a read is not stretched to text", "allow", [
  ["deny Read(.env)", "echo .env"],
  ["deny Read(.env)", "grep .env src/a.ts"],
  ["deny Read(.env)", "cat src/a.ts"],
]);

table("6 critical removals are a question whatever the rules and the mode", "ask", [
  ...lines`
  rm -rf / ¦ rm -rf // ¦ rm -rf /etc ¦ rm -rf /usr/ ¦ rm -r /* ¦ rm -rf /etc/* ¦ rm -rf ~ ¦ rm -rf ~/
  rm -rf ~/* ¦ rm -rf $HOME ¦ rm -rf "$HOME"/* ¦ rm -rf \${HOME} ¦ rm -rf @HOME ¦ rm -rf . ¦ rm -rf ./
  rm -rf * ¦ rm -rf ./* ¦ rm -rf .* ¦ rm -rf .. ¦ rm -rf ../* ¦ rm -rf @PROJ ¦ rm -rf $PWD ¦ rm -rf "$X"/*
  rm -rf $X/ ¦ rm -rf \${X}/* ¦ rm -rf $X/* ¦ rmdir / ¦ rm -rf src/.. ¦ rm -rf {/,x} ¦ rm -rf -- /
  /bin/rm -rf / ¦ sudo rm -rf / ¦ env rm -rf / ¦ timeout 5 rm -rf / ¦ bash -c 'rm -rf /' ¦ eval 'rm -rf ~'
  xargs rm -rf / ¦ echo / | xargs rm -rf ¦ find / -delete ¦ find . -delete ¦ find ~ -name x -delete
  find / -exec rm -rf {} + ¦ find . -exec rm {} \; ¦ echo $(rm -rf /) ¦ cat <(rm -rf ~) ¦ cd / && rm -rf etc
  cd .. && rm -rf proj ¦ ls; rm -rf / ¦ \rm -rf / ¦ r''m -rf /
`.map((command) => ["allow Bash", command] as const),
]);

describe("6 in bypass too", () => {
  test.each(["rm -rf /", "rm -rf ~", "sudo rm -rf .", "find . -delete", "bash -c 'rm -rf *'"])(
    "%s",
    (command) => {
      expect(run(command, "allow Bash", "bypassPermissions")).toBe("ask");
      expect(run(command, `allow Bash ;; allow Bash(${command})`, "bypass")).toBe("ask");
      expect(run(command, "deny Bash(rm:*) ;; deny Bash(find:*)", "bypass")).toBe("deny");
      expect(run(command, "", "dontAsk")).toBe("deny");
    },
  );
});

table("6 ordinary removals are none of them", "allow", [
  ["allow Bash(rm:*)", "rm -rf build"],
  ["allow Bash(rm:*)", "rm -rf ./build/*"],
  ["allow Bash(rm:*)", "rm -f *.log"],
  ["allow Bash(rm:*)", "rm -rf node_modules dist"],
  ["allow Bash(rm:*)", 'rm -rf "$X/build"'],
  ["allow Bash(rm:*)", "rm '*'"],
]);

table(
  "5.7 workspace file commands in acceptEdits",
  "allow",
  lines`
  mkdir -p a/b ¦ mkdir -m 755 a ¦ rm -f a ¦ cp -r src copy ¦ cp -t build a ¦ mkdir a && touch a/b && ls a
  sed -i s/a/b/g src/a.ts ¦ sed -i 's/a/b/; 3d' src/a.ts ¦ cd src && touch b.ts ¦ echo hi > out
  echo hi >> docs/x.md ¦ cat a > b
`,
  "acceptEdits",
);

table(
  "5.7 and nothing more",
  "ask",
  lines`
  npm i ¦ rm {a,b} ¦ rm @OUT/secret ¦ rm secret-link ¦ touch dangling ¦ mv a ../b ¦ cp /etc/passwd x
  cp -t /tmp a ¦ cp --target-directory=/tmp a ¦ mv -t../x a ¦ touch .git/config ¦ touch .GIT/config
  touch .husky/pre-commit ¦ cp a .bashrc ¦ mkdir .vscode ¦ rm .npmrc ¦ cd .claude && touch settings.json
  sed -i 'w x' a ¦ sed -i 's/a/id/e' a ¦ sed -i 1r/etc/passwd a ¦ sed -i 'e id' a ¦ sed -i/tmp/x s/a/b/ a
  echo x > .git/config ¦ echo x > ../x ¦ echo x > @OUT/x ¦ echo x > dangling ¦ ln -s a b ¦ find . | xargs rm
`,
  "acceptEdits",
);

table("1 in plan only what reads", "allow", ["git log | head", "cd src && ls"], "plan");
table(
  "1 in plan no rule helps a command",
  "ask",
  [["allow Bash", "npm test"], ["allow Bash(npm test)", "npm test"], ["allow Edit", "ls > x"], "mkdir a"],
  "plan",
);
table(
  "1 in bypass everything but deny, ask and critical removals",
  "allow",
  ["npm i", "ls '", "echo x > .git/config", "cat /etc/passwd", "cd src && git push", "ls \u200b"],
  "bypass",
);
table(
  "1 in bypass ask and deny hold",
  "ask",
  [
    ["ask Bash(npm:*)", "sudo npm i"],
    ["ask Edit(out)", "ls > out"],
  ],
  "bypass",
);
table("3 dontAsk denies what would be asked", "deny", ["npm i", "rm -rf /"], "dontAsk");
table("3 dontAsk allows the rest", "allow", [["allow Bash(npm:*)", "npm i"]], "dontAsk");
