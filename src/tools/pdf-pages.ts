/** Pages of one call, and without `pages`. */
export const MAX_PDF_PAGES = 20;
export const PDF_PAGES_UNASKED = 10;

export type PageRange =
  | { readonly type: "pages"; readonly from: number; readonly to: number }
  | { readonly type: "wrong"; readonly reason: string };

/** Returns the pages that a call means, counted from 1, in a document of `total` pages. */
export function pageRange(pages: string | undefined, total: number): PageRange {
  if (pages === undefined) {
    if (total <= PDF_PAGES_UNASKED) return { type: "pages", from: 1, to: total };
    return wrong(
      `it has ${total} pages: say which in pages, such as "1-${PDF_PAGES_UNASKED}", at most ${MAX_PDF_PAGES} at a time.`,
    );
  }
  const [, first, last = first] = /^\s*(\d+)\s*(?:[-–]\s*(\d+)\s*)?$/.exec(pages) ?? [];
  if (first === undefined)
    return wrong(`pages must be a number or a range such as "3" or "1-5", not ${JSON.stringify(pages)}.`);
  const [from, to] = [Number(first), Number(last)];
  if (from < 1 || to < from)
    return wrong(`pages ${pages} is not a range: pages are counted from 1, first to last.`);
  if (from > total)
    return wrong(`page ${from} is past the end: it has ${total} page${total === 1 ? "" : "s"}.`);
  if (to - from >= MAX_PDF_PAGES)
    return wrong(`pages ${pages} is more than ${MAX_PDF_PAGES} pages. Read them in parts.`);
  return { type: "pages", from, to: Math.min(to, total) };
}

function wrong(reason: string): PageRange {
  return { type: "wrong", reason };
}
