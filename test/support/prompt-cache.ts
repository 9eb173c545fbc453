import { createHash } from "node:crypto";
import type { RequestBody } from "./messages-server.ts";

/** What a request was read from the cache for, in characters of its prefix, as the API counts tokens. */
export interface CacheUse {
  readonly read: number;
  readonly whole: number;
}

/** Blocks before a breakpoint that are looked at for a prefix that is kept, as the API says of itself. */
const LOOKBACK = 20;

interface Block {
  readonly text: string;
  readonly isBreakpoint: boolean;
}

/**
 * A prompt cache as the API has it: what stands before a breakpoint is kept, whole; a later request reads the longest
 * kept prefix that ends at one of its breakpoints, or up to 20 blocks before one.
 */
export function promptCache(): (body: RequestBody) => CacheUse {
  const kept = new Set<string>();
  return (body) => {
    const blocks = blocksIn(body);
    const prefixes: { readonly digest: string; readonly chars: number }[] = [];
    const hash = createHash("sha256").update(body.model);
    let chars = 0;
    for (const { text } of blocks) {
      hash.update(`${text.length}:${text}`);
      chars += text.length;
      prefixes.push({ digest: hash.copy().digest("hex"), chars });
    }
    const marks = blocks.flatMap(({ isBreakpoint }, at) => (isBreakpoint ? [at] : []));
    let read = 0;
    for (const mark of marks) {
      for (const { digest, chars: length } of prefixes.slice(Math.max(0, mark - LOOKBACK), mark + 1))
        if (kept.has(digest)) read = Math.max(read, length);
    }
    for (const mark of marks) {
      const prefix = prefixes[mark];
      if (prefix) kept.add(prefix.digest);
    }
    return { read, whole: chars };
  };
}

/** In the order in which the API reads them: tools, system, messages. */
function blocksIn({ tools = [], system = [], messages }: RequestBody): Block[] {
  return [
    ...tools.map((tool) => blockOf("tool", tool)),
    ...system.map((block) => blockOf("system", block)),
    ...messages.flatMap(({ role, content }) =>
      (typeof content === "string" ? [{ type: "text", text: content }] : content).map((block) =>
        blockOf(role, block),
      ),
    ),
  ];
}

function blockOf(role: string, block: object): Block {
  const { cache_control: mark, ...bare } = block as { cache_control?: unknown };
  return { text: `${role}${JSON.stringify(bare)}`, isBreakpoint: mark !== undefined };
}
