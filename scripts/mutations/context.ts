import type { Mutation } from "./mutation.ts";

export const context: readonly Mutation[] = [
  {
    name: "X2-memory-link-out-of-the-project",
    file: "src/context/memory/memory.ts",
    from: "if (!this.#mayReach(content.real, place))",
    to: "if (!this.#mayReach(path, place))",
    tests: ["test/context/memory/memory.test.ts"],
    title: "(X2)",
  },
  {
    name: "X4-memory-link-to-a-denied-file",
    file: "src/context/memory/memory.ts",
    from: "if (this.#search.denied(content.real))",
    to: "if (this.#search.denied(path))",
    tests: ["test/context/memory/memory.test.ts"],
    title: "(X4)",
  },
  {
    name: "named-document-is-not-attached",
    file: "src/context/references.ts",
    from: 'if (look.type === "file" && DOCUMENT_NAME.test(path))',
    to: "if (false)",
    tests: ["test/features/context/named-documents.test.ts"],
    title: "documents that a prompt names are attached",
  },
  {
    name: "agents-are-told-that-memory-is-gone",
    file: "src/features/context/session-context.ts",
    from: "(key) => nearbyGone(key) ?? situationGone(key)",
    to: "gone",
    tests: ["test/features/context/context.test.ts"],
    title: "tells an agent nothing that its first message already says",
  },
];
