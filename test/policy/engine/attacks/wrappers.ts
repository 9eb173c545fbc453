import { lines } from "../lines.ts";
import { type AttackGroup, combine } from "./fixture.ts";

const wrapped = lines`
  timeout 5 %% ¦ timeout -v 5 %% ¦ timeout -k 5 10 %% ¦ timeout -k5 10 %% ¦ timeout -vk 5 10 %% ¦ timeout -vk5 10 %%
  timeout -s KILL 5 %% ¦ timeout -sKILL 5 %% ¦ timeout -vs KILL 5 %% ¦ timeout --signal=KILL 5 %%
  timeout --signal KILL 5 %% ¦ timeout --sig KILL 5 %% ¦ timeout --kill-after=3 5 %% ¦ timeout --kill 3 5 %%
  timeout --foreground 5 %% ¦ timeout --fore 5 %% ¦ timeout --preserve-status 5 %% ¦ timeout --pres 5 %%
  timeout -- 5 %% ¦ timeout -v -- 5s %% ¦ timeout 1.5h %% ¦ timeout .5 %% ¦ nice %% ¦ nice -n 5 %% ¦ nice -n5 %%
  nice -5 %% ¦ nice --5 %% ¦ nice -n -5 %% ¦ nice --adjustment=5 %% ¦ nice --adjustment 5 %% ¦ nice --adj 5 %%
  nice --adj=5 %% ¦ nice -n 5 -- %% ¦ nice -- %% ¦ stdbuf -oL %% ¦ stdbuf -o L %% ¦ stdbuf -i0 -oL -eL %%
  stdbuf --output=L %% ¦ stdbuf --output L %% ¦ stdbuf --out L %% ¦ stdbuf -i 0 -- %% ¦ nohup %% ¦ nohup -- %%
  env %% ¦ env -i %% ¦ env - %% ¦ env -i -- %% ¦ env X=1 %% ¦ env -i X=1 Y=2 %% ¦ env -u HOME %% ¦ env -uHOME %%
  env -iu HOME %% ¦ env --unset=HOME %% ¦ env --unset HOME %% ¦ env --uns HOME %% ¦ env -C src %%
  env --chdir=src %% ¦ env --chdir src %% ¦ env -S '%%' ¦ env -S'%%' ¦ env -S '-i %%' ¦ env -iS '%%' ¦ env -vS '%%'
  env -S 'X=1 %%' ¦ env -S '-u HOME %%' ¦ env --split-string='%%' ¦ env --split-string '%%' ¦ env --split '-i %%'
  env -i -S "%%" ¦ env env %% ¦ env --block-signal=INT %% ¦ env --default-signal %% ¦ env -v %% ¦ sudo %%
  sudo -n %% ¦ sudo -u root %% ¦ sudo -uroot %% ¦ sudo -nu root %% ¦ sudo -E -u root -g wheel %%
  sudo --user=root %% ¦ sudo --user root %% ¦ sudo -- %% ¦ sudo X=1 %% ¦ sudo -i %% ¦ sudo -s %% ¦ sudo -C 3 %%
  sudo -D /tmp %% ¦ sudo -p x %% ¦ sudo -np x %% ¦ doas %% ¦ doas -u root %% ¦ doas -nu root %% ¦ doas -C x %%
  watch %% ¦ watch -n 1 %% ¦ watch -n1 %% ¦ watch -tn 1 %% ¦ watch -tn1 %% ¦ watch --interval=1 %%
  watch --interval 1 %% ¦ watch --int 1 %% ¦ watch -d %% ¦ watch -dt %% ¦ watch -x %% ¦ watch '%%' ¦ watch -n 1 '%%'
  watch 'ls; %%' ¦ watch -q 3 %% ¦ ionice %% ¦ ionice -c 3 %% ¦ ionice -c3 %% ¦ ionice -tc 3 %% ¦ ionice -tc3 %%
  ionice -c 2 -n 0 %% ¦ ionice --class idle %% ¦ ionice --class=idle %% ¦ ionice --cla 3 %% ¦ ionice -t -- %%
  setsid %% ¦ setsid -w %% ¦ setsid -fw %% ¦ setsid --fork %% ¦ setsid -- %% ¦ flock x %% ¦ flock -n x %%
  flock -w 5 x %% ¦ flock -nw 5 x %% ¦ flock -E 3 x %% ¦ flock --wait 5 x %% ¦ flock --timeout=5 x %%
  flock x -c '%%' ¦ flock -n x -c "%%" ¦ flock x --command '%%' ¦ xargs %% ¦ xargs -0 %% ¦ xargs -I % %%
  xargs -I{} %% ¦ xargs -I {} %% ¦ xargs -0I % -P 4 %% ¦ xargs -0I% -P4 %% ¦ xargs -0rn 1 %% ¦ xargs -n 1 %%
  xargs -n1 %% ¦ xargs -L 1 %% ¦ xargs -d , %% ¦ xargs -d '\n' -n1 %% ¦ xargs -a x %% ¦ xargs -ax %% ¦ xargs -E x %%
  xargs -s 100 %% ¦ xargs -P 4 -n 1 %% ¦ xargs --max-procs=4 %% ¦ xargs --max-procs 4 %% ¦ xargs --max-a 1 %%
  xargs --arg-file=x %% ¦ xargs --arg-file x %% ¦ xargs --delimiter , %% ¦ xargs --null %%
  xargs --process-slot-var=X %% ¦ xargs --replace %% ¦ xargs --replace={} %% ¦ xargs -r -t -- %% ¦ xargs xargs %%
  xargs -n1 env -i %% ¦ find . -exec %% {} + ¦ find . -exec %% {} \; ¦ find . -exec %% ';' ¦ find . -execdir %% {} +
  find . -ok %% \; ¦ find . -okdir %% {} \; ¦ find . -name y -o -exec %% \; ¦ find . -exec ls {} \; -exec %% \;
  find . ! -exec %% \; -print ¦ find . -exec env %% \; ¦ find . -exec sh -c '%%' \; ¦ sh -c '%%' ¦ bash -c '%%'
  bash -c "%%" ¦ zsh -c '%%' ¦ /bin/sh -c '%%' ¦ bash -lc '%%' ¦ bash -xc '%%' ¦ bash -ce '%%' ¦ bash -c -e '%%'
  bash -c -- '%%' ¦ bash -e -c '%%' ¦ bash -o errexit -c '%%' ¦ bash -eo pipefail -c '%%' ¦ bash -c -o errexit '%%'
  bash -co errexit '%%' ¦ bash +x -c '%%' ¦ bash -O extglob -c '%%' ¦ bash --norc -c '%%' ¦ bash --rcfile x -c '%%'
  bash --init-file x -c '%%' ¦ bash -c '%%' name a b ¦ bash -c 'ls; %%' ¦ bash -c 'ls && (%%)'
  bash -c "bash -c '%%'" ¦ bash -c $'%%' ¦ sh -ec '%%' ¦ zsh -fc '%%' ¦ bash -c 'eval "%%"'
  timeout 5 env -i nice -n 5 sh -c '%%' ¦ nohup timeout -k 1 5 xargs -0 %% ¦ command timeout 5 %%
  builtin command %% ¦ time nohup nice %% ¦ exec env -i %%
`;

/** §5.5: a deny or an ask rule sees through every wrapper. */
export const wrappers: readonly AttackGroup[] = [
  {
    about: "a denied command behind wrappers, with Bash allowed",
    rules: { allow: ["Bash"], deny: ["Bash(rm:*)"] },
    deny: combine(wrapped, ["rm x"]),
  },
  {
    about: "a command that asks behind wrappers, in bypass",
    rules: { ask: ["Bash(curl *)"] },
    mode: "bypassPermissions",
    ask: combine(wrapped, ["curl x"]),
  },
];
