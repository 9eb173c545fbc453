import { lines } from "../lines.ts";
import type { AttackGroup } from "./fixture.ts";

/** §5.6, the rows of file tools, sed and find: what a row does not list asks without a confinement. */
export const tableFiles: readonly AttackGroup[] = [
  {
    about: "rows of file tools: unlisted, abbreviated, glued and late options",
    ask: lines`
      stat -L link-secret ¦ stat -Lc %n link-secret ¦ stat --dereference link-secret ¦ stat --printf=%n README.md
      stat --deref link-secret ¦ du -L . ¦ du -aL . ¦ du -D link-out ¦ du -H link-out ¦ du -X data/list.txt .
      du --exclude-from=data/list.txt . ¦ du --files0-from=data/list.txt ¦ du --files0-from=- ¦ du --time .
      du --inodes . ¦ df --sync ¦ df --output ¦ df -x tmpfs ¦ hostname evil ¦ hostname -F data/list.txt
      hostname --file data/list.txt ¦ hostname -b x ¦ hostname "evil" ¦ uname -o ¦ uname x ¦ realpath -L link-out/..
      realpath --relative-base=/ . ¦ readlink -v x --zero-x ¦ seq --form=%g 3 ¦ date -s 2020-01-01
      date --set=2020-01-01 ¦ date --se=2020-01-01 ¦ date -us 2020-01-01 ¦ date -s2020-01-01 ¦ date 010100002020
      date -f data/list.txt ¦ date -fdata/list.txt ¦ date -uf data/list.txt ¦ date --file=data/list.txt
      date --fil data/list.txt ¦ date -r /etc/passwd ¦ date -r/etc/passwd ¦ date --reference=/etc/passwd
      date +%F 010100002020 ¦ date --debug ¦ md5sum -c data/list.txt ¦ md5sum --check data/list.txt
      md5sum --che data/list.txt ¦ md5sum -bc data/list.txt ¦ md5sum data/list.txt -c ¦ sha1sum -c data/list.txt
      sha256sum -c data/list.txt ¦ sha256sum -tc data/list.txt ¦ sha256sum --quiet -c data/list.txt
      cksum -c data/list.txt ¦ cksum --check data/list.txt ¦ cksum -a md5 -c data/list.txt ¦ od -w README.md
      od --output-dup README.md ¦ od -S 3 README.md ¦ hexdump -e '1/1 "%c"' README.md
      hexdump -f data/list.txt README.md ¦ hexdump -fdata/list.txt README.md ¦ hexdump -Cf data/list.txt README.md
      strings @data/list.txt ¦ strings -a @data/list.txt ¦ strings "@data/list.txt" ¦ strings -n 3 @data/list.txt
      strings -- @data/list.txt ¦ strings -T elf README.md ¦ strings --target=elf README.md ¦ file -f data/list.txt
      file -fdata/list.txt ¦ file -bf data/list.txt ¦ file -if data/list.txt ¦ file --files-from data/list.txt
      file --files-from=data/list.txt ¦ file --files=data/list.txt ¦ file -m data/list.txt README.md
      file -C -m data/list.txt ¦ file -bC ¦ file --compile -m data/list.txt ¦ file -z data/old.gz
      file -Z data/old.gz ¦ file -s README.md ¦ file -L link-in ¦ file -p README.md ¦ file -S README.md ¦ tree -l
      tree -al ¦ tree --fromfile data/list.txt ¦ tree --fromtabfile data/list.txt ¦ tree --info
      tree --gitfile=data/list.txt ¦ tree --infofile=data/list.txt ¦ tree -La 2 ¦ tree -aL 2 ¦ tree -L2 ¦ tree -Psrc
      tree -aP '*.ts' ¦ tree -X ¦ tree -H . ¦ tree -x ¦ tree --timefmt=%F ¦ tree --noreport -o out
      tree --filelimit 5 ¦ find . -delete -name x ¦ find src -name '*.ts' -delete ¦ find src -exec cat {} +
      find src -exec cat {} \; ¦ find src -execdir cat {} + ¦ find src -ok cat {} \; ¦ find src -okdir cat {} \;
      find src -fprint out ¦ find src -fprint0 out ¦ find src -fprintf out %p ¦ find src -fls out
      find src -fls README.md ¦ find src -name a -o -fprint out ¦ find src ! -fprint out
      find src \( -name a -fprint out \) ¦ find src '(' -fls out ')' ¦ find -L src ¦ find -H src ¦ find -D exec src
      find -O3 src ¦ find -files0-from data/list.txt ¦ find -files0-from - ¦ find src -follow
      find src -regextype posix-extended -regex x ¦ find src -samefile /etc/passwd ¦ find src -newer /etc/passwd
      find src -newermt 2020-01-01 ¦ find src -anewer README.md ¦ find src -cnewer README.md ¦ find src -"delete"
      find src '-delete' ¦ find src -dele\te ¦ find src $'-delete' ¦ find src -{delete,print} ¦ find src -d
      find src -quit ¦ find src -unknown ¦ find {src,-delete} ¦ sed s/a/b/ README.md ¦ sed p README.md
      sed 1d README.md ¦ sed -n 5q README.md ¦ sed -n 1,5d README.md ¦ sed -n '1w out' README.md
      sed -n '/a/w out' README.md ¦ sed -n '1W out' README.md ¦ sed -n '1e id' README.md ¦ sed -n 1e README.md
      sed -n '1r /etc/passwd' README.md ¦ sed -n '1R /etc/passwd' README.md ¦ sed -n 's/a/b/p' README.md
      sed -n 's/a/b/e' README.md ¦ sed -n 's/a/b/w out' README.md ¦ sed -n -e p -e '1w out' README.md
      sed -n -e p -e 1e README.md ¦ sed -n -f data/list.txt README.md ¦ sed -nf data/list.txt README.md
      sed -n --file=data/list.txt README.md ¦ sed -n -fdata/list.txt README.md ¦ sed -ni p README.md
      sed -n -i p README.md ¦ sed -in p README.md ¦ sed -n p -i README.md ¦ sed -n p README.md -i
      sed -n p README.md -ibak ¦ sed -nEi p README.md ¦ sed -nsi p README.md ¦ sed -n --in-place p README.md
      sed -n --in-place=x p README.md ¦ sed -n --in-p p README.md ¦ sed --quiet --in-place p README.md
      sed -n "--in-place" p README.md ¦ sed -n -"i" p README.md ¦ sed -n {-i,p} README.md
      sed --debug -n p README.md ¦ sed --posix -n p README.md ¦ sed -n --expression=1e README.md
      sed -n -e1e README.md
    `,
  },
];
