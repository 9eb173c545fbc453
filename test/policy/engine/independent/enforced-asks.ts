import { type Call, type Group, lines } from "./ground.ts";

const expanding: Call[] = [
  "cat $HOME/.bashrc",
  'cat "$HOME/.ssh/id_rsa"',
  "ls $HOME",
  "ls ~",
  "cat ${HOME}/x",
  "cat $PWD/../README.md",
  'ls "$PWD/.."',
  "f=/etc/passwd; cat $f",
  'f=../out/secret.txt; cat "$f"',
  "for f in /etc/*; do cat $f; done",
  "for f in a /etc/passwd; do cat $f; done",
  'for f in ../*; do wc -l "$f"; done',
  'd=..; ls "$d"',
  "cat $(echo /etc/passwd)",
  "diff <(cat /etc/passwd) a",
  "wc -l $(ls /etc)",
  "echo ${x:=y}",
  "echo ${x=y}",
  "echo ${x@P}",
  "echo ${!x}",
  "echo ${x[$(id)]}",
  "$X a",
  '"$X" a',
  "$(echo ls)",
  "`echo ls`",
  "l$x",
  "l* a",
  "{ls,a}",
  "FOO=1; ls",
  "PATH=x; ls",
  "PATH=x ls",
  "FOO=1 jq . package.json",
  "LD_PRELOAD=x ls",
  "for FOO in a; do ls; done",
  "for PATH in a; do ls; done",
  "f() { ls; }; f",
  "function f { ls; }",
  "eval ls",
  "source a",
  ". a",
  "exec ls",
  "trap ls EXIT",
  "alias l=ls",
  "set -e; ls",
  "shopt -s dotglob; ls",
  "unset x; ls",
  "read x < a",
  'while read f; do wc -l "$f"; done < a',
  "git ls-files | while read f; do wc -l $f; done",
  "mapfile -C f x < a",
  "let x=1",
  "export x=1; ls",
  "declare x=1",
  "a[0]=1; ls",
  "echo $((x=1))",
  "ls\r",
  "ls (",
  "echo 'a\u200bb'",
];

