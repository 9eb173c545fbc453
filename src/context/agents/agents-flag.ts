import { plainName } from "../../lib/near-name.ts";
import { isObject } from "../../lib/objects.ts";
import type { FileProblem } from "../markdown/fields.ts";
import type { AgentDefinition } from "./definition.ts";
import { definedBy } from "./from-fields.ts";

/** The value of `--agents`: an object of agents by name, with the keys of front matter and a `prompt`. */
export type AgentsFlag = Readonly<Record<string, unknown>>;

export function agentsInFlag(flag: AgentsFlag): {
  readonly agents: readonly AgentDefinition[];
  readonly problems: readonly FileProblem[];
} {
  const agents: AgentDefinition[] = [];
  const problems: FileProblem[] = [];
  for (const [name, entry] of Object.entries(flag)) {
    const report = (message: string) =>
      problems.push({ file: null, line: null, message: `--agents, ${name}: ${message}` });
    if (!isObject(entry)) {
      report("must be an object with a description and a prompt.");
      continue;
    }
    const { prompt, name: _, ...rest } = entry;
    if (typeof prompt !== "string") {
      report("There is no prompt.");
      continue;
    }
    const fields = new Map(Object.entries(rest).map(([key, value]) => [key, { value, line: 1 }]));
    const source = { scope: "flag" } as const;
    const defined = definedBy({ fields, prompt, line: 1, fallbackName: name, source });
    for (const { message } of defined.problems) report(message);
    const { definition } = defined;
    if (definition === null) continue;
    const first = agents.find((one) => plainName(one.name) === plainName(definition.name));
    if (first === undefined) agents.push(definition);
    else
      report(`There is an agent ${first.name} already; this one is not used. Give one of them another name.`);
  }
  return { agents, problems };
}
