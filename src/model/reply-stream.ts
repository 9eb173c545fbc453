import { createParser } from "eventsource-parser";
import { type Clock, pause } from "../lib/clock.ts";
import { parseJson, valueAt } from "../lib/json.ts";
import { errorOf, toldError } from "./error-response.ts";
import { type HttpAnswer, readBody } from "./http-post.ts";
import type { ReplyAssembler, ReplyProblem } from "./reply.ts";

/** Bytes of one reply, far above what a model writes: a server gone wild must not fill the memory (fault 25). */
const MOST_BYTES = 64 * 1024 * 1024;

/** Milliseconds that a server has to end its answer after the last event; else the connection is given up. */
const LINGER_MS = 1000;
/** Milliseconds of it that a reply waits, so that the next request finds the connection free. */
const WAIT_MS = 20;

/** Turns one reply of a server into events of the Messages API, which `ReplyAssembler` puts together. */
export interface ReplyTranslator {
  /** Returns the events that one event of a stream stands for. */
  event(json: unknown): readonly unknown[];
  /** Returns the events of a reply that came whole. */
  whole(json: unknown): readonly unknown[];
  /** Returns what is due at `[DONE]`, the end of a stream. */
  end(): readonly unknown[];
}

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
  answer: HttpAnswer,
  translator: ReplyTranslator,
  reply: ReplyAssembler,
  watch: IdleWatch,
  clock: Clock,
): Promise<void> {
  const { header, body } = answer;
  const type = header("content-type") ?? "text/event-stream";
  if (type.startsWith("application/json")) return readWhole(answer, translator, reply);
  if (!type.startsWith("text/event-stream")) {
    body.destroy();
    throw new Unreadable(badly(`it answered with ${type.split(";")[0]} instead of a stream of events`));
  }
  const sse = sseParser();
  let bytes = 0;
  let isBroken = false;
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
    if (reply.ended || isBroken) return;
    try {
      bytes += chunk.byteLength;
      if (bytes > MOST_BYTES) throw new Unreadable(badly("one reply is larger than 64 MB"), true);
      for (const frame of sse.push(chunk)) takeFrame(frame, translator, reply, watch);
    } catch (error) {
      // More may be buffered: an end in it would make half a reply a whole one.
      isBroken = true;
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

function takeFrame(
  { event, data }: SseFrame,
  translator: ReplyTranslator,
  reply: ReplyAssembler,
  watch: IdleWatch,
): void {
  if (event === "ping" || reply.ended) return;
  if (data.trim() === "[DONE]") {
    takeEvents(translator.end(), reply);
    return;
  }
  const parsed = parseJson(data);
  if (parsed === undefined) throw new Unreadable(badly("an event is not valid JSON"));
  // Some servers do not name their events.
  if (valueAt(parsed, ["type"]) === "ping") return;
  watch.received();
  const error = event === "error" ? (errorOf(parsed) ?? {}) : toldError(parsed);
  if (error !== null) throw new Unreadable({ type: "error", error });
  takeEvents(translator.event(parsed), reply);
}

function takeEvents(events: readonly unknown[], reply: ReplyAssembler): void {
  for (const event of events) {
    const problem = reply.take(event);
    if (problem) throw new Unreadable(problem);
  }
}

/** Some servers do not stream, or do not stream calls. */
async function readWhole(
  answer: HttpAnswer,
  translator: ReplyTranslator,
  reply: ReplyAssembler,
): Promise<void> {
  const parsed = parseJson(await readBody(answer, MOST_BYTES));
  if (parsed === undefined) throw new Unreadable(badly("it is not valid JSON"));
  const error = toldError(parsed);
  if (error !== null) throw new Unreadable({ type: "error", error });
  takeEvents(translator.whole(parsed), reply);
}

function badly(problem: string): ReplyProblem {
  return { type: "protocol", problem };
}

/** One server-sent event; `event` is null where the server did not name it. */
export interface SseFrame {
  readonly event: string | null;
  readonly data: string;
}

/**
 * Reads server-sent events from bytes as they came, cut anywhere (faults 19 to 21). What is left at the end of the stream
 * is half an event and is never returned.
 */
export function sseParser(): { push(bytes: Uint8Array): SseFrame[] } {
  const decoder = new TextDecoder();
  let frames: SseFrame[] = [];
  const parser = createParser({ onEvent: ({ event = null, data }) => frames.push({ event, data }) });
  return {
    push(bytes) {
      frames = [];
      parser.feed(decoder.decode(bytes, { stream: true }));
      return frames;
    },
  };
}

export type IdleWatch = ReturnType<typeof idleWatch>;

export interface IdleWatchOptions {
  /** Milliseconds of silence after which `onIdle` is called, once. */
  readonly idleMs: number;
  readonly onIdle: () => void;
  /**
   * Milliseconds of silence after which `onQuiet` is called, and again after as many more, with the remaining time.
   */
  readonly quietMs: number;
  readonly onQuiet: (leftMs: number) => void;
}

/**
 * Detects silence: messages that only keep a connection open (pings) do not count (faults 15 and 16). One timer for a
 * whole stream, not one per event.
 */
export function idleWatch(clock: Clock, options: IdleWatchOptions) {
  const { idleMs, onIdle, quietMs, onQuiet } = options;
  let last = clock.now();
  let notices = 0;
  let late: number | null = null;
  const look = () => {
    const quiet = clock.now() - last;
    if (quiet >= idleMs) {
      late = quiet - idleMs;
      onIdle();
      return;
    }
    if (quiet >= (notices + 1) * quietMs) {
      notices = Math.floor(quiet / quietMs);
      onQuiet(idleMs - quiet);
    }
    sleep(quiet);
  };
  const sleep = (quiet: number) => {
    withdraw = clock.after(Math.min((notices + 1) * quietMs, idleMs) - quiet, look);
  };
  let withdraw = () => {};
  sleep(0);
  return {
    received() {
      last = clock.now();
      notices = 0;
    },
    /** Null until it fired; then how many milliseconds later than due it woke. */
    lateMs: () => late,
    stop: () => withdraw(),
  };
}
