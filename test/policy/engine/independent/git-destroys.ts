import { lines } from "../lines.ts";
import { daily, destroys } from "./git-destroying-lines.ts";
import type { Group } from "./ground.ts";

export const gitDestroys: readonly Group[] = [
  ...["Bash", "Bash(git:*)", "Bash(git *)", "Bash(*)"].map(
    (rule): Group => ({
      about: `§5.12 under ${rule}`,
      rules: { allow: [rule] },
      allow: daily,
      ask: destroys,
    }),
  ),
  {
    about: "§5.12 under a rule for the subcommand",
    rules: {
      allow: [..."push reset checkout restore switch branch tag commit merge reflog gc stash".split(" ")].map(
        (sub) => `Bash(git ${sub}:*)`,
      ),
    },
    ask: destroys.filter((line) =>
      /^git (push|reset|checkout|restore|switch|branch|tag|commit) /u.test(line),
    ),
    allow: lines`
      git push origin main ¦ git reset HEAD a ¦ git commit -m x ¦ git stash pop ¦ git branch -d x
    `,
  },
  { about: "§5.12 in bypass", mode: "bypass", allow: destroys },
  { about: "§5.12 in dontAsk", mode: "dontAsk", rules: { allow: ["Bash"] }, deny: destroys },
  {
    about: "§5.12 a rule that names the option or the word",
    rules: {
      allow: lines`
        Bash(git push --force:*) ¦ Bash(git push -f:*) ¦ Bash(git push --force-with-lease:*)
        Bash(git push origin --delete:*) ¦ Bash(git reset --hard:*) ¦ Bash(git clean:*) ¦ Bash(git checkout .)
        Bash(git restore .) ¦ Bash(git branch -D:*) ¦ Bash(git tag -d:*) ¦ Bash(git commit --amend:*)
        Bash(git rebase:*) ¦ Bash(git stash drop:*) ¦ Bash(git stash clear) ¦ Bash(git update-ref:*)
        Bash(git gc --prune=now) ¦ Bash(git reflog expire:*) ¦ Bash(git switch -C *)
      `,
    },
    allow: lines`
      git push --force ¦ git push --force origin main ¦ git push -f origin main ¦ git push --force-with-lease
      git push origin --delete x ¦ git reset --hard ¦ git reset --hard HEAD~1 ¦ git clean -fd ¦ git clean -fdx
      git checkout . ¦ git restore . ¦ git branch -D x ¦ git tag -d v1 ¦ git commit --amend --no-edit
      git rebase main ¦ git rebase -i HEAD~3 ¦ git stash drop ¦ git stash clear ¦ git update-ref refs/heads/x HEAD
      git gc --prune=now ¦ git reflog expire --all ¦ git switch -C x
    `,
    ask: lines`
      git push ¦ git push --mirror ¦ git push origin main --force ¦ git push origin :x ¦ git reset --keep x
      git checkout src ¦ git restore src ¦ git branch -M x ¦ git tag -f v1 ¦ git commit -n -m x ¦ git gc --prune=all
      git reflog delete x ¦ git switch -f x ¦ git push --force --mirror ¦ git branch -D x && git branch -M x
    `,
  },
  {
    about: "§5.12 what denies still denies",
    rules: { allow: ["Bash"], deny: ["Bash(git push --force:*)"], ask: ["Bash(git stash:*)"] },
    deny: ["git push --force", "git push --force origin x"],
    ask: ["git push -f", "git stash", "git stash drop"],
  },
];
