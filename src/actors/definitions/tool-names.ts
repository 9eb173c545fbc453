import { type Meaning, type Meant, names } from "../../context/markdown/field-reader.ts";

export interface GrantedTools {
  readonly tools: readonly string[] | "all";
  /** Agent types in `Agent(…)`. */
  readonly mayStart?: readonly string[];
}

const ALL_TOOLS: ReadonlySet<string> = new Set(["*", "all", "all tools", "inherit"]);
const SPAWN_TOOLS: ReadonlySet<string> = new Set(["Agent", "Task"]);

/** Other programs write them `read, bash`. */
const SPELLING: ReadonlyMap<string, string> = new Map(
  "Agent AskUserQuestion Bash Edit Glob Grep LSP NotebookEdit Read Skill Task TodoWrite WebFetch WebSearch Write"
    .split(" ")
    .map((name) => [name.toLowerCase(), name] as const),
);

/** Former tools and their replacements. */
const FORMER: ReadonlyMap<string, string> = new Map([
  ["LS", "Glob"],
  ["MultiEdit", "Edit"],
  ["NotebookRead", "Read"],
  ["BashOutput", "TaskOutput"],
  ["KillBash", "TaskStop"],
  ["KillShell", "TaskStop"],
  ["SlashCommand", "Skill"],
]);

/** The tools an agent may use; old names are replaced. */
export const allowedTools: Meaning<GrantedTools> = (value): Meant<GrantedTools> => {
  const read = readToolNames(value);
  if ("wrong" in read || read.value.tools === "all") return read;
  const tools = read.value.tools.map((name) => FORMER.get(name) ?? name);
  return { ...read, value: { ...read.value, tools: [...new Set(tools)] } };
};

/**
 * Tools as people list them: `Read, Grep`, `mcp__server`, `*`, `Agent(explore, plan)` for the agent types that may be
 * started. A limit to some calls, such as `Bash(git log:*)`, is a permission rule, not a tool.
 */
export const readToolNames: Meaning<GrantedTools> = (value): Meant<GrantedTools> => {
  if (typeof value === "string" && ALL_TOOLS.has(value.trim().toLowerCase()))
    return { value: { tools: "all" } };
  const read = names(value);
  if ("wrong" in read) return read;
  if (read.value.includes("*")) return { value: { tools: "all" } };
  const mayStart: string[] = [];
  const limited: string[] = [];
  const tools = read.value.map((text) => {
    const [, name = text, within] = /^([^(]+)\((.*?)\)?$/s.exec(text) ?? [];
    const proper = SPELLING.get(name) ?? name;
    if (within === undefined) return proper;
    if (SPAWN_TOOLS.has(proper)) mayStart.push(...within.split(",").map((kind) => kind.trim()));
    else limited.push(text);
    return proper;
  });
  const kinds = mayStart.filter((kind) => kind !== "" && kind !== "*");
  return {
    value: { tools: [...new Set(tools)], ...(kinds.length === 0 ? {} : { mayStart: kinds }) },
    ...(limited.length === 0
      ? {}
      : {
          note: `names ${limited.slice(0, 3).join(", ")}: the whole tool counts here, because only permission rules can tell calls apart`,
        }),
  };
};
