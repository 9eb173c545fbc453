// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are bash's.
import { lines } from "../lines.ts";
import { type AttackGroup, combine } from "./fixture.ts";

const readers = [
  ...lines`
    cat %% ¦ head -n 1 %% ¦ jq . %% ¦ awk 1 %% ¦ sed s/a/b/ %% ¦ wc -l < %% ¦ grep -n x %%
  `,
];

/** §5.7, "Asks in both tiers": values that lead outside. */
export const enforcedOutside: readonly AttackGroup[] = [
  {
    about: "values that the line shows to lead outside",
    tier: "both",
    ask: [
      ...combine(
        [
          ...lines`
            f=/etc/passwd; %% ¦ f=../out/secret.txt; %% ¦ f=link-secret; %% ¦ f=$HOME/.bashrc; %% ¦ f=~/.bashrc; %%
            for f in /etc/passwd; do %%; done ¦ for f in README.md ../out/secret.txt; do %%; done
            for f in /etc/*; do %%; done ¦ for f in ~/.ssh/*; do %%; done ¦ for f in ../out/*; do %%; done
            for f in "$HOME"/.ssh/*; do %%; done ¦ for f in link-out/*; do %%; done
          `,
        ],
        readers.map((reader) => reader.replace("%%", '"$f"')),
      ),
      ...lines`
        d=/etc; cat $d/passwd ¦ d=/etc; cat "\${d}/passwd" ¦ d=..; cat $d/out/secret.txt ¦ d=..; ls "$d"
        d=../out; ls $d ¦ a=/et b=c; cat $a$b/passwd ¦ a=/etc b=passwd; cat $a/$b
        x=README.md; x=/etc/passwd; cat $x ¦ if true; then x=/etc/passwd; else x=README.md; fi; cat "$x"
        x=README.md; if true; then x=/etc/passwd; fi; cat "$x"
        x=README.md; for i in 1 2; do cat "$x"; x=/etc/passwd; done ¦ for d in / /etc; do ls $d; done
        for d in src ..; do ls "$d"; done ¦ for d in src; do ls "$d/../.."; done
        for a in .; do cat $a./out/secret.txt; done ¦ for a in etc; do cat /$a/passwd; done
        for a in /etc; do for b in passwd; do cat $a/$b; done; done ¦ cat $HOME/.ssh/id_rsa ¦ cat "$HOME/.bashrc"
        cat "\${HOME}/.aws/credentials" ¦ ls $HOME ¦ ls "$HOME/.." ¦ cat $PWD/../out/secret.txt
        cat "\${PWD}/../out/secret.txt" ¦ cat "\${PWD%/*}/out/secret.txt" ¦ cat $(echo /etc/passwd)
        cat $(echo ../out/secret.txt) ¦ cat $(printf '%s' /etc/passwd) ¦ cat "$(echo /etc/passwd)"
        cat \`echo /etc/passwd\` ¦ cat "\${x:-/etc/passwd}" ¦ cat \${x:-../out/secret.txt} ¦ cat \${x-/etc/passwd}
        diff <(cat /etc/passwd) <(ls) ¦ diff <(ls) ../out/secret.txt ¦ comm <(sort /etc/passwd) <(ls)
        cat <(cat < /etc/passwd) ¦ echo "$(cat /etc/passwd)" ¦ echo "$(< /etc/passwd)" ¦ echo $(< ../out/secret.txt)
        x=$(cat /etc/passwd); echo "$x" ¦ n=$(wc -l < /etc/passwd); echo $n ¦ [ "$(cat /etc/passwd)" = x ]
        if grep -q x /etc/passwd; then ls; fi ¦ case $(cat /etc/passwd) in x) ls;; esac
        cat <<< "$(cat ../out/secret.txt)" ¦ while cat /etc/passwd; do ls; done ¦ find . -exec cat /etc/passwd \;
        find /etc -exec cat {} + ¦ find .. -exec wc -l {} + ¦ find ~ -exec wc -l {} +
        find link-out/ -exec cat {} + ¦ find . -newer /etc/passwd -exec wc -l {} + ¦ ls | xargs cat /etc/passwd
        ls | xargs -I{} cat ../out/{} ¦ ls | xargs -a /etc/passwd wc -l ¦ find /etc | xargs cat
        ls ../out | xargs -I{} cat ../out/{} ¦ jq -n --slurpfile a /etc/passwd '$a'
        jq --rawfile a /etc/passwd . package.json ¦ jq -f ../out/secret.txt package.json
        jq --from-file ../out/secret.txt package.json ¦ jq -L /etc . package.json
        awk -f ../out/secret.txt README.md ¦ awk -f/etc/passwd README.md ¦ awk 1 README.md /etc/passwd
        awk 1 < /etc/passwd ¦ sed -f ../out/secret.txt README.md ¦ sed -n p README.md /etc/passwd ¦ yq . /etc/passwd
        tac link-secret ¦ tac ../out/secret.txt ¦ fold /etc/passwd ¦ fmt /etc/passwd ¦ expand link-out/secret.txt
        pr /etc/passwd ¦ shuf /etc/passwd ¦ shuf --random-source=/etc/passwd -n 1 README.md ¦ base64 ~/.ssh/id_rsa
        base64 < ~/.ssh/id_rsa ¦ zcat link-out/x.gz ¦ bc /etc/passwd ¦ sort --files0-from=/etc/passwd
        wc --files0-from=/etc/passwd ¦ grep -rf /etc/passwd . ¦ rg -f /etc/passwd ¦ file -f /etc/passwd
        file -m /etc/magic README.md ¦ date -f /etc/passwd ¦ du --exclude-from=/etc/passwd .
        diff --from-file=/etc/passwd README.md ¦ md5sum -c /etc/passwd ¦ git -C .. log ¦ git -C /etc status
        git -C "$HOME" log ¦ git -C ../out status ¦ git -C link-out status ¦ git --no-pager -C .. log
        git grep --no-index x /etc ¦ git grep x -- ../out ¦ git grep -f /etc/passwd
        git diff --no-index /etc/passwd README.md ¦ cd .. && git log ¦ cd ../out; git status
        cd .. && jq . package.json ¦ cd /etc && for f in *; do cat "$f"; done ¦ cd src && awk 1 ../../out/secret.txt
        cd "$HOME" && ls ¦ cd $d && ls
      `,
    ],
  },
];
