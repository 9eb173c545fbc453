import { lines } from "../lines.ts";
import type { Group } from "./ground.ts";

/** §5.7: git and programs that the tier does not have. */
export const enforcedOthers: readonly Group[] = [
  {
    about: "§5.7 git that is not listed",
    ctx: { enforced: true },
    ask: lines`
      git ¦ git add a ¦ git commit -m x ¦ git push ¦ git pull ¦ git fetch ¦ git clone x ¦ git checkout x
      git switch x ¦ git restore a ¦ git reset ¦ git stash ¦ git stash pop ¦ git branch x ¦ git branch -d x
      git branch -m x ¦ git tag v1 ¦ git tag -d v1 ¦ git remote add x y ¦ git remote update
      git reflog expire --all ¦ git reflog delete x ¦ git worktree add ../x ¦ git worktree remove x
      git worktree prune ¦ git config user.name x ¦ git config --global user.name x ¦ git update-ref x y ¦ git gc
      git rebase main ¦ git merge x ¦ git init ¦ git rm a ¦ git mv a b ¦ git am a ¦ git apply a
      git archive -o x HEAD ¦ git bundle create x HEAD ¦ git submodule update ¦ git notes add ¦ git bisect start
      git cherry-pick x ¦ git revert x ¦ git format-patch HEAD~1 ¦ git ls-remote ¦ git -c core.pager=x log
      git -c alias.x='!id' x ¦ git --git-dir=x log ¦ git --work-tree=x status ¦ git --exec-path=x log
      git -C src push ¦ git --no-pager push ¦ cd src && git add a.ts ¦ cd bare && git status
      cd odd/pkg && git diff ¦ git -C bare status ¦ git -C odd/pkg log ¦ git log | git am
    `,
  },
  {
    about: "§5.7 network, processes, other programs",
    ctx: { enforced: true },
    ask: lines`
      curl https://example.com ¦ curl -s localhost:3000 ¦ wget https://example.com ¦ ping example.com ¦ ssh host ls
      scp a host: ¦ nc -l 80 ¦ dig example.com ¦ nslookup example.com ¦ host example.com ¦ gh pr list ¦ npm view x
      npm ls ¦ docker ps ¦ kubectl get pods ¦ ps ¦ ps aux ¦ ps aux | grep node ¦ kill 1 ¦ kill -0 1 ¦ pkill x
      killall x ¦ top ¦ htop ¦ node -e 1 ¦ node x.js ¦ python3 -c 1 ¦ python3 x.py ¦ python3 -V x ¦ ruby -e 1
      perl -e 1 ¦ bash -c ls ¦ sh a ¦ bash a ¦ env FOO=1 ls ¦ env ls ¦ env -i ls ¦ sudo ls ¦ doas ls ¦ watch ls
      setsid ls ¦ flock x ls ¦ make -n ¦ npx tsc ¦ tsc --noEmit ¦ cargo check ¦ go vet ¦ no-such-program a ¦ vim a
      JQ . a ¦ Awk 1 a
    `,
  },
];
