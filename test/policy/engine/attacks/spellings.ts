import { lines } from "../lines.ts";
import type { AttackGroup } from "./fixture.ts";

const spellings = lines`
  \rm x ¦ 'rm' x ¦ "rm" x ¦ r'm' x ¦ r""m x ¦ r\m x ¦ $'rm' x ¦ $'\x72m' x ¦ $'\162m' x ¦ $"rm" x ¦ rm   x ¦ rm -- x
  /bin/rm x ¦ /usr/bin/rm x ¦ /usr/bin/../bin/rm x ¦ ../../bin/rm x ¦ ./rm x ¦ ~/rm x ¦ command rm x
  command -p rm x ¦ command -- rm x ¦ command -p -- rm x ¦ builtin rm x ¦ exec rm x ¦ exec -a ls rm x ¦ exec -c rm x
  exec -l rm x ¦ exec -cl rm x ¦ exec -cla ls rm x ¦ exec -als rm x ¦ exec -- rm x ¦ X=1 rm x ¦ X=1 Y=2 rm x
  X[0]=1 rm x ¦ PATH=. rm x ¦ >out rm x ¦ </dev/null rm x ¦ 2>&1 rm x ¦ rm x & ¦ rm x | ls ¦ ls | rm x ¦ ! rm x
  time rm x ¦ time -p rm x ¦ time -- rm x ¦ coproc rm x ¦ (rm x) ¦ { rm x; } ¦ if rm x; then ls; fi
  for i in a; do rm x; done ¦ f() { rm x; }; f ¦ rm() { ls; }; rm x ¦ eval rm x ¦ eval 'rm x' ¦ eval "rm x"
  eval -- rm x ¦ eval -- 'rm x' ¦ eval 'rm' x ¦ eval 'ls; rm x' ¦ eval eval rm x ¦ eval "eval 'rm x'"
  command eval 'rm x' ¦ builtin eval 'rm x'
`;

/** §5.3, §5.5: a deny rule sees through every spelling. */
export const deniedSpellings: readonly AttackGroup[] = [
  {
    about: "a denied command in other spellings, with Bash allowed",
    rules: { allow: ["Bash"], deny: ["Bash(rm:*)"] },
    tier: "both",
    deny: spellings,
  },
  {
    about: "denied commands whose words come from elsewhere, with nothing allowed",
    rules: { deny: ["Bash(rm:*)"] },
    tier: "both",
    not: [
      ...lines`
        c=rm; $c x ¦ c=rm; "$c" x ¦ c=rm; \${c} x ¦ c=r; \${c}m x ¦ for c in rm; do $c x; done ¦ $(echo rm) x
        \`echo rm\` x ¦ $(echo r)m x ¦ r? x ¦ r[m] x ¦ /bin/r? x ¦ alias q=rm; q x ¦ bash <<< 'rm x'
        echo 'rm x' | bash ¦ echo 'rm x' | sh ¦ printf 'rm x' | bash -s ¦ bash -s <<< 'rm x' ¦ bash <(echo rm x)
        . <(echo rm x) ¦ source /dev/stdin <<< 'rm x' ¦ busybox rm x ¦ toybox rm x ¦ hash -p /bin/rm ls; ls x
        trap 'rm x' EXIT ¦ trap "rm x" 0 ¦ mapfile -C 'rm x' -c 1 ¦ complete -C 'rm x' y ¦ PROMPT_COMMAND='rm x'
        x='rm x'; eval $x ¦ x='rm x'; eval "$x" ¦ x='rm x'; bash -c "$x" ¦ echo x | xargs -I{} rm {}
        echo rm | xargs -I{} {} x ¦ ssh host rm x ¦ su -c 'rm x' ¦ script -c 'rm x' ¦ strace rm x ¦ ltrace rm x
        chroot / rm x ¦ unshare rm x ¦ nsenter rm x ¦ taskset 1 rm x ¦ chrt 1 rm x ¦ parallel rm ::: x ¦ entr rm x
        perl -e 'system "rm x"' ¦ python3 -c 'import os; os.system("rm x")'
        awk 'BEGIN { system("rm x") }' /etc/hostname ¦ git -c alias.x='!rm x' x ¦ find . -delete
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
      r{m,m} x ¦ {rm,x} ¦ {rm,-f,x} ¦ c=rm; $c x ¦ c=rm; "$c" x ¦ c=r; \${c}m x ¦ for c in rm; do $c x; done
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
      git push origin ¦ git  push  origin ¦ git "push" origin ¦ git 'push' 'origin' ¦ git pu''sh origin
      "git" push origin main ¦ /usr/bin/git push origin ¦ git push origin; ls ¦ ls && git push origin
      echo "$(git push origin)" ¦ env git push origin ¦ env -S 'git push origin' ¦ bash -c 'git push origin'
      timeout -vk 5 9 git push origin ¦ sudo -u me git push origin ¦ X=1 git push origin ¦ git push origin > out
      > out git push origin ¦ git push ¦ npm publish ¦ npm 'publish' ¦ npm publish # now ¦ (npm publish)
      npm publish & ¦ nice npm publish ¦ xargs npm publish ¦ docker ¦ docker ps ¦ docker-compose up
      /usr/local/bin/docker ps ¦ \docker ps ¦ npm install --force ¦ yarn --force ¦ sh -c "yarn add x --force"
    `,
  },
  {
    about: "a deny rule that is no prefix of the command",
    rules: { allow: ["Bash"], deny: ["Bash(rm:*)", "Bash(git push:*)", "Bash(npm publish)"] },
    allow: lines`
      rmdir x ¦ rmx y ¦ echo rm x ¦ grep -n rm README.md ¦ ls rm ¦ git pushx ¦ npm publishx ¦ git log push
      echo 'git push' ¦ npm test -- publish ¦ cat src/a.ts # rm x
    `,
  },
];
