/** A line of a report, and its position. */
export interface ReportLine {
  readonly text: string;
  /** True within a fenced block. */
  readonly fenced: boolean;
}

export interface Fence {
  /** The text after the opening fence, and the last line of text before it. */
  readonly info: string;
  readonly intro: string;
  readonly lines: readonly string[];
}

export interface ReportParts {
  /** In order, without the fences. */
  readonly lines: readonly ReportLine[];
  readonly fences: readonly Fence[];
}

/** Splits a report into lines and fenced blocks. An unclosed block extends to the end. */
export function partsOf(report: string): ReportParts {
  const lines: ReportLine[] = [];
  const fences: Fence[] = [];
  let open: { mark: string; info: string; intro: string; lines: string[] } | null = null;
  let intro = "";
  for (const text of report.split(/\r?\n/)) {
    const [, mark, info = ""] = /^\s*(`{3,}|~{3,})(.*)$/.exec(text) ?? [];
    if (open === null && mark !== undefined) {
      open = { mark, info: info.trim(), intro, lines: [] };
      fences.push(open);
    } else if (open !== null && mark?.startsWith(open.mark) && info.trim() === "") open = null;
    else if (open !== null) {
      open.lines.push(text);
      lines.push({ text, fenced: true });
    } else {
      lines.push({ text, fenced: false });
      if (text.trim() !== "") intro = text;
    }
  }
  return { lines, fences };
}

/** Returns the sentences of a line; a table row is one sentence. */
export function sentencesOf(line: string): string[] {
  if (/^\s*\|/.test(line)) return [line];
  return line.split(/(?<=[.!?;])\s+|(?<=[。！？；])/).filter((sentence) => sentence.trim() !== "");
}

/** Words of wishes, questions and conditions; they count if they precede the claim. */
const WISHED =
  /\b(?:should|must|would|could|can|cannot|will|might|may|make sure|ensure|so that|to (?:confirm|verify|check|see)|verify that|check that|please|expect(?:s|ed)?|let|needs? to|have to|want|plan|next step|recommend|suggest|todo|before|whether|assum(?:e|es|ing))\b|应该|应当|需要|确保|建议|请|以便|计划|下一步|期望|希望|是否/i;
const SUPPOSED = /\b(?:if|when|whenever|once|until|unless|otherwise)\b|如果|若|只有|一旦|除非/i;
const DENIED =
  /\b(?:not|never|no|cannot|without|unable|neither|nor|skipped)\b|n['’]t\b|没有|没能|未|无法|不能|并未|尚未/i;

/** Characters around a claim that can qualify it: a long text must not be read again for each claim. */
export const AROUND = 300;

/** True if a claim at this position of a sentence is made at all. */
export function isClaimed(sentence: string, at: number): boolean {
  const before = sentence.slice(Math.max(0, at - AROUND), at);
  const around = before + sentence.slice(at, at + AROUND);
  return !WISHED.test(before) && !SUPPOSED.test(around) && !DENIED.test(before);
}
