/** Returns a promise of all that are not null; null if all are. Its rejection may stay unread. */
export function joinPromises(...known: readonly (Promise<void> | null)[]): Promise<void> | null {
  const waited = known.filter((one) => one !== null);
  if (waited.length === 0) return null;
  const all = Promise.all(waited).then(() => {});
  // The first prompt gets the error, if one comes.
  all.catch(() => {});
  return all;
}
