import type { AddressInfo } from "node:net";
import { connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** A line to a server on this machine that can lose what is sent in one direction, while its connections stay. */
export interface CutLine {
  readonly port: number;
  /** `out`: what the client sends is lost; `in`: what the server sends. */
  cut(direction: "in" | "out"): void;
  mend(): void;
}

/** Goes to a port of the loopback; gone when the test has ended. */
export async function openLine(to: number): Promise<CutLine> {
  let lost: "in" | "out" | null = null;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const far = connect(to, "127.0.0.1");
    for (const [from, other, direction] of [
      [client, far, "out"],
      [far, client, "in"],
    ] as const) {
      sockets.add(from);
      // A connection that has lost bytes is never right again: it stays silent until it is replaced.
      let isBroken = false;
      from.on("data", (bytes) => {
        isBroken ||= lost === direction;
        if (!isBroken) other.write(bytes);
      });
      from.on("error", () => other.destroy());
      from.on("close", () => {
        sockets.delete(from);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return {
    port: (server.address() as AddressInfo).port,
    cut(direction) {
      lost = direction;
    },
    mend() {
      lost = null;
    },
  };
}
