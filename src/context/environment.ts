/** What an agent is told about the place it works in; stable for the session, so that the prefix is cached (A22.20). */
export interface Environment {
  readonly cwd: string;
  readonly additionalDirs: readonly string[];
  readonly platform: string;
  readonly model: string;
}

export function environmentBlock({ cwd, additionalDirs, platform, model }: Environment): string {
  const lines = [
    "Environment",
    `Working directory: ${cwd}`,
    ...additionalDirs.map((dir) => `Additional directory: ${dir}`),
    `Platform: ${platform}`,
    `Model: ${model}`,
    "Paths given to tools are absolute. Cite code as path:line, with the path relative to the working directory.",
  ];
  return lines.join("\n");
}
