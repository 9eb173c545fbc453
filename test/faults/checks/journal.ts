import { JournalRecord } from "../../../src/journal/session-events.ts";

const NEWLINE = 0x0a;

export interface JournalLook {
  readonly records: readonly JournalRecord[];
  readonly faults: readonly string[];
}

/**
 * The journal as it is after recovery, against what was whole in it when the process died (`before`, in order): not a
 * byte of a whole line may have changed, each line is a record, and their numbers have no gap (faults 37, 41).
 */
export function lookAtJournal(bytes: Buffer, before: readonly Buffer[]): JournalLook {
  const faults: string[] = [];
  for (const [n, earlier] of before.entries()) {
    const whole = earlier.subarray(0, earlier.lastIndexOf(NEWLINE) + 1);
    if (!bytes.subarray(0, whole.length).equals(whole))
      faults.push(`lines that were whole at death ${n + 1} are not there any more as they were`);
  }
  if (bytes.length > 0 && bytes.at(-1) !== NEWLINE) faults.push("the last line of the journal is torn");
  const records: JournalRecord[] = [];
  for (const [n, line] of bytes.toString("utf8").split("\n").slice(0, -1).entries()) {
    const record = recordOf(line);
    if (typeof record === "string") {
      faults.push(`line ${n + 1} of the journal ${record}`);
      continue;
    }
    if (record.seq !== n + 1) faults.push(`line ${n + 1} of the journal is record ${record.seq}`);
    records.push(record);
  }
  return { records, faults };
}

function recordOf(line: string): JournalRecord | string {
  try {
    const record = JournalRecord.safeParse(JSON.parse(line));
    return record.success ? record.data : "is no record";
  } catch {
    return "is no JSON";
  }
}
