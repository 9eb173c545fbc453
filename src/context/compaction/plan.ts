import { type Compacted, withoutResults } from "../../mailbox/compacted.ts";
import type { Turn } from "../../mailbox/messages.ts";
import type { CompactedView } from "./compacted-view.ts";
import { tokensOfMessages } from "./tokens.ts";

/** Turns whose results stay as long as there is another way (A19.2). */
export const RECENT_TURNS = 3;
/** Turns that stay at most if the user requests a compaction. */
const TURNS_BY_HAND = 2;

/** Returns the turn up to which results may be removed. */
export function elidableTurn({ turns }: Pick<CompactedView, "turns">): number {
  return (turns.at(-1)?.turn ?? 0) - RECENT_TURNS;
}

/** Returns the tokens that are saved by removing results up to this turn. */
export function tokensSavedByEliding(
  { id, turns }: CompactedView,
  compacted: Compacted,
  upTo: number,
): number {
  const { elided, through } = compacted;
  return turns
    .filter(({ turn }) => turn > Math.max(elided, through) && turn <= upTo)
    .reduce((sum, { messages, turn }) => {
      const without = withoutResults(messages, turn, { actor: id, ...compacted });
      return sum + tokensOfMessages(messages) - tokensOfMessages(without);
    }, 0);
}

/**
 * Returns the last turn that goes into a summary, so that at most `recent` tokens stay; whole turns, so that no call is
 * separated from its result. Null if nothing would go.
 */
export function lastSummarised(shown: CompactedView, recent: number, byHand: boolean): number | null {
  const { turns, compacted, messages } = shown;
  // Our estimate may say that all would fit where the API has counted that it does not.
  const most = byHand ? TURNS_BY_HAND : turnsWithin(shown, recent);
  const keeps = byHand || turns.length > 1 ? Math.min(most, turns.length - 1) : most;
  const through = turns.at(-1 - keeps)?.turn ?? null;
  if (through !== null) return through;
  // All turns stay; but an inherited history can go.
  const inherited = compacted === null || compacted.messages.length === 0 ? messages.length > 1 : false;
  return inherited ? (compacted?.through ?? 0) : null;
}

/** The newest turn always stays. */
function turnsWithin({ id, turns, compacted }: CompactedView, recent: number): number {
  let left = recent;
  let count = 0;
  for (const turn of turns.toReversed()) {
    left -= tokensOfMessages(asShown(turn, id, compacted));
    if (left < 0 && count > 0) break;
    count += 1;
  }
  return count;
}

function asShown({ turn, messages }: Turn, actor: string, compacted: CompactedView["compacted"]) {
  if (compacted === null || turn > compacted.elided) return messages;
  return withoutResults(messages, turn, { actor, ...compacted });
}
