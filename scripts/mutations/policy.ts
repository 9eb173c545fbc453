import type { Mutation } from "./mutation.ts";

export const policy: readonly Mutation[] = [
  {
    name: "P11-trust-by-the-name-of-a-link",
    file: "src/policy/trust/trust-store.ts",
    from: "[await realPath(root)]: entry",
    to: "[root]: entry",
    tests: ["test/policy/trust/trust.test.ts"],
    title: "(P11)",
  },
  {
    name: "SessionStart-runs-again",
    file: "src/policy/hooks/hook-runner.ts",
    from: 'if (source === "clear" || source === "compact") return start();',
    to: "return start();",
    tests: ["test/session/prompt-turns.test.ts"],
    title: "SessionStart runs once for the session",
  },
  {
    name: "PowerShell-is-read-as-bash",
    file: "src/policy/engine/command-judge.ts",
    from: 'if (this.#files.place.shell !== "bash" && protects === null) return this.#exactly(command, verdict);',
    to: "",
    tests: ["test/policy/engine/powershell.test.ts"],
    title: "is a question in mode",
  },
];
