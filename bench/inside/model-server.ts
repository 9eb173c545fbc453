import { resolve } from "node:path";
import {
  type Handler,
  type RecordedRequest,
  type ServedReply,
  startMessagesServer,
  toolLoop,
} from "../../test/support/messages-server.ts";
import { sharedNow } from "../machine.ts";
import type { FromServer, Play, Seen, ToServer } from "../model-server.ts";

const FAN_OUT = "Fan out";

let handler: Handler = () => ({});
let seen: Seen = nothing(0);

const server = await startMessagesServer(
  (request) => {
    const now = sharedNow();
    const { requests, firstAt, connections } = seen;
    seen = { requests: requests + 1, firstAt: requests === 0 ? now : firstAt, lastAt: now, connections };
    return handler(request);
  },
  { record: false },
);

process.on("message", (message: ToServer) => {
  switch (message.type) {
    case "play":
      handler = handlerOf(message.play);
      seen = nothing(server.connections());
      return say({ type: "ready", url: server.url });
    case "seen":
      return say({ type: "seen", seen: { ...seen, connections: server.connections() - seen.connections } });
    default:
      message satisfies never;
  }
});
process.on("disconnect", () => void server.close());
say({ type: "ready", url: server.url });

function say(message: FromServer): void {
  process.send?.(message);
}

/** `connections` counts from the server's start, so what there were is kept to be taken off. */
function nothing(connections: number): Seen {
  return { requests: 0, firstAt: 0, lastAt: 0, connections };
}

function handlerOf(play: Play): Handler {
  switch (play.type) {
    case "loop":
      return loop(play);
    case "fan-out":
      return fanOut(play);
    case "reply":
      return () => markdownReply(play);
    default:
      return play satisfies never;
  }
}

/** `turns` counts replies: the last one is the final text. */
function loop({ turns, file, delayMs = 0, pieces, meeting }: Extract<Play, { type: "loop" }>): Handler {
  // Another input each turn: the same call again and again is a circle, which ends the agent.
  const read = (turn: number, { rawBody }: RecordedRequest) => ({
    name: "Read",
    input: { file_path: resolve(directoryOf(rawBody), file), limit: 1_000 + turn },
  });
  const reading = toolLoop(turns - 1, read, { delayMs });
  const meet = meeting === undefined ? async () => {} : meetingOf(meeting);
  return async (request) => {
    const reply = await reading(request);
    if (!reply.calls) await meet();
    return pieces ? inPieces(reply, pieces) : reply;
  };
}

/** Of an agent: on a runner it is another one than here. */
function directoryOf(request: string): string {
  return /Working directory: (.*?)\\n/.exec(request)?.[1] ?? "";
}

function inPieces(reply: ServedReply, { count, apartMs }: { count: number; apartMs: number }): ServedReply {
  return { ...reply, text: "some words ".repeat(count), chunks: count, chunkDelayMs: apartMs };
}

/** Resolves for all once `count` have come; a little later, so that they can be looked at. */
function meetingOf(count: number): () => Promise<void> {
  let missing = count;
  const { promise, resolve } = Promise.withResolvers<void>();
  return () => {
    missing -= 1;
    if (missing === 0) setTimeout(resolve, 500);
    return promise;
  };
}

function fanOut({ agents, turns, file, delayMs, pieces }: Extract<Play, { type: "fan-out" }>): Handler {
  const agent = loop({ type: "loop", turns, file, ...(pieces ? { delayMs, pieces } : {}) });
  return async (request) => {
    if (!isMain(request)) return pieces ? agent(request) : during(await agent(request), delayMs);
    return during(main(request, agents), delayMs);
  };
}

/** A reply that ends after `ms`, and begins after a tenth of that: the first event of a model comes long before its last. */
function during(reply: ServedReply, ms: number): ServedReply {
  const until = new Promise<void>((resolve) => setTimeout(resolve, ms));
  return { ...reply, delayMs: ms / 10, held: { after: "event: message_start", until } };
}

/** A piece has about 40 characters. */
function markdownReply({ characters, apartMs }: Extract<Play, { type: "reply" }>): ServedReply {
  const part = [
    "## A part of it\n\nSome **words** of a reply, with `code` and a [link](src/index.ts), on a line or two as models write.\n\n",
    "- one item\n- another one, which is longer than the first\n\n",
    "```ts\nexport function add(a: number, b: number): number {\n  return a + b;\n}\n```\n\n",
    "| name | value |\n| --- | ---: |\n| first | 1 |\n| second | 22 |\n\n",
  ].join("");
  const text = part.repeat(Math.ceil(characters / part.length)).slice(0, characters);
  return { text, chunks: Math.ceil(characters / 40), chunkDelayMs: apartMs };
}

function isMain({ rawBody }: RecordedRequest): boolean {
  return rawBody.includes(FAN_OUT);
}

function main({ rawBody }: RecordedRequest, agents: number): ServedReply {
  if (rawBody.includes('"type":"tool_result"')) return { text: "All reports are in." };
  const calls = Array.from({ length: agents }, (_, n) => ({
    name: "Agent",
    input: { description: `question ${n}`, prompt: `Answer question ${n}.`, subagent_type: "Explore" },
  }));
  return { text: "I ask around.", calls };
}
