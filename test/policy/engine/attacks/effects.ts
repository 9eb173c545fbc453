import { lines } from "../lines.ts";
import { type AttackGroup, combine } from "./fixture.ts";

const variables = lines`
  PATH=. ¦ PATH=.:$PATH ¦ PATH=@ws/0 ¦ PATH+=:. ¦ PATH[0]=. ¦ IFS=/ ¦ IFS= ¦ HOME=/etc ¦ BASH_ENV=./evil.sh
  ENV=./evil.sh ¦ GIT_DIR=traps/bare ¦ GIT_EXTERNAL_DIFF=./evil.sh ¦ GIT_CONFIG_GLOBAL=data/list.txt
  GIT_PAGER=./evil.sh ¦ GREP_OPTIONS=-R ¦ RIPGREP_CONFIG_PATH=data/list.txt ¦ LD_PRELOAD=./evil.so
  LD_LIBRARY_PATH=. ¦ CDPATH=/etc ¦ PS4='$(touch x)' ¦ PROMPT_COMMAND=./evil.sh ¦ LS_COLORS=x ¦ GLOBIGNORE=x
  POSIXLY_CORRECT=1 ¦ TMPDIR=. ¦ PAGER=./evil.sh ¦ FOO=bar
`;

/** §5.9: variables, and parts that a rule carries. */
export const effects: readonly AttackGroup[] = [
  {
    about: "variables that change how later parts run",
    tier: "both",
    ask: [
      ...combine(["%% ls", "%%; ls", "export %%; ls", "declare %%; ls"], variables),
      ...lines`
        declare -x PATH=.; ls ¦ typeset -x PATH=. && git status ¦ readonly PATH=.; ls ¦ export PATH; PATH=.; ls
        export -n PATH; ls ¦ export -f ls; ls ¦ declare -n x=PATH; x=.; ls ¦ if true; then PATH=.; fi; ls
        true && PATH=. && ls ¦ for PATH in .; do ls; done ¦ for IFS in /; do ls; done
        for PATH in . ; do :; done; ls ¦ for ((PATH = 0; PATH < 1; PATH++)); do ls; done
        select PATH in .; do ls; done ¦ (PATH=.; ls) ¦ { PATH=.; }; ls ¦ ls; PATH=.; cat README.md
        for i in 1 2; do ls; PATH=.; done ¦ while ls; do PATH=.; done ¦ echo \${PATH:=.}; ls
        echo $((PATH = 0)); ls ¦ ((PATH = 0)); ls ¦ let PATH=0; ls ¦ read PATH < data/list.txt; ls
        read -r PATH <<< .; ls ¦ echo . | { read PATH; ls; } ¦ mapfile PATH < data/list.txt; ls
        readarray -t PATH < data/list.txt; ls ¦ printf -v PATH .; ls ¦ getopts a PATH; ls ¦ unset PATH; ls
        unset -v PATH && ls ¦ local PATH=.; ls ¦ exec {PATH}< README.md; ls ¦ coproc PATH { ls; }; ls
        wait -p PATH; ls ¦ env PATH=. ls ¦ PATH=. command ls ¦ PATH=. timeout 5 ls ¦ time PATH=. ls
        ls {PATH}> /dev/null ¦ [[ a =~ a ]] && BASH_REMATCH=x && ls ¦ set -o posix; ls ¦ set -- -R; ls "$@"
        shopt -s globstar dotglob; ls ¦ alias cat=./evil.sh; cat README.md ¦ hash -p ./evil.sh ls; ls
        enable -n echo; echo x ¦ ls() { ./evil.sh; }; ls ¦ function ls { touch x; }; ls ¦ trap ./evil.sh EXIT; ls
        trap ./evil.sh DEBUG; ls ¦ umask 0; ls ¦ ulimit -f 0; ls ¦ pushd src; ls ¦ popd; ls ¦ dirs -c; ls
      `,
    ],
  },
  {
    about: "parts after one that a rule carries",
    rules: { allow: ["Bash(npm test)", "Bash(npm run:*)", "Bash(git init:*)", "Bash(git worktree:*)"] },
    tier: "both",
    allow: lines`
      npm test && cat README.md ¦ npm test; git status ¦ npm run build && ls -la ¦ npm run lint | tail -n 5
      npm test 2>&1 | head -20 ¦ cd src && npm test ¦ NODE_ENV=test npm test ¦ CI=1 npm test && git log --oneline -3
    `,
    ask: lines`
      git init x; git status ¦ git init && git log ¦ git init --bare .; git diff ¦ git worktree add x; git status
      PATH=.; npm test ¦ PATH=. npm test ¦ npm test; jq . package.json ¦ npm test && ./evil.sh
      npm test && cat /etc/passwd ¦ npm test; cd ..; ls ¦ export X=1; npm test
      NODE_OPTIONS=--require=./evil.js npm test ¦ npm test > .npmrc ¦ npm test $(touch x)
    `,
  },
];
