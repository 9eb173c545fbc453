import { type Meaning, type Meant, names } from "./fields.ts";

export interface Tools {
  readonly tools: readonly string[] | "all";
  /** Kinds of agents in `Agent(…)`. */
  readonly mayStart?: readonly string[];
}

const EVERYTHING: ReadonlySet<string> = new Set(["*", "all", "all tools", "inherit"]);
const SPAWNING: ReadonlySet<string> = new Set(["Agent", "Task"]);

/**
 * Tools as people list them: `Read, Grep`, `mcp__server`, `*`, `Agent(explore, plan)` for the kinds of agents that may
 * be started. A limit to some calls, as `Bash(git log:*)`, is the business of permission rules.
 */
export const toolNames: Meaning<Tools> = (value): Meant<Tools> => {
  if (typeof value === "string" && EVERYTHING.has(value.trim().toLowerCase()))
    return { value: { tools: "all" } };
  const read = names(value);
  if ("wrong" in read) return read;
  if (read.value.includes("*")) return { value: { tools: "all" } };
  const mayStart: string[] = [];
  const limited: string[] = [];
  const tools = read.value.map((text) => {
    const [, name = text, within] = /^([^(]+)\((.*?)\)?$/s.exec(text) ?? [];
    if (within === undefined) return text;
    if (SPAWNING.has(name)) mayStart.push(...within.split(",").map((kind) => kind.trim()));
    else limited.push(text);
    return name;
  });
  const kinds = mayStart.filter((kind) => kind !== "" && kind !== "*");
  return {
    value: { tools: [...new Set(tools)], ...(kinds.length === 0 ? {} : { mayStart: kinds }) },
    ...(limited.length === 0
      ? {}
      : {
          note: `names ${limited.slice(0, 3).join(", ")}: the whole tool is meant here, since only permission rules can tell calls apart`,
        }),
  };
};
