import { pathsIn } from "./paths.ts";
import type { Fence } from "./sentences.ts";

/** A block that a report shows as the content of a file. */
export interface CodeQuote {
  readonly said: string;
  /** Lines with content. */
  readonly lines: readonly string[];
}

/** Text that marks a block as proposed rather than quoted. */
const PROPOSED =
  /\b(?:should|could|would|replac\w*|chang\w*|fix\w*|suggest\w*|instead|becomes?|add\w*|propos\w*|new|rewrit\w*|patch|diff|example|e\.g|like this|sketch|after|recommend\w*|refactor\w*|use|using|try|create|run|reproduc\w*|roughly|simplified|pseudo\w*|equivalent|output|prints?|returns?|produces?)\b|建议|改为|修改|修复|替换|例如|示例|应该|可以|输出|新增/i;
/** Shorter lines occur in every file. */
const TELLING_CHARS = 12;
const SPACE = /\s+/g;

/** Returns the blocks that have a position in a file and are no proposals. */
export function quotesIn(fences: readonly Fence[]): CodeQuote[] {
  return fences.flatMap(({ info, intro, lines }) => {
    const places = [...pathsIn(info), ...pathsIn(intro)];
    const [first] = places;
    const isLocated =
      first !== undefined &&
      /(?::|#L|line|第)\s?\d|\b(?:in|from|of|at|says?|reads?|contains?)\b|中|里/i.test(`${info} ${intro}`);
    if (!isLocated || PROPOSED.test(intro) || /^(?:diff|patch|sh|bash|console|text|json output)\b/.test(info))
      return [];
    const telling = lines.map(bare).filter((line) => line.length >= TELLING_CHARS && !/\.{3}|…/.test(line));
    return telling.length === 0 ? [] : [{ said: first.path, lines: telling }];
  });
}

/** True if the agent saw enough of it to take the rest as abbreviated, not invented. */
export function isSeen(quote: CodeQuote, texts: readonly string[]): boolean {
  const seen = quote.lines.filter((line) => texts.some((text) => text.includes(line)));
  return seen.length * 2 >= quote.lines.length;
}

/** Removes the line number or diff marker before a line. */
function bare(line: string): string {
  return line
    .replace(/^\s*(?:\d+\s*(?:[:|\t→-]|\s{2,}))?/, "")
    .replace(/^[+-]\s/, "")
    .replace(SPACE, " ")
    .trim();
}

/** Normalizes a text for comparison of quotes, ignoring spaces. */
export function normalizeCode(text: string): string {
  return text.replace(SPACE, " ");
}
