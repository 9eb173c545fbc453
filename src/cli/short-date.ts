/** 2026-11-20 12:19 UTC, of a time as it is stored. */
export function shortDate(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;
}
