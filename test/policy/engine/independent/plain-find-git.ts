import { lines } from "../lines.ts";
import type { Group } from "./ground.ts";

/** §5.6 rows that are no clusters of letters: find, tree, git, test, and what takes names from elsewhere. */
export const plainFindGit: readonly Group[] = [
  {
    about: "§5.6 tests of find",
    allow: [
      ..."-name x,-iname x,-path x,-ipath x,-regex x,-iregex x,-type f,-size +5k,-empty,-mtime -3,-mmin 5,-ctime 1,-atime +1,-newer a,-perm 644,-user root,-group root,-maxdepth 2,-mindepth 1,-printf %p,-print,-print0,-ls,-prune,-not -name x,! -name x,-name x -a -name y,-name x -o -name y,-name x -and -name y,-name x -or -name y".split(
        ",",
      ),
    ].map((rest) => `find src ${rest}`),
    ask: [
      ..."-depth,-mount,-xdev,-quit,-fstype x,-links 1,-inum 1,-samefile a,-readable,-executable,-writable,-nouser,-newermt 2020-01-01,-newerXY a,-anewer a,-cnewer a,-true,-false,-lname x,-ilname x,-wholename x,-daystart,-noleaf,-used 1,-xtype l,-follow,-regextype posix-extended,-files0-from a,-delete,-exec ls ;,-fls x,-fprint x,-fprint0 x,-fprintf x y,-nam x,-newer /etc/passwd,-newer ../out/secret.txt,-newer link-secret,--version,-help".split(
        ",",
      ),
    ].map((rest) => `find src ${rest.replace(";", "';'")}`),
  },
  {
    about: "§5.6 options of find before its places",
    ask: lines`
      find -L src -name x ¦ find -L . ¦ find -H link-in ¦ find -P src ¦ find -O3 src ¦ find -D tree src
      find -LP src -name x ¦ find -P -L src ¦ find src -L
    `,
  },
  {
    about: "§5.6 options of tree",
    allow: lines`
      tree ¦ tree -L 2 ¦ tree -a -L 2 src ¦ tree -P x src ¦ tree -I node_modules -L 3 ¦ tree -af src
      tree --dirsfirst -L 2 ¦ tree --noreport src ¦ tree --gitignore
    `,
    ask: lines`
      tree -Lo 2 .bashrc ¦ tree -Po x .bashrc ¦ tree -Io x .bashrc ¦ tree -To x .bashrc ¦ tree -Ho x .bashrc
      tree -aL 2 ¦ tree -aLo 2 x ¦ tree -l ¦ tree -al ¦ tree -R -L 1 -o x ¦ tree -H . -o x ¦ tree -L many
      tree --fromfile a ¦ tree --filesfrom a ¦ tree --fromtabfile a ¦ tree --gitfile=a ¦ tree --infofile=a
      tree --info ¦ tree --output=x ¦ tree -L
    `,
  },
  {
    about: "§5.6 names from elsewhere, links that are followed, what runs",
    ask: lines`
      wc --files0-from=list ¦ wc --files0-from list ¦ du --files0-from=list ¦ du --exclude-from=list
      sort --files0-from=list ¦ md5sum -c list ¦ md5sum --check list ¦ sha256sum -c list ¦ cksum --check list
      file -f list ¦ file -bf list ¦ file --files-from list ¦ strings @list ¦ strings -a @list ¦ grep -R x .
      grep -Rn x src ¦ grep -nR x ¦ grep --dereference-recursive x . ¦ grep -d recurse x . ¦ egrep -R x . ¦ rg -L x
      rg -nL x ¦ rg --follow x ¦ rg --ignore-file=a x ¦ rg --pre=cat x ¦ rg --pre-glob=x x ¦ rg --hostname-bin=x x
      rg --search-zip x ¦ rg -r x y ¦ rg --replace x y ¦ rg --generate=man ¦ rg --debug x ¦ ls -L ¦ ls -lL ¦ ls -H
      ls --dereference ¦ ls --hyperlink ¦ stat -L a ¦ stat --printf=x a ¦ du -L ¦ du -D . ¦ du -l ¦ df --output
      realpath -L src ¦ realpath --relative-base=src a ¦ readlink -v a ¦ diff --to-file=a README.md
      diff --from-file=a README.md ¦ diff -D X a README.md ¦ diff -S x src docs ¦ diff --color a README.md
      diff -l a README.md ¦ diff --unidirectional-new-file a README.md ¦ sort --parallel=2 a ¦ sort -S 1M a
      sort --random-source=a a ¦ sort --debug a ¦ sort --batch-size=3 a ¦ tail -f a ¦ tail -F a ¦ tail -5f a
      tail -fn 5 a ¦ tail --follow a ¦ tail --retry a ¦ head --lines ¦ date -I ¦ date -f a ¦ date --file=a
      date --iso-8601 ¦ date 1 ¦ date -d now 1 ¦ uname x ¦ hostname -b x ¦ hostname -y ¦ nl -b ¦ cut -d ¦ whoami x
      uptime x ¦ pwd x ¦ seq x ¦ sleep x ¦ id -Z ¦ uniq a b ¦ uniq -c a b ¦ xxd a b ¦ xxd -r a ¦ xxd -i a ¦ xxd -e a
      xxd -o 5 a ¦ file -k a ¦ file -L a ¦ file -z a ¦ file -s a ¦ file -S a ¦ sed -n --debug 1p a
      sed -n --posix 1p a ¦ sed -n --follow-symlinks 1p a ¦ sed --line-length=5 -n 1p a ¦ sed -n -l 5 1p a
      sed 1p a ¦ sed -E 1p a ¦ sed -n 1q a ¦ sed -n '$=' a ¦ sed -n l a ¦ sed -n 's/a/b/p' a ¦ sed -n 1,5d a
      sed -n 'y/a/b/' a ¦ sed -n '1,5!d' a ¦ sed -n '/x/{p}' a && sed -n '/x/{p;q}' a
    `,
  },
  {
    about: "§5.6 P values and words that lead outside",
    ask: lines`
      diff -X /etc/passwd src lib ¦ diff --exclude-from=/etc/passwd src lib
      diff --exclude-from /etc/passwd src lib ¦ grep --exclude-from=/etc/passwd x a
      grep --exclude-from ../out/secret.txt x a ¦ grep --exclude-from=link-secret x a ¦ grep -nf /etc/passwd a
      grep -nf../out/secret.txt a ¦ grep -rf link-secret src ¦ rg -nf /etc/passwd ¦ rg --file=/etc/passwd src
      rg --file ../out/secret.txt src ¦ date --reference=/etc/passwd ¦ date -ur /etc/passwd
      realpath --relative-to=/etc src ¦ realpath --relative-to=../out src ¦ git ls-files -X /etc/passwd
      git ls-files -oX ../out/secret.txt ¦ git log -- ../out ¦ git diff HEAD -- /etc/passwd ¦ git show HEAD:../out/x
      git show HEAD:/etc/passwd
    `,
    allow: lines`
      diff -X a src lib ¦ grep --exclude-from=a x README.md ¦ grep --exclude-from a x README.md
      grep -nf a README.md ¦ rg --file=a src ¦ date --reference=a ¦ realpath --relative-to=src docs
      git ls-files -X a
    `,
  },
];
