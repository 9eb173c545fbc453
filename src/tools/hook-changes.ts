import type { HookChange } from "../mailbox/messages.ts";
import type { ReadLedger } from "./read-ledger.ts";

/**
 * Brings what an agent knows of its files up to what hooks of its call made of them (A22.32). Returns what it is told;
 * a file that it did not know as it was before stays unknown.
 */
export function learnHookChanges(reads: ReadLedger, changes: readonly HookChange[] = []): string[] {
  return changes.flatMap(({ event, before, now, diff }) => {
    const known = reads.get(now.path);
    const { size, mtimeMs, inode } = before;
    if (known?.size !== size || known.mtimeMs !== mtimeMs || known.inode !== inode) return [];
    reads.record(now);
    if (diff === "") return [];
    const frame = `[${now.path} was changed while the ${event} hooks of this call ran. You can edit it without reading it again. What changed:]`;
    return `${frame}\n${diff}`;
  });
}
