import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, test, vi } from "vitest";
import { type FinishedRun, MergeBack } from "../../../src/features/isolation/merge-back.ts";
import type { Isolation, Worktree } from "../../../src/mailbox/worktree.ts";
import type { AnswerOf } from "../../../src/worktrees/protocol.ts";
import { world } from "../../supervisor/resume-world.ts";
import { repositoryWith } from "../../support/git-repository.ts";
import { processesWith } from "../../support/left-behind.ts";
import { OWNER } from "../../support/worktree-ground.ts";
import { turnOf } from "./one-worker.ts";

test("an agent whose git worker is killed while it creates the worktree gets its worktree, and no process is left (issue 15, 28)", {
  tags: ["long"],
}, async () => {
  const repository = await repositoryWith({ "a.txt": "1\n", ".gitattributes": "*.txt filter=slow\n" });
  const { folder } = repository;
  const started = join(dirname(folder), "started");
  // Who it is that has begun; only the first one is slow.
  const smudge = `mkdir ${started} 2>/dev/null && { echo $PPID > ${started}/p; mv ${started}/p ${started}/pid; exec sleep 60; }; exec cat`;
  await repository.must(["config", "filter.slow.smudge", smudge]);
  const { supervisor, warnings } = world("in-thread", turnOf, { cwd: folder });
  const going = supervisor.prompt("go");
  await vi.waitUntil(() => existsSync(join(started, "pid")), { timeout: 50_000, interval: 10 });
  const keeper = parentOf(parentOf(Number(readFileSync(join(started, "pid"), "utf8"))));
  const index = join(folder, ".git", "troupe", `checkout-${keeper}-left`);
  writeFileSync(index, "");
  process.kill(keeper, "SIGKILL");
  expect(await going).toMatchObject({ summary: { status: "done", text: "Over." } });
  expect(readFileSync(join(folder, "new.txt"), "utf8")).toBe("new\n");
  expect(warnings()).toEqual([expect.stringMatching(/git worker died \(SIGKILL\)/)]);
  await supervisor.close();
  expect(readdirSync(join(folder, ".git", "troupe"))).not.toContain(`checkout-${keeper}-left`);
  expect(processesWith(`HOME=${dirname(folder)}`)).toEqual([]);
});

/** Of a process; git may have another one between itself and its filter. */
function parentOf(pid: number): number {
  const [, parent] = /^\d+ \(.*\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
  const [program = ""] = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  return basename(program).startsWith("git") ? Number(parent) : pid;
}

const TREE: Worktree = {
  ...{ name: "agent-1", path: "/tree", branch: "worktree-agent-1", checkout: "/checkout" },
  ...{ base: "b", head: "h" },
};
const ISOLATION: Isolation = { ...TREE, merge: "apply" };

/** A keeper that dies while it writes into the checkout, which has got all of the edits by then, or nothing. */
function dying(isWhole: boolean, deaths = 1) {
  const asked: string[] = [];
  const answers = {
    prepare: {
      ...{ type: "clean", checkout: "c", merged: "m", paths: ["a.txt"], strange: [], notes: [] },
      ...{ files: 1, insertions: 1, deletions: 0 },
    } satisfies AnswerOf<"prepare">,
    sweep: { type: "swept", removed: [], left: [], rolledBack: [] } satisfies AnswerOf<"sweep">,
    done: { type: "done" } satisfies AnswerOf<"remove">,
  };
  const listed = (result: "merged" | null): AnswerOf<"list"> => ({
    type: "trees",
    trees: [
      {
        ...{
          name: TREE.name,
          path: TREE.path,
          branch: TREE.branch,
          owner: OWNER,
          alive: true,
          base: TREE.base,
        },
        ...{ snapshot: "s", at: 0, counts: { files: 1, insertions: 1, deletions: 0 }, result, undone: false },
      },
    ],
  });
  const said = <T>(op: string, answer: T): Promise<T> => {
    asked.push(op);
    return Promise.resolve(answer);
  };
  const back = new MergeBack({
    worktrees: {
      prepare: () => said("prepare", answers.prepare),
      apply: () => {
        const counts = { files: 1, insertions: 1, deletions: 0 };
        return said<AnswerOf<"apply">>(
          "apply",
          asked.filter((op) => op === "apply").length >= deaths
            ? { type: "merged", ...counts, merge: "m2", commit: null, notes: [] }
            : { type: "refused", reason: "It died.", died: true },
        );
      },
      sweep: () => said("sweep", answers.sweep),
      list: () => said("list", listed(isWhole ? "merged" : null)),
      remove: () => said("remove", answers.done),
      settle: () => said("settle", answers.done),
      keep: () => {
        const counts = { files: 1, insertions: 1, deletions: 0 };
        return said<AnswerOf<"keep">>("keep", { type: "kept", commit: "k", ...counts, notes: [] });
      },
      rebase: () => said<AnswerOf<"rebase">>("rebase", { type: "refused", reason: "No." }),
    },
    settings: { check: null, checkTimeoutMs: 1 },
    check: () => Promise.resolve(null),
    ask: () => Promise.resolve(null),
    onWarning: () => {},
  });
  const finished: FinishedRun = {
    ...{ actor: OWNER.actor as FinishedRun["actor"], owner: OWNER, isolation: ISOLATION, root: TREE.path },
    held: {
      tree: TREE,
      owner: OWNER.actor as FinishedRun["actor"],
      deleted: new Set(),
      settled: Promise.resolve(),
      since: 0,
    },
    ...{ title: "t", text: "r", mayResolve: true, accept: null, signal: new AbortController().signal },
  };
  return { asked, run: () => back.run(finished) };
}

test("a merge whose keeper died is not made twice: what it had finished counts (D1, issue 15, 28)", async () => {
  const { asked, run } = dying(true);
  expect(await run()).toMatchObject({
    type: "ends",
    result: { outcome: "merged", files: 1, merge: "agent-1" },
  });
  expect(asked).toEqual(["prepare", "apply", "sweep", "list", "remove"]);
});

test("a merge whose git worker died is made again if it was rolled back (issue 15, 28)", async () => {
  const { asked, run } = dying(false);
  expect(await run()).toMatchObject({ type: "ends", result: { outcome: "merged", files: 1, merge: "m2" } });
  expect(asked).toEqual(["prepare", "apply", "sweep", "list", "prepare", "apply", "remove"]);
});

test("a merge whose git worker died each time keeps the edits and says why (issue 15, 28)", async () => {
  const { asked, run } = dying(false, 3);
  expect(await run()).toMatchObject({
    type: "ends",
    result: { outcome: "kept", reason: "The git worker died each time while it merged its edits." },
  });
  expect(asked.at(-1)).toBe("keep");
});
