import { lines } from "../lines.ts";
import { everydayPlain } from "./everyday-plain.ts";
import { everydayPlainGit } from "./everyday-plain-git.ts";
import { destroys } from "./git-destroying-lines.ts";
import type { Group } from "./ground.ts";
import { plainRowGroups } from "./plain-rows.ts";

/** §5.7: what the plain tier allows is allowed here too; what hides behind options and programs is not. */
export const enforcedFurther: readonly Group[] = [
  ...[...plainRowGroups, ...everydayPlain, ...everydayPlainGit].map(
    ({ about, allow = [] }): Group => ({
      about: `§5.7 also enforced: ${about}`,
      ctx: { enforced: true },
      tier: "enforced",
      allow,
    }),
  ),
  { about: "§5.7 git that destroys", ctx: { enforced: true }, ask: destroys },
  {
    about: "§5.7 operands and values of other programs that lead outside",
    ctx: { enforced: true },
    ask: lines`
      awk -f ../x.awk a ¦ awk -f /etc/x a ¦ awk -f/etc/x a ¦ awk --file=/etc/x a ¦ awk -v x=/etc/passwd 1 a
      awk 1 a ../README.md ¦ jq -f /etc/x a ¦ jq --from-file ../x a ¦ jq --slurpfile x /etc/passwd . a
      jq --rawfile x ../README.md . a ¦ jq --argfile x link-secret . a ¦ jq -L /etc . a ¦ sed -f ../x a
      sed -f /etc/x a ¦ sed -e p -f/etc/x a ¦ sed --file=/etc/x a ¦ base64 -d /etc/x
      shuf -n1 --random-source=/etc/x a ¦ pr ../README.md ¦ numfmt --to=iec < /etc/x ¦ zcat ../x.gz ¦ bc ../x
      sort --files0-from=/etc/x ¦ wc --files0-from=../x ¦ du --files0-from=/etc/x ¦ file -f /etc/passwd
      rg --ignore-file=/etc/x x ¦ rg --pre=/bin/cat x ¦ grep -R x ~ ¦ find . -newer ../x
      find . -newermt /etc/passwd -o -samefile /etc/passwd ¦ find . -exec awk -f /etc/x {} +
      ls | xargs awk -f /etc/x ¦ ls | xargs -I{} cat /{} ¦ ls | xargs -I{} cat ~/{} ¦ git grep x -- ../out
      git grep -f /etc/passwd ¦ git -C src grep x -- ../.. ¦ git -C src show HEAD:../../x ¦ git -C src/../.. log
      git cat-file --batch < /etc/x ¦ git ls-tree HEAD ../out ¦ git check-ignore /etc/x ¦ git --no-pager log -- /etc
      diff <(sort /etc/passwd) a ¦ cat <(cat ../README.md) ¦ node --version /etc/x
    `,
    allow: lines`
      awk -f a README.md ¦ awk -v x=src/a.ts 1 a ¦ jq -f a package.json ¦ jq --slurpfile x a . package.json
      sed -f a README.md ¦ git -C src show HEAD:README.md ¦ cd src && awk 1 ../README.md
      cd src/deep && jq . ../../package.json ¦ find . -newer a ¦ rg --ignore-file=a x ¦ awk '/etc/' a
      awk '/^\/api/ {print}' a ¦ sed '/x/d;s,/a,/b,' a ¦ jq '.["/x"]' package.json
    `,
  },
  {
    about: "§5.7 commands inside find and xargs",
    ctx: { enforced: true },
    ask: lines`
      find . -exec wc -l {} + -delete ¦ find . -exec wc -l {} \; -exec rm {} \; ¦ find . -exec ls {} \; -fprint x
      find . -delete -exec wc -l {} + ¦ find . -exec xargs rm \; ¦ find . -exec find {} -delete \;
      find . -exec {} \; ¦ find . -exec ./{} \; ¦ find . -exec src/run {} \; ¦ find . -exec env rm {} +
      find . -exec sudo wc {} + ¦ find . -exec timeout 5 rm {} \; ¦ find . -exec bash -c 'wc -l "$1"' _ {} \;
      find . -exec awk {} a \; -exec touch {} \; ¦ find . -exec git add {} + ¦ find . -exec git stash \;
      find . -exec curl {} \; ¦ find . -exec kill {} \; ¦ find . -exec printenv {} \; -okdir rm {} \;
      ls | xargs xargs rm ¦ ls | xargs find src -delete ¦ ls | xargs -I{} find {} -delete ¦ ls | xargs timeout 5 rm
      ls | xargs env rm ¦ ls | xargs sudo cat ¦ ls | xargs -I{} {} a ¦ ls | xargs -I % %
      ls | xargs -I{} sh -c 'wc {}' ¦ ls | xargs -n1 git add ¦ ls | xargs git checkout ¦ ls | xargs -P4 -n1 node
      ls | xargs -I{} ./{} ¦ ls | xargs /bin/cat ¦ ls | xargs curl ¦ ls | xargs kill ¦ ls | xargs npm
      ls | xargs eval ¦ ls | xargs -0 -n1 bash ¦ ls | xargs sed -i p ¦ ls | xargs sed -n -i p
      ls | xargs yq -i .a=1 ¦ ls | xargs find . -exec rm {} +
    `,
    allow: lines`
      find . -exec wc -l {} + -exec head -1 {} \; ¦ find . -exec git log -1 {} \;
      find . -name '*.ts' -exec jq . {} \; ¦ ls | xargs git log -1 -- ¦ ls | xargs -n1 git log -1 --format=%h --
      ls | xargs ¦ ls | xargs -n 2 ¦ ls | xargs -0 -n1 -P 4 wc -l ¦ ls | xargs --max-args=1 wc -l
      ls | xargs -r grep -l x ¦ ls | xargs -t wc -l ¦ ls | xargs xargs wc -l
    `,
  },
];
