/** A file that has both sides in it, as the runtime names it. */
export interface ConflictedFile {
  readonly path: string;
  /** Lines with marks, from 1; none where it is no matter of lines. */
  readonly places: readonly Span[];
  /** Of what sort the conflict is, where it is no matter of lines alone: `modify/delete`, … */
  readonly kind: string | undefined;
}

export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Edits that come back to whoever made them, as they do not fit. */
export interface HandedBack {
  readonly files: readonly ConflictedFile[];
  /** What it had reported of them. */
  readonly report: string;
}

/** How the runtime's message begins. Anything else, whatever it quotes, is no such message. */
const BEGINS = /^Your edits do not fit to what the checkout has become\b/;
const REPORT = "\n\nYour own report was: ";
const AFTER_REPORT = "\n\nRead these files again,";

/** Reads the message by which the runtime gives a conflict back; undefined where the text is another. */
export function handedBackIn(text: string): HandedBack | undefined {
  if (!BEGINS.test(text)) return undefined;
  // Only the paragraph after the first: further lists are about those who came before.
  const list = text.split("\n\n", 2)[1] ?? "";
  const files = list.split("\n").flatMap(fileIn);
  return files.length === 0 ? undefined : { files, report: reportIn(text) };
}

/** `- PATH`, then `: lines 3-9, 12` and ` (KIND)`, each where there is one. */
const FILE = /^- (.+?)(?:: lines (\d+(?:-\d+)?(?:, \d+(?:-\d+)?)*))?(?: \(([a-z]+(?:[/ -][a-z]+)*)\))?$/;

function fileIn(row: string): ConflictedFile[] {
  const [, path, lines, kind] = FILE.exec(row) ?? [];
  if (path === undefined) return [];
  const places = (lines?.split(", ") ?? []).map((span) => {
    const [from = 0, to = from] = span.split("-").map(Number);
    return { from, to };
  });
  return [{ path, places, kind }];
}

function reportIn(text: string): string {
  const from = text.indexOf(REPORT);
  const to = text.lastIndexOf(AFTER_REPORT);
  return from < 0 || to < from ? "" : text.slice(from + REPORT.length, to).trim();
}
