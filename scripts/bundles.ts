/**
 * What dist/ is made of. One standalone file per thread or process, so that a thread loads one file; all
 * in one folder, because each finds the others beside itself (`new URL("./agent-thread.js", import.meta.url)`).
 */
export interface Bundle {
  readonly name: string;
  readonly entry: string;
  /** Packages that stay in node_modules. */
  readonly external: readonly string[];
}

/** ripgrep finds its binary and piscina its worker file by their own place on disk. */
const found = ["@vscode/ripgrep", "piscina"];

/** A library shares its packages with the program that uses it. */
const shared = ["@anthropic-ai/sdk", "comlink", "execa", "globby", "nanoid", "zod"];

export const bundles: readonly Bundle[] = [
  { name: "index", entry: "src/index.ts", external: [...found, ...shared] },
  { name: "cli", entry: "src/cli/entry.ts", external: found },
  { name: "agent-thread", entry: "src/actors/worker.ts", external: found },
  { name: "gateway-thread", entry: "src/model/gateway-thread.ts", external: found },
  { name: "journal-writer", entry: "src/journal/writer.ts", external: found },
  { name: "process-host", entry: "src/processes/host.ts", external: found },
];

/** While this file does not exist, entries may be missing. Remove it, and its one use, when all are there. */
export const LENIENT_UNTIL = "src/actors/worker.ts";
