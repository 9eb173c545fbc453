/** One line of the list a model chooses from (A4.16, A11.10). */
export interface AgentListing {
  readonly name: string;
  readonly whenToUse: string;
  readonly tools: readonly string[];
}

/** A description that is cut shorter than this says nothing: then the name stands alone. */
const LEAST_WORDS = 20;

export function formatAgentLine({ name, whenToUse, tools }: AgentListing): string {
  return `- ${name}: ${whenToUse} (Tools: ${tools.join(", ") || "none"})`;
}

/**
 * One line for each agent, in `budget` characters together: whole lines; else those that are not `kept` with shorter
 * descriptions and without their tools; else with their names alone, and the last of these are only counted. The kept
 * ones, which everybody has, stay whole at every level.
 */
export function agentList<Listed extends AgentListing>(
  agents: readonly Listed[],
  budget: number,
  isKept: (agent: Listed) => boolean,
): string {
  const whole = agents.map(formatAgentLine);
  if (lengthOf(whole) <= budget) return whole.join("\n");
  const others = agents.filter((agent) => !isKept(agent));
  const lines = (others: (agent: Listed) => string) =>
    agents.map((agent, at) => (isKept(agent) ? (whole[at] ?? "") : others(agent)));
  const named = lines(nameLine);
  // Each description takes ": " besides.
  const each = Math.floor((budget - lengthOf(named)) / others.length) - 2;
  if (each >= LEAST_WORDS)
    return lines((agent) => `${nameLine(agent)}: ${shortened(agent.whenToUse, each)}`).join("\n");
  if (lengthOf(named) <= budget) return named.join("\n");
  return counted(agents, budget, isKept).join("\n");
}

/** As many names as there is room for beside those that are kept, and how many there are besides. */
function counted<Listed extends AgentListing>(
  agents: readonly Listed[],
  budget: number,
  isKept: (agent: Listed) => boolean,
): string[] {
  const kept = agents.filter(isKept).map(formatAgentLine);
  const others = agents.filter((agent) => !isKept(agent)).map(nameLine);
  let room = budget - lengthOf([...kept, leftLine(others.length)]);
  const shown = others.filter((line) => {
    room -= line.length + 1;
    return room >= 0;
  });
  return [...kept, ...shown, leftLine(others.length - shown.length)];
}

function leftLine(count: number): string {
  return `- (and ${count} more, which are started by their names)`;
}

function nameLine({ name }: AgentListing): string {
  return `- ${name}`;
}

function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  const beginning = text.slice(0, most - 1).toWellFormed();
  return `${beginning.trimEnd()}…`;
}

/** With a line break behind each. */
function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}
