import type { SupervisorOptions } from "../../session/options.ts";
import { onlyInConversation, onlyInShell } from "./other-places.ts";

/**
 * Why one of these tasks cannot begin, as a sentence: it calls a skill that there is not, or a command of another place.
 * Null: each can. Prompts of MCP servers are known later.
 */
export async function whyNotCalled(
  tasks: readonly string[],
  { cwd, skills }: Pick<SupervisorOptions, "cwd" | "skills">,
): Promise<string | null> {
  const slashed = tasks.filter((task) => task.trimStart().startsWith("/"));
  if (slashed.length === 0 || skills === undefined) return null;
  const { skillLibrary } = await import("../../context/skills/library.ts");
  const { diskFiles } = await import("../../context/disk-files.ts");
  const { slashLine } = await import("../../features/skills/slash-line.ts");
  // What a rule denies to read is asked again, where the rules are, when the task begins.
  const { all } = await skillLibrary({ ...skills.search, cwd, denied: () => false }, diskFiles).look();
  for (const task of slashed) {
    const called = slashLine(task, all);
    if (called.type === "refused") return called.reason;
    if (called.type === "unknown" && !task.trimStart().startsWith("/mcp__"))
      return elsewhere(task) ?? called.reason;
  }
  return null;
}

function elsewhere(task: string): string | null {
  const [, word = ""] = /^\s*\/(\S*)/.exec(task) ?? [];
  const shell = onlyInShell(word);
  return shell === null ? onlyInConversation(word) : `There is no command or skill "/${word}"; ${shell}`;
}
