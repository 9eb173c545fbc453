// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are bash's.
import { lines } from "../lines.ts";
import type { Group } from "./ground.ts";

/** §5.6 with no rules at all. */
export const commandReads: readonly Group[] = [
  {
    about: "§5.6 the set",
    allow: [
      ..."ls cat,head,tail,wc,nl,rev,cut,paste,column,tr,comm,join,diff,cmp,stat,du,df,pwd,whoami,id,uname,uptime,which,type,basename,dirname,realpath,readlink,true,false,test,[ ],echo,seq,sleep,md5sum,sha1sum,sha256sum,cksum,od,hexdump,strings,uniq,xxd,find,sort,date,hostname,tree,file"
        .replace("ls ", "ls,")
        .split(","),
      ...lines`
        cat src/a.ts ¦ head -n 5 src/a.ts ¦ head -20 src/a.ts ¦ tail -n +3 src/a.ts ¦ wc -l src/a.ts src/b.ts
        nl -ba src/a.ts ¦ cut -d, -f1 a ¦ tr a-z A-Z < a ¦ diff -u src/a.ts src/b.ts ¦ cmp a README.md
        stat -c %s a ¦ du -sh docs | tail -1 ¦ df -h ¦ id -un ¦ uname -a ¦ which node ¦ type ls ¦ basename /x/y .y
        dirname /x/y ¦ realpath src/a.ts ¦ readlink -f link-in ¦ test -f /etc/passwd ¦ [ -d /etc ]
        [ -f src/a.ts ] && echo yes ¦ [[ -f src/a.ts && -n x ]] ¦ [[ 1 -eq 1 ]] ¦ [ 1 -eq 2 ]
        echo /etc/passwd ../x ¦ printf '%s\n' a b ¦ seq 1 10 ¦ sleep 1 ¦ grep -rn foo src ¦ grep -E 'a|b' src/a.ts
        grep -c x < a ¦ sha256sum a ¦ od -c a ¦ hexdump -C a | head ¦ strings a ¦ cat src/*.ts ¦ ls src/*.t?
        wc -l src/[ab].ts ¦ cat link-in/a.ts ¦ cat src/../README.md ¦ cat @ws/README.md ¦ cd src
        cd src && cat a.ts ¦ cd src && cat ../README.md ¦ cd @ws && ls ¦ cd src/deep && cd .. && cat a.ts
        ls | xargs echo ¦ ls | xargs basename ¦ ls | xargs dirname
      `,
    ],
  },
  {
    about: "§5.6 not in the set",
    ask: lines`
      env ¦ printenv HOME ¦ man ls ¦ help cd ¦ less a ¦ more a ¦ awk 1 a ¦ tee a ¦ history ¦ ps aux ¦ xargs rm
      ls | xargs rm ¦ ls | xargs -I{} rm {} ¦ ls | xargs npm test ¦ ls | xargs sh -c x ¦ tac a ¦ dd if=a of=b ¦ vi a
      node -e 1 ¦ python3 -c 1 ¦ make ¦ curl https://example.com ¦ chmod +x a ¦ ln -s a b ¦ kill 1 ¦ bash -c ls
      sh a ¦ eval ls ¦ git ¦ jq . a ¦ base64 a ¦ openssl x ¦ Ls ¦ LS ¦ CAT a ¦ /bin/ls ¦ ./ls ¦ src/ls ¦ @ws/ls
      ls | xargs cat ¦ find . -name x | xargs rg foo ¦ ls | xargs ls ¦ ls | xargs -n1 echo
    `,
  },
  {
    about: "§5.6 reads outside",
    ask: lines`
      head -3 ../other/x ¦ cat /etc/passwd ¦ cat '/etc/passwd' ¦ cat "/etc/passwd" ¦ cat \/etc/passwd
      cat /etc/pass* ¦ cat /???/passwd ¦ cat ~/.bashrc ¦ cat ~ ¦ ls ~ ¦ ls / ¦ ls .. ¦ ls ../ ¦ cat @ws-other/x
      cat @out/secret.txt ¦ cat src/../../out/secret.txt ¦ cat link-out/secret.txt ¦ cat link-secret
      cat link-out/../README.md ¦ cat dangling-out ¦ cat < /etc/passwd ¦ cat 3< ../out/secret.txt
      wc -l <link-secret ¦ cat < ~/.bashrc ¦ grep -r x .. ¦ grep x /etc/passwd ¦ grep --file=/etc/passwd x
      grep --file=../out/secret.txt a ¦ diff a /etc/passwd ¦ diff --from-file=/etc/passwd a
      wc --files0-from=/etc/passwd ¦ du --exclude-from=/etc/passwd ¦ stat /etc/passwd ¦ find / ¦ find / -name x
      find .. ¦ find ~ -name x ¦ find link-out/ ¦ find . -newer /etc/passwd ¦ rg x /etc ¦ rg x ../out
      sort /etc/passwd ¦ sed -n 1p /etc/passwd ¦ xxd /etc/passwd ¦ file /etc/passwd ¦ tree / ¦ tree ..
      realpath /etc ¦ date -r /etc/passwd ¦ cat /proc/self/environ ¦ cat /proc/self/cwd/a ¦ git diff -- ../out
      git log -- /etc ¦ git blame ../README.md ¦ git ls-files --exclude-from=/etc/x ¦ cat src/a.ts /etc/passwd
      ls && cat /etc/passwd ¦ echo $(cat /etc/passwd) ¦ echo "$(< /etc/passwd)" ¦ cat <(cat /etc/passwd)
      cat <<< $(cat /etc/passwd) ¦ head -c 5 -- /etc/passwd ¦ tail --pid=1 /etc/passwd ¦ cat {a,/etc/passwd}
      cat /dev/sda
    `,
    not: lines`
      grep -f/etc/passwd a ¦ grep -f../out/secret.txt a ¦ rg -f/etc/passwd ¦ date -f/etc/passwd
      date -f ../out/secret.txt ¦ file -f ../out/secret.txt
    `,
  },
  {
    about: "§5.6 cd",
    ask: [
      ...lines`
        cd ¦ cd - ¦ cd ~ ¦ cd .. ¦ cd / ¦ cd @out ¦ cd link-out ¦ cd "$X" ¦ cd $(pwd) ¦ cd ~- && ls
        cd /etc && cat passwd ¦ cd .. && cat README.md ¦ cd && cat .bashrc ¦ cd src && cat ../../README.md
        cd src; cd ..; cd ..; ls ¦ (cd src); cat ../README.md ¦ (cd src/deep && ls); cat ../README.md
        cd src/deep & cat ../../README.md ¦ cd src/deep | cat ../../README.md
        false && cd src/deep; cat ../../README.md ¦ true || cd src/deep; cat ../../README.md
        if false; then cd src/deep; fi; cat ../../README.md ¦ cd no-such-folder; cat ../README.md
        echo $(cd src/deep); cat ../../README.md ¦ for x in; do cd src/deep; done; cat ../../README.md
        cd src/deep src; cat ../../README.md ¦ cd src && git status ¦ cd bare && git status ¦ cd src; git log
        cd src && (git status) ¦ (cd src && git status) ¦ cd @ws/src && git status ¦ cd link-in && git log
        echo $(cd bare && git status)
      `,
      "cd src\ngit status",
      "pushd src",
      "popd",
    ],
    allow: ["cd . && git status", "cd @ws && git status", "cd ./ && git log --oneline -5", "cd src; cd .."],
  },
  {
    about: "§5.6 a bare repository",
    at: "@bare",
    ask: ["git status", "git log", "ls && git diff"],
    allow: ["ls", "cat HEAD"],
  },
  {
    about: "§5.6 a bare repository inside",
    at: "@ws/bare",
    ask: ["git status", "git rev-parse HEAD"],
    allow: ["ls"],
  },
  {
    about: "§5.6 a directory with HEAD and commondir",
    at: "@ws/odd/pkg",
    ask: ["git status", "git diff HEAD~1 HEAD", "ls && git log"],
    allow: ["ls", "cat x"],
  },
  {
    about: "§5.6 inside .git",
    at: "@ws/.git",
    ask: ["git status"],
    allow: ["cat HEAD"],
  },
  {
    about: "§5.6 a bare repository, under a rule",
    at: "@bare",
    rules: { allow: ["Bash(git:*)"] },
    ask: ["git status", "git fetch"],
  },
  {
    about: "§5.6 uniq, xxd",
    allow: lines`
      uniq a ¦ uniq -c ¦ uniq -c a ¦ sort a | uniq -c | sort -rn ¦ uniq -f 1 a ¦ xxd a ¦ xxd -l 16 a ¦ xxd -p a
    `,
    ask: lines`
      uniq a b ¦ uniq -c a b ¦ uniq -f1 a b ¦ uniq -- a b ¦ uniq a -c b ¦ uniq - b ¦ xxd -r a ¦ xxd a b
      xxd -r -p a ¦ xxd -p -r a ¦ xxd -revert a ¦ xxd -pr a ¦ xxd -rp a ¦ xxd -\r a ¦ xxd '-r' a ¦ xxd -ps -r a b
      xxd -l 4 a b
    `,
  },
  {
    about: "§5.6 find",
    allow: lines`
      find . ¦ find . -name '*.ts' ¦ find src -type f -name "*.ts" ¦ find . -maxdepth 2 -type d
      find . -name '*.ts' -o -name '*.js' ¦ find . \( -name a -o -name b \) -print
      find . -not -path './node_modules/*' ¦ find . ! -name x -print0 ¦ find . -newer a
      find . -name '*.ts' | head -5 ¦ find . -size +10k -mtime -3 ¦ find . -type f -printf '%p\n'
    `,
    ask: lines`
      find . -exec cat {} \; ¦ find . -exec cat {} + ¦ find -D -name -delete ¦ find -D exec -name -delete
      find . -execdir cat {} \; ¦ find . -ok cat {} \; ¦ find . -okdir cat {} \; ¦ find . -name x -delete
      find src -delete ¦ find . -fls out ¦ find . -fprint out ¦ find . -fprint0 out ¦ find . -fprintf out x
      find . -ex\ec cat {} \; ¦ find . '-exec' cat {} ';' ¦ find . "-del"ete ¦ find . -\delete ¦ find . -name *.ts
      find * -name x ¦ find . -na* x ¦ find {.,/} -name x ¦ find . $X ¦ find . -name a -exec ls ';' -delete
      find . -type f,$(x)
    `,
    not: ["find -files0-from a", "find . -exec$'' ls {} \\;"],
  },
  {
    about: "§5.6 sort",
    allow: lines`
      sort a ¦ sort -n a ¦ sort -u a ¦ sort -rn ¦ sort -k2,2 -t, a ¦ sort -t : -k 3 a ¦ sort --reverse a
      sort --key=2 a ¦ sort -h ¦ sort -V
    `,
    ask: lines`
      sort -o x a ¦ sort -ox a ¦ sort a -o a ¦ sort -no x a ¦ sort -uox a ¦ sort -ro F a ¦ sort --output=x a
      sort --output x a ¦ sort --outpu=x a ¦ sort --out x a ¦ sort --o=x a ¦ sort '-o' x a ¦ sort -\o x a
      sort "--output=x" a ¦ sort -T /tmp a ¦ sort -T. a ¦ sort -nT src a ¦ sort --temporary-directory=src a
      sort --temp=src a ¦ sort --compress-program=sh a ¦ sort --compress-program sh a ¦ sort --comp=sh a
      sort --files0-from=a ¦ sort --files=a ¦ sort *.txt ¦ sort -[o]x a ¦ sort {-o,x} a ¦ sort $X
    `,
  },
  {
    about: "§5.6 sed",
    allow: lines`
      sed -n 1p a ¦ sed -n 1,5p a ¦ sed -n '1,5p' src/a.ts ¦ sed -n '$p' a ¦ sed -n '/foo/p' a ¦ sed -n '/a/,/b/p' a
      sed -n '10,$p' a ¦ sed -n '1p;3p' a ¦ sed -n -e 1p -e 2p a ¦ sed -n '5p' a | head
      sed -n '120,180p' src/a.ts src/b.ts
    `,
    ask: [
      ...lines`
        sed p a ¦ sed 1d a ¦ sed s/a/b/ a ¦ sed -n s/a/b/p a ¦ sed -n '1w x' a ¦ sed -n '1W x' a ¦ sed -n 1e a
        sed -n '1e ls' a ¦ sed -n '1r /etc/passwd' a ¦ sed -n 's/a/b/w x' a ¦ sed -n 's/a/ls/e' a ¦ sed -n -i 1p a
        sed -ni 1p a ¦ sed -in 1p a ¦ sed -n --in-place 1p a ¦ sed -n --in-p 1p a ¦ sed -n 1p a -i
        sed -n 1p -i.bak a ¦ sed -n '-i' 1p a ¦ sed -n -\i 1p a ¦ sed -n -f script a ¦ sed -n -fscript a
        sed -n --file=script a ¦ sed -n --fi=script a ¦ sed -n -e 1p -e '2w x' a ¦ sed -n '1,5p;5q' a
      `,
      "sed -n '1p\nw x' a",
      "sed -n '1{p;w x\n}' a",
      ...lines`
        sed -n "$X" a ¦ sed -n '/a/p;/b/w x' a ¦ sed -n 1p *.md ¦ sed -n '1p' $F ¦ sed -i s/a/b/ a
        sed -n --expression='1w x' a ¦ sed -n --exp='1w x' a ¦ sed -n 1p\;1w\ x a
        sed -n '/x[/]p;w y]/p' a && sed -n '/a/w b' a ¦ sed -n 'w' a ¦ sed --version-x a
      `,
    ],
  },
  {
    about: "§5.6 rg",
    allow: lines`
      rg foo ¦ rg -n foo src ¦ rg -l foo ¦ rg --files ¦ rg -g '*.ts' foo ¦ rg -t ts foo ¦ rg -i -C 3 foo src
      rg 'a|b' src | head ¦ rg -c x
    `,
    ask: lines`
      rg --pre=x foo ¦ rg --pre x foo ¦ rg '--pre' x foo ¦ rg --pr\e x foo ¦ rg --hostname-bin=x foo
      rg --hostname-bin x foo ¦ rg -z foo ¦ rg -nz foo ¦ rg -zi foo ¦ rg foo -z ¦ rg --search-zip foo ¦ rg $X
    `,
  },
  {
    about: "§5.6 date, hostname, tree, file, printf, test",
    allow: lines`
      date +%s ¦ date -u ¦ date '+%Y-%m-%d' ¦ date -d yesterday ¦ hostname -f ¦ tree -L 2 ¦ tree -a src ¦ file a
      file -b a ¦ printf %s a ¦ test -n x ¦ test a = b ¦ [ a != b ] ¦ [[ abc =~ ^a ]] ¦ [ 3 -gt 2 ]
    `,
    ask: lines`
      date -s x ¦ date -s now ¦ date -us x ¦ date --set=x ¦ date --se x ¦ date '-s' x ¦ date -snow ¦ hostname x
      hostname -- x ¦ tree -o x ¦ tree -ox ¦ tree -ao x ¦ tree '-o' x ¦ file -C a ¦ file -bC a ¦ file -m x a
      file -mx a ¦ file -f x ¦ file --compile a ¦ file --magic-file=x a ¦ file --magic x a ¦ file --files-from=x
      file --files x ¦ printf -v x y ¦ printf -vx y ¦ printf '-v' x y ¦ printf -v 'a[$(id)]' y ¦ test -v x
      test -v 'a[$(id)]' ¦ [ -v x ] ¦ [[ -v x ]] ¦ [ \-v x ] ¦ [[ x -eq 1 ]] ¦ [[ 'a[$(id)]' -eq 1 ]]
      [[ a -lt 'b[$(id)]' ]] ¦ [ ! -v x ] ¦ [ a -a -v x ]
    `,
    not: ["date 010101012030", "hostname -F a", "hostname -Fa", "hostname --file=a"],
  },
  {
    about: "§5.6 git reads",
    allow: lines`
      git status ¦ git status -s ¦ git status --short --branch ¦ git log ¦ git log --oneline -5
      git log -n 3 --stat ¦ git log --pretty=format:"%h %s" ¦ git log --author='A B' --since='2 weeks ago'
      git log main..HEAD ¦ git log -p src/a.ts ¦ git log -- src/a.ts ¦ git diff ¦ git diff HEAD~1 ¦ git diff --stat
      git diff --cached ¦ git diff main...HEAD --name-only ¦ git diff a..b ¦ git diff -- src/a.ts ¦ git show
      git show HEAD ¦ git show HEAD:src/a.ts ¦ git show --stat HEAD^ ¦ git rev-parse HEAD
      git rev-parse --show-toplevel ¦ git rev-parse --abbrev-ref HEAD ¦ git rev-list --count HEAD ¦ git ls-files
      git ls-files '*.ts' ¦ git blame src/a.ts ¦ git blame -L 1,5 src/a.ts ¦ git describe --tags ¦ git shortlog -sn
      git branch ¦ git branch -a ¦ git branch -r ¦ git branch -v ¦ git branch -vv ¦ git branch --list
      git branch --list 'feature/*' ¦ git branch --show-current ¦ git tag ¦ git tag -l ¦ git tag -l 'v*'
      git tag --list ¦ git remote ¦ git remote -v ¦ git stash list ¦ git stash show ¦ git stash show -p
    `,
    ask: lines`
      git branch x ¦ git branch -d x ¦ git branch -D x ¦ git branch -m x y ¦ git branch -f x HEAD
      git branch --delete x ¦ git branch --del x ¦ git branch -u origin/main ¦ git branch --set-upstream-to=x
      git branch --edit-description ¦ git branch -c x ¦ git branch -rd x ¦ git tag v1 ¦ git tag -a v1 -m x
      git tag -d v1 ¦ git tag --delete v1 ¦ git tag -f v1 ¦ git tag -i v1 ¦ git tag --ignore-case v1
      git tag --sort=x v1 ¦ git branch -i x ¦ git branch --merged main x ¦ git remote add x y ¦ git remote rm x
      git remote show origin ¦ git remote update ¦ git remote -v update ¦ git stash ¦ git stash pop ¦ git stash drop
      git stash push ¦ git stash clear ¦ git -C src status ¦ git -C/ status ¦ git -c core.pager=x log
      git -c alias.x='!id' x ¦ git -ccore.fsmonitor=x status ¦ git --git-dir=x status ¦ git --git-dir x log
      git --work-tree=/ diff ¦ git --no-pager log ¦ git -p log ¦ git --exec-path=x status
      git --config-env=a=b status ¦ git --namespace=x log ¦ git diff --ext-diff ¦ git diff --ext
      git diff '--ext-diff' ¦ git diff --ext\-diff ¦ git log -p --ext-diff ¦ git show --textconv ¦ git show --textc
      git blame --textconv a ¦ git blame -S /etc/x a ¦ git diff --output=x ¦ git diff --output x
      git diff --outpu=x ¦ git log --out=x ¦ git diff -O x ¦ git diff -Ox ¦ git diff -wOx
      git diff --no-index a README.md ¦ git diff --no-ind a README.md ¦ git diff --no-index /etc/passwd a
      git diff $X ¦ git diff $(git merge-base a b) ¦ git ls-files *.ts ¦ git log * ¦ git add . ¦ git commit -m x
      git push ¦ git pull ¦ git fetch ¦ git checkout x ¦ git switch x ¦ git reset --hard ¦ git restore a
      git rebase main ¦ git merge x ¦ git clean -fd ¦ git config --get user.name ¦ git config user.email x
      git grep x ¦ git reflog ¦ git cat-file -p HEAD ¦ git help log ¦ git log --help ¦ git worktree list
      git submodule status ¦ git archive HEAD ¦ git bisect run x ¦ git STATUS ¦ GIT_DIR=x git status
      GIT_EXTERNAL_DIFF=x git diff ¦ GIT_PAGER=x git log ¦ PAGER=x git log
    `,
  },
  {
    about: "§5.6 expansions",
    allow: lines`
      echo $? ¦ echo "$?" ¦ echo $# ¦ for f in a b c; do echo $f; done ¦ for f in a b; do echo "x $f y"; done
      for f in a b; do printf '%s\n' "$f"; done ¦ for f in a b; do test -f $f && echo yes; done
      for f in a b; do [ -f "$f" ] && echo yes; done ¦ for f in src/*.ts; do echo $f; done ¦ echo $(pwd)
      echo "$(date +%s)" ¦ echo \`whoami\` ¦ printf '%s' "$(git rev-parse HEAD)" ¦ [ "$(ls | wc -l)" = 3 ]
      test -n "$(ls)" ¦ echo * ¦ echo '$HOME' ¦ echo \$HOME ¦ grep '$x' a ¦ echo "a\$b"
      while true; do sleep 1; done ¦ if [ -f a ]; then echo yes; else echo no; fi ¦ case a in a) echo x;; esac
      ! true ¦ for f in a b.ts src/c; do [ -f $f ] && echo $f; done
      for f in a b; do if test -e $f; then echo $f; fi; done ¦ for f in src/*; do [ -f "$f" ] && echo "$f"; done
      [ -z "$(git status --porcelain)" ] && echo clean
      [ "$(git rev-parse HEAD)" = "$(git rev-parse main)" ] && echo same ¦ [ "$(pwd)" != / ] || echo root
      test -n "$(ls src)" ¦ [ "$(ls "src" | wc -l)" = 3 ] ¦ { ls; pwd; } ¦ (ls; pwd) ¦ ls | wc -l ¦ ls |& head
      time ls ¦ for f in src/*; do printf "%s\n" $f; done ¦ ls -d * ¦ ls src/* ¦ stat * ¦ du -s *
    `,
    ask: lines`
      echo $HOME ¦ echo "$HOME" ¦ echo \${HOME} ¦ echo $X ¦ echo $(rm x) ¦ echo $((1+x)) ¦ echo \${x@P}
      echo \${!x} ¦ echo \${x:=y} ¦ echo \${x:-$(id)} ¦ echo \${x[$(id)]} ¦ echo $[1+1] ¦ echo $1 ¦ echo $@
      echo $IFS ¦ cat $X ¦ cat "$X" ¦ cat \${X} ¦ for f in a b; do cat $f; done ¦ for f in a b; do rm $f; done
      for f in a b; do echo $g; done ¦ for PATH in .; do ls; done ¦ for LD_PRELOAD in x; do ls; done
      for IFS in x; do ls; done ¦ for GIT_DIR in x; do git status; done ¦ for i in 'a[$(id)]'; do [ $i -eq 1 ]; done
      for i in 'a[$(id)]'; do test -v $i; done ¦ for i in -v; do printf $i x; done
      for i in -v; do printf "$i" 'a[$(id)]'; done ¦ for i in '-v x'; do printf $i y; done
      for i in *; do printf $i y; done ¦ printf $(echo -v) 'a[$(id)]' x ¦ printf "$(cat a)" 'a[$(id)]' x
      printf * x ¦ for i in -v; do [ $i 'a[$(id)]' ]; done ¦ for i in -v; do test "$i" 'a[$(id)]'; done
      for i in '-v a[$(id)]'; do [ $i ]; done ¦ for i in 'x -o -v a[$(id)]'; do [ -f $i ]; done
      for i in src/*; do [ -f $i ]; done ¦ for i in $(cat a); do test -f $i; done
      for i in a; do for i in '-v a[$(id)]'; do true; done; [ $i ]; done ¦ [ $(echo -v) 'a[$(id)]' ]
      [ "$(echo -v)" 'a[$(id)]' ] ¦ [ "$(echo -v)" "$(cat a)" ] ¦ [ $(cat a) ] ¦ [ -n $(cat a) ]
      test -f "x"$(cat a)"y" ¦ [ * ] ¦ [ ! "$(echo -v)" 'a[$(id)]' ] ¦ diff <(sort a) <(sort README.md)
      basename $(pwd) ¦ echo $f; for f in a b; do true; done ¦ ls $(pwd) ¦ ls \`pwd\` ¦ cat$IFS/etc/passwd ¦ $X
      $(echo ls) ¦ \`echo ls\` ¦ l\${x}s ¦ l* a ¦ {ls,-l} ¦ l{s,} a ¦ test -n $X ¦ sleep $X ¦ seq $X ¦ head -$X a
      ls /* ¦ ls ~/* ¦ cat /e*/passwd ¦ find . -name $X ¦ [[ $X == a ]] ¦ [[ -n $(rm x) ]] ¦ [[ $X -eq 1 ]]
      for FILE in a b; do echo $FILE; done ¦ for f in a b; do printf "$f\n"; done ¦ ls * ¦ cat * ¦ wc -l *
      head -1 link-*
    `,
  },
  {
    about: "§5.6 Read rules open further places to commands",
    rules: { allow: ["Read(~/ref/**)", "Read(/@out/**)"] },
    allow: lines`
      cat ~/ref/f ¦ cat @home/ref/f ¦ ls @out/dir ¦ grep -r x @out/dir ¦ cat < @out/secret.txt
      cat a @out/secret.txt
    `,
    ask: lines`
      cat ~/.bashrc ¦ cat ~/ref/../.bashrc ¦ cat ~root/ref/f ¦ cat ~/ref/* /etc/passwd ¦ cat @ws-other/x
      cat @out/../README.md
    `,
  },
];
