import type { Bounds } from "./compaction/bounds.ts";
import { roundTokens } from "./limit-results.ts";

/** What an agent knows about its environment; stable for the session, so that the prefix is cached (A22.20). */
export interface Environment {
  readonly cwd: string;
  readonly additionalDirs: readonly string[];
  readonly platform: string;
  readonly model: string;
  /** Tokens that results may have in the model's window. */
  readonly limits: Pick<Bounds, "result" | "results">;
}

export function environmentBlock({ cwd, additionalDirs, platform, model, limits }: Environment): string {
  const lines = [
    "Environment",
    `Working directory: ${cwd}`,
    ...additionalDirs.map((dir) => `Additional directory: ${dir}`),
    `Platform: ${platform}`,
    `Model: ${model}`,
    `One tool result has at most about ${roundTokens(limits.result)} tokens here, all results of one reply ${roundTokens(limits.results)}; what is longer is cut, and says so. Read long files in parts and narrow searches.`,
    "Paths given to tools are absolute. Cite code as path:line, with the path relative to the working directory.",
  ];
  return lines.join("\n");
}
