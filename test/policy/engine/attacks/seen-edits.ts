import { lines } from "../lines.ts";
import { type AttackGroup, combine } from "./fixture.ts";

/** Lines 5, 6, 7 and 14 of "What was seen": what `acceptEdits` must not permit. */
export const seenEdits: readonly AttackGroup[] = [
  {
    about: "backups and suffixes",
    mode: "acceptEdits",
    tier: "both",
    ask: lines`
      cp -b -S rc README.md .npm ¦ cp -bS rc README.md .npm ¦ cp -bSrc README.md .npm ¦ cp -S rc -b README.md .npm
      cp -Src -b README.md LICENSE ¦ cp --backup --suffix=rc README.md .npm
      cp --backup=simple --suffix rc README.md .npm ¦ cp --back --suff=rc README.md .npm
      cp README.md .npm -b -S rc ¦ cp -b README.md LICENSE ¦ cp --backup=numbered README.md LICENSE
      cp -pb README.md LICENSE ¦ cp -tdocs -b README.md ¦ mv -b -S rc README.md .npm ¦ mv -bS rc README.md .npm
      mv --backup=simple --suffix=rc README.md .npm ¦ mv --suf rc -b README.md .npm ¦ mv -fb README.md LICENSE
      sed -irc s/zzz/z/ .env ¦ sed -i.bak s/a/b/ README.md ¦ sed -Eirc s/zzz/z/ .env ¦ sed -nirc p .env
      sed --in-place=rc s/zzz/z/ .env ¦ sed --in-place=.bak s/a/b/ README.md ¦ sed --in-pl=rc s/zzz/z/ .env
      sed -i'rc' s/zzz/z/ .env ¦ sed -i"rc" s/zzz/z/ .env ¦ sed -i'*rc' s/zzz/z/ .env
      sed -i'../out/*' s/a/b/ README.md ¦ sed -i'.husky/*' s/a/b/ README.md ¦ sed -ie s/a/b/ README.md
      sed -i -e 's/a/b/w .npmrc' README.md ¦ sed -i 's/a/b/e' README.md ¦ sed -i '1e id' README.md
      sed -i '1w out' README.md ¦ sed -i '1W out' README.md ¦ sed -i '1r /etc/passwd' README.md
      sed -i 's/a/b/gw out' README.md ¦ sed -i -f data/list.txt README.md
      sed -i --follow-symlinks s/a/b/ link-secret ¦ ln -b -s README.md .npm ¦ install -b README.md .npm
    `,
    allow: lines`
      cp README.md copy.md ¦ cp README.md docs ¦ mv README.md docs ¦ sed -i s/a/b/ README.md
      sed -i 's/a/b/g' src/a.ts src/b.ts ¦ sed -i -e s/a/b/ README.md ¦ sed -Ei s/a/b/ README.md
      sed -i -E 's/(a)/\1/' README.md
    `,
  },
  {
    about: "a link that an earlier part moves along",
    mode: "acceptEdits",
    tier: "both",
    ask: [
      ...combine(
        lines`
          mv box b2 && %% ¦ mv box b2; %% ¦ mv -T box b2; %% ¦ mv -t b2 box; %% ¦ mv box/ b2/; %% ¦ (mv box b2); %%
          { mv box b2; }; %% ¦ mv box b2 & %% ¦ mv box b2 | %% ¦ if true; then mv box b2; fi; %%
          true && mv box b2 || %% ¦ for i in 1 2; do %%; mv box b2; done ¦ while %%; do mv box b2; done
          case x in x) mv box b2;; esac; %%
        `,
        ["cp README.md b2/rc", "echo x > b2/rc"],
      ),
      ...lines`
        mv box b2; cat b2/rc ¦ mv box b2; touch b2/rc ¦ mv box b2; sed -i s/a/b/ b2/rc
        mv box b2; mv README.md b2/rc ¦ mkdir z; mv box z; cp README.md z/box/rc
        mkdir z && mv box z && cat z/box/rc ¦ mv link-out l2; cp README.md l2/x ¦ mv link-out l2; ls l2/
        mv link-out l2 && cat l2/secret.txt ¦ mv link-secret s.txt && cat s.txt ¦ mv box/rc rc; cp README.md rc
        mv box/rc rc; cat rc ¦ mv box/rc docs; cat docs/rc ¦ mv linked l3; cat l3/out/secret.txt
        mv links-only l4; head l4/one ¦ cp -P link-secret s2; cat s2 ¦ cp -d link-secret s2; cat s2
        cp -a link-secret s2; cat s2 ¦ ln -s /etc e; cat e/passwd ¦ ln -s ../out o2; echo x > o2/f
      `,
    ],
  },
  {
    about: "a repository that earlier parts make",
    mode: "acceptEdits",
    tier: "both",
    ask: [
      ...combine(
        lines`
          mkdir objects refs; echo 'ref: refs/heads/main' > HEAD; %% ¦ mkdir objects refs && touch HEAD && %%
          mkdir -p objects refs/heads; cp README.md HEAD; %% ¦ touch HEAD commondir; %%
          mkdir objects; mkdir refs; mv README.md HEAD; %% ¦ mkdir d; cd d; mkdir objects refs; touch HEAD; %%
          mv traps/bare b2; cd b2; %%
          mv traps/bare/HEAD traps/bare/objects traps/bare/refs traps/bare/config .; %%
          mv -t . traps/bare/HEAD; %% ¦ touch zz; %% ¦ rm -r nested; %% ¦ git init x; %%
        `,
        ["git status", "git diff"],
      ),
      ...lines`
        for i in 1 2; do git status; mkdir objects refs; touch HEAD; done
        mkdir objects refs; touch HEAD; ls | git log ¦ mkdir objects refs; touch HEAD; echo "$(git status)"
        mkdir objects refs; touch HEAD; (git status) ¦ mkdir objects refs & touch HEAD & git status
      `,
    ],
    allow: lines`
      git status; mkdir zz ¦ git log -1 && touch zz
    `,
  },
  {
    about: "a repository that earlier parts make, under rules that name git",
    mode: "acceptEdits",
    rules: { allow: ["Bash(git status)", "Bash(git diff:*)"] },
    ask: lines`
      mkdir objects refs; touch HEAD; git status ¦ touch HEAD; git status ¦ mkdir objects; git diff --stat
      touch commondir; git status ¦ mkdir refs && git diff ¦ cp README.md HEAD; git status
      mv README.md objects; git status ¦ echo x > HEAD; git status ¦ touch .git2; mv .git2 HEAD; git diff
    `,
    allow: lines`
      touch notes.md; git status ¦ mkdir zz && git diff --stat
    `,
  },
  {
    about: "directories that bring protected names along",
    mode: "acceptEdits",
    tier: "both",
    ask: lines`
      cp -r nested x ¦ cp -R nested x ¦ cp -a nested x ¦ cp --recursive nested x ¦ cp -a nested/. .
      cp -r nested/. docs ¦ cp -rt docs nested ¦ cp -r --target-directory=docs nested ¦ cp -r deepnest x
      cp -r linked x ¦ cp -rL linked x ¦ cp -rH link-out x ¦ cp -L link-secret x ¦ cp -r many x ¦ cp -r . x
      mv nested x ¦ mv nested docs ¦ mv deepnest docs/ ¦ mv -t docs nested ¦ mv many x ¦ cp nested/.npmrc .
      cp nested/.npmrc docs ¦ mv nested/.npmrc docs/ ¦ cp -t docs nested/.npmrc ¦ cp README.md nested/.git/config
      cp -r .husky x ¦ cp -r link-husky/. x
    `,
    allow: lines`
      cp -r src x ¦ cp -r src docs ¦ cp -a src/. x ¦ mv src x ¦ mv -t docs src
    `,
  },
];
