/**
 * What dist/ is made of. One standalone file per thread or process, so that a thread loads one file; all
 * in one folder, because each finds the others beside itself (`new URL("./tool-thread.cjs", import.meta.url)`).
 */
export interface Bundle {
  readonly name: string;
  readonly entry: string;
  /** Packages that stay in node_modules. */
  readonly external: readonly string[];
  /** Whether the entry is started often, and so must need no other file of dist/ to start. */
  readonly alone: boolean;
  /** A thread that loads CommonJS does without Node's whole ESM loader, which is a tenth of its start. */
  readonly format: "cjs" | "esm";
}

/** These find their binaries by their own place on disk. */
const found = ["@vscode/ripgrep", "sharp", "@hyzyla/pdfium"];

/** A library shares its packages with the program that uses it. */
const shared = ["@anthropic-ai/sdk", "nanoid", "zod"];

export const bundles: readonly Bundle[] = [
  { name: "index", entry: "src/index.ts", external: [...found, ...shared], alone: false, format: "esm" },
  { name: "policy", entry: "src/policy/index.ts", external: [], alone: false, format: "esm" },
  // What a tool's module imports: an agent's thread that loads it does without the rest of the library.
  { name: "tool", entry: "src/tools/define-tool.ts", external: shared, alone: false, format: "esm" },
  { name: "cli", entry: "src/cli/entry.ts", external: found, alone: false, format: "esm" },
  { name: "tool-thread", entry: "src/actors/tool-thread.ts", external: found, alone: true, format: "cjs" },
  {
    name: "gateway-thread",
    entry: "src/model/gateway-thread.ts",
    external: found,
    alone: true,
    format: "esm",
  },
  // What an actor's module imports.
  {
    name: "actor",
    entry: "src/features/user-actors/define-actor.ts",
    external: shared,
    alone: false,
    format: "esm",
  },
  {
    name: "actor-thread",
    entry: "src/features/user-actors/actor-thread.ts",
    external: found,
    alone: true,
    format: "esm",
  },
  { name: "journal-writer", entry: "src/journal/writer.ts", external: found, alone: true, format: "esm" },
  { name: "mcp-broker", entry: "src/mcp/broker/process.ts", external: [], alone: true, format: "esm" },
  {
    name: "worktree-keeper",
    entry: "src/worktrees/git-worker-main.ts",
    external: [],
    alone: true,
    format: "esm",
  },
  { name: "page-reader", entry: "src/web/convert/thread.ts", external: found, alone: true, format: "esm" },
  { name: "process-host", entry: "src/processes/host.ts", external: found, alone: true, format: "esm" },
];
