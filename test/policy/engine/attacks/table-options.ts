import { type AttackGroup, lines } from "./fixture.ts";

/** §5.6 by its rows: what a row does not list asks (without a confinement), in every spelling. */
export const tableOptions: readonly AttackGroup[] = [
  {
    about: "rows of text tools: unlisted, abbreviated, glued and late options",
    ask: lines`
      ls -L src
      ls --dereference
      ls -Z --unknown
      ls --dired
      ls -aL
      ls --recurs
      ls src --hyperlink
      cat -u README.md
      cat --show-al README.md
      head -f README.md
      head --lin=3 README.md
      head -qx README.md
      tail -f data/app.log
      tail -F data/app.log
      tail -qf data/app.log
      tail -n 3 -f data/app.log
      tail data/app.log -f
      tail -n3f data/app.log
      tail -5f data/app.log
      tail --follow data/app.log
      tail --follow=name data/app.log
      tail --fol data/app.log
      tail --pid=1 -f data/app.log
      tail --retry data/app.log
      wc --files0-from=data/list.txt
      wc --files0-from data/list.txt
      wc --files0=data/list.txt
      wc -l --files0-from=-
      wc --f=data/list.txt
      sort -o out data/list.txt
      sort -oout data/list.txt
      sort -uo out data/list.txt
      sort -uoout data/list.txt
      sort -nro README.md data/list.txt
      sort data/list.txt -o out
      sort data/list.txt -oout
      sort data/list.txt -o README.md -u
      sort --output=out data/list.txt
      sort --output out data/list.txt
      sort --outp=out data/list.txt
      sort --out out data/list.txt
      sort --o=out data/list.txt
      sort -k1o out data/list.txt -o x
      sort -k 1 -o out data/list.txt
      sort -t , -k2 -oout data/rows.csv
      sort -T docs data/list.txt
      sort -Tdocs data/list.txt
      sort -S 1 -T . data/list.txt
      sort --temporary-directory=docs data/list.txt
      sort --compress-program=./evil.sh data/list.txt
      sort --compress-program ./evil.sh -S 1 data/list.txt
      sort --comp=./evil.sh data/list.txt
      sort --compress-prog=sh -S1k data/list.txt
      sort --files0-from=data/list.txt
      sort --files0-from data/list.txt
      sort --files=data/list.txt
      sort --random-source=README.md -R data/list.txt
      sort --batch-size=2 data/list.txt
      sort -"o" out data/list.txt
      sort '-o' out data/list.txt
      sort -'o'out data/list.txt
      sort $'-o' out data/list.txt
      sort \-o out data/list.txt
      sort -\o out data/list.txt
      sort "--output"=out data/list.txt
      sort --out''put=out data/list.txt
      sort {-o,out} data/list.txt
      sort -{o,u} data/list.txt
      sort -? data/list.txt
      uniq data/list.txt out
      uniq -c data/list.txt out
      uniq data/list.txt README.md
      uniq data/list.txt -c out
      uniq - out
      uniq -- data/list.txt out
      uniq -f 1 data/list.txt out
      uniq -f1 -s 2 data/list.txt out
      uniq --count data/list.txt out
      uniq data/list.txt -- out
      uniq < data/list.txt - out
      uniq --group data/list.txt
      uniq src/*
      uniq {data/list.txt,out}
      xxd data/list.txt out
      xxd -r data/list.txt out
      xxd -r -p data/list.txt
      xxd -rp data/list.txt
      xxd -re data/list.txt
      xxd -revert data/list.txt out
      xxd -p data/list.txt out
      xxd -l 8 data/list.txt out
      xxd -- data/list.txt out
      xxd - out
      xxd -i data/list.txt
      xxd -o 5 data/list.txt
      nl -d : README.md
      nl -h a README.md
      cut -n -b1 README.md
      cut --output-delimiter=, -f1 data/rows.csv
      cut --files x
      column -J README.md
      column -t -R 1 README.md
      column -e README.md
      tr --complem a b
      basename -S x
      which --all -x ls
      comm --check-order README.md LICENSE
      comm --output-delimiter=, README.md LICENSE
      join --check-order README.md LICENSE
      cmp --print-bytes -x README.md LICENSE
      diff -l README.md LICENSE
      diff -ul README.md LICENSE
      diff --paginate README.md LICENSE
      diff --pag README.md LICENSE
      diff --to-file=README.md LICENSE
      diff --from-file=README.md LICENSE
      diff --color README.md LICENSE
      diff -S x src test
      diff -D X README.md LICENSE
      diff --line-format=x README.md LICENSE
      diff --horizon-lines=2 README.md LICENSE
    `,
  },
  {
    about: "rows of file tools: unlisted, abbreviated, glued and late options",
    ask: lines`
      stat -L link-secret
      stat -Lc %n link-secret
      stat --dereference link-secret
      stat --printf=%n README.md
      stat --deref link-secret
      du -L .
      du -aL .
      du -D link-out
      du -H link-out
      du -X data/list.txt .
      du --exclude-from=data/list.txt .
      du --files0-from=data/list.txt
      du --files0-from=-
      du --time .
      du --inodes .
      df --sync
      df --output
      df -x tmpfs
      hostname evil
      hostname -F data/list.txt
      hostname --file data/list.txt
      hostname -b x
      hostname "evil"
      uname -o
      uname x
      realpath -L link-out/..
      realpath --relative-base=/ .
      readlink -v x --zero-x
      seq --form=%g 3
      date -s 2020-01-01
      date --set=2020-01-01
      date --se=2020-01-01
      date -us 2020-01-01
      date -s2020-01-01
      date 010100002020
      date -f data/list.txt
      date -fdata/list.txt
      date -uf data/list.txt
      date --file=data/list.txt
      date --fil data/list.txt
      date -r /etc/passwd
      date -r/etc/passwd
      date --reference=/etc/passwd
      date +%F 010100002020
      date --debug
      md5sum -c data/list.txt
      md5sum --check data/list.txt
      md5sum --che data/list.txt
      md5sum -bc data/list.txt
      md5sum data/list.txt -c
      sha1sum -c data/list.txt
      sha256sum -c data/list.txt
      sha256sum -tc data/list.txt
      sha256sum --quiet -c data/list.txt
      cksum -c data/list.txt
      cksum --check data/list.txt
      cksum -a md5 -c data/list.txt
      od -w README.md
      od --output-dup README.md
      od -S 3 README.md
      hexdump -e '1/1 "%c"' README.md
      hexdump -f data/list.txt README.md
      hexdump -fdata/list.txt README.md
      hexdump -Cf data/list.txt README.md
      strings @data/list.txt
      strings -a @data/list.txt
      strings "@data/list.txt"
      strings -n 3 @data/list.txt
      strings -- @data/list.txt
      strings -T elf README.md
      strings --target=elf README.md
      file -f data/list.txt
      file -fdata/list.txt
      file -bf data/list.txt
      file -if data/list.txt
      file --files-from data/list.txt
      file --files-from=data/list.txt
      file --files=data/list.txt
      file -m data/list.txt README.md
      file -C -m data/list.txt
      file -bC
      file --compile -m data/list.txt
      file -z data/old.gz
      file -Z data/old.gz
      file -s README.md
      file -L link-in
      file -p README.md
      file -S README.md
      tree -l
      tree -al
      tree --fromfile data/list.txt
      tree --fromtabfile data/list.txt
      tree --info
      tree --gitfile=data/list.txt
      tree --infofile=data/list.txt
      tree -La 2
      tree -aL 2
      tree -L2
      tree -Psrc
      tree -aP '*.ts'
      tree -X
      tree -H .
      tree -x
      tree --timefmt=%F
      tree --noreport -o out
      tree --filelimit 5
      find . -delete -name x
      find src -name '*.ts' -delete
      find src -exec cat {} +
      find src -exec cat {} \;
      find src -execdir cat {} +
      find src -ok cat {} \;
      find src -okdir cat {} \;
      find src -fprint out
      find src -fprint0 out
      find src -fprintf out %p
      find src -fls out
      find src -fls README.md
      find src -name a -o -fprint out
      find src ! -fprint out
      find src \( -name a -fprint out \)
      find src '(' -fls out ')'
      find -L src
      find -H src
      find -D exec src
      find -O3 src
      find -files0-from data/list.txt
      find -files0-from -
      find src -follow
      find src -regextype posix-extended -regex x
      find src -samefile /etc/passwd
      find src -newer /etc/passwd
      find src -newermt 2020-01-01
      find src -anewer README.md
      find src -cnewer README.md
      find src -"delete"
      find src '-delete'
      find src -dele\te
      find src $'-delete'
      find src -{delete,print}
      find src -d
      find src -quit
      find src -unknown
      find {src,-delete}
      sed s/a/b/ README.md
      sed p README.md
      sed 1d README.md
      sed -n 5q README.md
      sed -n 1,5d README.md
      sed -n '1w out' README.md
      sed -n '/a/w out' README.md
      sed -n '1W out' README.md
      sed -n '1e id' README.md
      sed -n 1e README.md
      sed -n '1r /etc/passwd' README.md
      sed -n '1R /etc/passwd' README.md
      sed -n 's/a/b/p' README.md
      sed -n 's/a/b/e' README.md
      sed -n 's/a/b/w out' README.md
      sed -n -e p -e '1w out' README.md
      sed -n -e p -e 1e README.md
      sed -n -f data/list.txt README.md
      sed -nf data/list.txt README.md
      sed -n --file=data/list.txt README.md
      sed -n -fdata/list.txt README.md
      sed -ni p README.md
      sed -n -i p README.md
      sed -in p README.md
      sed -n p -i README.md
      sed -n p README.md -i
      sed -n p README.md -ibak
      sed -nEi p README.md
      sed -nsi p README.md
      sed -n --in-place p README.md
      sed -n --in-place=x p README.md
      sed -n --in-p p README.md
      sed --quiet --in-place p README.md
      sed -n "--in-place" p README.md
      sed -n -"i" p README.md
      sed -n {-i,p} README.md
      sed --debug -n p README.md
      sed --posix -n p README.md
      sed -n --expression=1e README.md
      sed -n -e1e README.md
    `,
  },
];
