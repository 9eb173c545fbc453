// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are bash's.
import { lines } from "../lines.ts";
import type { Group } from "./ground.ts";

const raw = String.raw;
const x = (count: number) => "x".repeat(count);

const hidden = [
  "rm a",
  " rm  a ",
  "rm\ta",
  raw`\rm a`,
  raw`r\m a`,
  "r\\\nm a",
  ...lines`
    'rm' a ¦ "rm" a ¦ r''m a ¦ r"m" a ¦ $'rm' a ¦ $'\x72m' a ¦ /bin/rm a ¦ ./rm a ¦ ../x/rm a ¦ A=1 rm a ¦ A+=1 rm a
    A=1 B=2 rm a ¦ PATH=x rm a ¦ A=$(ls) rm a ¦ >x rm a ¦ 2>&1 rm a ¦ rm >x a ¦ <a rm b ¦ timeout 5 rm a
    timeout -s KILL 5 rm a ¦ timeout -k 1 -s9 5s rm a ¦ timeout --signal=KILL --kill-after=3 5 rm a
    timeout --preserve-status 5 rm a ¦ timeout --foreground 5 rm a ¦ time rm a ¦ time -p rm a ¦ nice rm a
    nice -n 5 rm a ¦ nice -n5 rm a ¦ nice -5 rm a ¦ nice --adjustment=5 rm a ¦ nohup rm a ¦ nohup rm a &
    stdbuf -oL rm a ¦ stdbuf -o L -e 0 rm a ¦ stdbuf --output=L rm a ¦ command rm a ¦ command -p rm a
    command -- rm a ¦ builtin rm a ¦ xargs rm ¦ xargs -0 rm ¦ xargs -n 1 rm ¦ xargs -n1 rm ¦ xargs -I{} rm {}
    xargs -I {} rm {} ¦ xargs -P4 -r rm ¦ xargs --max-args=1 rm ¦ ls | xargs rm ¦ env rm a ¦ env A=1 rm a
    env -i rm a ¦ env -u X rm a ¦ env -uX rm a ¦ env --unset=X rm a ¦ env - rm a ¦ env -S 'rm a' ¦ env -S'rm a'
    env --split-string='rm a' ¦ env -C src rm a ¦ env -i A=1 -- rm a ¦ /usr/bin/env rm a ¦ sudo rm a
    sudo -u root rm a ¦ sudo -uroot rm a ¦ sudo -n -- rm a ¦ sudo -E A=1 rm a ¦ sudo --user=root rm a ¦ doas rm a
    doas -u root rm a ¦ watch rm a ¦ watch -n 1 rm a ¦ watch -n1 'rm a' ¦ watch 'ls; rm a' ¦ ionice rm a
    ionice -c 3 rm a ¦ ionice -c3 -n7 rm a ¦ setsid rm a ¦ setsid -w rm a ¦ flock lock rm a ¦ flock -n lock rm a
    flock lock -c 'rm a' ¦ flock -w 5 lock rm a ¦ find . -exec rm {} \; ¦ find . -exec rm {} +
    find . -execdir rm {} ';' ¦ find . -ok rm {} \; ¦ find . -okdir rm {} \; ¦ find . -exec ls \; -exec rm {} \;
    find . -exec sh -c 'rm $1' _ {} \; ¦ find . -ex\ec rm {} \; ¦ find . -exec sudo rm {} \; ¦ sh -c 'rm a'
    bash -c "rm a" ¦ zsh -c 'rm a' ¦ bash -lc 'rm a' ¦ bash -ec 'rm a' ¦ bash -x -c 'rm a' ¦ bash --norc -c 'rm a'
    bash -o pipefail -c 'rm a' ¦ /bin/sh -c 'rm a' ¦ bash -c 'ls; rm a' ¦ bash -c 'bash -c "rm a"'
    bash -c -- 'rm a' ¦ eval 'rm a' ¦ eval rm a ¦ eval ' rm' a ¦ eval 'eval "rm a"'
    sudo env nice -n 3 timeout 5 rm a ¦ nohup sudo bash -c 'timeout 3 rm a' & ¦ ls && rm a ¦ ls || rm a ¦ ls; rm a
    ls | rm a ¦ ls |& rm a ¦ ls & rm a
  `,
  "ls\nrm a",
  ...lines`
    ls;rm a;ls ¦ rm a & ¦ (rm a) ¦ ( ( rm a ) ) ¦ { rm a; } ¦ ! rm a ¦ coproc rm a ¦ coproc x { rm a; }
    if rm a; then ls; fi ¦ if true; then rm a; fi ¦ if true; then ls; elif true; then rm a; fi
    if true; then ls; else rm a; fi ¦ while rm a; do ls; done ¦ while true; do rm a; done ¦ until rm a; do ls; done
    for i in 1; do rm a; done ¦ for c in ls rm; do $c a; done ¦ for i in $(rm a); do ls; done
    for ((i=0;i<1;i++)); do rm a; done ¦ for ((i=$(rm a);i<1;i++)); do ls; done ¦ select i in 1; do rm a; done
    case x in x) rm a;; esac ¦ case $(rm a) in x) ls;; esac ¦ case x in $(rm a)) ls;; esac ¦ f() { rm a; }
    function f { rm a; } ¦ f() ( rm a ) ¦ echo $(rm a) ¦ echo "$(rm a)" ¦ echo "x $(echo "$(rm a)") y"
    echo \`rm a\` ¦ echo "\`rm a\`"
  `,
  raw`echo \`rm a\``.replaceAll("\\`", "`"),
  "echo `echo \\`rm a\\``",
  ...lines`
    cat <(rm a) ¦ ls > >(rm a) ¦ echo > $(rm a) ¦ cat < $(rm a) ¦ cat <<< $(rm a) ¦ cat <<< "$(rm a)"
  `,
  "cat <<E\n$(rm a)\nE",
  "cat <<-E\n\t`rm a`\n\tE",
  'cat <<E\n"$(rm a)"\nE',
  "cat <<E\n${x:-$(rm a)}\nE",
  ...lines`
    X=$(rm a) ¦ X="$(rm a)" ls ¦ X=(1 $(rm a)) ¦ X[$(rm a)]=1 ¦ export X=$(rm a) ¦ declare X=$(rm a)
    local X=\`rm a\` ¦ readonly X=$(rm a) ¦ echo \${x:-$(rm a)} ¦ echo \${x:+\`rm a\`} ¦ echo \${x/a/$(rm a)}
    echo \${x#$(rm a)} ¦ echo \${x:$(rm a)} ¦ echo \${x[$(rm a)]} ¦ echo $((1+$(rm a))) ¦ echo $[$(rm a)]
    ((x=$(rm a))) ¦ [[ -n $(rm a) ]] ¦ [[ a == $(rm a) ]] ¦ [[ a =~ $(rm a) ]] ¦ [ -n \`rm a\` ] ¦ ls $(ls $(rm a))
    { ls; (if true; then echo $(rm a); fi); }
  `,
  "ls # x\nrm a",
  "ls #x\\\nrm a",
  `${"true && ".repeat(60)}rm a`,
  `${"ls; ".repeat(300)}rm a`,
];

