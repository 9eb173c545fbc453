import type { Fault, Fields } from "../front-matter/fields.ts";
import { mistypedKeys, plainKey } from "../front-matter/mistyped.ts";
import { rulesIn } from "./allowed-tools.ts";
import type { SkillHead } from "./skill.ts";
import { commandsOf } from "./template.ts";

/** What is called: letters and digits, with marks in between. */
const NAME = /^[\p{L}\p{N}_][\p{L}\p{N}._:-]{0,127}$/u;
const KEYS: readonly string[] = [
  ...["name", "description", "when-to-use", "allowed-tools", "argument-hint", "arguments", "model"],
  ...["disable-model-invocation", "user-invocable", "context", "agent", "hooks"],
];
/** In agents it is called so. */
const MEANT = { tools: "allowed-tools" };
/** More of a description than a list could ever show. */
const MOST_CHARS = 2_000;

export interface Given {
  readonly fields: Fields;
  readonly body: string;
  /** The file's or the folder's name. */
  readonly called: string;
  /** A skill may name itself; a command is called as its file is. */
  readonly namesItself: boolean;
  readonly prefix: string;
}

export interface ReadHead {
  /** Null: it cannot be used, and one of the faults says why. */
  readonly head: SkillHead | null;
  readonly faults: readonly Fault[];
}

/** A skill from the keys people write, whatever their case and separators. */
export function skillHead({ fields, body, called, namesItself, prefix }: Given): ReadHead {
  const faults: Fault[] = mistypedKeys(fields, { of: "a skill", known: KEYS, meant: MEANT }).map(
    ({ line, message }) => ({ line, message }),
  );
  const byKey = new Map([...fields].map(([key, field]) => [plainKey(key), { key, ...field }]));

  function said<T>(key: string, meaning: (value: unknown) => T | null, must: string): T | null {
    const field = byKey.get(plainKey(key));
    // A key without a value says nothing.
    if (field === undefined || field.value === null) return null;
    const value = meaning(field.value);
    if (value === null)
      faults.push({ line: field.line, message: `${field.key} must be ${must}; it does not count.` });
    return value;
  }
  const flag = (key: string) => said(key, truth, "true or false");
  const line = (key: string) => said(key, words, "text");

  const own = namesItself ? line("name") : null;
  // A name with spaces is a title: what can be called is the folder.
  const name = `${prefix}${own !== null && NAME.test(own) ? own : called}`;
  if (!NAME.test(name))
    return {
      head: null,
      faults: [
        ...faults,
        {
          line: byKey.get("name")?.line ?? 1,
          message: `${JSON.stringify(name)} cannot be called; give it a name of letters, digits, “-”, “_”, “.” and “:”.`,
        },
      ],
    };
  if (body.trim() === "")
    return {
      head: null,
      faults: [...faults, { line: 1, message: "There is nothing below the front matter." }],
    };
  const context = line("context");
  if (context !== null && context !== "fork" && context !== "inline")
    faults.push({
      line: byKey.get("context")?.line ?? 1,
      message: "context must be fork, or absent; it does not count.",
    });
  // Whoever relies on them must know.
  const hooks = byKey.get("hooks");
  if (hooks !== undefined && hooks.value !== null)
    faults.push({
      line: hooks.line,
      message: "hooks do not hold in a skill; put them into settings, or into an agent.",
    });
  const model = line("model");
  return {
    faults,
    head: {
      name,
      description: line("description") || firstWords(body),
      whenToUse: line("when-to-use"),
      allowedTools: said("allowed-tools", rulesIn, "rules, as a list or with commas between them") ?? [],
      argumentHint: said("argument-hint", hint, "text"),
      arguments: said("arguments", rulesIn, "names") ?? [],
      model: model === null || /^(?:inherit|default)$/i.test(model) ? null : model,
      forModel: flag("disable-model-invocation") !== true,
      forPerson: flag("user-invocable") !== false,
      forks: context === "fork",
      agent: line("agent"),
      commands: commandsOf(body),
    },
  };
}

/** One line of a word or a sentence; YAML reads some words as numbers. */
function words(value: unknown): string | null {
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") return null;
  return oneLine(String(value)).slice(0, MOST_CHARS).toWellFormed();
}

/** `[what] [where]`, which YAML reads as a list where there is one pair of brackets, and some write as one. */
function hint(value: unknown): string | null {
  if (!Array.isArray(value)) return words(value);
  const all = value.map(words);
  return all.includes(null) ? null : all.map((one) => `[${one}]`).join(" ");
}

function truth(value: unknown): boolean | null {
  if (typeof value === "boolean") return value;
  const word = typeof value === "string" ? value.trim().toLowerCase() : "";
  if (["true", "yes", "on"].includes(word)) return true;
  return ["false", "no", "off"].includes(word) ? false : null;
}

/** The first line that says something stands for a description. */
function firstWords(body: string): string {
  const lines = body.split("\n").map((line) => oneLine(line.replace(/^\s*#+\s*/, "")));
  return (lines.find((line) => line !== "") ?? "").slice(0, MOST_CHARS).toWellFormed();
}

function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}\p{Cf}]+/gu, " ").trim();
}
