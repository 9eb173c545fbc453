import { lines } from "../lines.ts";
import type { Group } from "./ground.ts";

/** §5.5 `rm x` behind wrappers whose options are spelt in every way getopt takes them. */
const hidden = lines`
  timeout -v 5 rm x ¦ timeout -vk 5 10 rm x ¦ timeout -vk5 10 rm x ¦ timeout -k5 10 rm x ¦ timeout -k 5s 10s rm x
  timeout -vs KILL 10 rm x ¦ timeout -vsKILL 10 rm x ¦ timeout --verbose 10 rm x ¦ timeout --kill-after 5 10 rm x
  timeout --kill 5 10 rm x ¦ timeout --sig=KILL 10 rm x ¦ timeout --sig KILL 10 rm x ¦ timeout --pres 10 rm x
  timeout --fore -k 1 10 rm x ¦ timeout -- 10 rm x ¦ timeout .5 rm x ¦ timeout 1d rm x ¦ timeout -f 10 rm x
  timeout -p 10 rm x ¦ nice -n5 rm x ¦ nice -n 5 rm x ¦ nice -n -5 rm x ¦ nice -5 rm x ¦ nice --5 rm x
  nice -+5 rm x ¦ nice --adj 5 rm x ¦ nice --adj=5 rm x ¦ nice --adjustment 5 rm x ¦ nice -- rm x
  nice nice -n 3 rm x ¦ stdbuf -o0 rm x ¦ stdbuf -i0 -oL -e0 rm x ¦ stdbuf -i 0 -o L rm x ¦ stdbuf --out=L rm x
  stdbuf --output L rm x ¦ stdbuf --inp 0 rm x ¦ nohup -- rm x ¦ time -p rm x ¦ time -- rm x ¦ command -- rm x
  command -p rm x ¦ command -p -- rm x ¦ builtin command rm x ¦ exec rm x ¦ exec -a y rm x ¦ exec -c rm x
  exec -cl rm x ¦ exec -la y rm x ¦ exec -- rm x ¦ exec -ay rm x ¦ env -iu A rm x ¦ env -iuA rm x
  env -i A=1 B=2 rm x ¦ env - A=1 rm x ¦ env --ignore rm x ¦ env --ignore-environment rm x ¦ env --uns A rm x
  env --unset=A rm x ¦ env -C src rm x ¦ env --chdir=src rm x ¦ env --chd src rm x ¦ env -iC src rm x ¦ env -v rm x
  env -vS 'rm x' ¦ env -S '-i rm x' ¦ env -S 'A=1 rm x' ¦ env -S 'A=1 rm' x ¦ env -iS 'rm x' ¦ env -iS'rm x'
  env --split 'rm x' ¦ env --split-string '-u A rm x' ¦ env -S 'env -S "rm x"' ¦ env --block-signal=INT rm x
  env --default-signal rm x ¦ env -a y rm x ¦ env --argv0=y rm x ¦ env -- rm x ¦ env -- A=1 rm x ¦ sudo -u root rm x
  sudo -nu root rm x ¦ sudo -nuroot rm x ¦ sudo -EH rm x ¦ sudo -Hu root rm x ¦ sudo -g x -u y rm x
  sudo --us root rm x ¦ sudo --user root rm x ¦ sudo -C 5 rm x ¦ sudo -h host rm x ¦ sudo -p x rm x
  sudo -D src rm x ¦ sudo -T 5 rm x ¦ sudo -r a -t b rm x ¦ sudo A=1 rm x ¦ sudo -i rm x ¦ sudo -s rm x
  sudo -s -- rm x ¦ doas -n rm x ¦ doas -nu root rm x ¦ doas -C a rm x ¦ doas -- rm x ¦ watch -tn 1 rm x
  watch -tn1 rm x ¦ watch -n 1 'rm x' ¦ watch -d rm x ¦ watch -dt rm x ¦ watch --interval 1 rm x
  watch --int 1 rm x ¦ watch --differences=cumulative rm x ¦ watch -x rm x ¦ watch -gtn 2 'ls; rm x'
  watch 'ls | rm x' ¦ watch rm 'x y' ¦ ionice -tc 3 rm x ¦ ionice -c3 rm x ¦ ionice -c 2 -n 7 rm x
  ionice -c2 -n7 -t rm x ¦ ionice --class idle rm x ¦ ionice --cl idle rm x ¦ setsid -cw rm x ¦ setsid --fork rm x
  setsid --wait rm x ¦ flock -nx lock rm x ¦ flock -w 5 lock rm x ¦ flock -nw5 lock rm x ¦ flock -E 3 lock rm x
  flock --timeout 5 lock rm x ¦ flock --tim 5 lock rm x ¦ flock -n lock -c 'rm x' ¦ flock lock --command 'rm x'
  flock 9 rm x ¦ xargs -0 rm ¦ xargs -0I % rm % ¦ xargs -0I % -P 4 rm % ¦ xargs -0I% rm % ¦ xargs -i rm {}
  xargs -iX rm X ¦ xargs -n1P4 rm ¦ xargs -rn 1 rm ¦ xargs -L 1 rm ¦ xargs -l rm ¦ xargs -a list rm
  xargs -d '\n' rm ¦ xargs -0rd x rm ¦ xargs -s 100 rm ¦ xargs -E x rm ¦ xargs -e rm ¦ xargs --max-p 4 rm
  xargs --max-procs=4 rm ¦ xargs --arg-file list rm ¦ xargs --delim x rm ¦ xargs --repl rm ¦ xargs --replace=% rm %
  xargs -- rm ¦ xargs sudo rm ¦ xargs sh -c 'rm x' ¦ xargs -I{} sh -c 'rm {}' ¦ xargs env rm
  find . -exec env rm {} \; ¦ find . -name a -exec timeout 5 rm {} + ¦ find . -execdir sudo rm {} \;
  find . -ok nice rm {} \; ¦ find . -type f -okdir rm {} \; -print ¦ find . -exec bash -c 'rm "$1"' _ {} \;
  find . -exec ls {} + -exec rm {} + ¦ bash -c 'rm x' ¦ bash -c -o errexit 'rm x' ¦ bash -o errexit -c 'rm x'
  bash -co errexit 'rm x' ¦ bash -ec 'rm x' ¦ bash -ce 'rm x' ¦ bash +e -c 'rm x' ¦ bash -c +e 'rm x'
  bash -c -- 'rm x' ¦ bash -- -c 'rm x' && bash -c 'rm x' ¦ bash --norc --noprofile -c 'rm x'
  bash --rcfile a -c 'rm x' ¦ bash --init-file a -ic 'rm x' ¦ bash -O extglob -c 'rm x' ¦ bash -c -O extglob 'rm x'
  bash -c 'true; rm x' y z ¦ bash -c "bash -c 'rm x'" ¦ bash -c 'eval rm x' ¦ bash -c 'echo $(rm x)' ¦ sh -ec 'rm x'
  sh -c -e 'rm x' ¦ zsh -c 'rm x' ¦ zsh -fc 'rm x' ¦ zsh -o x -c 'rm x' ¦ /usr/bin/env rm x ¦ /usr/bin/env -S 'rm x'
  /bin/bash -c 'rm x' ¦ ./bash -c 'rm x' ¦ eval -- rm x ¦ eval -- 'rm x' ¦ eval 'rm' 'x' ¦ eval "rm x"
  eval 'env rm x' ¦ eval 'bash -c "rm x"' ¦ sudo env timeout 5 nice -n 3 rm x ¦ nohup setsid ionice -c3 rm x &
  A=1 sudo B=2 env C=3 rm x
`;

export const wrappers: readonly Group[] = [
  {
    about: "§5.5 deny looks through wrappers",
    rules: { allow: ["Bash"], deny: ["Bash(rm:*)"] },
    deny: hidden,
  },
  { about: "§5.5 ask looks through wrappers", mode: "bypass", rules: { ask: ["Bash(rm:*)"] }, ask: hidden },
  { about: "§5.5, §5.7 no confinement lets wrappers through", ctx: { enforced: true }, ask: hidden },
  {
    about: "§5.5 wrappers give nothing",
    rules: { allow: ["Bash(rm:*)", "Bash(ls:*)"] },
    ask: hidden.filter((line) =>
      /^(env|sudo|doas|watch|ionice|setsid|flock|exec|bash|eval|sh|zsh|xargs --?[a-zA-Z0-9])/u.test(line),
    ),
  },
];
