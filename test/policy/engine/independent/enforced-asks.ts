import { lines } from "../lines.ts";
import type { Group } from "./ground.ts";

/** §5.7: what asks although a confinement works. */
export const enforcedAsks: readonly Group[] = [
  {
    about: "§5.7 words that name or lead outside",
    ctx: { enforced: true },
    ask: lines`
      cat /etc/passwd ¦ cat /etc/os-release ¦ ls / ¦ ls /tmp ¦ ls .. ¦ ls ~ ¦ ls ~/projects ¦ cat ../README.md
      cat link-secret ¦ cat link-out/secret.txt ¦ ls link-out/ ¦ awk 1 /etc/passwd ¦ awk 1 ../out/secret.txt
      awk 1 link-secret ¦ jq . ../README.md ¦ jq . /etc/hosts ¦ sed p /etc/passwd ¦ sed -n p ../out/secret.txt
      base64 @out/secret.txt ¦ tac ~/.bashrc ¦ zcat link-secret ¦ shuf -n 1 /etc/passwd ¦ fold ../README.md
      grep x /etc/passwd ¦ grep -R x /etc ¦ grep --file=/etc/passwd a ¦ rg x .. ¦ rg x / ¦ find /
      find .. -exec wc -l {} + ¦ find /etc -name x ¦ find ~ -exec cat {} + ¦ find . -exec cat /etc/passwd \;
      find . -exec cat ../README.md \; ¦ ls | xargs cat /etc/passwd ¦ ls | xargs -I{} cat ../{}
      ls | xargs -a /etc/passwd cat ¦ awk 1 < /etc/passwd ¦ jq . < ../README.md ¦ cat < link-secret
      git -C .. status ¦ git -C @out log ¦ git -C / status ¦ git -C ~ status ¦ git --no-pager -C ../out log
      git log -- ../out ¦ cd .. && ls ¦ cd / && ls ¦ cd && ls ¦ cd - && ls ¦ cd @out && git status
      cd link-out && ls ¦ diff a /etc/passwd ¦ wc -l @ws-other/x ¦ tail -f /var/log/syslog ¦ sort -T /tmp -u a
      stat -L link-secret ¦ /bin/ls ¦ /usr/bin/awk 1 a ¦ ./run ¦ tools/jq . a
    `,
  },
  {
    about: "§5.7 what by its manual writes",
    ctx: { enforced: true },
    ask: lines`
      sed -i s/a/b/ a ¦ sed -i.bak s/a/b/ a ¦ sed -ni p a ¦ sed --in-place s/a/b/ a ¦ sed -Ei s/a/b/ a ¦ sort -o a a
      sort -oa a ¦ sort -no x a ¦ sort --output=x a ¦ sort --outp x a ¦ tee x ¦ ls | tee x ¦ ls | tee -a x
      find . -name x -delete ¦ find src -delete ¦ find . -fprint x ¦ find . -fls x ¦ find . -fprintf x %p
      find . -fprint0 x ¦ find . -exec rm {} + ¦ find . -exec mv {} x \; ¦ find . -exec sed -i s/a/b/ {} +
      find . -exec sh -c ls \; ¦ find . -exec ./x {} \; ¦ find . -exec node {} \; ¦ find . -exec sort -o x {} +
      find . -exec tee x \; ¦ ls | xargs rm ¦ ls | xargs -0 rm ¦ ls | xargs sed -i s/a/b/ ¦ ls | xargs sh -c ls
      ls | xargs -n1 node ¦ ls | xargs touch ¦ ls | xargs sort -o x ¦ ls | xargs tee ¦ ls | xargs ./x ¦ tree -o x
      tree -ao x ¦ uniq a b ¦ uniq -c a b ¦ xxd -r a b ¦ xxd a b ¦ file -C ¦ file -Cm a ¦ yq -i .a=1 a
      yq --inplace .a=1 a ¦ shuf -o x a ¦ shuf --output=x a ¦ git log --output=x ¦ git diff --output=x ¦ rm a
      mv a b ¦ cp a b ¦ mkdir x ¦ touch x ¦ ln -s a b ¦ chmod +x a ¦ truncate -s 0 a ¦ dd of=x ¦ install a b
      ls > x ¦ ls >> x ¦ awk 1 a > x ¦ awk 1 a 2> err ¦ jq . a &> x ¦ for f in a; do wc -l $f; done > x
      cat a | sort > x
    `,
  },
  {
    about: "§5.7 a program that the workspace puts first on the PATH",
    ctx: { enforced: true },
    searchPath: "@ws/tools:/usr/bin:/bin:@root/bin",
    ask: ["jq . package.json", "ls | xargs jq .", "find . -exec jq . {} +", "timeout 5 jq . a"],
    allow: ["awk 1 a", "ls", "cat a | tac"],
  },
  ...[".:/usr/bin:/bin", ":/usr/bin:/bin", "@root/link-tools:/usr/bin:/bin", "../tools:/usr/bin"].map(
    (searchPath): Group => ({
      about: `§5.7 a program of the workspace on the PATH ${searchPath}`,
      at: "@ws/tools",
      ctx: { enforced: true, projectRoot: "@ws" },
      searchPath,
      ask: ["jq . a", "ls | xargs jq ."],
    }),
  ),
  {
    about: "§5.7 a program that is not on the PATH",
    ctx: { enforced: true },
    searchPath: "@root/nothing",
    ask: ["jq . package.json", "awk 1 a", "node --version"],
  },
];
