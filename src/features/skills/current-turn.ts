import { blocksOf } from "../../mailbox/turns.ts";
import type { Actor } from "../../supervisor/actor-record.ts";

/** Returns the texts an actor got since its user or caller last sent input, as far as they are still in its context. */
export function currentTurnTexts({ spec, turns, inbox }: Actor): readonly string[] {
  const through = spec.compacted?.through ?? 0;
  const kept = turns.filter(({ turn }) => turn > through).flatMap(({ heard }) => heard);
  const heard = [...kept, ...inbox.inFlight, ...inbox.loaded];
  const words = heard.findLastIndex(({ notice }) => !notice);
  const texts = heard.slice(Math.max(0, words)).map(({ text }) => text);
  return words >= 0 ? texts : [...openingTexts(spec), ...texts];
}

function openingTexts({ messages }: Actor["spec"]): string[] {
  const said = messages.findLast(({ role }) => role === "user");
  return said ? blocksOf(said).flatMap((block) => (block.type === "text" ? [block.text] : [])) : [];
}
