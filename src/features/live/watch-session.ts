import { connect } from "node:net";
import type { Clock } from "../../mailbox/clock.ts";
import { lineReader } from "./lines-of.ts";
import { type LiveNews, type LiveOver, NewsReader } from "./news.ts";

/** Milliseconds for a session to say hello: its main thread may be busy for a moment. */
const HELLO_MS = 2_000;

/** Looks at a session through its socket until it is over or the answer is called. Never throws. */
export function watchSession(path: string, clock: Clock, onNews: (news: LiveNews) => void): () => void {
  const lines = lineReader();
  const reader = new NewsReader();
  let left = false;
  const socket = connect(path);
  const withdraw = clock.after(HELLO_MS, () => tell({ type: "over", how: "silent" }));
  const leave = (): void => {
    left = true;
    withdraw();
    socket.destroy();
  };
  const tell = (news: LiveNews): void => {
    if (left) return;
    if (news.type === "hello") withdraw();
    if (news.type === "over") leave();
    onNews(news);
  };
  const end = (how: LiveOver) => tell({ type: "over", how });
  socket.on("data", (bytes) => {
    const whole = lines(bytes);
    if (whole === null) end("strange");
    else for (const line of whole) if (!left) tell(reader.take(line));
  });
  socket.once("error", (error: NodeJS.ErrnoException) => {
    end(error.code === "ECONNREFUSED" || error.code === "ENOENT" ? "dead" : "gone");
  });
  socket.once("close", () => end("gone"));
  return leave;
}
