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
  {
    name: "A2-a-ninth-call-runs",
    file: "src/actors/run-calls.ts",
    from: "if (running >= limit)",
    to: "if (running > limit)",
    tests: ["test/actors/run-calls.test.ts"],
    title: "8 run at the same time",
    core: true,
  },
  {
    name: "A4-thread-keeps-listeners-of-its-actors",
    file: "src/actors/thread-host.ts",
    from: "if (alive.has(thread)) return;",
    to: "",
    tests: ["test/actors/one-thread.test.ts"],
    title: "keeps no listener of any of them",
    core: true,
  },
  {
    name: "closed-session-leaves-a-thread",
    file: "src/actors/thread-host.ts",
    from: "pool.options.minThreads = 0;",
    to: "",
    tests: ["test/supervisor/closing/closed-sessions.test.ts"],
    title: "after each of 30 closed sessions",
  },
];
