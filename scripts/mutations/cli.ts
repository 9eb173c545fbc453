import type { Mutation } from "./mutation.ts";

export const cli: readonly Mutation[] = [
  {
    name: "damaged-session-is-not-named",
    file: "src/cli/setup-or-resume.ts",
    from: 'if (notes.length > 0) return new Error(notes.map(safeLine).join("\\n"));',
    to: "",
    tests: ["test/cli/setup-or-resume.test.ts"],
    title: "is named by --continue as sessions list names it",
  },
  {
    name: "flag-for-the-role-is-ignored",
    file: "src/cli/main-role.ts",
    from: "if (file === undefined) return args.value(flags.systemPrompt);",
    to: "if (file === undefined) return undefined;",
    tests: ["test/cli/main-role.test.ts"],
    title: "--system-prompt replaces it",
  },
  {
    name: "flag-for-the-agent-is-ignored",
    file: "src/cli/main-role.ts",
    from: "if (name === undefined) return undefined;",
    to: 'if (name !== "") return undefined;',
    tests: ["test/cli/main-role.test.ts"],
    title: "--agent takes a definition",
  },
  {
    name: "danger-is-not-shown",
    file: "src/cli/repl/asks/permission.ts",
    from: '...field("danger", DANGER[ask.level], sheet),',
    to: "",
    tests: ["test/cli/repl/asks.test.ts"],
    title: "names the call first",
  },
];
