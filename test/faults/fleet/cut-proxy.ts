import { connect, createServer, type Socket } from "node:net";

/** A link to a server that can be cut, or held so that it carries nothing in one direction. */
export interface CutProxy {
  readonly port: number;
  /** All connections end. */
  cut(): void;
  /** Nothing goes through in this direction; connections stay open. */
  hold(direction: "there" | "back"): void;
  release(): void;
  close(): Promise<void>;
}

export async function openCutProxy(target: number): Promise<CutProxy> {
  const pairs = new Set<{ readonly from: Socket; readonly to: Socket }>();
  let held: "there" | "back" | null = null;
  const server = createServer((from) => {
    const to = connect(target, "127.0.0.1");
    const pair = { from, to };
    pairs.add(pair);
    const end = () => {
      pairs.delete(pair);
      from.destroy();
      to.destroy();
    };
    for (const socket of [from, to]) socket.setNoDelay(true).on("error", end).on("close", end);
    from.on("data", (piece) => to.write(piece));
    to.on("data", (piece) => from.write(piece));
    if (held === "there") from.pause();
    if (held === "back") to.pause();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("the proxy has no port");
  return {
    port: address.port,
    cut() {
      for (const { from } of [...pairs]) from.destroy();
    },
    hold(direction) {
      held = direction;
      for (const { from, to } of pairs) (direction === "there" ? from : to).pause();
    },
    release() {
      held = null;
      for (const { from, to } of pairs) {
        from.resume();
        to.resume();
      }
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const { from } of [...pairs]) from.destroy();
      }),
  };
}
