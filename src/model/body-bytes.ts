import type { MessageParam } from "../mailbox/conversation.ts";
import type { ModelRequest } from "./client.ts";
import { jsonBytesOf } from "./conversation-transfer.ts";
import type { BodyPiece } from "./http-post.ts";
import { bodyOf } from "./messages-body.ts";

/** What JSON.stringify would make of the body, in pieces: messages that came as bytes are sent as these bytes. */
export type EncodeBody = (request: ModelRequest, model: string) => BodyPiece[];

/** Encodes system prompts and tools once, as long as requests have the same. */
export function bodyEncoder(isCached = true): EncodeBody {
  const known = new WeakMap<object, string>();
  const encode = (key: string, value: unknown, request: ModelRequest): string => {
    const of =
      key === "system" ? request.system : key === "tools" && !request.webSearch ? request.tools : null;
    const text = (of === null ? undefined : known.get(of)) ?? JSON.stringify(value);
    if (of !== null) known.set(of, text);
    return text;
  };
  return (request, model) => {
    const pieces: BodyPiece[] = [];
    let text = "{";
    const body = bodyOf(request, model, isCached);
    for (const [key, value] of Object.entries(body)) {
      text += `${text === "{" ? "" : ","}${JSON.stringify(key)}:`;
      if (key !== "messages") {
        text += encode(key, value, request);
        continue;
      }
      text += "[";
      for (const [at, message] of body.messages.entries()) {
        if (at > 0) text += ",";
        const bytes = jsonBytesOf(message);
        if (hasForeignThought(message, bytes)) text += JSON.stringify(withoutForeignThoughts(message));
        else if (bytes === null) text += JSON.stringify(message);
        else {
          pieces.push(text, bytes);
          text = "";
        }
      }
      text += "]";
    }
    return [...pieces, `${text}}`];
  };
}

/** Reasoning of a chat completions API has the name of its field for a signature, which the Messages API refuses. */
const FOREIGN = "reasoning";

/** Looks at the bytes, since messages are only sent: a session may have begun with another API. */
function hasForeignThought(message: MessageParam, bytes: Uint8Array | null): boolean {
  if (message.role !== "assistant") return false;
  const mark = `"signature":"${FOREIGN}`;
  if (bytes === null) return JSON.stringify(message).includes(mark);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(mark);
}

function withoutForeignThoughts({ content }: MessageParam): MessageParam {
  const role = "assistant";
  if (typeof content === "string") return { role, content };
  const own = content.filter((block) => block.type !== "thinking" || !block.signature.startsWith(FOREIGN));
  return { role, content: own.length > 0 ? own : [{ type: "text", text: "(no text)" }] };
}
