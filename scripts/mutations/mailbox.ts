import type { Mutation } from "./mutation.ts";

export const mailbox: readonly Mutation[] = [
  {
    name: "L2-pause-keeps-its-listener",
    file: "src/lib/clock.ts",
    from: 'signal?.removeEventListener("abort", end);',
    to: "",
    tests: ["test/mailbox/listeners.test.ts"],
    title: "a pause leaves no listener",
    core: true,
  },
];
