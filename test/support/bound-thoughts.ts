import { createHash } from "node:crypto";
import { apiError, type Handler, type RecordedRequest, type RequestMessage } from "./messages-server.ts";

interface Thought {
  /** The hash of everything that was sent before it, except earlier thoughts. */
  readonly prefix: string;
  /** The thought before it, which it follows. */
  readonly after: string | null;
}

/**
 * Refuses thoughts as newer models do ("Preserved thinking" in the API's documentation): each is valid only after exactly
 * what was sent before it and after the thought before it, though those at the start may be left out. Every reply has one.
 */
export function boundThoughts(handler: Handler): Handler {
  const known = new Map<string, Thought>();
  return async (request) => {
    const thoughts = thoughtsIn(request);
    for (const [n, { signature, at, prefix }] of thoughts.entries()) {
      const { after, prefix: own } = known.get(signature) ?? {};
      const isAfter = n === 0 || after === thoughts[n - 1]?.signature;
      if (own !== prefix || !isAfter)
        return apiError(
          400,
          "invalid_request_error",
          `messages.${at}.content.0: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation. Remove the block, or set \`thinking.block_binding.prefix_mismatch_behavior\` to "drop_block".`,
        );
    }
    const prefix = prefixOf(request, request.body.messages.length);
    known.set(`signature-${request.n}`, { prefix, after: thoughts.at(-1)?.signature ?? null });
    // Newer models do not show what they thought.
    return { thinking: "", ...(await handler(request)) };
  };
}

function thoughtsIn(request: RecordedRequest) {
  return request.body.messages.flatMap(({ content }, at) =>
    typeof content === "string"
      ? []
      : content.flatMap(({ type, signature }) =>
          type === "thinking" ? [{ signature: String(signature), at, prefix: prefixOf(request, at) }] : [],
        ),
  );
}

function prefixOf({ body }: RecordedRequest, until: number): string {
  const { system, tools, messages } = body;
  const before = [system, tools, messages.slice(0, until).map(bare)];
  const text = JSON.stringify(before, (key, value: unknown) => (key === "cache_control" ? undefined : value));
  return createHash("sha256").update(text).digest("hex");
}

function bare({ role, content }: RequestMessage): RequestMessage {
  if (typeof content === "string") return { role, content: [{ type: "text", text: content }] };
  return { role, content: content.filter(({ type }) => type !== "thinking") };
}
