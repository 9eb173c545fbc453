// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are bash's.
import { type AttackGroup, combine, lines } from "./fixture.ts";

const variables = lines`
  PATH=.
  PATH=.:$PATH
  PATH=@ws/0
  PATH+=:.
  PATH[0]=.
  IFS=/
  IFS=
  HOME=/etc
  BASH_ENV=./evil.sh
  ENV=./evil.sh
  GIT_DIR=traps/bare
  GIT_EXTERNAL_DIFF=./evil.sh
  GIT_CONFIG_GLOBAL=data/list.txt
  GIT_PAGER=./evil.sh
  GREP_OPTIONS=-R
  RIPGREP_CONFIG_PATH=data/list.txt
  LD_PRELOAD=./evil.so
  LD_LIBRARY_PATH=.
  CDPATH=/etc
  PS4='$(touch x)'
  PROMPT_COMMAND=./evil.sh
  LS_COLORS=x
  GLOBIGNORE=x
  POSIXLY_CORRECT=1
  TMPDIR=.
  PAGER=./evil.sh
  FOO=bar
`;

/** §5.9: what earlier parts leave, later parts are judged by. */
export const effects: readonly AttackGroup[] = [
  {
    about: "variables that change how later parts run",
    tier: "both",
    ask: [
      ...combine(["%% ls", "%%; ls", "export %%; ls", "declare %%; ls"], variables),
      ...lines`
        declare -x PATH=.; ls
        typeset -x PATH=. && git status
        readonly PATH=.; ls
        export PATH; PATH=.; ls
        export -n PATH; ls
        export -f ls; ls
        declare -n x=PATH; x=.; ls
        if true; then PATH=.; fi; ls
        true && PATH=. && ls
        for PATH in .; do ls; done
        for IFS in /; do ls; done
        for PATH in . ; do :; done; ls
        for ((PATH = 0; PATH < 1; PATH++)); do ls; done
        select PATH in .; do ls; done
        (PATH=.; ls)
        { PATH=.; }; ls
        ls; PATH=.; cat README.md
        for i in 1 2; do ls; PATH=.; done
        while ls; do PATH=.; done
        echo \${PATH:=.}; ls
        echo $((PATH = 0)); ls
        ((PATH = 0)); ls
        let PATH=0; ls
        read PATH < data/list.txt; ls
        read -r PATH <<< .; ls
        echo . | { read PATH; ls; }
        mapfile PATH < data/list.txt; ls
        readarray -t PATH < data/list.txt; ls
        printf -v PATH .; ls
        getopts a PATH; ls
        unset PATH; ls
        unset -v PATH && ls
        local PATH=.; ls
        exec {PATH}< README.md; ls
        coproc PATH { ls; }; ls
        wait -p PATH; ls
        env PATH=. ls
        PATH=. command ls
        PATH=. timeout 5 ls
        time PATH=. ls
        ls {PATH}> /dev/null
        [[ a =~ a ]] && BASH_REMATCH=x && ls
        set -o posix; ls
        set -- -R; ls "$@"
        shopt -s globstar dotglob; ls
        alias cat=./evil.sh; cat README.md
        hash -p ./evil.sh ls; ls
        enable -n echo; echo x
        ls() { ./evil.sh; }; ls
        function ls { touch x; }; ls
        trap ./evil.sh EXIT; ls
        trap ./evil.sh DEBUG; ls
        umask 0; ls
        ulimit -f 0; ls
        pushd src; ls
        popd; ls
        dirs -c; ls
      `,
    ],
  },
  {
    about: "directories made, and left again",
    mode: "acceptEdits",
    tier: "both",
    allow: lines`
      mkdir zz && cd zz && ls
      mkdir -p zz/yy && cd zz && ls
      mkdir zz; touch zz/f; cat zz/f
      mkdir zz && touch zz/f && ls zz
      touch zz; wc -l zz
      cd src && cat a.ts
      cd src; ls; cd ..; cat README.md
      mkdir zz && cp README.md zz/
      mkdir zz && mv README.md zz
      echo x > zz; cat zz
      mkdir -p zz && rmdir zz
      rm README.md; ls
    `,
    ask: lines`
      mkdir zz && cd zz && cat ../../out/secret.txt
      cd zz; cat ../README.md ../../out/secret.txt
      mkdir zz; cd zz; cd ..; cd ..; ls
      mkdir a..b && cd .. && ls
      cd src; rm ../../out/secret.txt
      cd src && touch ../../out/x
      cd src && touch ../.npmrc
      cd .husky && touch pre-push
      mkdir zz && touch zz/.npmrc
      mkdir zz && cd zz && touch .npmrc
      mkdir -p .git/hooks
      mkdir zz/.husky
      cd src && cd ../.. && ls
      false || cd .. ; ls
      cd src || cd ..; ls
      (cd ..; ls)
      cd src & cat ../out/secret.txt
      for i in 1 2 3; do cd ..; ls; done
      for i in 1 2; do ls; cd ..; done
      while cd ..; do ls; done
      cd src; for i in 1 2; do cd ..; ls; done
      cd $x; ls
      cd "$(pwd)/.."; ls
      if true; then cd ..; fi; cat out/secret.txt
      cd src; echo x > y
      cd src && echo x > y
      CDPATH=.. cd out; cat secret.txt
      cd -P link-out; ls
      cd -L ..; ls
      cd -- ..; ls
      cd -; ls
      cd src; cd -; cat ../README.md
      mkdir zz; mv zz ../
      mv src ../out
      cp README.md ..
      cp README.md link-out
      cp README.md link-out/x
      cp README.md link-secret
      cp README.md dangling-out
      cp link-secret x
      mv README.md link-out/
      cp -t link-out README.md
      cp -t ../out README.md
      cp --target-directory=../out README.md
      cp --target-dir ../out README.md
      mv -t/etc README.md
      touch link-secret
      touch -r /etc/passwd zz
      touch --reference=/etc/passwd zz
      mkdir link-out/x
      rm -r ../out
      rm link-out/secret.txt
      rm -rf link-out/
      rmdir ../out/dir
      sed -i s/a/b/ ../out/secret.txt
      sed -i s/a/b/ link-secret
      touch /etc/x
      touch ~/x
      touch $x
      touch "$HOME/x"
      touch {zz,../out/x}
      mkdir -m 777 -p ../x
      rm src/*
      cp src/* docs
      mv *.md docs
      touch $(echo .npmrc)
      cp --unknown README.md x
      cp --parents src/a.ts docs/../../out
      mv --unknown a b
      rm --unknown a
      chmod +x README.md
      ln README.md x
      install README.md x
      tee x
      truncate -s 0 README.md
      dd of=x
      rsync -a src/ x
      tar xf data/old.gz
      unzip x.zip
      patch < data/list.txt
    `,
  },
  {
    about: "files placed where later parts read, run or list",
    mode: "acceptEdits",
    rules: {
      allow: [
        "Bash(tar:*)",
        "Bash(ln:*)",
        "Bash(unzip:*)",
        "Bash(patch:*)",
        "Bash(rsync:*)",
        "Bash(install:*)",
      ],
    },
    ask: lines`
      tar xf a.tar -C zz; cat zz/f
      mkdir zz; tar xf a.tar -C zz; cat zz/f
      tar -C zz -xf a.tar && ls zz/d
      ln -s /etc zz; cat zz/passwd
      ln -s /etc/passwd zz && cat zz
      ln -sf ../out zz && touch zz/x
      ln -st docs /etc/passwd; cat docs/passwd
      unzip a.zip -d zz; cat zz/f
      rsync -a src/ zz; cat zz/a.ts
      install README.md zz; cat zz
      ln -s .. zz; rm -r zz/out
      for i in 1 2; do cat zz; ln -s /etc/passwd zz; done
      tar xf a.tar; git status
      unzip a.zip; git diff
      patch -p1 -i x.patch; git log -p
      ln -s traps/bare/HEAD HEAD; git status
    `,
  },
  {
    about: "parts after one that a rule carries",
    rules: { allow: ["Bash(npm test)", "Bash(npm run:*)", "Bash(git init:*)", "Bash(git worktree:*)"] },
    tier: "both",
    allow: lines`
      npm test && cat README.md
      npm test; git status
      npm run build && ls -la
      npm run lint | tail -n 5
      npm test 2>&1 | head -20
      cd src && npm test
      NODE_ENV=test npm test
      CI=1 npm test && git log --oneline -3
    `,
    ask: lines`
      git init x; git status
      git init && git log
      git init --bare .; git diff
      git worktree add x; git status
      PATH=.; npm test
      PATH=. npm test
      npm test; jq . package.json
      npm test && ./evil.sh
      npm test && cat /etc/passwd
      npm test; cd ..; ls
      export X=1; npm test
      NODE_OPTIONS=--require=./evil.js npm test
      npm test > .npmrc
      npm test $(touch x)
    `,
  },
];
