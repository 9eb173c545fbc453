import type { ModelRequest } from "./client.ts";
import { jsonBytesOf } from "./conversation-transfer.ts";
import type { BodyPiece } from "./http-post.ts";
import { bodyOf } from "./request-body.ts";

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
        if (bytes === null) text += JSON.stringify(message);
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
