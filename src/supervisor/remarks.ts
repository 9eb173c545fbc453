/** What the live tree shows of an actor in addition to what it does. */
export interface Remarks {
  /** What a watch has found wrong, as a sentence. */
  readonly trouble: string | null;
  /** Where another agent writes to the same file, as a phrase. */
  readonly overlap: string | null;
  /** Which of the session's tasks it works on. */
  readonly task: string | null;
}

export const NO_REMARKS: Remarks = { trouble: null, overlap: null, task: null };
