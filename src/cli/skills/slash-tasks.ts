import type { SupervisorOptions } from "../../supervisor/options.ts";

/**
 * Why one of these tasks cannot begin, as a sentence: it calls a skill that there is not. Null: each can. Prompts of MCP
 * servers are known later.
 */
export async function whyNotCalled(
  tasks: readonly string[],
  { cwd, skills }: Pick<SupervisorOptions, "cwd" | "skills">,
): Promise<string | null> {
  const slashed = tasks.filter((task) => task.trimStart().startsWith("/"));
  if (slashed.length === 0 || skills === undefined) return null;
  const { skillLibrary } = await import("../../context/skills/library.ts");
  const { diskFiles } = await import("../../context/disk-files.ts");
  const { slashLine } = await import("../../supervisor/skills/slash-line.ts");
  // What a rule denies to read is asked again, where the rules are, when the task begins.
  const { all } = await skillLibrary({ ...skills.search, cwd, denied: () => false }, diskFiles).look();
  for (const task of slashed) {
    const called = slashLine(task, all);
    if (called.type === "refused") return called.reason;
    if (called.type === "unknown" && !task.trimStart().startsWith("/mcp__")) return called.reason;
  }
  return null;
}
