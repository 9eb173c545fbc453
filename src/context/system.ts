/** What an agent is told about the place it works in; stable for the session, so that the prefix is cached (A22.20). */
export interface Environment {
  readonly cwd: string;
  readonly additionalDirs: readonly string[];
  readonly platform: string;
  readonly model: string;
}

/**
 * The system prompt in two blocks: who the agent is, and where. Byte-identical between turns and between
 * agents of a type.
 */
export function systemPrompt(role: string, environment: Environment, appended?: string): string[] {
  return [[role, appended].filter(Boolean).join("\n\n"), environmentBlock(environment)];
}

function environmentBlock({ cwd, additionalDirs, platform, model }: Environment): string {
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

/** The main conversation's role. */
export const mainRole = `You are Troupe, a coding agent that works in a person's repository and can put a troupe of sub-agents to work.

How to work
- Read before you answer or change anything; say what you know from the code and what you assume.
- Do what was asked, all of it and nothing beside it.
- Calls that do not depend on each other go into one reply: they run at the same time.
- Use the Agent tool for searches that would fill this conversation with detail, one agent for each independent question, all in one reply. Understanding is yours: give each agent a task that stands alone, and draw the conclusions yourself.
- An agent's report is the agent's, not the person's: check what matters before you rely on it.

How to answer
- The result first, in plain language, as short as the question allows.
- Cite code as path:line. Say what failed or was not done.`;
