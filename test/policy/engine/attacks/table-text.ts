import { lines } from "../lines.ts";
import type { AttackGroup } from "./fixture.ts";

/** §5.6, the rows of text tools: what a row does not list asks without a confinement, in every spelling. */
export const tableText: readonly AttackGroup[] = [
  {
    about: "rows of text tools: unlisted, abbreviated, glued and late options",
    ask: lines`
      ls -L src ¦ ls --dereference ¦ ls -Z --unknown ¦ ls --dired ¦ ls -aL ¦ ls --recurs ¦ ls src --hyperlink
      cat -u README.md ¦ cat --show-al README.md ¦ head -f README.md ¦ head --lin=3 README.md ¦ head -qx README.md
      tail -f data/app.log ¦ tail -F data/app.log ¦ tail -qf data/app.log ¦ tail -n 3 -f data/app.log
      tail data/app.log -f ¦ tail -n3f data/app.log ¦ tail -5f data/app.log ¦ tail --follow data/app.log
      tail --follow=name data/app.log ¦ tail --fol data/app.log ¦ tail --pid=1 -f data/app.log
      tail --retry data/app.log ¦ wc --files0-from=data/list.txt ¦ wc --files0-from data/list.txt
      wc --files0=data/list.txt ¦ wc -l --files0-from=- ¦ wc --f=data/list.txt ¦ sort -o out data/list.txt
      sort -oout data/list.txt ¦ sort -uo out data/list.txt ¦ sort -uoout data/list.txt
      sort -nro README.md data/list.txt ¦ sort data/list.txt -o out ¦ sort data/list.txt -oout
      sort data/list.txt -o README.md -u ¦ sort --output=out data/list.txt ¦ sort --output out data/list.txt
      sort --outp=out data/list.txt ¦ sort --out out data/list.txt ¦ sort --o=out data/list.txt
      sort -k1o out data/list.txt -o x ¦ sort -k 1 -o out data/list.txt ¦ sort -t , -k2 -oout data/rows.csv
      sort -T docs data/list.txt ¦ sort -Tdocs data/list.txt ¦ sort -S 1 -T . data/list.txt
      sort --temporary-directory=docs data/list.txt ¦ sort --compress-program=./evil.sh data/list.txt
      sort --compress-program ./evil.sh -S 1 data/list.txt ¦ sort --comp=./evil.sh data/list.txt
      sort --compress-prog=sh -S1k data/list.txt ¦ sort --files0-from=data/list.txt
      sort --files0-from data/list.txt ¦ sort --files=data/list.txt
      sort --random-source=README.md -R data/list.txt ¦ sort --batch-size=2 data/list.txt
      sort -"o" out data/list.txt ¦ sort '-o' out data/list.txt ¦ sort -'o'out data/list.txt
      sort $'-o' out data/list.txt ¦ sort \-o out data/list.txt ¦ sort -\o out data/list.txt
      sort "--output"=out data/list.txt ¦ sort --out''put=out data/list.txt ¦ sort {-o,out} data/list.txt
      sort -{o,u} data/list.txt ¦ sort -? data/list.txt ¦ uniq data/list.txt out ¦ uniq -c data/list.txt out
      uniq data/list.txt README.md ¦ uniq data/list.txt -c out ¦ uniq - out ¦ uniq -- data/list.txt out
      uniq -f 1 data/list.txt out ¦ uniq -f1 -s 2 data/list.txt out ¦ uniq --count data/list.txt out
      uniq data/list.txt -- out ¦ uniq < data/list.txt - out ¦ uniq --group data/list.txt ¦ uniq src/*
      uniq {data/list.txt,out} ¦ xxd data/list.txt out ¦ xxd -r data/list.txt out ¦ xxd -r -p data/list.txt
      xxd -rp data/list.txt ¦ xxd -re data/list.txt ¦ xxd -revert data/list.txt out ¦ xxd -p data/list.txt out
      xxd -l 8 data/list.txt out ¦ xxd -- data/list.txt out ¦ xxd - out ¦ xxd -i data/list.txt
      xxd -o 5 data/list.txt ¦ nl -d : README.md ¦ nl -h a README.md ¦ cut -n -b1 README.md
      cut --output-delimiter=, -f1 data/rows.csv ¦ cut --files x ¦ column -J README.md ¦ column -t -R 1 README.md
      column -e README.md ¦ tr --complem a b ¦ basename -S x ¦ which --all -x ls
      comm --check-order README.md LICENSE ¦ comm --output-delimiter=, README.md LICENSE
      join --check-order README.md LICENSE ¦ cmp --print-bytes -x README.md LICENSE ¦ diff -l README.md LICENSE
      diff -ul README.md LICENSE ¦ diff --paginate README.md LICENSE ¦ diff --pag README.md LICENSE
      diff --to-file=README.md LICENSE ¦ diff --from-file=README.md LICENSE ¦ diff --color README.md LICENSE
      diff -S x src test ¦ diff -D X README.md LICENSE ¦ diff --line-format=x README.md LICENSE
      diff --horizon-lines=2 README.md LICENSE
    `,
  },
  {
    about: "scripts of sed that readers take apart in different ways",
    ask: lines`
      sed -n '\|a|p' README.md ¦ sed -n '/[]a]/p' README.md ¦ sed -n '/[/]/p' README.md
      sed -n '/a/I,/b/w x' README.md ¦ sed -n '/a/e id' README.md
    `,
  },
];
