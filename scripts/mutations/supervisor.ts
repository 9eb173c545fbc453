import type { Mutation } from "./mutation.ts";

export const supervisor: readonly Mutation[] = [
  {
    name: "S3-result-twice",
    file: "src/supervisor/owed.ts",
    from: "if (this.#durable.has(name.id)) return;",
    to: "",
    tests: ["test/supervisor/notices.test.ts"],
    title: "(S3, D1)",
  },
  {
    name: "S12-throwing-filter-shows",
    file: "src/supervisor/gate.ts",
    from: "} catch {\n        return true;",
    to: "} catch {\n        return false;",
    tests: ["test/supervisor/gate-confined.test.ts"],
    title: "(S12)",
  },
  {
    name: "S14-edited-into-denied",
    file: "src/supervisor/gate.ts",
    from: `if (refused !== null) return { type: "refuse", by: "person", reason: refused };
    const held = this.#sandboxWord(report, input, where);`,
    to: "const held = this.#sandboxWord(report, input, where);",
    tests: ["test/supervisor/gate.test.ts"],
    title: "(S14)",
  },
  {
    name: "S16-written-is-not-checked",
    file: "src/supervisor/isolation/bring-back.ts",
    from: "expects: settings.check === null ? null : prepared.checkout",
    to: "expects: null",
    tests: ["test/supervisor/isolation/isolated-agents.test.ts"],
    title: "(S16)",
  },
];
