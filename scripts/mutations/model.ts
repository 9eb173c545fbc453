import type { Mutation } from "./mutation.ts";

export const model: readonly Mutation[] = [
  {
    name: "D2-request-keeps-its-listener",
    file: "src/mailbox/rpc/caller.ts",
    from: 'signal?.removeEventListener("abort", cancel);',
    to: "",
    tests: ["test/mailbox/listeners.test.ts"],
    title: "a request to the model leaves no listener",
    core: true,
  },
  {
    name: "G1-fault-of-the-gateway-is-not-heard",
    file: "src/model/gateway.ts",
    from: `started.on("error", (error: unknown) => {
      fault = errorMessage(error);
    });`,
    to: 'started.on("error", () => {});',
    tests: ["test/model/gateway-restarts.test.ts"],
    title: "a gateway's thread that throws outside a request",
  },
  {
    name: "half-characters-are-kept",
    file: "src/model/sound-reply.ts",
    from: 'if (typeof value === "string") return value.toWellFormed();',
    to: 'if (typeof value === "string") return value;',
    tests: ["test/model/sound-replies.test.ts"],
    title: "are repaired before they are recorded",
  },
  {
    name: "odd-call-IDs-are-kept",
    file: "src/model/sound-reply.ts",
    from: 'const id = sound.id.replace(ODD, "_") ||',
    to: "const id = sound.id ||",
    tests: ["test/model/sound-replies.test.ts"],
    title: "any reply becomes one that an API takes back",
  },
  {
    name: "absurd-usage-is-believed",
    file: "src/model/sound-reply.ts",
    from: 'if (typeof count === "number" && count >= 0 && count <= MOST_TOKENS) return Math.ceil(count);',
    to: 'if (typeof count === "number") return count;',
    tests: ["test/model/sound-replies.test.ts"],
    title: "is brought to what is possible",
  },
  {
    name: "odd-usage-ends-a-session",
    file: "src/model/sound-reply.ts",
    from: 'return typeof count === "number" && count > MOST_TOKENS ? most() : 0;',
    to: 'return typeof count === "number" ? count : 0;',
    tests: ["test/model/sound-replies.test.ts"],
    title: "end no session, cost nothing that was not used, and are said once",
  },
  {
    name: "x-should-retry-is-ignored",
    file: "src/model/failures.ts",
    from: "...(error.shouldRetry === false ? { final: true } : {}),",
    to: "",
    tests: ["test/model/faults.test.ts"],
    title: "429 that no wait will mend",
  },
  {
    name: "usage-limit-is-retried",
    file: "src/model/failures.ts",
    from: "|usage.?limit",
    to: "",
    tests: ["test/model/faults.test.ts"],
    title: "429 for usage limits",
  },
  {
    name: "model-of-the-environment-is-ignored",
    file: "src/model/model-names.ts",
    from: 'agentModels: all ? { ...agentModels, "*": all } : agentModels,',
    to: "agentModels,",
    tests: ["test/features/agents/agent-models.test.ts"],
    title: "comes from the environment as well",
  },
];
