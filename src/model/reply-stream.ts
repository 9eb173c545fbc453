import { type Clock, pause } from "../mailbox/clock.ts";
import type { HttpAnswer } from "./http-post.ts";
import type { IdleWatch } from "./idle-watch.ts";
import type { ReplyAssembler, ReplyProblem } from "./reply.ts";
import { sseParser } from "./sse.ts";

/** Bytes of one reply, far above what a model writes: a server gone wild must not fill the memory (fault 25). */
const MOST_BYTES = 64 * 1024 * 1024;

/** Milliseconds that a server has to end its answer after the last event; else the connection is given up. */
const LINGER_MS = 1000;
/** Milliseconds of it that a reply waits, so that the next request finds the connection free. */
const WAIT_MS = 20;

/** The stream cannot become a reply; `final` where the same request would end the same way. */
export class Unreadable extends Error {
  readonly problem: ReplyProblem;
  readonly final: boolean;
  constructor(problem: ReplyProblem, final = false) {
    super(problem.type);
    this.problem = problem;
    this.final = final;
  }
}

/** Reads the answer into the assembler. Returns at its end; throws `Unreadable`, or the connection's error. */
export async function readReply(
  { header, body }: HttpAnswer,
  reply: ReplyAssembler,
  watch: IdleWatch,
  clock: Clock,
): Promise<void> {
  const type = header("content-type") ?? "text/event-stream";
  if (!type.startsWith("text/event-stream")) {
    body.destroy();
    throw new Unreadable(badly(`it answered with ${type.split(";")[0]} instead of a stream of events`));
  }
  const sse = sseParser();
  let bytes = 0;
  const { promise: complete, resolve, reject } = Promise.withResolvers<void>();
  const over = new AbortController();
  body.once("end", resolve);
  body.once("close", () => {
    over.abort();
    resolve();
  });
  // After the reply is complete, it does not matter that the connection broke.
  body.once("error", (error) => (reply.ended ? resolve() : reject(error)));
  body.on("data", (chunk: Uint8Array) => {
    // The rest of the answer is read so that its connection can be used again.
    if (reply.ended) return;
    try {
      bytes += chunk.byteLength;
      if (bytes > MOST_BYTES) throw new Unreadable(badly("one reply is larger than 64 MB"), true);
      for (const frame of sse.push(chunk)) takeFrame(frame.event, frame.data, reply, watch);
    } catch (error) {
      reject(error);
      body.destroy();
      return;
    }
    if (!reply.ended) return;
    void pause(clock, LINGER_MS, over.signal).then(() => body.destroy());
    void pause(clock, WAIT_MS, over.signal).then(resolve);
  });
  await complete;
}

function takeFrame(event: string | null, data: string, reply: ReplyAssembler, watch: IdleWatch): void {
  if (event === "ping" || reply.ended) return;
  let parsed: unknown;
  try {
    parsed = JSON.parse(data);
  } catch {
    throw new Unreadable(badly("an event is not valid JSON"));
  }
  if (isPing(parsed)) return;
  watch.heard();
  const problem = reply.take(parsed);
  if (problem) throw new Unreadable(problem);
}

/** Some servers do not name their events. */
function isPing(event: unknown): boolean {
  return typeof event === "object" && event !== null && "type" in event && event.type === "ping";
}

function badly(problem: string): ReplyProblem {
  return { type: "protocol", problem };
}
