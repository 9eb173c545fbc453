import type { Mutation } from "./mutation.ts";

export const cli: readonly Mutation[] = [
  {
    name: "damaged-session-is-not-named",
    file: "src/cli/taking-up.ts",
    from: 'if (notes.length > 0) return new Error(notes.map(safeLine).join("\\n"));',
    to: "",
    tests: ["test/cli/taking-up.test.ts"],
    title: "is named by --continue as sessions list names it",
  },
];
