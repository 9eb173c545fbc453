import type { ReplyTranslator } from "./reply-stream.ts";

/** The Messages API needs no translation, except of a message that came whole. */
export function messagesTranslator(): ReplyTranslator {
  return {
    event: (json) => [json],
    whole: eventsOfMessage,
    end: () => [],
  };
}

function eventsOfMessage(json: unknown): unknown[] {
  const message: Readonly<Record<string, unknown>> =
    typeof json === "object" && json !== null ? { ...json } : {};
  const { content, stop_reason, usage } = message;
  if (!Array.isArray(content)) return [];
  return [
    { type: "message_start", message },
    ...content.flatMap((content_block: unknown, index) => [
      { type: "content_block_start", index, content_block },
      { type: "content_block_stop", index },
    ]),
    { type: "message_delta", delta: { stop_reason }, usage },
    { type: "message_stop" },
  ];
}
