import type { ServedCall, ServedReply } from "./messages-server.ts";

/** One reply of a chat completions API, in the chunks that OpenAI documents. */
export interface ChatReply {
  readonly text?: string;
  /** Sent in this field. */
  readonly reasoning?: { readonly field: string; readonly text: string };
  readonly calls?: readonly ServedCall[];
  readonly finish?: string | null;
  readonly usage?: Readonly<Record<string, unknown>> | null;
}

/** The stream of a reply: text in two pieces, each call in three. */
export function chatStream(reply: ChatReply, model = "local"): ServedReply {
  return chunks(
    [
      choice({ role: "assistant", content: "" }),
      ...(reply.reasoning ? [choice({ [reply.reasoning.field]: reply.reasoning.text })] : []),
      ...halves(reply.text ?? "").map((content) => choice({ content })),
      ...(reply.calls ?? []).flatMap((call, index) => piecesOf(call, index)),
      ...(reply.finish === null
        ? []
        : [choice({}, reply.finish ?? (reply.calls?.length ? "tool_calls" : "stop"))]),
      ...(reply.usage === null
        ? []
        : [
            {
              choices: [],
              usage: reply.usage ?? { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
            },
          ]),
    ],
    model,
  );
}

/** Any chunks as a stream that ends with `[DONE]`. */
export function chunks(list: readonly object[], model = "local", last = "[DONE]"): ServedReply {
  const frames = list.map((chunk) => {
    const data = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model, ...chunk };
    return `data: ${JSON.stringify(data)}\n\n`;
  });
  return { bytes: [...frames, last === "" ? "" : `data: ${last}\n\n`] };
}

export function choice(delta: object, finish_reason: string | null = null): object {
  return { choices: [{ index: 0, delta, finish_reason }] };
}

function piecesOf({ id, name, input, rawInput }: ServedCall, index: number): object[] {
  const text = rawInput ?? JSON.stringify(input);
  const start = { index, id: id ?? `call_${index}`, type: "function", function: { name, arguments: "" } };
  return [
    choice({ tool_calls: [start] }),
    ...halves(text).map((piece) => choice({ tool_calls: [{ index, function: { arguments: piece } }] })),
  ];
}

function halves(text: string): string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((half) => half !== "");
}
