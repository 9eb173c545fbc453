// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are bash's.
import { lines } from "../lines.ts";
import { type AttackGroup, combine } from "./fixture.ts";

/** Paths that lead outside; `%%` reads one. */
const outside = lines`
  /etc/passwd ¦ '/etc/passwd' ¦ "/etc/passwd" ¦ \/etc/passwd ¦ /e''tc/passwd ¦ $'/etc/passwd' ¦ $'\x2fetc/passwd'
  //etc/passwd ¦ /etc//passwd ¦ /./etc/passwd ¦ ../out/secret.txt ¦ ./../out/secret.txt ¦ src/../../out/secret.txt
  src/deep/../../../out/secret.txt ¦ link-in/../../out/secret.txt ¦ link-deep/../../../out/secret.txt
  ..//out/secret.txt ¦ '../out/secret.txt' ¦ "..""/out/secret.txt" ¦ .'.'/out/secret.txt ¦ .\./out/secret.txt
  @ws/../out/secret.txt ¦ @ws-other/x ¦ @ws/../ws-other/x ¦ @out/secret.txt ¦ @extra/f ¦ ~/.ssh/id_rsa ¦ ~/notes.md
  ~/../out/secret.txt ¦ ~root/.bashrc ¦ ~nobody/x ¦ ~+/../out/secret.txt ¦ link-secret ¦ ./link-secret
  link-out/secret.txt ¦ link-out/dir/f ¦ link-out/../out/secret.txt ¦ linked/out/secret.txt ¦ box/rc
  link-root/etc/passwd ¦ dangling-out ¦ link-in/../link-out/secret.txt ¦ /proc/self/root/etc/passwd
  /proc/self/cwd/README.md ¦ /proc/1/root/etc/passwd ¦ /proc/thread-self/root/etc/passwd ¦ /proc/self/environ
  /dev/tcp/localhost/80 ¦ /dev/fd/../../etc/passwd ¦ {/etc/passwd,README.md} ¦ {README.md,../out/secret.txt}
  /{etc,usr}/passwd ¦ .{.,}/out/secret.txt ¦ /etc/pass* ¦ /e*/passwd ¦ ../*/secret.txt ¦ ~/.s*/id_rsa
  link-*/secret.txt ¦ linked/o*/secret.txt ¦ linked/*/secret.txt ¦ links-only/* ¦ $HOME/.ssh/id_rsa
  "$HOME"/.ssh/id_rsa ¦ \${HOME}/notes.md ¦ $PWD/../out/secret.txt ¦ "\${PWD}/../out/secret.txt"
`;

/** §4 for Bash and the file tools. */
export const places: readonly AttackGroup[] = [
  {
    about: "reading outside the workspace",
    tier: "both",
    ask: [
      ...combine(["cat %%", "head -n 1 README.md %%", "grep -n x %%"], outside),
      ...combine(
        ["wc -l < %%"],
        outside.filter((word) => !/(?<!\$)\{|\*/u.test(word)),
      ),
    ],
  },
  {
    about: "reading outside the workspace with the programs of the enforced tier",
    tier: "both",
    ask: combine(
      ["jq . %%", "awk 1 %%", "sed s/a/b/ %%", "base64 %%", "find . -exec cat %% \\;"],
      [
        ...lines`
          /etc/passwd ¦ ../out/secret.txt ¦ link-secret ¦ link-out/secret.txt ¦ ~/.ssh/id_rsa ¦ "$HOME/.ssh/id_rsa"
          $PWD/../out/secret.txt ¦ linked/*/secret.txt
        `,
      ],
    ),
  },
  {
    about: "directories outside",
    ask: lines`
      ls .. ¦ ls / ¦ ls ~ ¦ ls link-out/ ¦ ls -R .. ¦ du -sh .. ¦ find .. ¦ find / ¦ find ~ -name x ¦ find src ..
      find link-out/ ¦ tree .. ¦ tree / ¦ tree link-out/ ¦ rg x .. ¦ grep -r x ../out ¦ stat /etc/passwd
      file /etc/passwd ¦ md5sum /etc/passwd ¦ cd .. ¦ cd ~ ¦ cd / ¦ cd ¦ cd - ¦ cd link-out ¦ cd ../out && ls
      cd /etc; cat passwd ¦ cd "$HOME" ¦ cd link-out && cat secret.txt ¦ cd src; cat ../../out/secret.txt
      cd src/deep && cat ../../../out/secret.txt ¦ cd src && cd .. && cd .. ¦ cd src && cd ../..
      cd nowhere || cat ../out/secret.txt ¦ realpath --relative-to=/etc README.md ¦ diff -X /etc/passwd src test
      diff README.md /etc/passwd ¦ diff -u README.md - < /etc/passwd ¦ comm README.md /etc/passwd
      sort README.md /etc/passwd ¦ sed -n p /etc/passwd ¦ od -c /etc/passwd ¦ ls -I x /etc ¦ pwd; ls /etc
    `,
    allow: lines`
      cat src/../README.md ¦ cat ./src/./a.ts ¦ cat @ws/README.md ¦ cat link-in/a.ts ¦ cat link-deep/c.ts
      cat dangling-in ¦ ls link-in ¦ cat src/deep/../a.ts ¦ cd src && cat ../README.md
      cd src/deep && cd .. && cat a.ts ¦ test -f /etc/passwd ¦ echo /etc/passwd ../x ¦ basename /etc/passwd
      dirname ../out/secret.txt ¦ grep /etc/passwd README.md ¦ grep -e ../x README.md ¦ rg ../out src
    `,
  },
  {
    about: "an additional directory and a Read allow rule",
    rules: { allow: ["Read(~/ref/**)"] },
    ctx: { additionalDirs: ["@extra"] },
    tier: "both",
    allow: lines`
      cat @extra/f ¦ cat ../extra/deep/f ¦ ls @extra ¦ cat ~/ref/f ¦ head -3 ~/ref/deep/f ¦ cat @home/ref/f
      grep -n x ~/ref/f ¦ wc -l < @extra/f
    `,
    ask: lines`
      cat @extra/../out/secret.txt ¦ cat @extra-other/f ¦ cat ../extra/../out/secret.txt ¦ cat ~/ref/../notes.md
      cat ~/ref/../.ssh/id_rsa ¦ cat ~/refs ¦ cat ~/ref/f ~/notes.md ¦ ls ~ ¦ cat ~/notes.md
    `,
  },
  {
    about: "letter case on darwin",
    rules: { deny: ["Read(.env)", "Read(secrets/**)", "Edit(docs/**)"] },
    ctx: { platform: "darwin" },
    deny: [
      ...lines`
        cat .ENV ¦ cat .Env ¦ cat sub/.eNv ¦ cat Secrets/key.pem ¦ cat SECRETS/KEY.PEM ¦ grep x ./Secrets/Key.pem
      `,
      ["Read", { file_path: ".ENV" }],
      ["Read", { file_path: "@ws/SECRETS/x" }],
      ["Edit", { file_path: "DOCS/guide.md", old_string: "a", new_string: "b" }],
      ["Write", { file_path: "Docs/x", content: "" }],
      "echo x > DOCS/x",
    ],
    allow: ["cat README.md", ["Read", { file_path: "README.md" }]],
  },
  {
    about: "letter case on linux",
    rules: { deny: ["Read(secrets/**)"] },
    allow: [["Read", { file_path: "SECRETS/x" }], "cat src/a.ts"],
    deny: [["Read", { file_path: "secrets/x" }], "cat secrets/x"],
  },
];
