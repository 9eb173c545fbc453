import type { ModelFailureKind } from "../../../src/model/client.ts";
import type { RecordedRequest, ServedReply } from "../../support/messages-server.ts";

/** How one sort of server answers, by its own documentation or source. Real servers of it were not at hand. */
export interface Kind {
  readonly name: string;
  /** Where its behaviour is described. */
  readonly from: readonly string[];
  readonly apis: readonly Api[];
  /** Refuses a request that the server would not take; null if it would. */
  readonly refuses?: (request: RecordedRequest) => ServedReply | null;
}

export interface Api {
  readonly provider: "anthropic" | "openai";
  /** A reply that says "I look." and calls Read with `{"path":"a"}`, then with `{"path":"b"}`. */
  readonly calls: ServedReply;
  /** A reply that says "Done.". */
  readonly text: ServedReply;
  readonly failures: readonly Failure[];
}

export interface Failure {
  readonly answer: ServedReply;
  readonly kind: ModelFailureKind;
  /** The server's reason, as the user reads it. */
  readonly says: string;
  /** The window that it names. */
  readonly window?: number;
}

export const refusal = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) => ({
  ...{ status, headers, body: JSON.stringify(body) },
});

/** A stream of named events, each with its data. */
export function named(...events: readonly (readonly [name: string, data: object])[]): string {
  return events.map(([name, data]) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`).join("");
}

/** The same where the name is the type of the data. */
export function typed(...events: readonly { readonly type: string }[]): string {
  return named(...events.map((event) => [event.type, event] as const));
}

export const messageStart = (usage: object | null = { input_tokens: 12, output_tokens: 0 }) => ({
  type: "message_start",
  message: {
    ...{ id: "msg_1", type: "message", role: "assistant", model: "m", content: [] },
    ...(usage === null ? {} : { usage }),
  },
});

export const start = (index: number, content_block: object) => ({
  ...{ type: "content_block_start", index, content_block },
});

export const delta = (index: number, piece: object) => ({
  ...{ type: "content_block_delta", index, delta: piece },
});

export const stop = (index: number) => ({ type: "content_block_stop", index });

export const end = (stop_reason: string | null, usage: object = { output_tokens: 7 }) => ({
  ...{ type: "message_delta", delta: { stop_reason }, usage },
});

export const over = { type: "message_stop" };

export const text = (piece: string) => ({ type: "text_delta", text: piece });
export const json = (partial_json: string) => ({ type: "input_json_delta", partial_json });
