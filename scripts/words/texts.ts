import { parseSync, Visitor } from "oxc-parser";

/** A piece of text that somebody reads, and where it starts. */
export interface Text {
  readonly text: string;
  readonly line: number;
}

/** Calls whose first argument is a title that a test prints. */
const TITLED = /^(test|it|describe)(\.|$|\()/;

/** Returns the comments and strings of a source file. */
export function readCode(path: string, source: string): Text[] {
  const { program, comments } = parseSync(path, source);
  const lineOf = lineCounter(source);
  const texts: Text[] = comments.map(({ value, start }) => ({ text: value, line: lineOf(start) }));
  new Visitor({
    Literal(node) {
      if (typeof node.value === "string") texts.push({ text: node.value, line: lineOf(node.start) });
    },
    TemplateElement(node) {
      texts.push({ text: node.value.raw, line: lineOf(node.start) });
    },
  }).visit(program);
  return texts;
}

/** Returns the titles of a test file. */
export function readTitles(path: string, source: string): Text[] {
  const lineOf = lineCounter(source);
  const texts: Text[] = [];
  new Visitor({
    CallExpression(node) {
      const [title] = node.arguments;
      if (!title || !TITLED.test(source.slice(node.callee.start, node.callee.end))) return;
      if (title.type === "Literal" || title.type === "TemplateLiteral")
        texts.push({ text: source.slice(title.start, title.end), line: lineOf(title.start) });
    },
  }).visit(parseSync(path, source).program);
  return texts;
}

/** Returns the prose of a Markdown file: its lines without code. */
export function readProse(source: string): Text[] {
  let fenced = false;
  return source.split("\n").flatMap((line, index) => {
    const isFence = /^\s*(```|~~~)/.test(line);
    if (isFence) fenced = !fenced;
    return isFence || fenced ? [] : [{ text: line.replace(/`[^`]*`/g, "`code`"), line: index + 1 }];
  });
}

function lineCounter(source: string): (offset: number) => number {
  const starts = [...source.matchAll(/\n/g)].map(({ index }) => index);
  return (offset) => starts.filter((start) => start < offset).length + 1;
}
