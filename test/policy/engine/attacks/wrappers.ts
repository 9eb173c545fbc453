// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are bash's.
import { type AttackGroup, combine, lines } from "./fixture.ts";

const spellings = lines`
  \rm x
  'rm' x
  "rm" x
  r'm' x
  r""m x
  r\m x
  $'rm' x
  $'\x72m' x
  $'\162m' x
  $"rm" x
  rm   x
  rm -- x
  /bin/rm x
  /usr/bin/rm x
  /usr/bin/../bin/rm x
  ../../bin/rm x
  ./rm x
  ~/rm x
  command rm x
  command -p rm x
  command -- rm x
  command -p -- rm x
  builtin rm x
  exec rm x
  exec -a ls rm x
  exec -c rm x
  exec -l rm x
  exec -cl rm x
  exec -cla ls rm x
  exec -als rm x
  exec -- rm x
  X=1 rm x
  X=1 Y=2 rm x
  X[0]=1 rm x
  PATH=. rm x
  >out rm x
  </dev/null rm x
  2>&1 rm x
  rm x &
  rm x | ls
  ls | rm x
  ! rm x
  time rm x
  time -p rm x
  time -- rm x
  coproc rm x
  (rm x)
  { rm x; }
  if rm x; then ls; fi
  for i in a; do rm x; done
  f() { rm x; }; f
  rm() { ls; }; rm x
  eval rm x
  eval 'rm x'
  eval "rm x"
  eval -- rm x
  eval -- 'rm x'
  eval 'rm' x
  eval 'ls; rm x'
  eval eval rm x
  eval "eval 'rm x'"
  command eval 'rm x'
  builtin eval 'rm x'
`;

