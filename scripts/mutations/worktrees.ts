import type { Mutation } from "./mutation.ts";

export const worktrees: readonly Mutation[] = [
  {
    name: "S16-moved-checkout-is-merged",
    file: "src/worktrees/merge/apply.ts",
    from: 'if (expects !== null && candidate.checkout.tree !== expects) return { type: "moved" };',
    to: "",
    tests: ["test/worktrees/merge/apply.test.ts"],
    title: "not where the checkout is another than was checked",
  },
  {
    name: "W5-exchange-through-a-link",
    file: "src/worktrees/merge/exchange.ts",
    from: 'if (!isOwnFolder(work.root, path)) throw new ChangedMeanwhile("a folder on its way is none any more");',
    to: "",
    tests: ["test/worktrees/merge/exchange.test.ts"],
    title: "(W5)",
  },
];
