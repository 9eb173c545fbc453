import type { Part } from "./assemble.ts";
import { tokensOfBlocks, tokensOfMessages, tokensOfPrefix, tokensOfText } from "./compaction/tokens.ts";

/** Estimates the tokens of a part. */
export function tokensOfPart(part: Part): number {
  switch (part.place) {
    case "system":
    case "attached":
      return part.text === "" ? 0 : tokensOfPrefix([part.text], []);
    case "tools":
      return tokensOfPrefix([], part.tools);
    case "messages":
      return part.name === "history"
        ? tokensOfMessages(part.messages)
        : tokensOfBlocks(part.pictures) +
            [...part.attached, part.prompt].reduce((sum, text) => sum + tokensOfText(text), 0);
    default:
      return part satisfies never;
  }
}