const wrapped = lines`
  timeout 5 %%
  timeout -v 5 %%
  timeout -k 5 10 %%
  timeout -k5 10 %%
  timeout -vk 5 10 %%
  timeout -vk5 10 %%
  timeout -s KILL 5 %%
  timeout -sKILL 5 %%
  timeout -vs KILL 5 %%
  timeout --signal=KILL 5 %%
  timeout --signal KILL 5 %%
  timeout --sig KILL 5 %%
  timeout --kill-after=3 5 %%
  timeout --kill 3 5 %%
  timeout --foreground 5 %%
  timeout --fore 5 %%
  timeout --preserve-status 5 %%
  timeout --pres 5 %%
  timeout -- 5 %%
  timeout -v -- 5s %%
  timeout 1.5h %%
  timeout .5 %%
  nice %%
  nice -n 5 %%
  nice -n5 %%
  nice -5 %%
  nice --5 %%
  nice -n -5 %%
  nice --adjustment=5 %%
  nice --adjustment 5 %%
  nice --adj 5 %%
  nice --adj=5 %%
  nice -n 5 -- %%
  nice -- %%
  stdbuf -oL %%
  stdbuf -o L %%
  stdbuf -i0 -oL -eL %%
  stdbuf --output=L %%
  stdbuf --output L %%
  stdbuf --out L %%
  stdbuf -i 0 -- %%
  nohup %%
  nohup -- %%
  env %%
  env -i %%
  env - %%
  env -i -- %%
  env X=1 %%
  env -i X=1 Y=2 %%
  env -u HOME %%
  env -uHOME %%
  env -iu HOME %%
  env --unset=HOME %%
  env --unset HOME %%
  env --uns HOME %%
  env -C src %%
  env --chdir=src %%
  env --chdir src %%
  env -S '%%'
  env -S'%%'
  env -S '-i %%'
  env -iS '%%'
  env -vS '%%'
  env -S 'X=1 %%'
  env -S '-u HOME %%'
  env --split-string='%%'
  env --split-string '%%'
  env --split '-i %%'
  env -i -S "%%"
  env env %%
  env --block-signal=INT %%
  env --default-signal %%
  env -v %%
  sudo %%
  sudo -n %%
  sudo -u root %%
  sudo -uroot %%
  sudo -nu root %%
  sudo -E -u root -g wheel %%
  sudo --user=root %%
  sudo --user root %%
  sudo -- %%
  sudo X=1 %%
  sudo -i %%
  sudo -s %%
  sudo -C 3 %%
  sudo -D /tmp %%
  sudo -p x %%
  sudo -np x %%
  doas %%
  doas -u root %%
  doas -nu root %%
  doas -C x %%
  watch %%
  watch -n 1 %%
  watch -n1 %%
  watch -tn 1 %%
  watch -tn1 %%
  watch --interval=1 %%
  watch --interval 1 %%
  watch --int 1 %%
  watch -d %%
  watch -dt %%
  watch -x %%
  watch '%%'
  watch -n 1 '%%'
  watch 'ls; %%'
  watch -q 3 %%
  ionice %%
  ionice -c 3 %%
  ionice -c3 %%
  ionice -tc 3 %%
  ionice -tc3 %%
  ionice -c 2 -n 0 %%
  ionice --class idle %%
  ionice --class=idle %%
  ionice --cla 3 %%
  ionice -t -- %%
  setsid %%
  setsid -w %%
  setsid -fw %%
  setsid --fork %%
  setsid -- %%
  flock x %%
  flock -n x %%
  flock -w 5 x %%
  flock -nw 5 x %%
  flock -E 3 x %%
  flock --wait 5 x %%
  flock --timeout=5 x %%
  flock x -c '%%'
  flock -n x -c "%%"
  flock x --command '%%'
  xargs %%
  xargs -0 %%
  xargs -I % %%
  xargs -I{} %%
  xargs -I {} %%
  xargs -0I % -P 4 %%
  xargs -0I% -P4 %%
  xargs -0rn 1 %%
  xargs -n 1 %%
  xargs -n1 %%
  xargs -L 1 %%
  xargs -d , %%
  xargs -d '\n' -n1 %%
  xargs -a x %%
  xargs -ax %%
  xargs -E x %%
  xargs -s 100 %%
  xargs -P 4 -n 1 %%
  xargs --max-procs=4 %%
  xargs --max-procs 4 %%
  xargs --max-a 1 %%
  xargs --arg-file=x %%
  xargs --arg-file x %%
  xargs --delimiter , %%
  xargs --null %%
  xargs --process-slot-var=X %%
  xargs --replace %%
  xargs --replace={} %%
  xargs -r -t -- %%
  xargs xargs %%
  xargs -n1 env -i %%
  find . -exec %% {} +
  find . -exec %% {} \;
  find . -exec %% ';'
  find . -execdir %% {} +
  find . -ok %% \;
  find . -okdir %% {} \;
  find . -name y -o -exec %% \;
  find . -exec ls {} \; -exec %% \;
  find . ! -exec %% \; -print
  find . -exec env %% \;
  find . -exec sh -c '%%' \;
  sh -c '%%'
  bash -c '%%'
  bash -c "%%"
  zsh -c '%%'
  /bin/sh -c '%%'
  bash -lc '%%'
  bash -xc '%%'
  bash -ce '%%'
  bash -c -e '%%'
  bash -c -- '%%'
  bash -e -c '%%'
  bash -o errexit -c '%%'
  bash -eo pipefail -c '%%'
  bash -c -o errexit '%%'
  bash -co errexit '%%'
  bash +x -c '%%'
  bash -O extglob -c '%%'
  bash --norc -c '%%'
  bash --rcfile x -c '%%'
  bash --init-file x -c '%%'
  bash -c '%%' name a b
  bash -c 'ls; %%'
  bash -c 'ls && (%%)'
  bash -c "bash -c '%%'"
  bash -c $'%%'
  sh -ec '%%'
  zsh -fc '%%'
  bash -c 'eval "%%"'
  timeout 5 env -i nice -n 5 sh -c '%%'
  nohup timeout -k 1 5 xargs -0 %%
  command timeout 5 %%
  builtin command %%
  time nohup nice %%
  exec env -i %%
`;

