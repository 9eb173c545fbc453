import type { HookChange } from "../mailbox/messages.ts";
import type { ReadLedger } from "./read-ledger.ts";

/**
 * Updates what an agent knows of files that hooks of its call changed (A22.32), and returns texts for it. A file that it
 * had not seen before the change stays unseen.
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
