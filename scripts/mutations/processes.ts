import type { Mutation } from "./mutation.ts";

export const processes: readonly Mutation[] = [
  {
    name: "R2-flood-gets-a-grace-period",
    file: "src/processes/child.ts",
    from: 'if (how === "kill") group.kill();',
    to: "",
    tests: ["test/processes/child.test.ts"],
    title: "a flood is ended with KILL",
  },
  {
    name: "what-left-its-group-goes-on",
    file: "src/processes/child.ts",
    from: "await strays.end();",
    to: "",
    tests: ["test/processes/file-output.test.ts"],
    title: "what left its group ends with its command",
  },
  {
    name: "what-left-its-group-is-not-counted",
    file: "src/processes/child.ts",
    from: "new Set([...group.running(), ...strays.running()]).size",
    to: "new Set(group.running()).size",
    tests: ["test/processes/file-output.test.ts"],
    title: "what left its group ends with its command",
  },
];
