import { type Clock, pause } from "../mailbox/clock.ts";
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
  response: Response,
  reply: ReplyAssembler,
  watch: IdleWatch,
  clock: Clock,
  giveUp: () => void,
): Promise<void> {
  const type = response.headers.get("content-type") ?? "text/event-stream";
  if (!type.startsWith("text/event-stream") || response.body === null) {
    giveUp();
    throw new Unreadable(badly(`it answered with ${type.split(";")[0]} instead of a stream of events`));
  }
  const reader = response.body.getReader();
  const sse = sseParser();
  let bytes = 0;
  while (!reply.ended) {
    const { done, value } = await reader.read();
    if (done) return;
    bytes += value.byteLength;
    try {
      if (bytes > MOST_BYTES) throw new Unreadable(badly("one reply is larger than 64 MB"), true);
      for (const frame of sse.push(value)) takeFrame(frame.event, frame.data, reply, watch);
    } catch (error) {
      giveUp();
      throw error;
    }
  }
  const drained = new AbortController();
  void drain(reader, clock, giveUp).then(() => drained.abort());
  await pause(clock, WAIT_MS, drained.signal);
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

/** A connection can only be used again when its answer was read to the end. Never rejects. */
async function drain(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  clock: Clock,
  giveUp: () => void,
): Promise<void> {
  const withdraw = clock.after(LINGER_MS, giveUp);
  try {
    while (!(await reader.read()).done);
  } catch {
    // The reply is complete; that the connection broke after it does not matter.
  } finally {
    withdraw();
  }
}

function badly(problem: string): ReplyProblem {
  return { type: "protocol", problem };
}
