// @module-tag long
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ScriptedTurn } from "../../src/model/scripted.ts";
import { whyNoBubblewrap } from "../policy/sandbox/opened.ts";
import { unless } from "../support/needs.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { bash, openFleet, usage, write } from "./fleet.ts";

/** What the calls of an agent with its own worktree return, here and on a runner, without what names the machine. */
async function outcomes(
  isLocal: boolean,
  calls: readonly ((root: string, checkout: string) => ScriptedTurn)[],
) {
  const asked: string[] = [];
  let [tree, checkout] = ["", ""];
  const { supervisor, cwd, start, results } = await openFleet(
    (root, turn) => {
      tree = root;
      return calls[turn]?.(root, checkout) ?? { text: "done", usage };
    },
    {
      ...{ isLocal, denied: "b.txt" },
      person: {
        async ask(request) {
          asked.push("title" in request ? request.title : request.type);
          return { type: "deny", span: "once" };
        },
      },
    },
  );
  checkout = cwd;
  if (!isLocal) await start("r1");
  expect((await supervisor.prompt("go")).summary.status).toBe("done");
  const plain = (text: string) =>
    text
      .replaceAll(tree, "TREE")
      .replaceAll(tree.slice(0, tree.lastIndexOf("/")), "TREES")
      .replaceAll(cwd, "CHECKOUT");
  return { results: results.map(plain), asked: asked.map(plain), cwd };
}

describe("the worktree of an agent on a runner", () => {
  it("holds the agent as the worktree of a local one does: writes, links, the checkout, other worktrees, rules", async () => {
    const outside = temporaryFolder();
    writeFileSync(join(outside, "theirs.txt"), "theirs\n");
    const calls = [
      (root: string) => write(join(root, "new/made.txt"), "mine\n"),
      (root: string) => bash(`echo more >> ${root}/new/made.txt`),
      (_: string, checkout: string) => write(join(checkout, "a.txt"), "stolen\n"),
      (root: string) => write(join(root, "../agent-other/a.txt"), "stolen\n"),
      (root: string) => write(join(root, ".git"), "gitdir: /elsewhere\n"),
      () => write(join(outside, "theirs.txt"), "stolen\n"),
      () => bash(`ln -s ${outside} out`),
      (root: string) => write(join(root, "out/theirs.txt"), "stolen\n"),
      (_: string, checkout: string) => bash(`ln -s ${checkout} back`),
      (root: string) => write(join(root, "back/a.txt"), "stolen\n"),
      (_: string, checkout: string) => bash(`echo stolen > ${checkout}/a.txt`),
      () => bash("git stash"),
      () => bash("git config user.name x"),
      (root: string) => ({ calls: [{ name: "Read", input: { file_path: join(root, "b.txt") } }], usage }),
      () => bash("cat b.txt"),
    ];
    const there = await outcomes(false, calls);
    const here = await outcomes(true, calls);
    expect(there.results).toEqual(here.results);
    expect(there.asked).toEqual(here.asked);
    expect(there.asked).not.toContain("new/made.txt");
    expect(readFileSync(join(outside, "theirs.txt"), "utf8")).toBe("theirs\n");
    expect(readFileSync(join(there.cwd, "new/made.txt"), "utf8")).toBe("mine\nmore\n");
    expect(readFileSync(join(there.cwd, "a.txt"), "utf8")).toBe("one\ntwo\nthree\n");
  });
});

describe("a sandboxed command of an agent on a runner", unless(whyNoBubblewrap), () => {
  it("commits in its worktree, and can write neither the clone's settings nor the runner's home", async () => {
    const outside = temporaryFolder();
    const identity = "-c user.name=A -c user.email=a@example.org";
    const probe = [
      "own=$(git rev-parse --git-common-dir)",
      "clone=$(dirname $(cat $own/objects/info/alternates))",
      "for file in config hooks/pre-commit packed-refs HEAD objects/info/alternates ../../fleet-key ../other.git/HEAD; do",
      "  for dir in $own $clone; do",
      "    mkdir -p $(dirname $dir/$file) && echo x > $dir/$file && echo WROTE $dir/$file",
      "  done",
      "done",
      `for file in .git ../other ${outside}/x; do echo x > $file && echo WROTE $file; done`,
      "ls -A $clone/../..",
    ].join("\n");
    const turns = (root: string) => [
      bash(`echo new > new.txt && git add -A && git ${identity} commit -qm one && git log --format=%s -1`),
      bash("git status --porcelain; git diff --stat HEAD~1"),
      write(join(root, "probe.sh"), probe),
      bash("sh probe.sh; rm probe.sh"),
    ];
    const { supervisor, cwd, start, results } = await openFleet(
      (root, turn) => turns(root)[turn] ?? { text: "done", usage },
      { sandbox: { mode: "required", autoAllow: true }, allowedTools: [] },
    );
    await start("r1");
    expect((await supervisor.prompt("go")).summary.status).toBe("done");
    const [committed, shown, , probed = ""] = results;
    expect(committed).toMatch(/^one\n/);
    expect(shown).toMatch(/^ new.txt/);
    // It ran, and of the runner's home it sees the clone alone.
    expect(probed).toMatch(/Read-only file system/);
    expect(probed).not.toContain("WROTE");
    expect(probed).toMatch(/^repositories$/m);
    expect(probed).not.toMatch(/^sandbox$/m);
    expect(readFileSync(join(cwd, "new.txt"), "utf8")).toBe("new\n");
    expect(readdirSync(outside)).toEqual([]);
  });
});
