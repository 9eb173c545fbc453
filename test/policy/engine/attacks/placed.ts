import { lines } from "../lines.ts";
import type { AttackGroup } from "./fixture.ts";

/** §5.9: directories and files that earlier parts make and place. */
export const placed: readonly AttackGroup[] = [
  {
    about: "directories made, and left again",
    mode: "acceptEdits",
    tier: "both",
    allow: lines`
      mkdir zz && cd zz && ls ¦ mkdir -p zz/yy && cd zz && ls ¦ mkdir zz; touch zz/f; cat zz/f
      mkdir zz && touch zz/f && ls zz ¦ touch zz; wc -l zz ¦ cd src && cat a.ts
      cd src && ls && cd .. && cat README.md ¦ mkdir zz && cp README.md zz/ ¦ mkdir zz && mv README.md zz
      echo x > zz; cat zz ¦ mkdir -p zz && rmdir zz ¦ rm README.md; ls
    `,
    ask: lines`
      mkdir zz && cd zz && cat ../../out/secret.txt ¦ cd zz; cat ../README.md ../../out/secret.txt
      mkdir zz; cd zz; cd ..; cd ..; ls ¦ mkdir a..b && cd .. && ls ¦ cd src; rm ../../out/secret.txt
      cd src && touch ../../out/x ¦ cd src && touch ../.npmrc ¦ cd .husky && touch pre-push
      mkdir zz && touch zz/.npmrc ¦ mkdir zz && cd zz && touch .npmrc ¦ mkdir -p .git/hooks ¦ mkdir zz/.husky
      cd src && cd ../.. && ls ¦ false || cd .. ; ls ¦ cd src || cd ..; ls ¦ (cd ..; ls)
      cd src & cat ../out/secret.txt ¦ for i in 1 2 3; do cd ..; ls; done ¦ for i in 1 2; do ls; cd ..; done
      while cd ..; do ls; done ¦ cd src; for i in 1 2; do cd ..; ls; done ¦ cd $x; ls ¦ cd "$(pwd)/.."; ls
      if true; then cd ..; fi; cat out/secret.txt ¦ cd src; echo x > y ¦ cd src && echo x > y
      CDPATH=.. cd out; cat secret.txt ¦ cd -P link-out; ls ¦ cd -L ..; ls ¦ cd -- ..; ls ¦ cd -; ls
      cd src; cd -; cat ../README.md ¦ mkdir zz; mv zz ../ ¦ mv src ../out ¦ cp README.md .. ¦ cp README.md link-out
      cp README.md link-out/x ¦ cp README.md link-secret ¦ cp README.md dangling-out ¦ cp link-secret x
      mv README.md link-out/ ¦ cp -t link-out README.md ¦ cp -t ../out README.md
      cp --target-directory=../out README.md ¦ cp --target-dir ../out README.md ¦ mv -t/etc README.md
      touch link-secret ¦ touch -r /etc/passwd zz ¦ touch --reference=/etc/passwd zz ¦ mkdir link-out/x
      rm -r ../out ¦ rm link-out/secret.txt ¦ rm -rf link-out/ ¦ rmdir ../out/dir ¦ sed -i s/a/b/ ../out/secret.txt
      sed -i s/a/b/ link-secret ¦ touch /etc/x ¦ touch ~/x ¦ touch $x ¦ touch "$HOME/x" ¦ touch {zz,../out/x}
      mkdir -m 777 -p ../x ¦ rm src/* ¦ cp src/* docs ¦ mv *.md docs ¦ touch $(echo .npmrc)
      cp --unknown README.md x ¦ cp --parents src/a.ts docs/../../out ¦ mv --unknown a b ¦ rm --unknown a
      chmod +x README.md ¦ ln README.md x ¦ install README.md x ¦ tee x ¦ truncate -s 0 README.md ¦ dd of=x
      rsync -a src/ x ¦ tar xf data/old.gz ¦ unzip x.zip ¦ patch < data/list.txt
    `,
  },
  {
    about: "files placed where later parts read, run or list",
    mode: "acceptEdits",
    rules: {
      allow: lines`
        Bash(tar:*) ¦ Bash(ln:*) ¦ Bash(unzip:*) ¦ Bash(patch:*) ¦ Bash(rsync:*) ¦ Bash(install:*)
      `,
    },
    ask: lines`
      tar xf a.tar -C zz; cat zz/f ¦ mkdir zz; tar xf a.tar -C zz; cat zz/f ¦ tar -C zz -xf a.tar && ls zz/d
      ln -s /etc zz; cat zz/passwd ¦ ln -s /etc/passwd zz && cat zz ¦ ln -sf ../out zz && touch zz/x
      ln -st docs /etc/passwd; cat docs/passwd ¦ unzip a.zip -d zz; cat zz/f ¦ rsync -a src/ zz; cat zz/a.ts
      install README.md zz; cat zz ¦ ln -s .. zz; rm -r zz/out ¦ for i in 1 2; do cat zz; ln -s /etc/passwd zz; done
      tar xf a.tar; git status ¦ unzip a.zip; git diff ¦ patch -p1 -i x.patch; git log -p
      ln -s traps/bare/HEAD HEAD; git status
    `,
  },
];
