import { lines } from "../lines.ts";
import type { Group } from "./ground.ts";

/** §5.9 *Git*, and §5.8 where a directory is copied or moved. */
export const effectsGit: readonly Group[] = [
  {
    about: "§5.9 git after a part that makes, places or removes",
    mode: "acceptEdits",
    ask: lines`
      mkdir x && git status ¦ mkdir x; git log ¦ touch x; git status ¦ touch x && git diff ¦ rm a && git status
      rm -rf build; git diff --stat ¦ rmdir build; git status ¦ cp a b && git status ¦ mv a b; git status
      mv a b && ls && git diff ¦ echo x > f; git status ¦ ls > f && git status
      sed -i s/a/b/ a && mkdir x && git diff ¦ (mkdir x); git status ¦ false && touch x; git status
      mkdir objects refs; echo 'ref: refs/heads/main' > HEAD; git status ¦ touch commondir && git log
      echo $(touch x) && git status
    `,
    allow: lines`
      git status && mkdir x ¦ git status; touch x ¦ git diff && rm a ¦ git log -3; cp a b ¦ mkdir x && ls
    `,
  },
  {
    about: "§5.9 git that a rule names",
    mode: "acceptEdits",
    rules: { allow: ["Bash(git:*)", "Bash(tar:*)", "Bash(unzip:*)", "Bash(npm:*)", "Bash(ln:*)"] },
    allow: lines`
      mkdir x && git status ¦ touch x && git add x ¦ touch x; git add x && git commit -m x ¦ rm a && git status
      echo x > f && git add f ¦ mv a b && git add -A ¦ cp a b && git add b ¦ npm run build && git add -A
      npm ci; git status
    `,
    ask: lines`
      mkdir objects refs; git status ¦ mkdir objects refs; echo 'ref: refs/heads/main' > HEAD; git status
      touch HEAD && git status ¦ echo x > HEAD; git log ¦ mkdir objects && git status
      mkdir -p refs/heads && git status ¦ touch commondir; git status ¦ touch config && git status
      touch .gitattributes && git status ¦ echo x > .gitattributes; git diff ¦ cp a .gitattributes && git add -A
      mv a HEAD; git status ¦ cp a config && git log ¦ mkdir sub/objects sub/refs; touch sub/HEAD; git -C sub status
      tar xf a.tgz && git status ¦ tar xf a.tgz; git add -A ¦ unzip a.zip && git status ¦ (touch HEAD); git status
      false && touch HEAD; git status ¦ for f in a; do touch HEAD; done; git status
    `,
  },
  ...["init", "clone", "config", "submodule", "worktree", "remote"].map(
    (sub): Group => ({
      about: `§5.9 git after git ${sub}`,
      rules: { allow: [`Bash(git ${sub} x:*)`] },
      allow: [`git ${sub} x y`, `git status && git ${sub} x y`, `git ${sub} x y && ls`],
      ask: [
        `git ${sub} x y && git status`,
        `git ${sub} x y; git log`,
        `(git ${sub} x y); git diff`,
        `git ${sub} x y || git status`,
      ],
    }),
  ),
  {
    about: "§5.9 git after other git that a rule allows",
    rules: { allow: ["Bash(git add:*)", "Bash(git commit:*)", "Bash(git fetch:*)", "Bash(git checkout:*)"] },
    allow: lines`
      git add -A && git status ¦ git commit -m x && git log -1 ¦ git fetch && git log HEAD..origin/main --oneline
      git checkout -b x && git branch ¦ git add a && git commit -m x && git status
    `,
  },
  {
    about: "§5.8 directories that are copied or moved",
    mode: "acceptEdits",
    allow: lines`
      cp -r src x ¦ cp -a docs x ¦ cp -R src build ¦ mv src x ¦ mv docs build/ ¦ cp -r src/. x
    `,
    ask: lines`
      cp -r nested x ¦ cp -a nested x ¦ cp -R nested/pkg x ¦ cp -r nested/. x ¦ cp -a d/. . ¦ cp -r d x
      cp -r src nested x ¦ cp -rt x nested ¦ cp -r linked x ¦ cp -a linked x ¦ cp -r . x ¦ cp -a . build
      cp -r ./ build ¦ mv nested x ¦ mv d x ¦ mv linked x ¦ mv src linked x ¦ mv -t x d ¦ cp -rL src x
      cp -rH src x ¦ cp -Lr src x ¦ cp -aL src x ¦ cp --dereference src/a.ts x ¦ cp -R -H src x ¦ cp a/.npmrc .
      cp d/.npmrc . ¦ cp d/.npmrc x ¦ mv d/.npmrc . ¦ cp -t . d/.npmrc ¦ mv -t . d/.npmrc
    `,
  },
  {
    about: "§5.8 directories with denied files in them",
    mode: "acceptEdits",
    rules: { deny: ["Read(.env)", "Edit(*.pem)"] },
    not: lines`
      cp -r sub x ¦ mv sub x ¦ cp -a sub/. x ¦ cp -r keys x ¦ mv keys x ¦ cp sub/.env x ¦ cp -rt x sub
    `,
    allow: ["cp -r src x", "mv docs x"],
  },
  {
    about: "§5.8 suffixes and backups",
    mode: "acceptEdits",
    ask: lines`
      cp -b a x ¦ cp -bf a x ¦ cp -fb a x ¦ cp -rb src x ¦ cp --backup a x ¦ cp --backup=numbered a x
      cp --back a x ¦ cp -S rc a x ¦ cp -Src a x ¦ cp -fS rc a x ¦ cp -bS rc README.md .npm ¦ cp --suffix rc a x
      cp --suffix=rc a x ¦ cp --suf=rc a x ¦ mv -b a x ¦ mv -fb a x ¦ mv --backup a x ¦ mv -S rc a x
      mv -bSrc a .npm ¦ mv --suffix=rc a x ¦ sed -i.bak s/a/b/ a ¦ sed -irc s/zzz/z/ .env ¦ sed -i.o -e s/a/b/ a
      sed -Ei.o s/a/b/ a ¦ sed -iE s/a/b/ a ¦ sed --in-place=.o s/a/b/ a ¦ sed -i 's/a/b/;w x' a
      sed -i 's/a/b/w x' a ¦ sed -i 's/a/b/e' a ¦ sed -i 'r /etc/passwd' a ¦ sed -i -e s/a/b/ -e 'w x' a
      sed -i 's/a/b/' .npmrc ¦ sed -i s/a/b/ nested/pkg/.npmrc
    `,
    allow: lines`
      sed -i s/a/b/ a ¦ sed -i -E s/a/b/ a ¦ sed -Ei s/a/b/ a ¦ sed -i -e s/a/b/ -e s/c/d/ a ¦ sed -i 1d a
      sed -i '/x/d' a README.md ¦ sed --in-place s/a/b/ a ¦ cp -f a x ¦ cp -p a x ¦ cp -v a x ¦ cp -n a x
      mv -v a x ¦ mv -n a x ¦ cp -t docs a ¦ mv -t docs a ¦ rm -v a ¦ rm -r build ¦ rm -rf build src/deep
      mkdir -pv x/y ¦ touch a b
    `,
  },
];
