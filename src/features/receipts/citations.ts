import { isCommon, pathsIn } from "./paths.ts";

/** A file that a report names, with `lines` (from 1) if given. */
export interface Citation {
  /** As written in the report. */
  readonly said: string;
  readonly path: string;
  readonly lines: { readonly from: number; readonly to: number } | null;
  /** True if the report says that the agent has read it. */
  readonly claimsRead: boolean;
}

/** Directly after a path: `:12`, `:12-20`, `:12:5`, `#L12-L20`. */
const SUFFIX = /^(?::L?|#L?)(\d{1,7})(?:[:,]\d+)?(?:\s?(?:-|–|—|~|\.\.)\s?L?(\d{1,7}))?/;
/** The same as compilers write it: `(12,5)`, `(12)`. */
const IN_PARENTHESES = /^\((\d{1,7})(?:,\d{1,7}){0,3}\)/;
/** Further behind it: ` (lines 12-20)`, `, line 12`, `第 12 行`. */
const WORDS =
  /^[`*_"'”’)\]]{0,4}\s{0,2}[,，:：|]?\s{0,2}[(（[]?(?:(?:at|on|in|around|near|from)\s)?(?:lines?\s|L|l\.\s?|第\s?)(\d{1,7})(?:\s?(?:-|–|—|~|to|and|至|到)\s?L?(\d{1,7}))?/i;
/** Before it: `line 12 of `. */
const BEFORE =
  /(?:lines?\s|第\s?)(\d{1,7})(?:\s?(?:-|–|to|至|到)\s?(\d{1,7}))?\s?(?:行\s?)?(?:of|in)\s[`*"“[]{0,3}$/i;
/** Words next to a file that need not exist: it is missing, created, or proposed. */
const NOT_THERE =
  /\b(?:creat(?:e|es|ing)|add(?:ing)?|new|missing|lacks?|exists?|no such|no longer|not (?:there|present|found|in the)|there (?:is|are|was|were) no(?:t|ne)?|ha(?:s|ve) no|absent|could|should|would|might|suggest\w*|recommend\w*|propos\w*|consider|e\.g\.|for (?:example|instance)|such as|rename[ds]?|mov(?:e|es|ed|ing)|split|extract\w*|generat\w*|emit\w*|removed|deleted|looks? for|falls? back|if|found no(?:thing|ne)?|typical(?:ly)?|usual(?:ly)?|conventional(?:ly)?|hypothetical(?:ly)?)\b|\b(?:does|do|did|is|are|was|were|could|can|has|have)(?:n['’]t| not)\b|建议|新增|新建|创建|添加|不存在|没有|缺少|缺失|未|例如|比如|可以|应|改名|移动|生成|输出|删除|如果|默认/i;
/** Directly before a path. */
const NO = /\b(?:no|without(?: an?)?|neither|nor)\s[`*"“]{0,3}$/i;
const I_READ =
  /\b(?:I|we)(?:['’]ve| have)?\s(?:\w+ly\s|also\s|then\s){0,2}(?:read|opened|reviewed|inspected|examined|studied|went through)\b|^\W{0,6}(?:Read|Opened|Reviewed|Inspected|Examined)\s[`*"]|(?:阅读|通读|读取|审查|查看|细读)(?:了|过)/;
const NOT_READ = /\b(?:not|never|without|only the name)\b|n['’]t\b|没有|未/i;

/** Returns all citations of a report, each position once. */
export function citationsIn(lines: readonly ReportLine[]): Citation[] {
  const found = new Map<string, Citation>();
  let column = -1;
  for (const { text, fenced } of lines) {
    const isRow = /^\s*\|/.test(text);
    if (!isRow) column = -1;
    else if (column < 0) column = lineColumn(text);
    for (const sentence of fenced ? [text] : sentencesOf(text)) {
      for (const citation of citationsOf(sentence, fenced, isRow ? cellOf(text, column) : null)) {
        const { path, lines: span } = citation;
        const key = `${path}:${span?.from ?? ""}-${span?.to ?? ""}:${citation.claimsRead}`;
        if (!found.has(key)) found.set(key, citation);
      }
    }
  }
  return [...found.values()];
}

function citationsOf(sentence: string, fenced: boolean, cell: Span | null): Citation[] {
  const claimsRead = !fenced && I_READ.test(sentence) && !NOT_READ.test(sentence);
  // A code block is an example, a proposal or an output: only its positions with lines are citations.
  const mayBeNew = fenced || NOT_THERE.test(sentence);
  return pathsIn(sentence).flatMap(({ path, from, to }): Citation[] => {
    const before = sentence.slice(Math.max(0, from - AROUND), from);
    const rest = sentence.slice(to, to + AROUND);
    if (isPattern(before, rest)) return [];
    const suffix = SUFFIX.exec(rest) ?? IN_PARENTHESES.exec(rest);
    const lines = spanOf(suffix ?? WORDS.exec(rest) ?? BEFORE.exec(before)) ?? cell;
    if (lines === null && !claimsRead && (mayBeNew || NO.test(before) || isCommon(path))) return [];
    return [{ said: `${path}${suffix?.[0] ?? spanWords(lines)}`, path, lines, claimsRead }];
  });
}

/** True for `*.test.ts`, `<name>.ts`, `${name}.ts`; not for bold text or `<src/a.ts:12>`. */
function isPattern(before: string, rest: string): boolean {
  const last = /[*<>{}$?]+$/.exec(before)?.[0] ?? "";
  if (last === "") return false;
  if (last === "<" && /^(?::|#L?)\d[^\s<>]{0,20}>/.test(rest)) return false;
  return !((last === "**" || last === "*") && rest.includes(last));
}

type Span = NonNullable<Citation["lines"]>;

function spanOf(match: RegExpExecArray | null): Span | null {
  if (match === null) return null;
  const from = Number(match[1]);
  const to = match[2] === undefined ? from : Number(match[2]);
  return from === 0 ? null : { from, to: Math.max(from, to) };
}

function spanWords(span: Span | null): string {
  if (span === null) return "";
  return span.from === span.to ? `:${span.from}` : `:${span.from}-${span.to}`;
}

/** Returns the column of a table with line numbers, by its header; negative if no column has them. */
function lineColumn(head: string): number {
  return cellsOf(head).findIndex((cell) =>
    /^\W*(?:lines?(?: (?:no\.?|numbers?))?|行号?|行数?)\W*$/i.test(cell),
  );
}

function cellOf(row: string, column: number): Span | null {
  const cell = column < 0 ? undefined : cellsOf(row)[column];
  return cell === undefined
    ? null
    : spanOf(/^[\s`*L]*(\d{1,7})(?:\s?[-–]\s?L?(\d{1,7}))?[\s`*]*$/.exec(cell));
}

function cellsOf(row: string): string[] {
  return row
    .trim()
    .replace(/^\||\|$/g, "")
    .split("|");
}

/** A line of a report, and its position. */
export interface ReportLine {
  readonly text: string;
  /** True within a fenced block. */
  readonly fenced: boolean;
}

/** Splits a report into lines, without the fences. An unclosed block extends to the end. */
export function splitReport(report: string): ReportLine[] {
  const lines: ReportLine[] = [];
  let open: string | null = null;
  for (const text of report.split(/\r?\n/)) {
    const [, mark, info = ""] = /^\s*(`{3,}|~{3,})(.*)$/.exec(text) ?? [];
    if (open === null && mark !== undefined) open = mark;
    else if (open !== null && mark?.startsWith(open) && info.trim() === "") open = null;
    else lines.push({ text, fenced: open !== null });
  }
  return lines;
}

/** Returns the sentences of a line; a table row is one sentence. */
export function sentencesOf(line: string): string[] {
  if (/^\s*\|/.test(line)) return [line];
  return line.split(/(?<=[.!?;])\s+|(?<=[。！？；])/).filter((sentence) => sentence.trim() !== "");
}

/** Characters around a position that are read: a long text must not be read again for each. */
export const AROUND = 300;
