import type { Clock } from "../../mailbox/clock.ts";
import { describeFailure, describeStatus } from "../fetch-error.ts";
import { sendRequest, type WebRequest } from "../request.ts";

/** Milliseconds that a provider may take. */
const SEARCH_MS = 30_000;

export interface AskPorts {
  readonly clock: Pick<Clock, "after">;
}

/** Asks a provider, whose address is the user's own word; the answer is JSON that nobody has checked. */
export async function askJson(
  request: Omit<WebRequest, "signal">,
  { clock }: AskPorts,
  signal: AbortSignal,
): Promise<{ readonly json: unknown } | { readonly message: string }> {
  const limit = new AbortController();
  const withdraw = clock.after(SEARCH_MS, () => limit.abort());
  const { url } = request;
  try {
    const { status, headers, body } = await sendRequest({
      ...request,
      signal: AbortSignal.any([signal, limit.signal]),
    });
    const text = body.toString("utf8");
    if (status === 200) return { json: JSON.parse(text) };
    const header = (name: string) => [headers[name]].flat()[0];
    return { message: describeStatus(status, { url, body: text.slice(0, 20_000), header }) };
  } catch (error) {
    signal.throwIfAborted();
    if (limit.signal.aborted) return { message: `${url.host} gave no answer within ${SEARCH_MS / 1000} s.` };
    if (error instanceof SyntaxError) return { message: `${url.host} did not answer with JSON.` };
    return { message: describeFailure(error, url) };
  } finally {
    withdraw();
  }
}
