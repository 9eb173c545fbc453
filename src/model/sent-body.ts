import type Anthropic from "@anthropic-ai/sdk";
import { type Shared, type SharedHistory, sharedIn } from "../mailbox/shared-history.ts";
import type { BodyPiece } from "./http-post.ts";

type Body = Anthropic.MessageCreateParamsStreaming;

/**
 * The pieces of a body. A conversation that begins with a shared history is sent from its bytes, with its own between
 * them: what JSON.stringify would make, and no copy of it.
 */
export function sentBody(body: Body): readonly BodyPiece[] {
  const history = body.messages[0] ? sharedIn(body.messages[0])?.history : undefined;
  return history === undefined ? [JSON.stringify(body)] : piecesOf(body, history);
}

function piecesOf(body: Body, history: SharedHistory): BodyPiece[] {
  const pieces: BodyPiece[] = [];
  let text = "{";
  for (const [key, value] of Object.entries(body)) {
    if (value === undefined) continue;
    text += `${text === "{" ? "" : ","}${JSON.stringify(key)}:`;
    if (key !== "messages") {
      text += JSON.stringify(value);
      continue;
    }
    pieces.push(`${text}[`, ...messagesOf(body, history));
    text = "]";
  }
  return [...pieces, `${text}}`];
}

/** Those that stand side by side in the history are one piece of it. */
function messagesOf({ messages }: Body, history: SharedHistory): BodyPiece[] {
  const pieces: BodyPiece[] = [];
  let run: Shared[] = [];
  const endRun = () => {
    const [start, end] = [run[0]?.place?.start, run.at(-1)?.place?.end];
    if (start !== undefined && end !== undefined)
      pieces.push(",", Buffer.from(history.bytes, start, end - start));
    run = [];
  };
  for (const message of messages) {
    const shared = sharedIn(message);
    const follows = shared?.history === history && shared.index === (run.at(-1)?.index ?? -1) + 1;
    if (!follows) endRun();
    if (shared?.history === history) run.push(shared);
    else pieces.push(`,${JSON.stringify(message)}`);
  }
  endRun();
  // Before the first there is no comma.
  const [first, ...others] = pieces;
  return typeof first === "string" ? [first.slice(1), ...others] : pieces;
}
