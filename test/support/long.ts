/** `npm run test:long`: the proofs as long as they are meant; else a part of them that shows the same, for every day. */
export const isLong = process.env["TROUPE_TESTS"] === "long";

/** How much of something is done. */
export function long(whole: number, everyDay: number): number {
  return isLong ? whole : everyDay;
}

/** Every so-many-th of the cases, the last one too; all of them in the long run. */
export function everyNth<T>(cases: readonly T[], nth: number): T[] {
  return isLong ? [...cases] : cases.filter((_, at) => at % nth === 0 || at === cases.length - 1);
}
