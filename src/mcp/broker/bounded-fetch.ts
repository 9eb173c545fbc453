import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";

export interface FetchParts {
  readonly url: string;
  /** Sent to the server's own origin only: its authorization server must not see them. */
  readonly headers: Readonly<Record<string, string>>;
  readonly messageBytes: number;
  /** Called for each response; counts the bytes of its body. */
  readonly countResponse?: (method: string | undefined) => (bytes: number) => void;
}

/** Returns `fetch` with the configured headers, and with a bound on each message of a response (fault 58). */
export function boundedFetch({ url, headers, messageBytes, countResponse }: FetchParts): FetchLike {
  const { origin } = new URL(url);
  return async (target, init) => {
    const own = new Headers(init?.headers);
    if (new URL(target).origin === origin)
      for (const [name, value] of Object.entries(headers)) own.set(name, value);
    const response = await fetch(target, { ...init, headers: own });
    if (response.body === null) return response;
    const isEvents = response.headers.get("content-type")?.includes("text/event-stream") ?? false;
    const count = countResponse?.(init?.method);
    const bounded = new Response(response.body.pipeThrough(boundMessages(messageBytes, isEvents, count)), {
      status: response.status,
      statusText: response.statusText,
      headers: response.headers,
    });
    // The constructor loses it, and redirects are judged by it.
    Object.defineProperty(bounded, "url", { value: response.url });
    return bounded;
  };
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** An event stream may be endless, but none of its events: an empty line ends one. */
function boundMessages(
  maxBytes: number,
  isEvents: boolean,
  count: ((bytes: number) => void) | undefined,
): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  let lineEnds = 0;
  return new TransformStream({
    transform(chunk, controller) {
      count?.(chunk.length);
      if (!isEvents) bytes += chunk.length;
      else
        for (const byte of chunk) {
          bytes += 1;
          if (byte === LINE_FEED) lineEnds += 1;
          else if (byte !== CARRIAGE_RETURN) lineEnds = 0;
          if (lineEnds >= 2) bytes = 0;
        }
      if (bytes > maxBytes) controller.error(new Error(`it sent a message of more than ${maxBytes} bytes`));
      else controller.enqueue(chunk);
    },
  });
}
