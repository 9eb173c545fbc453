import type { Mutation } from "./mutation.ts";

/** What the crash loop through the program found (issue 15, 28). */
export const crash: readonly Mutation[] = [
  {
    name: "I28-unfinished-file-stays",
    file: "src/supervisor/replay-actors.ts",
    from: "if (known && !known.ended) removeWhatItLeft(known, actor.cwd, session);",
    to: "",
    tests: ["test/supervisor/unfinished-files.test.ts"],
    title: "resuming removes the temporary file",
  },
  {
    name: "I28-unfinished-file-is-an-edit",
    file: "src/worktrees/tree-add.ts",
    from: 'return [".", UNFINISHED, ',
    to: 'return [".", ',
    tests: ["test/worktrees/unfinished-files.test.ts"],
    title: "(issue 15, 28)",
  },
  {
    name: "I28-keeper-is-not-asked-again",
    file: "src/worktrees/git-worker.ts",
    from: "REPEATABLE.has(op) ? TRIES - 1 : 0",
    to: "0",
    tests: ["test/worktrees/git-worker.test.ts"],
    title: "asked again, of another keeper",
  },
  {
    name: "I28-dead-merge-is-made-twice",
    file: "src/supervisor/isolation/merge-back.ts",
    from: 'if (before === null) return "again";',
    to: 'if (before === null || true) return "again";',
    tests: ["test/supervisor/isolation/dead-keeper.test.ts"],
    title: "is not made twice",
  },
  {
    name: "I28-head-moves-without-the-index-lock",
    file: "src/worktrees/merge/index-entries.ts",
    from: "const why = await move();",
    to: 'rmSync(real + ".lock", { force: true });\n      const why = await move();',
    tests: ["test/worktrees/merge/commit.test.ts"],
    title: "nobody commits the edits with their own",
  },
  {
    name: "I28-lock-of-a-killed-git-stays",
    file: "src/worktrees/claim.ts",
    from: 'if (!dropLocksOf(repo.common, request.name, ground)) return { type: "making" };',
    to: "",
    tests: ["test/worktrees/claim.test.ts"],
    title: "whose git was killed at a ref",
  },
  {
    name: "I28-broken-entry-stays",
    file: "src/worktrees/create.ts",
    from: "await dropBrokenEntries(repo, ground);",
    to: "",
    tests: ["test/worktrees/claim.test.ts"],
    title: "stops nobody",
  },
  {
    name: "I28-rebase-forgets-its-base",
    file: "src/worktrees/merge/rebase.ts",
    from: "if (known !== null) await writeRecord(repo.common, tree.name, { ...known, tree: next });",
    to: "",
    tests: ["test/worktrees/merge/rebase.test.ts"],
    title: "is finished by who asks again",
  },
];