export const commandParts: readonly Group[] = [
  {
    about: "§5.2, §5.5 deny finds the part",
    rules: { allow: ["Bash", "Edit"], deny: ["Bash(rm:*)"] },
    deny: hidden,
  },
  {
    about: "§5.2, §5.5 deny finds the part in bypass",
    mode: "bypass",
    rules: { deny: ["Bash(rm *)"] },
    deny: hidden,
  },
  {
    about: "§5.2, §5.5 ask finds the part in bypass",
    mode: "bypass",
    rules: { ask: ["Bash(rm:*)"] },
    ask: hidden,
  },
  {
    about: "§5.2 no other rule lets it through",
    rules: { allow: ["Bash(ls:*)", "Bash(echo:*)", "Bash(cat:*)", "Bash(true:*)", "Edit", "Read"] },
    ask: hidden,
  },
  { about: "§5.2, §5.7 no confinement lets it through", ctx: { enforced: true }, ask: hidden },
  {
    about: "§5.2 what only looks like a part",
    rules: { deny: ["Bash(rm:*)"] },
    allow: [
      ...lines`
        echo rm a ¦ echo 'rm a' ¦ echo "; rm a" ¦ echo '$(rm a)' ¦ echo \$\(rm a\) ¦ ls # rm a ¦ ls #; rm a
      `,
      "cat <<'E'\n$(rm a)\nE",
      'cat <<"E"\n`rm a`\nE',
      "cat <<E\nrm a\nE",
      ...lines`
        grep rm a ¦ grep 'rm -rf' src/a.ts ¦ which rm ¦ type rm ¦ command -v rm ¦ find . -name rm ¦ echo xrm
      `,
    ],
    ask: ["rmx a", "npm rm a", "git rm a", "xrm a"],
  },
  {
    about: "§5.1 not understood, whatever is allowed",
    rules: { allow: ["Bash", "Bash(*)", "Bash(ls:*)", "Bash(echo:*)", "Bash(cat:*)"] },
    not: [
      ...lines`
        ls ( ¦ ls ) ¦ ls && ¦ ls | ¦ ls || ¦ && ls ¦ ; ls ¦ ls ;; ls ¦ (ls ¦ { ls; ¦ ls }; } ¦ echo 'x ¦ echo "x
        echo \`ls ¦ echo $(ls ¦ echo \${x ¦ echo $((1 ¦ if true; then ls ¦ while true; do ls ¦ for x in a; do ls
        case x in x) ls ¦ case x in ¦ cat <<E
      `,
      "cat <<E\nx",
      "cat <<E\nx\nE ",
      "cat <<E\nx\n E",
      "cat <<'E'\nx\nEE",
      "cat <<A <<B\nx\nA\ny",
      "ls\r",
      "ls\r\n",
      "echo a\rb",
      "echo 'a\rb'",
      "ls\u000b",
      "ls\u000ca",
      "ls\u0001",
      "ls\u001b[2J",
      "echo '\u007f'",
      "echo '\u0085'",
      "ls\u00a0a",
      "echo 'a\u00a0b'",
      "ls\u3000a",
      "ls\u2003a",
      "echo \u200b",
      "echo 'a\u200bb'",
      "echo '\u200d'",
      "echo '\u202e'",
      "echo '\u2066'",
      "echo '\u2028'",
      "echo '\ufeff'",
      "echo '\u00ad'",
      "echo \u{e0041}",
      ...lines`
        ĺs ¦ lѕ a ¦ ｌｓ ¦ ls; éa ¦ echo $(éa)
      `,
      `echo ${x(9_996)}`,
      `echo ${x(20_000)}`,
      "ls; done",
    ],
    allow: [
      `echo ${x(9_995)}`,
      "ls\t-l",
      "ls\npwd",
      "echo é ñ 日本 😀",
      "cat 'café/x'",
      "cat <<E\nx\nE",
      "cat <<-E\n\tx\n\tE",
      "cat <<A <<B\nx\nA\ny\nB",
      `${"ls; ".repeat(500)}ls`,
    ],
  },
  {
    about: "§5.1 bypass does not need to understand",
    mode: "bypass",
    allow: ["ls (", "echo 'x", "ls\r", `echo ${x(20_000)}`, "cat <<E\nx", "ĺs"],
  },
  {
    about: "§5.1 deny and ask on what was understood",
    mode: "bypass",
    rules: { deny: ["Bash(rm:*)"], ask: ["Bash(curl:*)"] },
    deny: [`rm ${x(20_000)}`, "rm a; cat <<E\nx", "rm a\u00a0b", "echo '\u200b'; rm a", "rm a; echo é; éa"],
    ask: [`curl ${x(20_000)}`, "curl x\u2003y"],
    not: ["rm a; (", "rm a &&", "rm a; echo 'x"],
  },
];
