import type { ContentBlockParam, MessageParam } from "../mailbox/conversation.ts";
import type { ModelRequest } from "./client.ts";
import { jsonBytesOf } from "./conversation-transfer.ts";
import type { ModelApi } from "./http-model.ts";
import type { BodyPiece } from "./http-post.ts";
import { bodyOf, tellsProgress } from "./messages-body.ts";

/**
 * What JSON.stringify would make of the body, in pieces: messages that came as bytes are sent as these bytes. System prompts
 * and tools are encoded once, as long as requests have the same. `betas`: the user's own, which each request has.
 */
export function messageBodies(
  isCached = true,
  betas?: string,
): Required<Pick<ModelApi, "encode" | "mend" | "progress">> {
  const known = new WeakMap<object, string>();
  /** The server does not know how a model tells the user what it does between calls. */
  let refusesProgress = false;
  /** Requests that are sent again without it: it may be why they were refused. */
  const progressless = new WeakSet<ModelRequest>();
  const showsProgress = (request: ModelRequest, model: string) =>
    !refusesProgress && !progressless.has(request) && tellsProgress(request, model);
  const progressHeader = { "anthropic-beta": betas ? `${betas},${PROGRESS_BETA}` : PROGRESS_BETA };
  /** Messages whose thoughts are not sent any longer. */
  const thoughtless = new WeakSet<MessageParam>();
  const encode = (key: string, value: unknown, request: ModelRequest): string => {
    const of =
      key === "system" ? request.system : key === "tools" && !request.webSearch ? request.tools : null;
    const text = (of === null ? undefined : known.get(of)) ?? JSON.stringify(value);
    if (of !== null) known.set(of, text);
    return text;
  };
  const encodeBody: ModelApi["encode"] = (request, model) => {
    const pieces: BodyPiece[] = [];
    let text = "{";
    const body = bodyOf(request, model, isCached, showsProgress(request, model));
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
        if (thoughtless.has(message)) text += JSON.stringify(withoutThoughts(message, () => true));
        else if (hasThought(message, FOREIGN)) text += JSON.stringify(withoutThoughts(message, isForeign));
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
  return {
    encode: encodeBody,
    progress: (request, model) => (showsProgress(request, model) ? progressHeader : null),
    mend(request, { kind, message }, showedProgress) {
      if (kind !== "invalid_request") return null;
      if (!REFUSED_THOUGHT.test(message)) {
        if (!showedProgress || !REFUSED_PROGRESS.test(message)) return null;
        progressless.add(request);
        return () => {
          refusesProgress = true;
        };
      }
      const found = request.messages.filter((one) => !thoughtless.has(one) && hasThought(one, ""));
      for (const one of found) thoughtless.add(one);
      return found.length > 0 ? () => {} : null;
    },
  };
}

/**
 * Newer models take a thought only in the conversation in which it was thought: not after its older turns were summarized, or its
 * tools have changed. All thoughts up to there must be left out then, and later ones are taken again.
 */
const REFUSED_THOUGHT =
  /invalid `?\w+`? in `?(redacted_)?thinking`? block|bound to a different conversation|thinking`? blocks in the latest assistant message cannot be modified/i;

const PROGRESS_BETA = "thinking-display-updates-2026-08-18";

/** Servers that are not Anthropic's may not know the header, or the field; some of them do not say what they refuse. */
const REFUSED_PROGRESS = /beta|thinking|display|extra inputs|unknown|unexpected|bad request/i;

/** Reasoning of a chat completions API has the name of its field for a signature, which the Messages API refuses. */
const FOREIGN = "reasoning";

function isForeign(block: ContentBlockParam): boolean {
  return block.type === "thinking" && block.signature.startsWith(FOREIGN);
}

/** Looks at the bytes, since messages are only sent: a session may have begun with another API. */
function hasThought(message: MessageParam, signature: string): boolean {
  if (message.role !== "assistant") return false;
  const marks = [`"signature":"${signature}`, ...(signature === "" ? ['"type":"redacted_thinking"'] : [])];
  const bytes = jsonBytesOf(message);
  const sent =
    bytes === null ? JSON.stringify(message) : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return marks.some((mark) => sent.includes(mark));
}

function withoutThoughts(
  { content }: MessageParam,
  isLeftOut: (thought: ContentBlockParam) => boolean,
): MessageParam {
  const role = "assistant";
  if (typeof content === "string") return { role, content };
  const isThought = ({ type }: ContentBlockParam) => type === "thinking" || type === "redacted_thinking";
  const rest = content.filter((block) => !isThought(block) || !isLeftOut(block));
  return { role, content: rest.length > 0 ? rest : [{ type: "text", text: "(no text)" }] };
}
