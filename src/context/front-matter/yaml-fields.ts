import { isMap, isScalar, LineCounter, parseDocument } from "yaml";
import { errorMessage } from "../../lib/errors.ts";
import type { Fault, Field, Fields } from "./fields.ts";
import { flatFields } from "./flat.ts";

interface Read {
  readonly fields: Fields;
  readonly faults: readonly Fault[];
}

/** Aliases in front matter are rare; more of them are a way to make much of little. */
const MOST_ALIASES = 100;

/** Front matter by YAML's rules, and where it breaks them key by key. Never throws. */
export function yamlFields(header: string, headerLine: number): Read {
  const whole = parsed(header, headerLine);
  return whole.type === "fields"
    ? { fields: whole.fields, faults: [] }
    : keyByKey(header, headerLine, whole.fault);
}

type Parsed =
  | { readonly type: "fields"; readonly fields: Fields }
  | { readonly type: "fault"; readonly fault: Fault };

function parsed(text: string, firstLine: number): Parsed {
  const counter = new LineCounter();
  try {
    const document = parseDocument(text, {
      lineCounter: counter,
      schema: "core",
      prettyErrors: false,
      logLevel: "error",
    });
    const [error] = document.errors;
    if (error) {
      const [at] = error.pos;
      return fault(lineAt(counter, at, firstLine), `This is not YAML: ${firstClause(error.message)}.`);
    }
    const { contents } = document;
    if (contents === null) return { type: "fields", fields: new Map() };
    if (!isMap(contents)) return fault(firstLine, "The front matter is no list of keys with values.");
    // All at once: an alias may stand for something under another key.
    const values: unknown = document.toJS({ maxAliasCount: MOST_ALIASES, mapAsMap: false });
    const fields = new Map<string, Field>();
    for (const { key } of contents.items) {
      if (!isScalar(key)) continue;
      const name = String(key.value);
      const value = own(values, name);
      fields.set(name, { value, line: lineAt(counter, key.range?.[0] ?? 0, firstLine) });
    }
    return { type: "fields", fields };
  } catch (error) {
    // Nested so deeply that the reader gave up, or more aliases than anybody writes.
    return fault(firstLine, `This cannot be read: ${errorMessage(error)}.`);
  }
}

interface Block {
  readonly key: string;
  readonly line: number;
  readonly lines: readonly string[];
}

function keyByKey(header: string, headerLine: number, why: Fault): Read {
  const fields = new Map<string, Field>();
  const faults: Fault[] = [];
  const { blocks, stray } = blocksOf(header, headerLine);
  if (stray !== null)
    faults.push(blocks.length === 0 ? why : { line: stray, message: "This line belongs to no key." });
  for (const { key, line, lines } of blocks) {
    if (fields.has(key)) {
      faults.push({ line, message: `${key} stands here a second time; the first one counts.` });
      continue;
    }
    const text = lines.join("\n");
    const strict = flatFields(text, line) ?? strictFields(text, line);
    const field = strict instanceof Map ? strict.get(key) : undefined;
    if (field) fields.set(key, field);
    else {
      const said = sentenceIn(lines);
      if (said !== null) fields.set(key, { value: said, line });
      else if (!(strict instanceof Map) && "message" in strict)
        faults.push({
          ...{ key, line: strict.line },
          message: `${strict.message} ${key} does not count; if it is meant as text, put it into quotes.`,
        });
    }
  }
  return { fields, faults };
}

function strictFields(text: string, line: number): Fields | Fault {
  const block = parsed(text, line);
  return block.type === "fields" ? block.fields : block.fault;
}

/** Who speaks in an example of a description; no program has keys of these names. */
const SPEAKER = /^(?:user|assistant|human)$/i;

/** Lines from one key to the next. `stray`: a line before the first one. */
function blocksOf(header: string, headerLine: number): { blocks: Block[]; stray: number | null } {
  const blocks: { key: string; line: number; lines: string[] }[] = [];
  let stray: number | null = null;
  const all = header.split("\n");
  const lastEnd = all.findLastIndex((line) => line.includes("</example>"));
  let examples = 0;
  for (const [at, line] of all.entries()) {
    const key = /^([A-Za-z_][\w-]*)[ \t]*:(?:\s|$)/.exec(line)?.[1];
    const last = blocks.at(-1);
    // What stands in an example is said in it, whatever it looks like.
    const isSaid = last !== undefined && (SPEAKER.test(key ?? "") || (examples > 0 && at <= lastEnd));
    if (key !== undefined && !isSaid) blocks.push({ key, line: headerLine + at, lines: [line] });
    else if (last) last.lines.push(line);
    else if (line.trim() !== "" && !line.startsWith("#")) stray ??= headerLine + at;
    examples = Math.max(0, examples + count(line, "<example>") - count(line, "</example>"));
  }
  return { blocks, stray };
}

function count(text: string, part: string): number {
  return text.split(part).length - 1;
}

/** A mark of YAML's at the beginning of what is a sentence all the same: a list, `**bold**`, `*`, `[Draft] words`. */
const WORDS_BEHIND = /^(?:\*$|\*\*|\*\S*\s|&\s|\[[^\]]*\]+\s*[^\s,\]#]|\{[^}]*\}+\s*[^\s,}#])/;

/** What was meant as a sentence, though YAML reads something into its colons and quotes. Null: it was meant as more. */
function sentenceIn([first = "", ...others]: readonly string[]): string | null {
  // A text that is to be folded begins in the next line, and some begin it in this one.
  const begin = first
    .slice(first.indexOf(":") + 1)
    .trim()
    .replace(/^[|>][+-]?\s+(?=\S)/, "");
  if (begin === "" || (/^[[{|>&*!]/.test(begin) && !WORDS_BEHIND.test(begin))) return null;
  const text = [begin, ...others.map((line) => line.trim())].join("\n").trim();
  const [, quoted] = /^"([\s\S]*)"$/.exec(text) ?? /^'([\s\S]*)'$/.exec(text) ?? [];
  return quoted ?? text;
}

function own(values: unknown, name: string): unknown {
  return typeof values === "object" && values !== null
    ? Object.getOwnPropertyDescriptor(values, name)?.value
    : undefined;
}

function fault(line: number, message: string): Parsed {
  return { type: "fault", fault: { line, message } };
}

function lineAt(counter: LineCounter, offset: number, firstLine: number): number {
  return firstLine + Math.max(0, counter.linePos(offset).line - 1);
}

/** The library's messages can quote the text over several lines. */
function firstClause(message: string): string {
  const [line = ""] = message.split("\n");
  return line.replace(/[.:\s]+$/, "");
}
