import { lines } from "../lines.ts";
import type { AttackGroup } from "./fixture.ts";

const conversions = lines`
  '%n' ¦ "%n" ¦ %n ¦ '%'n ¦ '%''n' ¦ '%s%n' abc ¦ '%5d%n' 1 ¦ '%%%n' ¦ '%-5.3s%n' x ¦ '%ln' ¦ '%lln' ¦ '%hhn'
  '%hn' ¦ '%zn' ¦ '%jn' ¦ '%tn' ¦ '%Ln' ¦ '%5n' ¦ '%-n' ¦ '%0n' ¦ '%.3n' ¦ '%#n' ¦ '%+n' ¦ '% n' ¦ '%5.3hn' ¦ $'%n'
  $'%\x6e' ¦ $'\45n' ¦ -- '%n' ¦ "$(echo %n)" ¦ "\`echo %n\`"
`;

/** Lines 1, 4 and 9 of "What was seen": a program of the repository starts, or a file is written. */
export const seenPrograms: readonly AttackGroup[] = [
  {
    about: "printf that sets a variable by %n",
    tier: "both",
    ask: [
      ...conversions.map((conversion) => `printf ${conversion} PATH; ls`),
      ...lines`
        builtin printf '%n' PATH; ls ¦ command printf '%n' PATH; ls ¦ builtin command printf '%n' PATH; ls
        \printf '%n' PATH; ls ¦ 'printf' '%n' PATH; ls ¦ printf "\${f}%n" PATH; ls
        for f in %n; do printf "$f" PATH; done; ls ¦ for f in n; do printf "%$f" PATH; done; ls
        { printf '%n' PATH; ls; } ¦ if printf '%n' PATH; then ls; fi ¦ while printf '%n' PATH; do ls; break; done
        ls && printf '%n' PATH && ls ¦ echo "$(printf '%n' PATH; ls)" ¦ printf -v PATH %s 0; ls
        printf -vPATH %s 0; ls ¦ printf -v "PATH" 0; ls ¦ printf -v PATH -- 0; ls ¦ printf "-v" PATH %s 0; ls
        builtin printf -v PATH %s 0; ls
      `,
    ],
  },
  {
    about: "printf that sets a variable, without a confinement",
    ask: lines`
      for f in '%s%n'; do printf "$f" x IFS; done ¦ printf %{n,d} PATH; ls ¦ printf '%n' BASH_ENV
      printf '%n' 'a[$(id)]' ¦ printf -v 'a[$(id)]' x ¦ printf -v x %s 0 ¦ printf -{v,x} PATH 0; ls
    `,
  },
  {
    about: "printf that only prints",
    tier: "both",
    allow: lines`
      printf '%s\n' a b ¦ printf "%d items\n" 3 ¦ printf '%-10s|%5.2f\n' name 1.5 ¦ printf '%q\n' 'a b'
      printf '%b' 'x\n' ¦ printf -- '--%s--\n' x ¦ printf '%s\n' "$(git rev-parse HEAD)" ¦ printf 'n\n'
      printf '100%%\n'
    `,
  },
  {
    about: "tree that takes the value of an option in a cluster from the words that follow",
    tier: "both",
    ask: lines`
      tree -Lo 2 .bashrc ¦ tree -Po x .bashrc ¦ tree -Io x .bashrc ¦ tree -To x .bashrc ¦ tree -Ho x .bashrc
      tree -oL x 2 ¦ tree -ao x ¦ tree -dfo x ¦ tree -aLo 2 x ¦ tree -Lao 2 x ¦ tree -o x ¦ tree -o x .
      tree . -o x ¦ tree src -L 1 -o x ¦ tree -a src -o README.md ¦ tree "-Lo" 2 .bashrc ¦ tree '-o' x ¦ tree -'o' x
      tree \-o x ¦ tree $'-o' x ¦ tree -{L,o} 2 x ¦ tree {-o,x} ¦ tree -R -L 1 ¦ tree -RL 1 ¦ tree -R -L 1 -H . src
      timeout 5 tree -Lo 2 .bashrc ¦ nice tree -Lo 2 .bashrc ¦ time tree -o x ¦ command tree -o x ¦ ls && tree -ao x
      echo "$(tree -o x)"
    `,
    allow: lines`
      tree ¦ tree -L 2 ¦ tree -a -L 2 src ¦ tree -ad ¦ tree -J src ¦ tree -I node_modules
      tree -L 2 -I 'node_modules|dist' src ¦ tree --dirsfirst -L 2 ¦ tree -P '*.ts' --prune src
    `,
  },
  {
    about: "a glob that may become an option",
    at: "@ws/opts",
    tier: "plain",
    ask: lines`
      rg foo * ¦ rg foo ?* ¦ rg foo [-a]* ¦ rg foo -- x && rg foo * ¦ rg foo --* ¦ rg * . ¦ rg -n foo *
      rg -e foo * ¦ rg {foo,*} ¦ rg foo *.md ¦ rg foo *b.md ¦ sort * ¦ sort ?o ¦ sort [-]o ¦ sort *o ¦ find *
      find ./* -o * ¦ file * ¦ strings * ¦ tree * ¦ tree -- * ¦ find -- * ¦ git log * ¦ git diff * ¦ git blame *
      date * ¦ date -u * ¦ hostname * ¦ sed -n 1p * ¦ uniq * ¦ uniq ./* ¦ uniq -- * ¦ xxd * ¦ xxd ./*
      for f in *; do rg foo $f; done ¦ for f in *; do rg foo "$f"; done ¦ for f in ./*.md; do rg foo $f; done
      for f in *; do sort $f; done ¦ for f in *; do tree "$f"; done ¦ cd *
    `,
    allow: lines`
      rg foo ./* ¦ rg foo -- * ¦ rg -- foo * ¦ sort ./* ¦ sort -- * ¦ tree ./* ¦ find ./* -type f ¦ file ./*
      cat ./* ¦ wc -l ./* ¦ ls ./*
    `,
  },
  {
    about: "a glob of a loop that may become an option",
    at: "@ws/opts",
    tier: "enforced",
    ask: lines`
      for f in *; do sort "$f"; done ¦ for f in -*; do sort $f; done
      for f in -* plain.md; do LC_ALL=C sort "$f"; done ¦ for f in *; do rg foo "$f"; done
    `,
    allow: lines`
      for f in *; do sort -- "$f"; done ¦ for f in *.md; do sort "$f"; done ¦ for f in ./*; do sort "$f"; done
    `,
  },
  {
    about: "reading through links to directories with links that lead out",
    tier: "enforced",
    ask: lines`
      zcat -r to-linked ¦ zcat --recursive -- README.md to-linked ¦ grep -R x to-linked ¦ grep -R x box
      rg -L x box ¦ find -L box ¦ find -H to-linked ¦ diff -r box docs
    `,
    allow: lines`
      grep -r x box ¦ rg x box ¦ find box
    `,
  },
  {
    about: "a glob of a loop that finds a link that leads out",
    tier: "enforced",
    ask: lines`
      for f in *; do cat "$f"; done ¦ for f in link-*; do head -n 1 $f; done
    `,
    allow: lines`
      for f in link-*; do readlink "$f"; done ¦ for f in src/*; do cat "$f"; done
    `,
  },
];