/** §5.5: a deny or an ask rule sees through every wrapper and spelling. */
export const wrappers: readonly AttackGroup[] = [
  {
    about: "a denied command in other spellings, with Bash allowed",
    rules: { allow: ["Bash"], deny: ["Bash(rm:*)"] },
    tier: "both",
    deny: spellings,
  },
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
  {
    about: "denied commands whose words come from elsewhere, with nothing allowed",
    rules: { deny: ["Bash(rm:*)"] },
    tier: "both",
    not: [
      ...lines`
        c=rm; $c x
        c=rm; "$c" x
        c=rm; \${c} x
        c=r; \${c}m x
        for c in rm; do $c x; done
        $(echo rm) x
        \`echo rm\` x
        $(echo r)m x
        r? x
        r[m] x
        /bin/r? x
        alias q=rm; q x
        bash <<< 'rm x'
        echo 'rm x' | bash
        echo 'rm x' | sh
        printf 'rm x' | bash -s
        bash -s <<< 'rm x'
        bash <(echo rm x)
        . <(echo rm x)
        source /dev/stdin <<< 'rm x'
        busybox rm x
        toybox rm x
        hash -p /bin/rm ls; ls x
        trap 'rm x' EXIT
        trap "rm x" 0
        mapfile -C 'rm x' -c 1
        complete -C 'rm x' y
        PROMPT_COMMAND='rm x'
        x='rm x'; eval $x
        x='rm x'; eval "$x"
        x='rm x'; bash -c "$x"
        echo x | xargs -I{} rm {}
        echo rm | xargs -I{} {} x
        ssh host rm x
        su -c 'rm x'
        script -c 'rm x'
        strace rm x
        ltrace rm x
        chroot / rm x
        unshare rm x
        nsenter rm x
        taskset 1 rm x
        chrt 1 rm x
        parallel rm ::: x
        entr rm x
        perl -e 'system "rm x"'
        python3 -c 'import os; os.system("rm x")'
        awk 'BEGIN { system("rm x") }' /etc/hostname
        git -c alias.x='!rm x' x
        find . -delete
      `,
      "bash <<EOF\nrm x\nEOF",
      "bash <<'EOF'\nrm x\nEOF",
      "sh <<EOF\n$(rm x)\nEOF",
    ],
  },
  {
    about: "a denied command whose word the line itself shows, with Bash allowed",
    rules: { allow: ["Bash"], deny: ["Bash(rm:*)"] },
    not: lines`
      r{m,m} x
      {rm,x}
      {rm,-f,x}
      c=rm; $c x
      c=rm; "$c" x
      c=r; \${c}m x
      for c in rm; do $c x; done
      busybox rm x
    `,
  },
  {
    about: "denied texts in other shapes",
    rules: {
      allow: ["Bash"],
      deny: ["Bash(git push *)", "Bash(npm publish)", "Bash(docker*)", "Bash(* --force)"],
    },
    deny: lines`
      git push origin
      git  push  origin
      git "push" origin
      git 'push' 'origin'
      git pu''sh origin
      "git" push origin main
      /usr/bin/git push origin
      git push origin; ls
      ls && git push origin
      echo "$(git push origin)"
      env git push origin
      env -S 'git push origin'
      bash -c 'git push origin'
      timeout -vk 5 9 git push origin
      sudo -u me git push origin
      X=1 git push origin
      git push origin > out
      > out git push origin
      git push
      npm publish
      npm 'publish'
      npm publish # now
      (npm publish)
      npm publish &
      nice npm publish
      xargs npm publish
      docker
      docker ps
      docker-compose up
      /usr/local/bin/docker ps
      \docker ps
      npm install --force
      yarn --force
      sh -c "yarn add x --force"
    `,
  },
  {
    about: "a deny rule that is no prefix of the command",
    rules: { allow: ["Bash"], deny: ["Bash(rm:*)", "Bash(git push:*)", "Bash(npm publish)"] },
    allow: lines`
      rmdir x
      rmx y
      echo rm x
      grep -n rm README.md
      ls rm
      git pushx
      npm publishx
      git log push
      echo 'git push'
      npm test -- publish
      cat src/a.ts # rm x
    `,
  },
];
