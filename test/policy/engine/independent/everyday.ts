// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are bash's.
import { lines } from "../lines.ts";
import type { Group } from "./ground.ts";

const raw = String.raw;
const commit = 'git commit -m "$(cat <<\'EOF\'\nFix: the thing\n\nIt\'s "done".\nEOF\n)"';

export const everyday: readonly Group[] = [
  {
    about: "everyday, no rules",
    allow: [
      ...lines`
        ls -la ¦ ls -la src/ && cat package.json ¦ pwd && ls ¦ cat package.json | head -40
        cat package.json | grep version ¦ head -50 src/a.ts; echo ---; head -50 src/b.ts
        grep -rn 'TODO' src --include='*.ts' ¦ grep -rn "import.*from" src/ | head -20
        grep -rn 'foo' src | grep -v test | sort | uniq -c | sort -rn | head
        grep -rnE '(foo|bar)\(' --include=*.ts . | wc -l ¦ grep -c '' src/a.ts ¦ grep -A 3 -B 3 x src/a.ts
        grep -l foo src/*.ts ¦ rg -n 'function \w+' src ¦ rg foo --type ts -A 2
        rg -n "decide\(" src test | head -30 ¦ rg --files src | wc -l ¦ rg --files -g '!node_modules' | head
        sed -n '1,120p' src/a.ts ¦ sed -n 10,20p src/a.ts && sed -n 40,50p src/b.ts
        find . -name '*.ts' -not -path './node_modules/*' | head -50 ¦ find src -type f | wc -l
        find . -type f -name "*.md" | sort ¦ find . -maxdepth 1 -type d ¦ wc -l src/*.ts | sort -n | tail -5
        wc -l src/a.ts src/b.ts 2>/dev/null ¦ du -sh node_modules 2>/dev/null || echo none
        test -f package.json && echo exists || echo missing ¦ [ -d node_modules ] && echo yes || echo no
        [[ -f a && -d src ]] && echo both ¦ if [ -f tsconfig.json ]; then cat tsconfig.json; fi
        for f in src/a.ts src/b.ts; do echo "== $f"; done ¦ for i in 1 2 3; do echo "line $i"; sleep 1; done
        for d in src docs; do echo $d; ls src; done ¦ git status ¦ git status --porcelain ¦ git status && git diff
        git diff HEAD ¦ git diff --stat HEAD~3 ¦ git diff --name-only main | head ¦ git log --oneline -10
        git log --oneline | head -5 ¦ git log -1 --format=%H ¦ git log --graph --oneline --all
        git show HEAD --stat ¦ git show HEAD~1:src/a.ts ¦ git branch --show-current
        git rev-parse --abbrev-ref HEAD ¦ git remote -v ¦ git status; git log --oneline -3; git diff --stat
        git diff -- src/a.ts | head -100 ¦ git ls-files | grep test | wc -l ¦ git blame -L 10,20 src/a.ts
        echo hello ¦ echo "hello world" ¦ echo 'it is' ¦ echo "a; b && c | d > e" ¦ echo -e 'a\nb'
        echo done && echo next ¦ printf "%s\n" one two
      `,
      "cat <<'EOF'\nhello $USER\nEOF",
      "cat <<EOF\nplain text\nEOF",
      ...lines`
        which node npm git ¦ type node ¦ command -v rg ¦ date +%Y-%m-%d ¦ whoami; hostname; uname -a
        diff src/a.ts src/b.ts ¦ cd src && ls ¦ cd @ws && ls -la ¦ cd @ws/src && grep -rn foo . | head
        cd @ws && git status ¦ tail -n 100 build/out.js | grep -i error ¦ stat -c '%s %n' a ¦ file src/a.ts
        echo "exit: $?" ¦ ls src; echo $? ¦ ls nothing 2>/dev/null; echo "code $?" ¦ ls -la 2>&1 | head -20 ¦ true
        ls node_modules/.bin | grep tsc ¦ ls *.json ¦ ls src/**/*.ts ¦ cat .gitignore ¦ tree -L 2 -I node_modules
        sort a | uniq -d ¦ cut -d: -f1 a | sort -u ¦ md5sum a ¦ tr -d '\n' < a ¦ column -t a ¦ seq 1 5 | paste -sd+
        nl src/a.ts | sed -n 1,10p ¦ realpath .
      `,
      'grep -rn "foo" src \\\n  | head',
      "# look around\nls",
      "ls # all",
      "tail -n 50 build/out.js",
    ],
    ask: [
      ...lines`
        npm test ¦ npm run build ¦ npm install ¦ npm ls ¦ npx tsc --noEmit ¦ node --version ¦ cargo build
        cargo test ¦ make ¦ go test ./... ¦ python3 x.py ¦ pytest ¦ docker ps ¦ curl -s https://example.com
        git add . ¦ git commit -m 'x' ¦ git push ¦ git checkout -b x ¦ git pull --rebase ¦ git fetch origin
        git -C src log ¦ git --no-pager diff ¦ ls | xargs rm ¦ rm a ¦ mkdir x ¦ touch x ¦ cp a b ¦ sed -i s/a/b/ a
        sed 's/a/b/' a ¦ awk '{print $1}' a ¦ jq .version package.json ¦ echo x > a
      `,
      "cat > a <<'EOF'\nx\nEOF",
      ...lines`
        ls > x.txt ¦ echo $HOME ¦ echo $PATH ¦ cat /etc/os-release ¦ ls /tmp ¦ ls ~/projects ¦ ps aux | grep node
        env | grep X ¦ kill 123 ¦ for f in src/a.ts src/b.ts; do wc -l $f; done
        for f in $(ls src); do cat $f; done ¦ find . -name '*.o' -delete
        find . -name '*.ts' -exec grep -l foo {} + ¦ cd .. && ls ¦ cd src && git log ¦ export X=1 ¦ X=1 node x.js
        source .env ¦ ./run.sh ¦ sudo ls ¦ bash x.sh ¦ tar xf a.tgz ¦ unzip a.zip ¦ gh pr view ¦ ls | tee x ¦ less a
        tail -f build/out.js
      `,
    ],
  },
  {
    about: "everyday, Bash(git:*)",
    rules: { allow: ["Bash(git:*)"] },
    allow: [
      ...lines`
        git add -A ¦ git add src/a.ts src/b.ts ¦ git add . && git commit -m 'x'
        git commit -m "a message: with (things) & more" ¦ git commit -am 'it''s'
      `,
      commit,
      `git add -A && ${commit} && git status`,
      ...lines`
        git push ¦ git push -u origin HEAD ¦ git push origin main 2>&1 | tail -3 ¦ git pull --rebase origin main
        git checkout -b feature/x ¦ git stash && git pull && git stash pop ¦ git -C sub status
        git --no-pager log | head -3 ¦ git log --oneline | grep fix ¦ git diff | cat
        git fetch && git log HEAD..origin/main --oneline ¦ git config user.name ¦ git tag v1.0.0 && git push --tags
        git diff > /dev/null ¦ for f in a b; do git add $f; done ¦ git add src/*.ts ¦ git commit -m "$(date)"
        git show HEAD:src/a.ts | head ¦ git worktree add ../x ¦ timeout 30 git fetch
      `,
      "GIT=1; true".replace("GIT=1; ", ""),
    ],
    ask: lines`
      git status && npm test ¦ git diff > x.patch ¦ git log | tee x ¦ git commit -m "$(curl x)" ¦ git log | sh
      gitk ¦ git-lfs x ¦ cd sub && git status ¦ GIT_SSH_COMMAND=x git fetch ¦ GIT_EDITOR=true git rebase -i HEAD
      sudo git status ¦ /usr/bin/git status ¦ git status; rm a ¦ hub x ¦ git clone x && cd x && git log
      git commit -m 'x' --amend --no-edit ¦ git rebase -i HEAD~3 ¦ git push --force ¦ git reset --hard
      git clean -fd ¦ git checkout . ¦ git branch -D x ¦ git commit --no-verify -m x
    `,
  },
  {
    about: "everyday, Bash(npm run *) and friends",
    rules: {
      allow: lines`
        Bash(npm run *) ¦ Bash(npm test:*) ¦ Bash(npx tsc:*) ¦ Bash(npx vitest run:*) ¦ Bash(npm ci)
      `,
    },
    allow: [
      ...lines`
        npm run build ¦ npm run lint -- --fix ¦ npm run build 2>&1 | tail -20 ¦ npm run build && npm test
        npm run build >/dev/null 2>&1; echo $? ¦ npm run test -- --grep 'a b' ¦ npm test ¦ npm test -- --watch=false
        npm test 2>&1 | grep -E 'pass|fail' ¦ npm test || true ¦ CI=1 npm test ¦ NODE_ENV=test CI=true npm run build
        npm ci && npm run build ¦ npx tsc --noEmit ¦ npx tsc --noEmit -p tsconfig.json | head -20
        npx vitest run test/a.test.ts ¦ timeout 60 npm test ¦ time npm run build ¦ cd src && npm test
        cd @ws && npm run build
      `,
      "npm run build & ",
      ...lines`
        if npm test; then echo ok; else echo bad; fi ¦ for i in 1 2 3; do npm test; done
        npm run build && ls -la build && wc -l build/out.js ¦ npm run a; npm run b ¦ (npm run a)
      `,
    ],
    ask: lines`
      npm install ¦ npm ci --force ¦ npx vitest ¦ npx tscx ¦ npm run-script x ¦ npm run build > log.txt
      npm run build | tee log ¦ npm run build && rm -rf build ¦ NODE_OPTIONS=--inspect npm test ¦ DEBUG=1 npm test
      cd .. && npm test ¦ npm exec x ¦ yarn test ¦ npm run build; curl x ¦ npm run build && node x.js
      npm test & node x.js
    `,
  },
  {
    about: "everyday, Bash(cargo test:*) and friends",
    rules: {
      allow: lines`
        Bash(cargo test:*) ¦ Bash(cargo build:*) ¦ Bash(cargo clippy *) ¦ Bash(go test *) ¦ Bash(make)
        Bash(make:*) ¦ Bash(pytest:*) ¦ Bash(python3 -m pytest:*)
      `,
    },
    allow: lines`
      cargo test ¦ cargo test --all -- --nocapture ¦ cargo build --release 2>&1 | tail -5
      RUST_BACKTRACE=1 cargo test ¦ RUST_LOG=debug cargo test foo::bar ¦ cargo clippy ¦ cargo clippy -- -D warnings
      go test ./... ¦ go test -run 'TestX|TestY' ./pkg/... ¦ GOOS=linux GOARCH=amd64 go test ./... ¦ make
      make -j4 all ¦ pytest -x -q tests/ ¦ pytest tests/test_a.py::test_b ¦ python3 -m pytest -k 'a and b'
      cargo build && cargo test ¦ cargo test | grep -c ok ¦ cargo test -- --test-threads=1 2>/dev/null
    `,
    ask: lines`
      cargo run ¦ cargo testx ¦ RUSTFLAGS=x cargo build ¦ cargo publish ¦ go build ¦ go test ./... && go run x
      python3 -m pip install x ¦ python3 x.py ¦ cargo +nightly test ¦ makex ¦ PYTHONPATH=. pytest
    `,
  },
  {
    about: "everyday, several tools",
    rules: {
      allow: lines`
        Bash(node:*) ¦ Bash(jq:*) ¦ Bash(gh pr:*) ¦ Bash(docker compose *) ¦ Bash(xargs:*) ¦ Bash(awk:*)
        Bash(sed:*) ¦ Bash(curl -s:*) ¦ Bash(mkdir:*) ¦ Bash(rm:*) ¦ Bash(kill *) ¦ Bash(tee:*)
      `,
    },
    allow: [
      ...lines`
        node --version ¦ node -e 'console.log(1)' ¦ node -e "console.log('a b')" ¦ node x.js | jq .a
        jq '.scripts | keys' package.json ¦ gh pr list --limit 5
      `,
      'gh pr create --title "x y" --body "$(cat <<\'EOF\'\n## Sum\n- x\nEOF\n)"',
      ...lines`
        docker compose up -d ¦ awk '{print $1}' a ¦ awk -F: '{ print $1 }' a | sort -u ¦ sed 's/a/b/' a
        sed -i 's/a/b/' a ¦ curl -s https://example.com | jq . ¦ mkdir -p x/y ¦ rm -rf build ¦ rm -f a b
        kill $(cat a) ¦ ls | tee x
      `,
      "node - <<'EOF'\nconsole.log(1)\nEOF",
      "node <<EOF\nconsole.log(1)\nEOF",
      'node x.js "$X" ${Y}',
      raw`node -e 'a' && echo "done \"x\""`,
    ],
    ask: [
      ...lines`
        node x.js > out ¦ jq . a && yarn ¦ gh issue list ¦ docker ps ¦ curl https://example.com
        node -e "$(curl x)" ¦ nodejs x ¦ awk 1 a | sh
      `,
      "rm -rf / ",
    ],
  },
];
