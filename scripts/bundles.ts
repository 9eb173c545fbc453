/**
 * What dist/ is made of, all in one folder, because each finds the others beside itself
 * (`new URL("./tool-thread.cjs", import.meta.url)`).
 */
export interface Bundle {
  readonly name: string;
  readonly entry: string;
  /** Packages that stay in node_modules. */
  readonly external: readonly string[];
  /**
   * `library`: ES modules with shared chunks, for a user's `import`. `program` and `thread`: one file in CommonJS,
   * because Node's loader of ES modules is a tenth of a thread's start, and each file costs half a millisecond.
   */
  readonly kind: "library" | "program" | "thread";
}

/** These find their binaries by their own place on disk. */
const found = ["@vscode/ripgrep", "sharp", "@hyzyla/pdfium"];

/** Only a confined command that may reach some hosts needs it, and it is a fifth of the program. */
const proxy = "@anthropic-ai/sandbox-runtime";

/** It finds its WebAssembly by its own place on disk. */
const engine = ["@jitl/quickjs-wasmfile-release-sync", "quickjs-emscripten-core"];

/** Optional, and loaded if agents may run on runners. */
const runners = ["bullmq", "ioredis", "pg"];

/** A library shares its packages with the program that uses it. */
const shared = ["@anthropic-ai/sdk", "nanoid", "zod"];

export const bundles: readonly Bundle[] = [
  { name: "index", entry: "src/index.ts", external: [...found, ...runners, ...shared], kind: "library" },
  { name: "policy", entry: "src/policy/index.ts", external: [], kind: "library" },
  // What a tool's module imports: an agent's thread that loads it does without the rest of the library.
  { name: "tool", entry: "src/tools/define-tool.ts", external: shared, kind: "library" },
  // What an actor's module imports.
  { name: "actor", entry: "src/features/user-actors/define-actor.ts", external: shared, kind: "library" },
  { name: "cli", entry: "src/cli/entry.ts", external: [...found, ...runners, proxy], kind: "program" },
  { name: "threads-ahead", entry: "src/cli/threads-ahead.ts", external: [], kind: "program" },
  { name: "tool-thread", entry: "src/actors/tool-thread.ts", external: found, kind: "thread" },
  { name: "agent-process", entry: "src/runner/agent-process.ts", external: found, kind: "thread" },
  { name: "gateway-thread", entry: "src/model/gateway-thread.ts", external: found, kind: "thread" },
  {
    name: "actor-thread",
    entry: "src/features/user-actors/actor-thread.ts",
    external: found,
    kind: "thread",
  },
  { name: "journal-writer", entry: "src/journal/writer.ts", external: found, kind: "thread" },
  { name: "mcp-broker", entry: "src/mcp/broker/main.ts", external: [], kind: "thread" },
  { name: "worktree-keeper", entry: "src/worktrees/git-worker-main.ts", external: [], kind: "thread" },
  { name: "script-thread", entry: "src/features/scripts/script-thread.ts", external: engine, kind: "thread" },
  { name: "page-reader", entry: "src/web/convert/thread.ts", external: found, kind: "thread" },
  { name: "process-host", entry: "src/processes/host.ts", external: found, kind: "thread" },
];
