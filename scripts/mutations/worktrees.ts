import type { Mutation } from "./mutation.ts";

export const worktrees: readonly Mutation[] = [
  {
    name: "S16-moved-checkout-is-merged",
    file: "src/worktrees/merge/apply.ts",
    from: 'if (expects !== null && candidate.checkout.tree !== expects) return { type: "moved" };',
    to: "",
    tests: ["test/worktrees/merge/apply.test.ts"],
    title: "not where the checkout is another than was checked",
    core: true,
  },
  {
    name: "W5-exchange-through-a-link",
    file: "src/worktrees/merge/exchange.ts",
    from: 'if (!isOwnFolder(work.root, path)) throw new ChangedMeanwhile("a parent directory was replaced");',
    to: "",
    tests: ["test/worktrees/merge/exchange.test.ts"],
    title: "(W5)",
    core: true,
  },
  {
    name: "change-with-kept-mtime-is-not-seen",
    file: "src/worktrees/side-index.ts",
    from: "if (bytes.readUInt32BE(at) >= second) {",
    to: "if (false) {",
    tests: ["test/worktrees/kept-mtime.test.ts"],
    title: "a snapshot finds a change within one second that preserves size and mtime",
    core: true,
  },
  {
    name: "race-with-an-editor-is-given-up",
    file: "src/worktrees/merge/try-again.ts",
    from: "tries >= LEAST_TRIES && ms >= RACE_MS",
    to: "tries >= 1",
    tests: ["test/worktrees/merge/at-the-same-time.test.ts"],
    title: "is merged with the edits if both fit",
    core: true,
  },
  {
    name: "full-repository-is-not-said",
    file: "src/worktrees/git-worker-main.ts",
    from: 'return errorCode(error) === "ENOSPC" || errorCode(error) === "EDQUOT";',
    to: 'return errorCode(error) === "EDQUOT";',
    tests: ["test/features/isolation/full-repository.test.ts"],
    title: "is said in one sentence where no worktree can be made",
  },
];
