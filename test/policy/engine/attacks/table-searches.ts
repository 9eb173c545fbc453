import { lines } from "../lines.ts";
import type { AttackGroup } from "./fixture.ts";

/** §5.6, grep and rg: what their rows do not list asks without a confinement. */
export const tableSearches: readonly AttackGroup[] = [
  {
    about: "grep and rg: unlisted, abbreviated, glued and late options",
    ask: lines`
      grep -R x src ¦ grep -rR x src ¦ grep --dereference-recursive x src ¦ grep x src -R ¦ grep -d recurse x src
      grep --directories=recurse x src ¦ grep -D read x src ¦ grep --devices=read x src ¦ grep --label=x -l x -
      grep --binary-files=text x README.md ¦ grep --line-buffered x README.md ¦ grep --recurs x src
      grep --fil=data/list.txt x ¦ grep -f /etc/passwd README.md ¦ grep -f/etc/passwd README.md
      grep -hf /etc/passwd README.md ¦ grep -vf/etc/passwd README.md ¦ grep -nf ../out/secret.txt README.md
      grep --file=/etc/passwd README.md ¦ grep --file /etc/passwd README.md ¦ grep -e x -f /etc/passwd README.md
      grep -e x /etc/passwd ¦ grep -ex /etc/passwd ¦ grep -e x ../out/secret.txt ¦ grep --regexp=x /etc/passwd
      grep --regexp x /etc/passwd ¦ grep -f data/list.txt /etc/passwd ¦ grep x README.md /etc/passwd
      grep x -- /etc/passwd ¦ grep -- x /etc/passwd ¦ grep -A 1 x /etc/passwd ¦ grep -A1 x /etc/passwd
      grep -1 x /etc/passwd ¦ grep -m 1 x ~/.bashrc ¦ grep --exclude-from=/etc/passwd -r x src ¦ grep -r x ..
      grep -r x / ¦ grep x link-secret ¦ grep -r x link-out ¦ rg --pre ./evil.sh x ¦ rg --pre=./evil.sh x
      rg --pr=./evil.sh x ¦ rg x --pre ./evil.sh ¦ rg x src --pre=sh ¦ rg -n --pre sh x ¦ rg "--pre=sh" x
      rg --pre''=sh x ¦ rg '--pre' sh x ¦ rg --p\re=sh x ¦ rg $'--pre=sh' x ¦ rg {--pre=sh,x}
      rg --pre-glob '*.md' x ¦ rg --hostname-bin ./evil.sh x
      rg --hostname-bin=./evil.sh --hyperlink-format default x ¦ rg -z x ¦ rg -nz x ¦ rg --search-zip x
      rg --search-zi x ¦ rg -L x ¦ rg --follow x ¦ rg --ignore-file /etc/passwd x ¦ rg --ignore-file=data/list.txt x
      rg -f /etc/passwd ¦ rg -f/etc/passwd ¦ rg -nf /etc/passwd ¦ rg --file=/etc/passwd ¦ rg -r y x
      rg --replace=y x ¦ rg -j 1 x ¦ rg --threads 1 x ¦ rg -E utf8 x ¦ rg --debug x ¦ rg --trace x
      rg --type-add 'a:*.a' x ¦ rg --generate man ¦ rg x /etc ¦ rg x .. ¦ rg -e x /etc ¦ rg -ex /etc
      rg --files /etc ¦ rg --files .. ¦ rg --glob '*' x ~ ¦ rg -tjs x @out ¦ rg x link-out
    `,
  },
];
