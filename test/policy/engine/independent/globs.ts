import { lines } from "../lines.ts";
import type { Group } from "./ground.ts";

export const globs: readonly Group[] = [
  {
    about: "§5.6 globs among file names that are options",
    at: "@ws/hostile",
    ask: lines`
      rg foo * ¦ rg foo *b* ¦ rg foo *=* ¦ rg foo [-]* ¦ rg foo ?* ¦ rg foo -* ¦ rg foo --* ¦ rg -n foo *
      rg --files * ¦ sort * ¦ sort -n * ¦ sort -* ¦ sort [^x]* ¦ find * ¦ find * -name x ¦ find . -name * ¦ find -*
      find -- * ¦ sed -n 1p * ¦ sed -n 1p -* ¦ sed -n * ¦ tree * ¦ tree -* ¦ tree -- * ¦ file * ¦ file -* ¦ file ?-*
      strings * ¦ strings -* ¦ date * ¦ date -* ¦ hostname * ¦ cd * ¦ cd -* ¦ git diff * ¦ git log * ¦ git log -*
      git ls-files * ¦ git diff HEAD * ¦ git diff -* ¦ git show * ¦ uniq * ¦ uniq x* ¦ uniq ./x* ¦ uniq -- x*
      xxd * ¦ xxd x* ¦ xxd ./* ¦ xxd -- x* ¦ wc * ¦ wc -l * ¦ wc -* ¦ du * ¦ du -s -* ¦ md5sum * ¦ sha256sum -*
      cat -* ¦ head -* ¦ tail -n 5 -* ¦ ls -* ¦ grep foo * ¦ grep foo -* ¦ diff -* x.md ¦ stat -*
    `,
    allow: lines`
      rg foo ./* ¦ rg foo ./*.md ¦ rg foo x* ¦ rg foo -- * ¦ rg -n foo -- *.md ¦ sort ./* ¦ sort -n x* ¦ sort -- *
      find ./* -name x ¦ find ./* ¦ find x* -type f ¦ sed -n 1p ./* ¦ sed -n 1p x.* ¦ sed -n 1p -- * ¦ tree ./*
      file ./* ¦ file x* ¦ file -- * ¦ strings ./* ¦ strings -- * ¦ git diff -- *.md ¦ git log -- *
      git ls-files -- * ¦ git log ./* ¦ wc -l ./* ¦ wc -l -- * ¦ wc -l x* ¦ wc -l l* ¦ cat ./* ¦ cat -- * ¦ cat *.md
      head -n 5 ./* ¦ md5sum ./* ¦ md5sum -- * ¦ grep foo ./* ¦ grep foo -- * ¦ grep -n foo x* ¦ ls ./* ¦ ls -- *
      ls x* ¦ du -s ./* ¦ stat ./* ¦ echo * ¦ for f in *; do echo "$f"; done ¦ for f in ./*; do echo "$f"; done
    `,
  },
  {
    about: "§5.6 globs that lead out by a link",
    ask: lines`
      cat * ¦ cat l* ¦ cat link* ¦ cat link-s* ¦ cat link-o*/secret.txt ¦ cat */secret.txt ¦ cat link*/secret.txt
      wc -l linked/* ¦ wc -l linked/*/* ¦ ls link* ¦ ls linked/* ¦ ls */dir ¦ grep x linked/* ¦ grep -r x link*
      md5sum link-* ¦ diff link-s* a ¦ sort ./link-s* ¦ rg x ./link-* ¦ find ./link-* -name x ¦ file ./link-secre?
      nl link-[s]* ¦ cat d*-out ¦ cat ref-*/f ¦ realpath link-o* ¦ cat src/../link-s* ¦ cd src && cat ../link-s*
      sed -n 1p ./link-secret* ¦ tree ./link-o*
    `,
    allow: lines`
      echo link* ¦ ls -d link* ¦ ls -d l* ¦ ls -ld * ¦ stat link* ¦ stat -c %n * ¦ readlink link*
      readlink -n link-* ¦ du -s link* ¦ du -sh * ¦ cat src/* ¦ cat link-in/*.ts ¦ cat s*/a.ts
      wc -l src/*.ts docs/*.md ¦ ls src/* docs/* ¦ head -3 [a] ¦ grep -n x *.json ¦ cat RE* ¦ rg x src/*.ts
      sort src/*.ts ¦ file src/* ¦ find src/* -name x ¦ cd src && cat *.ts ¦ cd src && rg x ./*
    `,
  },
  {
    about: "§5.6 globs that begin outside",
    ask: lines`
      ls /* ¦ ls /e* ¦ cat /etc/* ¦ cat /etc/host? ¦ ls ~/* ¦ cat ~/.b* ¦ ls ../* ¦ cat ../o*/secret.txt
      cat ../*/secret.txt ¦ echo /etc/* ¦ echo ~/* ¦ echo /* ¦ stat /e* ¦ ls -d /* ¦ du -s ~/*
      readlink /proc/*/exe ¦ for f in /etc/*; do echo $f; done ¦ for f in ~/.*; do echo "$f"; done
      printf '%s\n' /etc/* ¦ test -n /e* ¦ which /usr/bin/* ¦ basename -a /etc/*
    `,
  },
  {
    about: "§5.6 globs that could match a denied file",
    rules: { deny: ["Read(*.pem)", "Read(secret*)", "Read(.env)"] },
    not: lines`
      cat * ¦ cat *.* ¦ cat keys/* ¦ cat keys/a.* ¦ cat keys/*.pem ¦ cat keys/a.p?m ¦ cat keys/[a].pem ¦ cat s*
      cat src/s* ¦ cat src/* ¦ cat *ret ¦ head .e* ¦ cat .??? ¦ cat sub/.* ¦ wc -l keys/a.pe* ¦ grep x keys/*
      rg x ./* ¦ sort ./s* ¦ cat s*/a.ts ¦ wc < k*/a.pem
    `,
    allow: lines`
      cat src/a.*s ¦ cat README.*d ¦ wc -l src/a.?s ¦ cat docs/x.[m]d ¦ ls package.jso?
    `,
  },
];
