import { cutOutsideQuotes, splitOutsideQuotes } from "./quotations.ts";
import { type Scanner, scannerOf } from "./scanner.ts";

/** One thing to do, in the order it was asked for. */
export type Instruction =
  | {
      readonly type: "replace";
      readonly file: string;
      readonly from: string;
      readonly to: string;
      readonly all: boolean;
    }
  | { readonly type: "append"; readonly file: string; readonly text: string }
  | { readonly type: "create"; readonly file: string; readonly text: string }
  | { readonly type: "run"; readonly command: string }
  | { readonly type: "call"; readonly tool: string; readonly input: Readonly<Record<string, unknown>> }
  | { readonly type: "background"; readonly task: string }
  | { readonly type: "parallel"; readonly tasks: readonly string[] }
  /** Words that are no instruction: something to search for. */
  | { readonly type: "question"; readonly text: string };

/**
 * The instructions in a prompt, or undefined where it holds none (it is then a question). Quotations are
 * read before anything is split, so a line, a semicolon or a "then" inside one stays in it.
 */
export function instructionsIn(prompt: string): Instruction[] | undefined {
  if (prompt.length > LONGEST_PROMPT) return undefined;
  const scanner = scannerOf(prompt);
  const found: Instruction[] = [];
  while (!scanner.atEnd()) {
    scanner.take(SEPARATOR);
    scanner.take(OPENING);
    if (scanner.atEnd()) break;
    if (found.length === MOST_STEPS) return undefined;
    found.push(instruction(scanner) ?? { type: "question", text: untilNextStep(scanner) });
  }
  const real = found.filter((step) => step.type !== "question" || step.text !== "");
  return real.some(({ type }) => type !== "question") ? real : undefined;
}

/** Longer prompts, and prompts of more steps, are pasted text: nothing in them is carried out. */
const LONGEST_PROMPT = 256_000;
const MOST_STEPS = 200;

