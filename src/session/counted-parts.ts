import { messagesOf, type Part, systemOf } from "../context/assemble.ts";
import type { Preview } from "../features/agents/specs.ts";
import type { MessageParam } from "../mailbox/conversation.ts";
import { MAIN } from "../mailbox/ids.ts";
import type { Gateway, ModelRequest } from "../model/client.ts";
import { GatewayClient } from "../model/gateway-client.ts";

/** Tokens by the model's server: of everything together, and of each part, or null if it did not say. */
export interface Counted {
  readonly total: number | null;
  readonly parts: readonly (number | null)[];
}

/** A request has at least one message. */
const LEAST: readonly MessageParam[] = [{ role: "user", content: "." }];

type Content = Pick<ModelRequest, "system" | "tools" | "messages">;

/**
 * Has the model's server count (`count_tokens`): one request for the whole, and where it can say that one for each part.
 * Each takes a few seconds at most. Nothing is generated, and nothing is paid for. Never rejects.
 */
export async function countedParts(
  gateway: Pick<Gateway, "connect" | "disconnect">,
  { model: name, parts }: Preview,
  signal: AbortSignal,
): Promise<Counted> {
  const model = new GatewayClient(gateway.connect(MAIN, true));
  const count = async (content: Content) =>
    (await model.countTokens?.({ actor: MAIN, model: name, maxTokens: 1, ...content }, signal)) ?? null;
  try {
    const whole = { system: systemOf(parts), tools: toolsOf(parts), messages: messagesOf(parts) };
    const total = await count(whole);
    const least = total === null ? null : await count({ system: [], tools: [], messages: LEAST });
    if (least === null) return { total, parts: [] };
    const each: (number | null)[] = [];
    // One after the other: the provider takes few at a time, and the user sees all of them together.
    for (const part of parts) {
      const tokens = isEmpty(part) ? least : await count(alone(part));
      each.push(tokens === null ? null : Math.max(0, tokens - least));
    }
    return { total, parts: each };
  } finally {
    model.close();
    gateway.disconnect(MAIN);
  }
}

/** The part with the least that makes a request of it. */
function alone(part: Part): Content {
  const nothing = { system: [], tools: [], messages: LEAST };
  switch (part.place) {
    case "system":
      return { ...nothing, system: [part.text] };
    case "attached":
      return { ...nothing, messages: [{ role: "user", content: part.text }] };
    case "tools":
      return { ...nothing, tools: part.tools };
    case "messages":
      return { ...nothing, messages: messagesOf([part]) };
    default:
      return part satisfies never;
  }
}

function isEmpty(part: Part): boolean {
  switch (part.name) {
    case "tool schemas":
      return part.tools.length === 0;
    case "history":
      return part.messages.length === 0;
    case "user turn":
      return part.prompt === "" && part.attached.length === 0 && part.pictures.length === 0;
    default:
      return part.text === "";
  }
}

function toolsOf(parts: readonly Part[]): Content["tools"] {
  return parts.flatMap((part) => (part.name === "tool schemas" ? part.tools : []));
}
