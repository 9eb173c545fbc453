import { lines } from "../lines.ts";
import { type AttackGroup, combine } from "./fixture.ts";

const named = lines`
  cat %% ¦ cat ./%% ¦ cat -- %% ¦ cat README.md %% ¦ cat "%%" ¦ cat '%%' ¦ cat \%% ¦ cat $'%%' ¦ cat src/../%%
  cat @ws/%% ¦ cat "$PWD/%%" ¦ cat $PWD/%% ¦ cat \${PWD}/%% ¦ cat ~+/%% ¦ cat {%%,README.md} ¦ cat {README.md,%%}
  cat sub/../%% ¦ head -n 1 %% ¦ tail -c5 %% ¦ tail -F %% ¦ wc -l < %% ¦ wc --files0-from=%% ¦ wc --files0-from %%
  sort -k1 %% ¦ sort --files0-from=%% ¦ uniq %% ¦ xxd %% ¦ od -c %% ¦ hexdump -C %% ¦ strings %% ¦ strings -a %%
  nl %% ¦ cut -c1- %% ¦ paste %% README.md ¦ column -t %% ¦ comm %% README.md ¦ join README.md %% ¦ cmp %% README.md
  diff %% README.md ¦ diff README.md %% ¦ diff -X %% src test ¦ diff -ruX %% src test
  diff --from-file=%% README.md ¦ stat %% ¦ du -a %% ¦ ls -l %% ¦ realpath %% ¦ grep X %% ¦ grep -n X README.md %%
  grep -e X %% ¦ grep -f %% README.md ¦ grep -f%% README.md ¦ grep -hf %% README.md ¦ grep -hf%% README.md
  grep -nvf %% README.md ¦ grep --file=%% README.md ¦ grep --file %% README.md ¦ grep -rn X %%
  grep -e X -f %% README.md ¦ grep --exclude-from=%% X README.md ¦ rg X %% ¦ rg -f %% README.md ¦ rg -nf%% README.md
  rg --file=%% src ¦ rg --pre cat X %% ¦ rg --ignore-file %% X src ¦ md5sum %% ¦ md5sum -c %% ¦ sha256sum %%
  cksum %% ¦ file %% ¦ file -f %% ¦ file -f%% ¦ file -bf %% ¦ file --files-from=%% ¦ date -r %% ¦ date -r%%
  date -f %% ¦ date -f%% ¦ date --file=%% ¦ date --reference=%% ¦ sed -n p %% ¦ sed s/a/b/ %%
  sed -n -f %% README.md ¦ sed -nf %% README.md ¦ sed -i s/a/b/ %% ¦ find %% ¦ find . -newer %%
  find %% -exec cat {} + ¦ tree %% ¦ rev %% ¦ cat < %% ¦ cat <%% ¦ cat 0< %% ¦ cat <> %% ¦ echo x > %%
  echo x >> %% ¦ cp %% x ¦ cp README.md %% ¦ mv %% x ¦ mv README.md %% ¦ rm %% ¦ rm -f README.md %% ¦ touch %%
  touch -r %% x ¦ touch -r%% x ¦ touch --reference=%% x ¦ cp -t docs %% ¦ echo %% | xargs cat
  echo README.md %% | xargs head ¦ printf '%s\n' %% | xargs cat ¦ printf '%s\0' %% | xargs -0 cat ¦ git diff -- %%
  git diff %% ¦ git log -p -- %% ¦ git show HEAD:%% ¦ git show :%% ¦ git show :0:%% ¦ git show HEAD:./%%
  git show HEAD~1:%% ¦ git show v1.0.0:%% ¦ git blame %% ¦ git blame HEAD -- %% ¦ git log -L1,5:%%
  git log -L 1,5:%% ¦ git diff HEAD:%% HEAD:README.md ¦ echo "$(cat %%)" ¦ (cat %%) ¦ if true; then cat %%; fi
  ls; cat %% ¦ ls | cat - %% ¦ time cat %% ¦ timeout 5 cat %% ¦ cd . && cat %% ¦ cd src && cat ../%%
`;

/** §4.5, §5.6: a Read rule sees every operand and value. */
export const readOperands: readonly AttackGroup[] = [
  {
    about: "a Read deny against every operand and value that names the file",
    rules: { allow: ["Bash"], deny: ["Read(.env)"] },
    tier: "both",
    deny: [
      ...combine(named, [".env"]),
      ...lines`
        cat link-env ¦ cat ./link-env ¦ cat < link-env ¦ cat sub/.env ¦ cat ./sub//.env ¦ cd sub && cat .env
        cd sub; cat ./.env ¦ (cd sub && head .env) ¦ grep X sub/.env ¦ cp sub/.env x
    `,
    ],
  },
  {
    about: "a Read deny in plan mode, and in bypass",
    rules: { deny: ["Read(.env)"] },
    mode: "bypassPermissions",
    deny: [
      ...lines`
        cat .env ¦ cat link-env ¦ grep -hf.env README.md
      `,
      ["Read", { file_path: ".env" }],
      ["Edit", { file_path: "sub/.env", old_string: "a", new_string: "b" }],
    ],
  },
  {
    about: "a Read ask against operands, in every mode",
    rules: { ask: ["Read(.env)"] },
    mode: "bypassPermissions",
    ask: [
      ...lines`
        cat .env ¦ head -n 1 sub/.env ¦ grep X .env ¦ grep -hf .env README.md ¦ cat < .env ¦ cat link-env
        git show HEAD:.env ¦ git diff -- .env ¦ echo .env | xargs cat
    `,
      ["Read", { file_path: "@ws/.env" }],
      ["Read", { file_path: "sub/.env" }],
    ],
  },
  {
    about: "a denied directory",
    rules: { allow: ["Bash"], deny: ["Read(./secrets/**)", "Read(private)"] },
    tier: "both",
    deny: lines`
      cat secrets/key.pem ¦ cat ./secrets/key.pem ¦ cat secrets//key.pem ¦ cat secrets/./key.pem
      cat secrets/../secrets/key.pem ¦ cat src/../secrets/key.pem ¦ cd secrets && cat key.pem
      cd secrets; head ./key.pem ¦ cd src && cat ../secrets/key.pem ¦ cat private/k ¦ ls private ¦ ls -la private/
      grep -rn X private ¦ rg X private ¦ find private ¦ cat < private/k ¦ cp private/k x ¦ cp -r private x
      mv private x ¦ rm -r private ¦ echo x > private/new ¦ touch secrets/new
    `,
  },
];
