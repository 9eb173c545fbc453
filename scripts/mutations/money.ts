import type { Mutation } from "./mutation.ts";

export const money: readonly Mutation[] = [
  {
    name: "held-money-is-granted-again",
    file: "src/features/budget/reservations.ts",
    from: "const room = allowance.limit - allowance.committed - allowance.held;",
    to: "const room = allowance.limit - allowance.committed;",
    tests: ["test/features/budget/reservations.test.ts"],
    title: "money that a request holds is granted to no other one",
    core: true,
  },
  {
    name: "request-above-the-budget-is-sent",
    file: "src/features/budget/reservations.ts",
    from: 'return { type: "refused", reason };',
    to: "return this.#grant(account, allowance, 0, maxTokens);",
    tests: ["test/features/budget/money-holds.test.ts"],
    title: "a first request that is larger than the budget is not sent",
    core: true,
  },
  {
    name: "most-is-called-likely",
    file: "src/features/budget/cost-estimate.ts",
    from: "likely += Math.min(bound.usd, before ?? typicalOf(candidate, prices));",
    to: "likely += bound.usd;",
    tests: ["test/features/budget/cost-estimate.test.ts"],
    title: "past runs of the type say what is likely",
  },
  {
    name: "upper-bound-asks",
    file: "src/features/budget/cost-estimate.ts",
    from: "{ agents, likelyUsd }: CostEstimate,",
    to: "{ agents, mostUsd: likelyUsd }: CostEstimate,",
    tests: ["test/features/budget/cost-estimate.test.ts"],
    title: "the upper bound alone is no reason to ask",
  },
  {
    name: "past-runs-are-not-kept",
    file: "src/features/budget/past-runs.ts",
    from: "this.#own.push({ key, usd });",
    to: "",
    tests: ["test/features/budget/fan-out-approval.test.ts"],
    title: "what agents of the type cost before on this machine is likely",
  },
  {
    name: "y-is-no-yes",
    file: "src/cli/repl/asks/question.ts",
    from: 'if (meant !== undefined) return { type: "labels", labels: [meant.label] };',
    to: "",
    tests: ["test/cli/repl/asks.test.ts"],
    title: "is answered by",
  },
];
