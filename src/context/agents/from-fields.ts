import { isObject } from "../../lib/json.ts";
import { plainName } from "../../lib/near-name.ts";
import { oneLine, shorten } from "../../lib/text.ts";
import {
  type FieldProblem,
  type Fields,
  type FileProblem,
  fieldReader,
  type Meaning,
  type Meant,
  names,
  plainKey,
  readFlag,
  readText,
} from "../markdown/fields.ts";
import type { AgentDefinition, AgentSource } from "./definition.ts";
import * as meanings from "./meanings.ts";

interface GrantedTools {
  readonly tools: readonly string[] | "all";
  /** Agent types in `Agent(…)`. */
  readonly mayStart?: readonly string[];
}

const ALL_TOOLS: ReadonlySet<string> = new Set(["*", "all", "all tools", "inherit"]);
const SPAWN_TOOLS: ReadonlySet<string> = new Set(["agent", "task"]);

/**
 * Tools as people list them: `Read, Grep`, `mcp__server`, `*`, `Agent(explore, plan)` for the agent types that may be
 * started. A limit to some calls, such as `Bash(git log:*)`, is a permission rule, not a tool.
 */
const readToolNames: Meaning<GrantedTools> = (value): Meant<GrantedTools> => {
  if (typeof value === "string" && ALL_TOOLS.has(value.trim().toLowerCase()))
    return { value: { tools: "all" } };
  const read = names(value);
  if ("wrong" in read) return read;
  if (read.value.includes("*")) return { value: { tools: "all" } };
  const mayStart: string[] = [];
  const limited: string[] = [];
  const tools = read.value.map((text) => {
    const [, name = text, within] = /^([^(]+)\((.*?)\)?$/s.exec(text) ?? [];
    if (within === undefined) return name;
    if (SPAWN_TOOLS.has(name.toLowerCase())) mayStart.push(...within.split(",").map((kind) => kind.trim()));
    else limited.push(text);
    return name;
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

/** Names with another meaning wherever an agent is named. */
const RESERVED: ReadonlySet<string> = new Set(["main", "fork"]);
const MAX_NAME_CHARS = 64;
/** A list of agents is in every request. */
const MAX_DESCRIPTION_CHARS = 1_000;

/** Keys that restrict an agent: if one cannot be read, the agent is not used. */
const LIMITS: readonly (readonly [string, Meaning<unknown>])[] = [
  ["tools", readToolNames],
  ["disallowedTools", readToolNames],
  ["isolation", meanings.readIsolation],
  ["accept", meanings.readAccept],
  ["runner", meanings.readPool],
];

/** The optional keys. */
const OPTIONAL: { readonly [Key in Optional]: Meaning<AgentDefinition[Key] | null> } = {
  aliases: names,
  model: meanings.model,
  thinkingTokens: meanings.wholeNumber(0, 1_000_000),
  effort: meanings.effort,
  permissionMode: meanings.mode,
  maxTurns: meanings.wholeNumber(1, 100_000),
  skills: names,
  mcpServers: meanings.servers,
  hooks: meanings.hooks,
  isolation: meanings.readIsolation,
  accept: meanings.readAccept,
  thread: meanings.readThread,
  merge: meanings.readMerge,
  runner: meanings.readPool,
  background: readFlag,
  memory: meanings.memory,
  budget: meanings.budget,
  outputSchema: meanings.readSchema,
};

type Optional = Exclude<
  keyof AgentDefinition,
  "name" | "whenToUse" | "prompt" | "tools" | "disallowedTools" | "mayStart" | "source"
>;

const KNOWN = {
  of: "an agent",
  known: [...["name", "description", "whenToUse", "tools", "disallowedTools"], ...Object.keys(OPTIONAL)],
  // Its name in skills.
  meant: { allowedTools: "tools" },
};

export interface Given {
  readonly fields: Fields;
  readonly prompt: string;
  /** The line at which the prompt starts. */
  readonly line: number;
  readonly fallbackName: string;
  readonly source: AgentSource;
  /** Keys that could not be read and were reported. */
  readonly unread?: readonly string[];
}

export interface Defined {
  /** Null if it cannot be used; one of the problems says why. */
  readonly definition: AgentDefinition | null;
  readonly problems: readonly FieldProblem[];
}

/** Builds an agent from keys as people write them and a prompt. */
export function definedBy({ fields, prompt, line, fallbackName, source, unread = [] }: Given): Defined {
  const reader = fieldReader(fields, KNOWN);
  const { take, misspelled } = reader;
  const problems: FieldProblem[] = reader.problems;
  for (const [at, { message, meant, line }] of misspelled.entries())
    if (LIMITS.some(([key]) => key === meant))
      problems[at] = { line, message: `${message} The agent may do more than was meant.` };
  const unusable = (message: string, key?: string): Defined => ({
    definition: null,
    problems: [
      ...problems,
      { line: (key === undefined ? undefined : reader.field(key)?.line) ?? line, message },
    ],
  });

  const name = plainLine(take("name", readText) ?? fallbackName);
  if (name === "" || name.length > MAX_NAME_CHARS)
    return unusable(`The name of an agent has 1 to ${MAX_NAME_CHARS} characters.`, "name");
  if (RESERVED.has(name.toLowerCase()))
    return unusable(`${name} means something else wherever an agent is named; choose another name.`, "name");
  if (prompt.trim() === "") return unusable("There is no prompt; write below the front matter what it does.");
  const description = take("description", readText) ?? take("whenToUse", readText);
  if (description === undefined && !misspelled.some(({ meant }) => meant === "description"))
    problems.push({
      line: 1,
      message:
        "There is no description, by which a model could choose it; say in one when to use this agent.",
    });

  // Another program's, and it restricts.
  reader.report(
    "permission",
    "permission does not count here; say in disallowedTools what the agent may not use.",
  );
  reader.report(
    "initialPrompt",
    "initialPrompt does not count here; give the agent its first task with -p or in the prompt.",
  );

  const lost = new Set(unread.map(plainKey));
  for (const [key, meaning] of LIMITS) {
    const field = reader.field(key);
    const meant = field === undefined ? null : meaning(field.value);
    const wrong =
      meant !== null && "wrong" in meant ? meant.wrong : lost.has(plainKey(key)) ? "cannot be read" : null;
    if (wrong !== null)
      return unusable(
        `${field?.key ?? key} ${wrong}; without it the agent could do more than was meant, so it is not used.`,
        key,
      );
  }
  const allowed = take("tools", readToolNames);
  const forbidden = take("disallowedTools", readToolNames);
  const definition: AgentDefinition = {
    name,
    whenToUse: shorten(plainLine(description ?? ""), MAX_DESCRIPTION_CHARS) || `The agent ${name}.`,
    prompt: prompt.trim(),
    tools: forbidden?.tools === "all" ? [] : (allowed?.tools ?? "all"),
    source,
    ...(allowed?.mayStart ? { mayStart: allowed.mayStart } : {}),
    ...(forbidden && forbidden.tools !== "all" ? { disallowedTools: forbidden.tools } : {}),
    ...optionalFields(take),
  };
  return { definition, problems };
}

function optionalFields(take: ReturnType<typeof fieldReader>["take"]): Partial<AgentDefinition> {
  const found: { -readonly [Key in Optional]?: AgentDefinition[Key] } = {};
  const add = <Key extends Optional>(key: Key): void => {
    const value: AgentDefinition[Key] | null | undefined = take(key, OPTIONAL[key]);
    if (value !== undefined && value !== null) found[key] = value;
  };
  for (const key of Object.keys(OPTIONAL)) if (isOptional(key)) add(key);
  return found;
}

function isOptional(key: string): key is Optional {
  return key in OPTIONAL;
}

/** People write line ends as `\n` to keep the value in one line. */
function plainLine(value: string): string {
  return oneLine(value.replace(/\\[nrt]/g, " "));
}

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
