import { oneLine } from "../../lib/text.ts";
import { hooks as readHooks } from "../agents/meanings.ts";
import type { Files } from "../files.ts";
import {
  type FieldProblem,
  type Fields,
  fieldReader,
  formatProblem,
  type Meaning,
  names,
  readFlag,
  readText,
} from "../markdown/fields.ts";
import type { MarkdownFile } from "../markdown/find-markdown.ts";
import { readMarkdown } from "../markdown/read-markdown.ts";
import type { Skill } from "./skill.ts";
import type { SkillDir } from "./skill-dirs.ts";
import { findTemplateCommands } from "./template.ts";

/** A name that can be called: letters and digits, with marks in between. */
const NAME = /^[\p{L}\p{N}_][\p{L}\p{N}._:-]{0,127}$/u;
/** An alias may be a title, by which a model calls it. */
const ALIAS = /^[\p{L}\p{N}_][\p{L}\p{N} ._:&+-]{0,127}$/u;
const KNOWN = {
  of: "a skill",
  known: [
    ...["name", "description", "when-to-use", "allowed-tools", "argument-hint", "arguments", "model"],
    ...["disable-model-invocation", "user-invocable", "context", "agent", "hooks", "disallowed-tools"],
  ],
  // Its name in agents.
  meant: { tools: "allowed-tools" },
};
/** More of a description than a list could ever show. */
const MAX_CHARS = 2_000;

/** What one file defines; a note says with file and line what is wrong with it. */
export interface ReadSkill {
  readonly skill: Skill | null;
  readonly notes: readonly string[];
}

/** Reads one file. Never rejects. */
export async function readSkill(file: MarkdownFile<SkillDir>, files: Files): Promise<ReadSkill> {
  const { path } = file;
  const read = await readMarkdown(file, files);
  if (read.type === "unusable") return { skill: null, notes: [formatProblem({ file: path, ...read })] };
  const { skill, problems } = skillOf(file, read.fields ?? new Map(), read.body);
  return {
    skill,
    notes: [...problems, ...read.problems].map((problem) => formatProblem({ file: path, ...problem })),
  };
}

function skillOf(
  { path, names: parts, of }: MarkdownFile<SkillDir>,
  fields: Fields,
  body: string,
): { readonly skill: Skill | null; readonly problems: readonly FieldProblem[] } {
  const { kind, origin, plugin, prefix, variables } = of;
  const { problems, take, field, report } = fieldReader(fields, KNOWN);
  const line = (key: string) => take(key, sentence) ?? null;
  const unusable = (message: string) => ({ skill: null, problems: [...problems, { line: 1, message }] });
  const dirName = `${prefix}${parts.join(":")}`;
  const given = kind === "skill" ? `${prefix}${line("name") ?? ""}` : dirName;
  // The name in the file is that of a plug-in's skill, and the alias of any other.
  const name = plugin !== null && given !== prefix && NAME.test(given) ? given : dirName;
  const own = name === given ? dirName : given;
  if (!NAME.test(name))
    return unusable(
      `${JSON.stringify(name)} cannot be called; rename it with letters, digits, “-”, “_”, “.” and “:”.`,
    );
  if (body.trim() === "") return unusable("There is nothing below the front matter.");
  const context = line("context");
  if (context !== null && context !== "fork" && context !== "inline")
    report("context", "context must be fork, or absent; it does not count.");
  const hooks = take("hooks", readHooks);
  if (hooks !== undefined && plugin !== null)
    report("hooks", "hooks of a plug-in's skill do not count; the plug-in itself can have hooks.");
  const written = line("model");
  const model = written === null || /^(?:inherit|default)$/i.test(written) ? null : written;
  const agent = line("agent");
  if (context !== "fork" && agent !== null)
    report(
      "agent",
      "agent counts only with context: fork; without it the agent that loads the skill does the task.",
    );
  for (const [key, why] of Object.entries(UNUSED))
    if (key !== "shell" || field(key)?.value !== "bash") report(key, `${key} does not count: ${why}.`);
  const skill: Skill = {
    ...{ name, alias: own !== name && ALIAS.test(own) ? own : null, kind, origin, path, plugin },
    ...(variables === undefined ? {} : { variables }),
    description: line("description") || firstLine(body),
    whenToUse: line("when-to-use"),
    allowedTools: take("allowed-tools", names) ?? [],
    disallowedTools: take("disallowed-tools", names) ?? [],
    argumentHint: take("argument-hint", hint) ?? null,
    arguments: take("arguments", names) ?? [],
    model,
    ...(plugin === null && hooks !== undefined ? { hooks } : {}),
    forModel: take("disable-model-invocation", readFlag) !== true,
    forUser: take("user-invocable", readFlag) !== false,
    forks: context === "fork",
    agent,
    commands: findTemplateCommands(body),
  };
  return { skill, problems };
}

/** Keys that mean something elsewhere, and what holds here. */
const UNUSED = {
  paths: "the skill is always in the list",
  effort: "the conversation keeps its own",
  shell: "its commands run in bash",
  background: "with context: fork, the agent that loads the skill waits for it",
};

const sentence: Meaning<string> = (value) => {
  const meant = readText(value);
  return "wrong" in meant ? meant : { value: oneLine(meant.value).slice(0, MAX_CHARS).toWellFormed() };
};

/** `[what]`, which YAML reads as a list. */
const hint: Meaning<string> = (value) => {
  const parts = Array.isArray(value) ? value.map(sentence) : [];
  const wrong = parts.find((part) => "wrong" in part);
  if (!Array.isArray(value) || wrong) return wrong ?? sentence(value);
  return { value: parts.map((part) => ("value" in part ? `[${part.value}]` : "")).join(" ") };
};

/** Returns the first line that says something, in place of a description. */
function firstLine(body: string): string {
  const lines = body.split("\n").map((line) => oneLine(line.replace(/^\s*#+\s*/, "")));
  return (lines.find((line) => line !== "") ?? "").slice(0, MAX_CHARS).toWellFormed();
}