/** How an instruction begins: an "and" before it parts two of them, any other "and" is part of a sentence. */
const BEGINS = String.raw`call\s+\w+\s*\{|(?:run|execute|append|add|create|make|write|replace|change)\s+\S|in\s+(?:the\s+)?background\s*:|in\s+(?:the\s+file\s+)?\S+,?\s+(?:replace|change)\b`;
const AND = String.raw`\band\s+(?=${BEGINS})`;
const SEPARATOR = new RegExp(
  String.raw`(?:[\s,.;，。；]|\b(?:and\s+)?(?:then|after that|afterwards|finally|next)\b[,:]?|${AND}|然后|接着|最后|再)+`,
  "iu",
);
const ENDS_HERE = new RegExp(
  String.raw`\s*$|[ \t]*\r?\n|\s*[.;,，。；!]|\s*(?:and\s+)?(?:then|after that|afterwards|finally|next)\b|\s+${AND}|\s*(?:然后|接着|最后|再)`,
  "iu",
);
/** Between two of several tasks, besides a semicolon. */
const BETWEEN_TASKS = new RegExp(String.raw`\s*,\s*(?:and\s+)?(?=${BEGINS})|\s+${AND}`, "giu");
const OPENING = /(?:(?:[-*•]|\(?\d+[.)、）])\s+|please\b,?\s*|first\b,?\s*|now\b,?\s*|请先?|先)+/iu;
/** A name without blanks. Signs that end a sentence or open a quotation are not part of it. */
const FILE = /[^\s"'`“”‘’「」『』;，。；：]+/u;

function instruction(scanner: Scanner): Instruction | undefined {
  const forms = [parallel, background, replaceIn, replace, append, create, writeTo, run, call, chinese];
  for (const form of forms) {
    const mark = scanner.mark();
    const found = form(scanner);
    if (found !== undefined && endsHere(scanner)) return found;
    scanner.back(mark);
  }
  return undefined;
}

/** An instruction ends where the text, the line, the sentence or the step does. */
function endsHere(scanner: Scanner): boolean {
  return scanner.sees(ENDS_HERE);
}

/** Words that are no instruction, up to the line's end or the next "then". */
function untilNextStep(scanner: Scanner): string {
  return (
    scanner.take(/.+?(?=\s*(?:,\s*)?\b(?:and\s+)?then\b(?!\?)|\s*然后|\r?\n|$)/iu) ??
    scanner.take(/[\s\S]+/u) ??
    ""
  ).trim();
}

function replaceIn(scanner: Scanner): Instruction | undefined {
  if (scanner.take(/in\b(?:\s+the\s+file\b)?/i) === undefined) return undefined;
  const file = fileName(scanner);
  scanner.take(/,/);
  return file === undefined ? undefined : replacement(scanner, file);
}

function replace(scanner: Scanner): Instruction | undefined {
  return replacement(scanner, undefined);
}

function replacement(scanner: Scanner, before: string | undefined): Instruction | undefined {
  const verb = scanner.take(
    /(?:replace|change)(?:\s+(?:all|every|each))?(?:\s+(?:occurrences?\s+of|occurrence\s+of))?(?=\W)/i,
  );
  const from = verb === undefined ? undefined : scanner.quotation();
  if (verb === undefined || from === undefined || scanner.take(/with|by|to/i) === undefined) return undefined;
  const to = scanner.quotation();
  const everywhere = scanner.take(/everywhere/i) !== undefined;
  const file =
    before ?? (scanner.take(/in\b(?:\s+the\s+file\b)?/i) === undefined ? undefined : fileName(scanner));
  if (to === undefined || file === undefined) return undefined;
  return { type: "replace", file, from, to, all: everywhere || /\b(?:all|every|each)\b/i.test(verb) };
}

function append(scanner: Scanner): Instruction | undefined {
  if (scanner.take(/append|add/i) === undefined) return undefined;
  scanner.take(/(?:the\s+)?(?:line|text)\b/i);
  const text = scanner.quotation();
  if (text === undefined || scanner.take(/(?:at|to)\s+the\s+end\s+of|to\b/i) === undefined) return undefined;
  const file = fileName(scanner);
  return file === undefined ? undefined : { type: "append", file, text };
}

function create(scanner: Scanner): Instruction | undefined {
  if (scanner.take(/create|make/i) === undefined) return undefined;
  scanner.take(/(?:an?\s+|the\s+)?(?:new\s+)?file\b(?:\s+(?:named|called)\b)?/i);
  const file = fileName(scanner);
  if (file === undefined || scanner.take(/with|containing/i) === undefined) return undefined;
  scanner.take(/(?:the\s+)?(?:content|contents|text)\b/i);
  const text = scanner.quotation();
  return text === undefined ? undefined : { type: "create", file, text };
}

function writeTo(scanner: Scanner): Instruction | undefined {
  if (scanner.take(/write/i) === undefined) return undefined;
  const text = scanner.quotation();
  if (text === undefined || scanner.take(/(?:in)?to\b(?:\s+the\s+file\b)?/i) === undefined) return undefined;
  const file = fileName(scanner);
  return file === undefined ? undefined : { type: "create", file, text };
}

function run(scanner: Scanner): Instruction | undefined {
  if (scanner.take(/(?:run|execute)\b(?:\s+the\s+command\b)?/i) === undefined) return undefined;
  const command = scanner.quotation(true);
  return command === undefined || command.trim() === "" ? undefined : { type: "run", command };
}

/** Any tool by its name, with its input as JSON on the same line. */
function call(scanner: Scanner): Instruction | undefined {
  if (scanner.take(/call\b/i) === undefined) return undefined;
  const tool = scanner.take(/[\w-]+/);
  const json = scanner.take(/\{[^\n]*\}/);
  if (tool === undefined || json === undefined) return undefined;
  try {
    return { type: "call", tool, input: JSON.parse(json) };
  } catch {
    return undefined;
  }
}

function background(scanner: Scanner): Instruction | undefined {
  if (scanner.take(/in\s+(?:the\s+)?background\s*[:：]|(?:在?后台)(?:运行|执行)?\s*[:：]/iu) === undefined)
    return undefined;
  const task = scanner.line();
  return task === "" ? undefined : { type: "background", task };
}

function parallel(scanner: Scanner): Instruction | undefined {
  if (scanner.take(/in\s+parallel\s*[:：]|并行(?:地?执行)?\s*[:：]|同时\s*[:：]/iu) === undefined)
    return undefined;
  const line = scanner.line();
  const tasks =
    line === ""
      ? bulletLines(scanner)
      : splitOutsideQuotes(line, ";；")
          .flatMap((part) => cutOutsideQuotes(part, BETWEEN_TASKS))
          .map((task) => task.trim())
          .filter((task) => task !== "");
  return tasks.length === 0 ? undefined : { type: "parallel", tasks };
}

/** `在 FILE 中把 "A" 替换为 "B"`, `把 "X" 追加到 FILE`, `创建 FILE 内容为 "X"`, `运行 "CMD"`. */
function chinese(scanner: Scanner): Instruction | undefined {
  if (scanner.take(/运行|执行/u) !== undefined) {
    const command = scanner.quotation(true);
    return command === undefined ? undefined : { type: "run", command };
  }
  if (scanner.take(/创建|新建/u) !== undefined) {
    scanner.take(/文件/u);
    const file = chineseFile(scanner);
    scanner.take(/[，,]?\s*(?:其?内容(?:为|是)|写入)\s*[:：]?/u);
    const text = scanner.quotation();
    return file === undefined || text === undefined ? undefined : { type: "create", file, text };
  }
  const file = scanner.take(/在/u) === undefined ? undefined : chineseFile(scanner);
  scanner.take(/(?:文件)?[中里内]?\s*[，,]?/u);
  if (scanner.take(/把|将/u) === undefined) return undefined;
  const first = scanner.quotation();
  if (first === undefined) return undefined;
  if (file === undefined) {
    const target =
      scanner.take(/(?:追加|添加|加)(?:到|至)/u) === undefined ? undefined : chineseFile(scanner);
    return target === undefined ? undefined : { type: "append", file: target, text: first };
  }
  const verb = scanner.take(/(?:全部|都)?(?:替换|改)(?:为|成)/u);
  const to = verb === undefined ? undefined : scanner.quotation();
  return verb === undefined || to === undefined
    ? undefined
    : { type: "replace", file, from: first, to, all: /全部|都/u.test(verb) };
}

/** Chinese sets no blank between a name and the words after it. */
function chineseFile(scanner: Scanner): string | undefined {
  return scanner.quotation() ?? scanner.take(/[\w./@~+-]+/u);
}

function fileName(scanner: Scanner): string | undefined {
  const name = scanner.quotation() ?? scanner.take(FILE)?.replace(/[.,:!?]+$/, "");
  return name === undefined || name === "" ? undefined : name;
}

function bulletLines(scanner: Scanner): string[] {
  const tasks: string[] = [];
  while (scanner.take(/(?:[-*•]|\(?\d+[.)、）])\s+/u) !== undefined) tasks.push(scanner.line());
  return tasks.filter((task) => task !== "");
}
