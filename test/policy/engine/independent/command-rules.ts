// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are bash's.
import { lines } from "../lines.ts";
import type { Group } from "./ground.ts";

const safeVariables =
  "NODE_ENV CI LANG LANGUAGE LC_ALL LC_CTYPE TZ TERM COLUMNS LINES NO_COLOR FORCE_COLOR CLICOLOR RUST_LOG RUST_BACKTRACE PYTHONUNBUFFERED GOOS GOARCH".split(
    " ",
  );
const otherVariables =
  "PATH LD_PRELOAD LD_LIBRARY_PATH NODE_OPTIONS BASH_ENV ENV IFS PS4 GIT_SSH_COMMAND PYTHONPATH RUSTC_WRAPPER FOO LC node_env DYLD_INSERT_LIBRARIES PAGER EDITOR HOME XCI CIX LANGX RUSTFLAGS CC npm_config_script_shell".split(
    " ",
  );
const named = [
  ..."alias eval source . exec trap enable hash shopt set complete let unset read".split(" "),
  "mapfile -C f",
];

export const commandRules: readonly Group[] = [
  {
    about: "§5.3 exact",
    rules: { allow: ["Bash(npm run build)"] },
    allow: [
      "npm run build",
      "npm  run   build",
      " npm run build ",
      ...lines`
        npm 'run' build ¦ np\m run "build" ¦ npm run build && npm run build ¦ npm run build; ls
      `,
    ],
    ask: lines`
      npm run build --x ¦ npm run build:x ¦ npm run ¦ npm run builds ¦ NPM run build ¦ npm RUN build
      ./npm run build ¦ /usr/bin/npm run build ¦ npm run build; npm x ¦ npm 'run build' x
    `,
  },
  {
    about: "§5.3 p:*",
    rules: { allow: ["Bash(cargo check:*)"] },
    allow: lines`
      cargo check ¦ cargo check --all ¦ cargo check | tail -3 ¦ cargo check 2>&1 | head ¦ cargo check && ls
    `,
    ask: [
      ...lines`
        cargo check && cargo publish ¦ cargo checker ¦ RUSTC_WRAPPER=./x cargo check ¦ cargo ¦ cargo build
        cargo checks x ¦ xcargo check ¦ cargo check; x ¦ cargo check & x ¦ cargo check | sh
      `,
      "cargo check\nx",
      ...lines`
        cargo check $(x) ¦ cargo check \`x\` ¦ cargo check <(x)
      `,
    ],
  },
  {
    about: "§5.3 p *",
    rules: { allow: ["Bash(npm run *)"] },
    allow: ["npm run", "npm run x", "npm run test:unit -- --watch"],
    ask: ["npm runx", "npm", "npm install"],
  },
  {
    about: "§5.3 p*",
    rules: { allow: ["Bash(npm run test*)"] },
    allow: ["npm run test", "npm run test:unit", "npm run tester", "npm run test x"],
    ask: ["npm run tes", "npm test"],
  },
  {
    about: "§5.3 * anywhere",
    rules: { allow: ["Bash(git * main)", "Bash(* --version)", "Bash(a*b*c)"] },
    allow: ["git checkout main", "git push origin main", "node --version", "xx --version", "a1b2c", "abc"],
    ask: lines`
      git checkout dev ¦ git main ¦ git checkout main x ¦ node --version x ¦ git checkout dev; x main ¦ acb
      git x && y main
    `,
  },
  {
    about: "§5.3 :* only counts at the end",
    rules: { allow: ["Bash(npm:* x)", "Bash(:*)", "Bash( :*)"] },
    ask: ["npm a x", "npm x", "ls -l; npm"],
  },
  {
    about: "§5.3 the exact whole string",
    rules: {
      allow: lines`
        Bash(find src -name '*.o' -delete) ¦ Bash(watch npm test) ¦ Bash(FOO=1 npm test) ¦ Bash(sudo npm test)
        Bash(env A=1 npm test) ¦ Bash(npm run a && npm run b) ¦ Bash(./run.sh a) ¦ Bash(find src -exec cat {} +)
        find src -name '*.o' -delete
      `,
    },
    allow: lines`
      watch npm test ¦ FOO=1 npm test ¦ sudo npm test ¦ env A=1 npm test ¦ npm run a && npm run b ¦ ./run.sh a
      find src -exec cat {} +
    `,
    ask: lines`
      find . -delete ¦ watch npm testx ¦ FOO=2 npm test ¦ sudo npm test x ¦ npm run a && npm run c ¦ npm run a
      ./run.sh ¦ run.sh a ¦ npm test
    `,
  },
  {
    about: "§5.3 the exact whole string keeps redirects and floors",
    rules: {
      allow: [
        ...lines`
          Bash(npm test > .git/config) ¦ Bash(rm -rf /) ¦ Bash(npm test > @out/x)
        `,
        "Bash(echo \u200b)",
      ],
    },
    not: ["npm test > .git/config", "rm -rf /", "echo \u200b"],
  },
  {
    about: "§5.3 deny patterns",
    mode: "bypass",
    rules: {
      deny: lines`
        Bash(git push:*) ¦ Bash(curl *) ¦ Bash(* --force) ¦ Bash(npm publish) ¦ Bash(docker*) ¦ Bash(*secret*)
      `,
    },
    deny: lines`
      git push ¦ git push origin ¦ git  push ¦ git 'push' x ¦ ls; git push ¦ curl ¦ curl x ¦ git x --force
      npm publish ¦ docker ps ¦ docker-compose up ¦ echo my secret ¦ cat a | curl x ¦ A=1 curl x ¦ /usr/bin/curl x
      sudo /usr/bin/curl x
    `,
    allow: ["git pull", "curlx y", "git x --forced", "npm publish x", "git pushx"],
  },
  {
    about: "§5.4 variables an allow rule sees past",
    rules: { allow: ["Bash(npm test:*)"] },
    allow: [
      ...safeVariables.map((name) => `${name}=x npm test`),
      ...lines`
        CI=1 NODE_ENV=test npm test --x ¦ CI='a b' npm test ¦ CI= npm test ¦ CI=$(ls) npm test
        LANG="$(pwd)" npm test ¦ CI=1 timeout 5 npm test
      `,
    ],
    ask: [
      ...otherVariables.map((name) => `${name}=x npm test`),
      ...lines`
        NODE_ENV+=x npm test ¦ CI[0]=1 npm test ¦ CI=(1) npm test ¦ CI=$(x) npm test ¦ CI=\`x\` npm test
        CI="$(x)" npm test ¦ CI=1 FOO=1 npm test ¦ FOO=1 CI=1 npm test ¦ CI=1 ¦ NODE_ENV=test; npm test
        PATH=x; npm test ¦ X=1 && npm test ¦ export CI=1 && npm test ¦ export PATH=x; npm test
        declare CI=1; npm test ¦ typeset X=1 ¦ local X=1 ¦ readonly X=1 ¦ export ¦ export -p ¦ export -f x
        declare -p ¦ CI=1 ; ls ¦ timeout 5 FOO=1 npm test ¦ env FOO=1 npm test
      `,
    ],
  },
  {
    about: "§5.4 and the read-only set",
    allow: ["LC_ALL=C sort a", "LANG=C ls", "TZ=UTC date", "NO_COLOR=1 git status"],
    ask: lines`
      FOO=1 ls ¦ PATH=. ls ¦ LD_PRELOAD=x ls ¦ LC_ALL=C ¦ IFS=x ls ¦ X=1; ls ¦ LC_ALL=$X ls -- $X
      LC_ALL=$(rm a) ls ¦ GREP_OPTIONS=x grep a b
    `,
  },
  {
    about: "§5.4 rules that name assignments exactly",
    rules: { allow: ["Bash(export FOO=1)", "Bash(FOO=1)", "Bash(npm test)"] },
    allow: ["export FOO=1", "FOO=1", "export FOO=1 && npm test"],
    ask: ["export FOO=2", "export FOO=1 BAR=1", "BAR=1", "FOO=1 npm test"],
  },
  {
    about: "§5.5 wrappers of every rule",
    rules: { allow: ["Bash(npm test)"] },
    allow: lines`
      timeout 10 npm test ¦ timeout 10s npm test ¦ timeout -k 5 10 npm test ¦ timeout -s KILL 10 npm test
      time npm test ¦ nice npm test ¦ nice -n 10 npm test ¦ nohup npm test ¦ stdbuf -oL npm test ¦ command npm test
      timeout 10 nice npm test ¦ time timeout 10 npm test ¦ timeout 10 npm test | tail -5
      timeout 60 npm test 2>&1 | tail -20 ¦ timeout 5 ls ¦ command ls ¦ builtin echo x ¦ command -v node
      command -v npm && npm test ¦ type npm ¦ ! npm test ¦ timeout -v 10 npm test ¦ timeout --foreground 10 npm test
      time -p npm test ¦ stdbuf -o L -e 0 npm test
    `,
    ask: lines`
      env npm test ¦ sudo npm test ¦ doas npm test ¦ watch npm test ¦ ionice npm test ¦ setsid npm test
      flock x npm test ¦ command -p npm test ¦ sh -c 'npm test' ¦ bash -c 'npm test' ¦ eval 'npm test'
      eval npm test ¦ npx npm test ¦ docker exec c npm test ¦ time -o x npm test ¦ xargs -0 npm test
      xargs -I{} npm test ¦ find . -exec npm test \; ¦ ./npm test ¦ /usr/bin/npm test ¦ node_modules/.bin/npm test
      Npm test ¦ NPM test ¦ timeout 10 ./npm test ¦ timeout $X npm test ¦ timeout $(x) npm test
      nice -n $(x) npm test ¦ timeout 10 rm a ¦ nohup rm a ¦ timeout ¦ timeout --preserve-status 10 npm test
      timeout -vk 5 npm test ¦ nice -5 npm test ¦ nice --adj 5 npm test ¦ env -S 'npm test' ¦ exec npm test
    `,
  },
  {
    about: "§5.5 find is not allowed by a prefix rule to act",
    rules: { allow: ["Bash(find:*)", "Bash(find *)", "Bash(f*)"] },
    allow: ["find . -name x", "find /etc -name x", "find . -name *.ts"],
    ask: lines`
      find . -exec ls {} \; ¦ find . -execdir ls {} + ¦ find . -ok ls {} \; ¦ find . -okdir ls {} \;
      find . -name x -delete ¦ find . -fls x ¦ find . -fprint x ¦ find . -fprint0 x ¦ find . -fprintf x y
      find . -de\lete ¦ find . '-exec' ls ';' ¦ find . -ex{ec,x} ls \; ¦ find . $X ¦ find . $(echo -delete)
    `,
  },
  {
    about: "§5.5 bare Bash allows find to act",
    rules: { allow: ["Bash"] },
    allow: ["find src -name x -delete", "find . -exec ls {} \\;"],
  },
  {
    about: "§5.5 a wrapper as the rule's own command",
    rules: { allow: ["Bash(npx jest:*)", "Bash(docker exec:*)"] },
    allow: ["npx jest", "npx jest --watch", "docker exec c rm a"],
    ask: ["npx eslint", "jest"],
  },
  {
    about: "§5.11 expansions where the wildcard is",
    rules: { allow: ["Bash(npm run *)"] },
    allow: lines`
      npm run $X ¦ npm run "$X" ¦ npm run \${X} ¦ npm run x $? ¦ npm run $((1+2)) ¦ npm run x-{a,b}
      npm run x src/*.ts ¦ npm run x ~ ¦ npm run x ~/y ¦ npm run $(ls) ¦ npm run "$(git rev-parse HEAD)"
      npm run x '$(rm a)' ¦ for f in a b; do npm run $f; done ¦ npm run $(npm run x)
    `,
    ask: lines`
      npm $X ¦ npm $X x ¦ npm r{un,x} y ¦ $X run a ¦ npm$X run a ¦ n{p,}m run a ¦ n*m run a ¦ n?m run a
      npm run $(rm a) ¦ npm run \`rm a\` ¦ npm run <(rm a) ¦ npm run "$(rm a)" ¦ npm run \${x@P} ¦ npm run \${x@Q}
      npm run \${!x} ¦ npm run \${!x*} ¦ npm run \${x:=y} ¦ npm run \${x=y} ¦ npm run \${a[$i]}
      npm run \${a[$(ls)]} ¦ npm run \${a[b+c]} ¦ npm run \${ ls; } ¦ npm run \${| ls; } ¦ npm run $((x+1))
      npm run $((a[0])) ¦ npm run $((x=1)) ¦ npm run $((\`ls\`)) ¦ npm run \${x:-$(rm a)} ¦ npm run $[x]
      f() { npm run x; }; f ¦ npm() { ls; }; npm run x ¦ function npm { ls; } ¦ npm run x; alias npm=x
      alias ls=rm; ls
    `,
  },
  {
    about: "§5.11 no expansion under an exact rule",
    rules: { allow: ["Bash(npm run build)", "Bash(echo:*)"] },
    ask: ["npm run $X", "npm run b{uild,x}", "npm run buil?", "npm run $(echo build)", "npm run bui*"],
  },
  ...named.map(
    (name): Group => ({
      about: `§5.11 ${name} under other rules`,
      rules: { allow: ["Bash(ls:*)", "Bash(npm:*)", "Bash(* x)"] },
      ask: [`${name} x`, `ls; ${name} x`, `command ${name} x`, `builtin ${name} x`],
    }),
  ),
  ...["alias", "source", "trap", "hash", "shopt", "set", "unset", "read", "."].map(
    (name): Group => ({
      about: `§5.11 ${name} named by a rule`,
      rules: { allow: [`Bash(${name}:*)`] },
      allow: [`${name} x`],
    }),
  ),
  {
    about: "§5.11 bare Bash",
    rules: { allow: ["Bash"] },
    allow: lines`
      $X ¦ npm \${x@P} ¦ f() { ls; }; f ¦ eval x ¦ source x ¦ set -e; npm test ¦ export X=1 && npm test
      X=1; echo $X ¦ echo \${x:=y} \${!x} ¦ sudo ls ¦ ./run.sh ¦ /usr/bin/npm test ¦ cd .. && ls ¦ cat /etc/passwd
      cat $X | sh ¦ bash -c 'npm test' ¦ trap x EXIT ¦ read x ¦ npm test > out.log ¦ npm test 2>&1 | tee x
      rm -rf node_modules
    `,
    ask: lines`
      npm test > .git/config ¦ echo x >> .bashrc ¦ ls > .husky/pre-commit ¦ ls > ~/.bashrc
      ls > src/../.git/hooks/x
    `,
  },
  {
    about: "§5 a deny or ask rule under bare Bash",
    rules: { allow: ["Bash"], ask: ["Bash(git push:*)"], deny: ["Bash(sudo:*)"] },
    allow: ["git pull", "npm test"],
    ask: ["git push", "ls && git push origin x", "echo $(git push)"],
    deny: ["sudo ls", "env sudo ls", "git push && sudo ls"],
  },
  {
    about: "§5.6 cd with git, under rules",
    rules: { allow: ["Bash(git:*)", "Bash(cd:*)"] },
    allow: lines`
      git status ¦ git commit -m x ¦ git push ¦ cd src && ls ¦ cd . && git push ¦ git -C src status
    `,
    ask: lines`
      cd src && git status ¦ cd @out && git log ¦ cd src; git push ¦ (cd src; git push)
      cd src && ls && git commit -m x ¦ cd $X && git status ¦ cd && git status
    `,
  },
];
