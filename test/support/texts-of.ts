import { textOf } from "../../src/mailbox/conversation.ts";
import type { ModelRequest } from "../../src/model/client.ts";

/** All text that the request's conversation has, in order. */
export function textsOf({ messages }: ModelRequest): string {
  return messages
    .flatMap(({ content }) =>
      typeof content === "string" ? [{ type: "text" as const, text: content }] : content,
    )
    .flatMap((block) => {
      if (block.type === "text") return [block.text];
      if (block.type !== "tool_result" || block.content === undefined) return [];
      return typeof block.content === "string" ? [block.content] : [textOf(block.content as never)];
    })
    .join("\n");
}

/** The results that the request's last message has, as texts. */
export function lastResults({ messages }: ModelRequest): string[] {
  const content = messages.at(-1)?.content ?? [];
  if (typeof content === "string") return [];
  return content.flatMap((block) => {
    if (block.type !== "tool_result" || block.content === undefined) return [];
    return [typeof block.content === "string" ? block.content : textOf(block.content as never)];
  });
}
