import type { Field } from "../../context/front-matter/fields.ts";
import type { AgentDefinition } from "./definition.ts";
import { isObject } from "./fields.ts";
import { definedBy } from "./from-fields.ts";
import { plainName } from "./index.ts";
import type { AgentProblem } from "./problem.ts";

/** What `--agents` was given: an object of agents by name, as front matter has them, with their `prompt`. */
export type AgentsFlag = Readonly<Record<string, unknown>>;

export function agentsInFlag(flag: AgentsFlag): {
  readonly agents: readonly AgentDefinition[];
  readonly problems: readonly AgentProblem[];
} {
  const agents: AgentDefinition[] = [];
  const problems: AgentProblem[] = [];
  for (const [name, entry] of Object.entries(flag)) {
    const problem = (message: string) => ({
      file: null,
      line: null,
      message: `--agents, ${name}: ${message}`,
    });
    if (!isObject(entry)) {
      problems.push(problem("must be an object with a description and a prompt."));
      continue;
    }
    const { prompt, name: _, ...rest } = entry;
    const fields = new Map<string, Field>(
      Object.entries(rest).map(([key, value]) => [key, { value, line: 1 }]),
    );
    if (typeof prompt !== "string") {
      problems.push(problem("There is no prompt."));
      continue;
    }
    const source = { scope: "flag" } as const;
    const { definition, faults } = definedBy({ fields, prompt, line: 1, fallbackName: name, source });
    problems.push(...faults.map(({ message }) => problem(message)));
    if (definition === null) continue;
    const first = agents.find((one) => plainName(one.name) === plainName(definition.name));
    if (first === undefined) agents.push(definition);
    else
      problems.push(
        problem(
          `There is an agent ${first.name} already; this one is not used. Give one of them another name.`,
        ),
      );
  }
  return { agents, problems };
}
