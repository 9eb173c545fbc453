import type { ContentBlock } from "../mailbox/conversation.ts";

/**
 * Makes the call IDs of a reply unique (fault 26): results are paired by the provider's ID, and servers reject
 * duplicates in the next request. An identical call is left out, so that nothing runs twice; another call with a used
 * ID gets a new one.
 */
export function withoutRepeatedIds(content: readonly ContentBlock[]): ContentBlock[] {
  const calls = new Map<string, string>();
  return content.flatMap((block): ContentBlock[] => {
    if (block.type !== "tool_use") return [block];
    const call = JSON.stringify([block.name, block.input]);
    const before = calls.get(block.id);
    if (before === call) return [];
    const id = before === undefined ? block.id : unused(block.id, calls);
    calls.set(id, call);
    return [id === block.id ? block : { ...block, id }];
  });
}

function unused(id: string, used: ReadonlyMap<string, string>): string {
  let n = 2;
  while (used.has(`${id}-${n}`)) n += 1;
  return `${id}-${n}`;
}
