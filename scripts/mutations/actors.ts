import type { Mutation } from "./mutation.ts";

export const actors: readonly Mutation[] = [
  {
    name: "A6-refusal-with-text-is-done",
    file: "src/actors/ending.ts",
    from: 'if (reply.stopReason === "refusal") {',
    to: 'if (reply.stopReason === "refusal" && !said) {',
    tests: ["test/actors/one-agent.test.ts"],
    title: "(A6)",
  },
  {
    name: "A6-empty-reply-is-done",
    file: "src/actors/ending.ts",
    from: 'if (said) return { status: "done", text };',
    to: 'if (text) return { status: "done", text };',
    tests: ["test/actors/one-agent.test.ts"],
    title: "empty text is not done",
  },
];