/** §5.7: what asks although a confinement works. */
export const enforcedAsks: readonly Group[] = [
  {
    about: "§5.7 words that name or lead outside",
    ctx: { enforced: true },
    ask: lines`
      cat /etc/passwd
      cat /etc/os-release
      ls /
      ls /tmp
      ls ..
      ls ~
      ls ~/projects
      cat ../README.md
      cat link-secret
      cat link-out/secret.txt
      ls link-out/
      awk 1 /etc/passwd
      awk 1 ../out/secret.txt
      awk 1 link-secret
      jq . ../README.md
      jq . /etc/hosts
      sed p /etc/passwd
      sed -n p ../out/secret.txt
      base64 @out/secret.txt
      tac ~/.bashrc
      zcat link-secret
      shuf -n 1 /etc/passwd
      fold ../README.md
      grep x /etc/passwd
      grep -R x /etc
      grep --file=/etc/passwd a
      rg x ..
      rg x /
      find /
      find .. -exec wc -l {} +
      find /etc -name x
      find ~ -exec cat {} +
      find . -exec cat /etc/passwd \;
      find . -exec cat ../README.md \;
      ls | xargs cat /etc/passwd
      ls | xargs -I{} cat ../{}
      ls | xargs -a /etc/passwd cat
      awk 1 < /etc/passwd
      jq . < ../README.md
      cat < link-secret
      git -C .. status
      git -C @out log
      git -C / status
      git -C ~ status
      git --no-pager -C ../out log
      git log -- ../out
      cd .. && ls
      cd / && ls
      cd && ls
      cd - && ls
      cd @out && git status
      cd link-out && ls
      diff a /etc/passwd
      wc -l @ws-other/x
      tail -f /var/log/syslog
      sort -T /tmp -u a
      stat -L link-secret
      /bin/ls
      /usr/bin/awk 1 a
      ./run
      tools/jq . a
    `,
  },
  {
    about: "§5.7 what by its manual writes",
    ctx: { enforced: true },
    ask: lines`
      sed -i s/a/b/ a
      sed -i.bak s/a/b/ a
      sed -ni p a
      sed --in-place s/a/b/ a
      sed -Ei s/a/b/ a
      sort -o a a
      sort -oa a
      sort -no x a
      sort --output=x a
      sort --outp x a
      tee x
      ls | tee x
      ls | tee -a x
      find . -name x -delete
      find src -delete
      find . -fprint x
      find . -fls x
      find . -fprintf x %p
      find . -fprint0 x
      find . -exec rm {} +
      find . -exec mv {} x \;
      find . -exec sed -i s/a/b/ {} +
      find . -exec sh -c ls \;
      find . -exec ./x {} \;
      find . -exec node {} \;
      find . -exec sort -o x {} +
      find . -exec tee x \;
      ls | xargs rm
      ls | xargs -0 rm
      ls | xargs sed -i s/a/b/
      ls | xargs sh -c ls
      ls | xargs -n1 node
      ls | xargs touch
      ls | xargs sort -o x
      ls | xargs tee
      ls | xargs ./x
      tree -o x
      tree -ao x
      uniq a b
      uniq -c a b
      xxd -r a b
      xxd a b
      file -C
      file -Cm a
      yq -i .a=1 a
      yq --inplace .a=1 a
      shuf -o x a
      shuf --output=x a
      git log --output=x
      git diff --output=x
      rm a
      mv a b
      cp a b
      mkdir x
      touch x
      ln -s a b
      chmod +x a
      truncate -s 0 a
      dd of=x
      install a b
      ls > x
      ls >> x
      awk 1 a > x
      awk 1 a 2> err
      jq . a &> x
      for f in a; do wc -l $f; done > x
      cat a | sort > x
    `,
  },
  {
    about: "§5.7 git that is not listed",
    ctx: { enforced: true },
    ask: lines`
      git
      git add a
      git commit -m x
      git push
      git pull
      git fetch
      git clone x
      git checkout x
      git switch x
      git restore a
      git reset
      git stash
      git stash pop
      git branch x
      git branch -d x
      git branch -m x
      git tag v1
      git tag -d v1
      git remote add x y
      git remote update
      git reflog expire --all
      git reflog delete x
      git worktree add ../x
      git worktree remove x
      git worktree prune
      git config user.name x
      git config --global user.name x
      git update-ref x y
      git gc
      git rebase main
      git merge x
      git init
      git rm a
      git mv a b
      git am a
      git apply a
      git archive -o x HEAD
      git bundle create x HEAD
      git submodule update
      git notes add
      git bisect start
      git cherry-pick x
      git revert x
      git format-patch HEAD~1
      git ls-remote
      git -c core.pager=x log
      git -c alias.x='!id' x
      git --git-dir=x log
      git --work-tree=x status
      git --exec-path=x log
      git -C src push
      git --no-pager push
      cd src && git add a.ts
      cd bare && git status
      cd odd/pkg && git diff
      git -C bare status
      git -C odd/pkg log
      git log | git am
    `,
  },
  {
    about: "§5.7 network, processes, other programs",
    ctx: { enforced: true },
    ask: lines`
      curl https://example.com
      curl -s localhost:3000
      wget https://example.com
      ping example.com
      ssh host ls
      scp a host:
      nc -l 80
      dig example.com
      nslookup example.com
      host example.com
      gh pr list
      npm view x
      npm ls
      docker ps
      kubectl get pods
      ps
      ps aux
      ps aux | grep node
      kill 1
      kill -0 1
      pkill x
      killall x
      top
      htop
      node -e 1
      node x.js
      python3 -c 1
      python3 x.py
      python3 -V x
      ruby -e 1
      perl -e 1
      bash -c ls
      sh a
      bash a
      env FOO=1 ls
      env ls
      env -i ls
      env -u X
      sudo ls
      doas ls
      watch ls
      setsid ls
      flock x ls
      make -n
      npx tsc
      tsc --noEmit
      cargo check
      go vet
      no-such-program a
      vim a
      JQ . a
      Awk 1 a
    `,
  },
  { about: "§5.7 expansions, names and words of §5.11", ctx: { enforced: true }, ask: expanding },
  {
    about: "§5.7 a program that the workspace puts first on the PATH",
    ctx: { enforced: true },
    path: "@ws/tools:/usr/bin:/bin:@root/bin",
    ask: ["jq . package.json", "ls | xargs jq .", "find . -exec jq . {} +", "timeout 5 jq . a"],
    allow: ["awk 1 a", "ls", "cat a | tac"],
  },
  ...[".:/usr/bin:/bin", ":/usr/bin:/bin", "@root/link-tools:/usr/bin:/bin", "../ws/tools:/usr/bin"].map(
    (path): Group => ({
      about: `§5.7 a program of the workspace on the PATH ${path}`,
      at: "@ws/tools",
      ctx: { enforced: true, projectRoot: "@ws" },
      path,
      ask: ["jq . a", "ls | xargs jq ."],
    }),
  ),
  {
    about: "§5.7 a program that is not on the PATH",
    ctx: { enforced: true },
    path: "@root/nothing",
    ask: ["jq . package.json", "awk 1 a", "node --version"],
  },
];
