import { isMap, isScalar, LineCounter, parseDocument } from "yaml";
import { errorMessage } from "../../lib/errors.ts";
import { type Field, type FieldProblem, type Fields, parsePlainFields } from "./fields.ts";

interface YamlFields {
  readonly fields: Fields;
  readonly problems: readonly FieldProblem[];
}

/** Aliases in front matter are rare; many of them are a way to make much of little. */
const MAX_ALIASES = 100;

/** Reads front matter by YAML's rules, and if it breaks them, key by key. Never throws. */
export function parseYamlFields(header: string, headerLine: number): YamlFields {
  const whole = parseStrictly(header, headerLine);
  return whole instanceof Map ? { fields: whole, problems: [] } : parseKeyByKey(header, headerLine, whole);
}

function parseStrictly(text: string, firstLine: number): Map<string, Field> | FieldProblem {
  const lines = new LineCounter();
  const lineAt = (offset: number) => firstLine + Math.max(0, lines.linePos(offset).line - 1);
  try {
    const document = parseDocument(text, {
      lineCounter: lines,
      schema: "core",
      prettyErrors: false,
      logLevel: "error",
    });
    const [error] = document.errors;
    if (error) {
      // The library can quote the text over several lines.
      const [reason = ""] = error.message.split("\n");
      return {
        line: lineAt(error.pos[0]),
        message: `This is not YAML: ${reason.replace(/[.:\s]+$/, "")}.`,
      };
    }
    const { contents } = document;
    if (contents === null) return new Map();
    if (!isMap(contents))
      return { line: firstLine, message: "The front matter is not a list of keys with values." };
    // All together: an alias may name something under another key.
    const values: unknown = document.toJS({ maxAliasCount: MAX_ALIASES, mapAsMap: false });
    const fields = new Map<string, Field>();
    for (const { key } of contents.items) {
      if (!isScalar(key)) continue;
      const name = String(key.value);
      const value = Object.getOwnPropertyDescriptor(Object(values), name)?.value;
      fields.set(name, { value, line: lineAt(key.range?.[0] ?? 0) });
    }
    return fields;
  } catch (error) {
    // Nested too deeply, or too many aliases.
    return { line: firstLine, message: `This cannot be read: ${errorMessage(error)}.` };
  }
}

function parseKeyByKey(header: string, headerLine: number, reason: FieldProblem): YamlFields {
  const fields = new Map<string, Field>();
  const problems: FieldProblem[] = [];
  const { blocks, stray } = splitBlocks(header, headerLine);
  if (stray !== null)
    problems.push(blocks.length === 0 ? reason : { line: stray, message: "This line belongs to no key." });
  for (const { key, line, lines } of blocks) {
    if (fields.has(key)) {
      problems.push({ line, message: `${key} appears a second time; the first one counts.` });
      continue;
    }
    const text = lines.join("\n");
    const parsed = parsePlainFields(text, line) ?? parseStrictly(text, line);
    const field = "message" in parsed ? undefined : parsed.get(key);
    const sentence = field ? null : sentenceIn(lines);
    if (field) fields.set(key, field);
    else if (sentence !== null) fields.set(key, { value: sentence, line });
    else if ("message" in parsed)
      problems.push({
        ...{ key, line: parsed.line },
        message: `${parsed.message} ${key} does not count; if it is meant as text, put it into quotes.`,
      });
  }
  return { fields, problems };
}

interface Block {
  readonly key: string;
  readonly line: number;
  readonly lines: string[];
}

/** Speakers in the example of a description; no program has keys of these names. */
const SPEAKER = /^(?:user|assistant|human)$/i;

/** Returns the lines from one key to the next; `stray` is a line before the first one. */
function splitBlocks(
  header: string,
  headerLine: number,
): { readonly blocks: readonly Block[]; readonly stray: number | null } {
  const blocks: Block[] = [];
  let stray: number | null = null;
  const all = header.split("\n");
  const lastEnd = all.findLastIndex((line) => line.includes("</example>"));
  let examples = 0;
  for (const [at, line] of all.entries()) {
    const key = /^([A-Za-z_][\w-]*)[ \t]*:(?:\s|$)/.exec(line)?.[1];
    const last = blocks.at(-1);
    // Whatever an example contains is part of it.
    const isText = last !== undefined && (SPEAKER.test(key ?? "") || (examples > 0 && at <= lastEnd));
    if (key !== undefined && !isText) blocks.push({ key, line: headerLine + at, lines: [line] });
    else if (last) last.lines.push(line);
    else if (line.trim() !== "" && !line.startsWith("#")) stray ??= headerLine + at;
    examples = Math.max(0, examples + countOf(line, "<example>") - countOf(line, "</example>"));
  }
  return { blocks, stray };
}

function countOf(text: string, part: string): number {
  return text.split(part).length - 1;
}

/** Text that begins with a YAML indicator: a list, `**bold**`, `*`, `[Draft] text`. */
const TEXT_WITH_INDICATOR = /^(?:\*$|\*\*|\*\S*\s|&\s|\[[^\]]*\]+\s*[^\s,\]#]|\{[^}]*\}+\s*[^\s,}#])/;

/** Returns what was meant as a sentence though YAML reads its colons and quotes; null if it was meant as more. */
function sentenceIn([first = "", ...others]: readonly string[]): string | null {
  const begin = first
    .slice(first.indexOf(":") + 1)
    .trim()
    // Text to be folded begins in the next line, but some begin it in this one.
    .replace(/^[|>][+-]?\s+(?=\S)/, "");
  if (begin === "" || (/^[[{|>&*!]/.test(begin) && !TEXT_WITH_INDICATOR.test(begin))) return null;
  const text = [begin, ...others.map((line) => line.trim())].join("\n").trim();
  const [, quoted] = /^"([\s\S]*)"$/.exec(text) ?? /^'([\s\S]*)'$/.exec(text) ?? [];
  return quoted ?? text;
}
