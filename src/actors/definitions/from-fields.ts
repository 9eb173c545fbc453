import type { Fault, Fields } from "../../context/front-matter/fields.ts";
import { mistypedKeys, plainKey } from "../../context/front-matter/mistyped.ts";
import type { AgentDefinition, AgentSource } from "./definition.ts";
import type { Meaning } from "./fields.ts";
import * as meanings from "./fields.ts";
import { allowedTools, toolNames } from "./tool-names.ts";

/** Names that mean something else wherever an agent is named. */
const TAKEN: ReadonlySet<string> = new Set(["main", "fork"]);
const MOST_NAME_CHARS = 64;
/** A list of agents stands in every request. */
const MOST_DESCRIPTION_CHARS = 1_000;
const TURNS = { least: 1, most: 100_000 };
/** As in settings. */
const THINKING = { least: 0, most: 1_000_000 };

/** Keys that hold an agent back: where one cannot be read, the agent may not do what was to be kept from it. */
const LIMITS: readonly (readonly [string, Meaning<unknown>])[] = [
  ["tools", allowedTools],
  ["disallowedTools", toolNames],
  ["isolation", meanings.isolation],
];

/** What a definition can do without. */
const OTHERS: { readonly [Key in Other]: Meaning<AgentDefinition[Key] | null> } = {
  aliases: meanings.names,
  model: meanings.model,
  thinkingTokens: meanings.wholeFrom(THINKING.least, THINKING.most),
  effort: meanings.effort,
  permissionMode: meanings.mode,
  maxTurns: meanings.wholeFrom(TURNS.least, TURNS.most),
  skills: meanings.names,
  mcpServers: meanings.servers,
  hooks: meanings.hooks,
  isolation: meanings.isolation,
  merge: meanings.merge,
  background: meanings.flag,
  memory: meanings.memory,
  budget: meanings.budget,
  outputSchema: meanings.schema,
};

/** Every field but those that each definition has, and those that files cannot say or say with `tools`. */
type Other = Exclude<
  keyof AgentDefinition,
  "name" | "whenToUse" | "prompt" | "tools" | "disallowedTools" | "mayStart" | "source"
>;

const KEYS: readonly string[] = [
  ...["name", "description", "whenToUse", "tools", "disallowedTools"],
  ...Object.keys(OTHERS),
];
/** In skills it is called so. */
const MEANT = { allowedTools: "tools" };
const NOT_HELD = "The agent may do more than was meant.";

export interface Given {
  readonly fields: Fields;
  readonly prompt: string;
  /** Where the prompt begins. */
  readonly line: number;
  /** Its name, where none is given. */
  readonly fallbackName: string;
  readonly source: AgentSource;
  /** Keys that stand there and could not be read; that was said. */
  readonly unread?: readonly string[];
}

export interface Defined {
  /** Null: it cannot be used, and one of the faults says why. */
  readonly definition: AgentDefinition | null;
  /** What is wrong with it, or will not be as it says; the rest of it counts. */
  readonly faults: readonly Fault[];
}

/** One agent from the keys people write, whatever their case and separators, and a prompt. */
export function definedBy({ fields, prompt, line, fallbackName, source, unread = [] }: Given): Defined {
  const mistyped = mistypedKeys(fields, { of: "an agent", known: KEYS, meant: MEANT });
  const faults: Fault[] = mistyped.map(({ line, message, meant }) => ({
    line,
    message: LIMITS.some(([key]) => key === meant) ? `${message} ${NOT_HELD}` : message,
  }));
  const byKey = new Map([...fields].map(([key, field]) => [plainKey(key), { key, ...field }]));

  const taken: Take = (key, meaning) => {
    const field = byKey.get(plainKey(key));
    // A key without a value says nothing.
    if (field === undefined || field.value === null) return undefined;
    const meant = meaning(field.value);
    const said = "wrong" in meant ? `${meant.wrong}; it does not count` : meant.note;
    if (said !== undefined) faults.push({ line: field.line, message: `${field.key} ${said}.` });
    return "wrong" in meant ? undefined : meant.value;
  };
  const unusable = (message: string, key?: string): Defined => ({
    definition: null,
    faults: [...faults, { line: (key === undefined ? undefined : byKey.get(key)?.line) ?? line, message }],
  });

  const name = oneLine(taken("name", meanings.sentence) ?? fallbackName);
  if (name === "" || name.length > MOST_NAME_CHARS)
    return unusable(`The name of an agent has 1 to ${MOST_NAME_CHARS} characters.`, "name");
  if (TAKEN.has(name.toLowerCase()))
    return unusable(`${name} means something else wherever an agent is named; choose another name.`, "name");
  if (prompt.trim() === "") return unusable("There is no prompt; write below the front matter what it does.");
  const described = taken("description", meanings.sentence) ?? taken("whenToUse", meanings.sentence);
  if (described === undefined && !mistyped.some(({ meant }) => meant === "description"))
    faults.push({
      line: 1,
      message:
        "There is no description, by which a model could choose it; say in one when to use this agent.",
    });

  const lost = new Set(unread.map(plainKey));
  for (const [key, meaning] of LIMITS) {
    const field = byKey.get(plainKey(key));
    const meant = field === undefined || field.value === null ? null : meaning(field.value);
    const wrong =
      meant !== null && "wrong" in meant ? meant.wrong : lost.has(plainKey(key)) ? "cannot be read" : null;
    if (wrong !== null)
      return unusable(
        `${field?.key ?? key} ${wrong}; without it the agent could do more than was meant, so it is not used.`,
        plainKey(key),
      );
  }
  const allowed = taken("tools", allowedTools);
  const forbidden = taken("disallowedTools", toolNames);
  const base: AgentDefinition = {
    name,
    whenToUse: shortened(oneLine(described ?? "")) || `The agent ${name}.`,
    prompt: prompt.trim(),
    tools: forbidden?.tools === "all" ? [] : (allowed?.tools ?? "all"),
    source,
    ...(allowed?.mayStart ? { mayStart: allowed.mayStart } : {}),
    ...(forbidden && forbidden.tools !== "all" ? { disallowedTools: forbidden.tools } : {}),
  };
  return { definition: { ...base, ...others(taken) }, faults };
}

type Take = <T>(key: string, meaning: Meaning<T>) => T | undefined;

function others(taken: Take): Partial<AgentDefinition> {
  const found: { -readonly [Key in Other]?: AgentDefinition[Key] } = {};
  const add = <Key extends Other>(key: Key): void => {
    const meant: AgentDefinition[Key] | null | undefined = taken(key, OTHERS[key]);
    if (meant !== undefined && meant !== null) found[key] = meant;
  };
  for (const key of Object.keys(OTHERS)) if (isOther(key)) add(key);
  return found;
}

function isOther(key: string): key is Other {
  return key in OTHERS;
}

/** People write line ends as `\n` where they are to stay in one line. */
function oneLine(text: string): string {
  return text
    .replace(/\\[nrt]/g, " ")
    .replace(/[\s\p{Cc}\p{Cf}]+/gu, " ")
    .trim();
}

function shortened(text: string): string {
  return text.length <= MOST_DESCRIPTION_CHARS
    ? text
    : `${text.slice(0, MOST_DESCRIPTION_CHARS - 1).trimEnd()}…`;
}
