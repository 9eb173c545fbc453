import { lines } from "../lines.ts";
import type { Group } from "./ground.ts";

/** §5.9: what earlier parts of a line, which may or may not have run, leave for the later ones. */
export const effects: readonly Group[] = [
  {
    about: "§5.9 made: ordinary and empty",
    mode: "acceptEdits",
    allow: lines`
      mkdir x && touch x/y ¦ mkdir x && ls x ¦ mkdir -p x/y/z && touch x/y/z/f ¦ mkdir -p x/y; ls -la x
      touch x && cat x ¦ touch x; rm x ¦ echo hi > x && cat x ¦ echo hi > x; wc -l x
      echo hi > docs/n.md && cat docs/n.md README.md ¦ mkdir x && echo hi > x/y && cat x/y
      ls > list.txt; sort list.txt ¦ mkdir x && rmdir x ¦ mkdir x && cp a x/b ¦ mkdir x && mv a x/b
      mkdir x y && touch x/a y/b && ls x y ¦ touch x && sed -i s/a/b/ x ¦ mkdir x && cd x && ls ¦ rm a && ls src
      rm -rf build && mkdir build && touch build/x
    `,
  },
  {
    about: "§5.9 placed: unknown at and below",
    mode: "acceptEdits",
    ask: lines`
      cp a b && cat b ¦ cp a b; cat ./b ¦ cp a b; wc -l < b ¦ cp a b || cat b ¦ cp a b & cat b ¦ cp a b; rm b
      cp a b && cp b c ¦ cp a b && mv b c ¦ cp a b && touch b ¦ cp a b && sed -i s/a/b/ b ¦ cp a b && echo x > b
      cp a b && cat src/../b ¦ cp a b && cat @ws/b ¦ cp a b && cat README.md b ¦ cp a docs && cat docs/a
      cp -t docs a && cat docs/a ¦ cp a README.md docs/ && cat docs/README.md ¦ cp -r src lib2 && ls lib2
      cp -r src lib2 && cat lib2/a.ts ¦ cp -r src lib2 && cat lib2/deep/c.ts ¦ cp -r src lib2 && cd lib2 && ls
      cp -r src lib2; find lib2 -name x ¦ cp -r src lib2; grep -r x lib2 ¦ cp -r src lib2; rm -rf lib2
      mv a b && cat b ¦ mv docs d2 && ls d2 ¦ mv docs d2 && cat d2/x.md ¦ mv docs d2 && cp README.md d2/rc
      mv docs d2 && touch d2/x ¦ mv docs d2 && echo x > d2/rc ¦ mv docs d2; cd d2 && ls
      mv src/deep x && cat x/c.ts ¦ mv linked x && ls x/out ¦ mv linked x && cp a x/out
      mv linked x && touch x/out/new ¦ mv link-out x && touch x/new ¦ (mv a b); cat b ¦ { mv a b; }; cat b
      false && mv a b; cat b ¦ true || mv a b; cat b ¦ if true; then mv a b; fi; cat b ¦ if mv a b; then cat b; fi
      for f in a; do mv src/a.ts b; done; cat b ¦ for f in a c; do cat b; cp a b; done
      while true; do cat b; cp a b; done ¦ case x in x) cp a b;; esac; cat b ¦ cp a b; (cat b)
      cp a b; echo $(cat b) ¦ cp a b && ls && cat b ¦ echo $(cp a b) && cat b ¦ cp a b | cat b
    `,
    allow: lines`
      cp a b && cat a ¦ cp a b && cat README.md ¦ cp a b && ls src ¦ cp a b && cp a c ¦ cat b; cp a b
      cp -r src lib2 && cat src/a.ts ¦ cp -r src lib2 && ls docs ¦ mv a b && cat README.md ¦ mv docs d2 && ls src
      mv a b && mv README.md c ¦ mv a docs/ && cat docs/x.md ¦ cp a b && echo b ¦ ls && cp a b
    `,
  },
  {
    about: "§5.9 placed, whatever permits it",
    rules: {
      allow: ["cp", "mv", "ln", "install", "tar", "unzip", "patch", "rsync"].map((name) => `Bash(${name}:*)`),
    },
    ask: lines`
      cp a b && cat b ¦ mv a b; cat b ¦ ln -s ../out x && ls x ¦ ln -s ../out x && cat x/secret.txt
      ln -s /etc/passwd x; cat x ¦ ln -sfn ../out link-in && ls link-in ¦ ln -sf ../out src && ls src/out
      ln -t docs -s /etc/passwd && cat docs/passwd ¦ install -m 644 a b && cat b ¦ rsync -a @out/ x && cat x/f
      rsync -a @out/ x/ && ls x ¦ tar xf a.tgz && cat x ¦ tar xzf a.tgz; ls x ¦ tar xf a.tgz && cat src/a.ts
      tar xf a.tgz -C build && cat build/x ¦ unzip a.zip && cat x ¦ unzip -o a.zip; ls src
      unzip a.zip -d x && ls x ¦ patch -p1 < a && cat src/a.ts
    `,
    allow: lines`
      cp a b && cat a ¦ mv a b && ls docs ¦ ln -s ../out x ¦ ln -s ../out x && cat README.md
      install -m 644 a b && cat a ¦ tar xf a.tgz ¦ unzip a.zip ¦ cat src/a.ts && tar xf a.tgz
    `,
  },
  {
    about: "§5.9 a rule that carries the later part carries it there too",
    rules: { allow: ["Bash(cp:*)", "Bash(cat:*)", "Bash(npm:*)", "Bash(make:*)"] },
    allow: lines`
      cp a b && cat b ¦ npm test && cat build/out.js ¦ npm run build && ls build ¦ npm run build; wc -l build/out.js
      make && ls -la build ¦ npm ci && git status
    `,
    ask: ["cp a b && head b", "cp -r src x && ls x"],
  },
  {
    about: "§5.9 variables",
    rules: {
      allow: [
        ..."FOO=1,CI=1,foo=1,export FOO=1,export CI=1,export foo=1,export LC_ALL=C,export PATH=x,export GIT_DIR=x,npm test"
          .split(",")
          .map((text) => `Bash(${text})`),
      ],
    },
    ask: lines`
      FOO=1; ls ¦ FOO=1 && cat a ¦ FOO=1; git status ¦ FOO=1; echo x ¦ ls; FOO=1; ls ¦ export FOO=1 && ls
      export PATH=x; ls ¦ export PATH=x && cat a ¦ export GIT_DIR=x && git status ¦ export FOO=1; npm test; ls
      true && FOO=1; ls ¦ for f in a b; do ls; FOO=1; done
    `,
    allow: lines`
      FOO=1 ¦ ls; FOO=1 ¦ FOO=1; npm test ¦ export FOO=1 && npm test ¦ CI=1; ls ¦ foo=1; ls ¦ export CI=1 && ls
      export foo=1; cat a ¦ export LC_ALL=C; sort a ¦ (FOO=1); npm test
    `,
  },
  {
    about: "§5.9 variables that no rule names",
    ask: lines`
      printf '%n' PATH; ls ¦ printf '%s%n' x PATH; ls ¦ printf '%5d%n' 1 PATH ¦ builtin printf '%n' PATH; ls
      printf "%n" PATH ¦ printf -- '%n' PATH ¦ for PATH in x; do ls; done ¦ for FOO in x; do ls; done
      for FOO in x; do true; done; ls ¦ for LD_PRELOAD in x; do true; done && cat a ¦ select PATH in x; do ls; done
      getopts a PATH; ls ¦ mapfile PATH < a; ls ¦ readarray PATH < a; ls ¦ printf '%s' x > PATH; ls
    `,
    allow: ["printf '%s\\n' '%n'; ls", "for f in x; do true; done; ls"],
  },
];
