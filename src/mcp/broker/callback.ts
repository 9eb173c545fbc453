import { createServer, type Server } from "node:http";

/** Where a browser comes back to after somebody has signed in. */
export interface Callback {
  readonly url: string;
  /** The code; rejects with a sentence where the page says no, or the signal is aborted. */
  code(state: string, signal: AbortSignal): Promise<string>;
  close(): void;
}

/** Listens on this machine only, for one sign-in. `port` 0: any. */
export async function listenForCallback(port: number): Promise<Callback> {
  const arrived = Promise.withResolvers<URLSearchParams>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    const isOurs = request.method === "GET" && url.pathname === "/callback";
    response.writeHead(isOurs ? 200 : 404, {
      "content-type": "text/plain; charset=utf-8",
      connection: "close",
    });
    response.end(isOurs ? "You can close this window and go back to Troupe.\n" : "There is nothing here.\n");
    if (isOurs) arrived.resolve(url.searchParams);
  });
  const bound = await listen(server, port);
  return {
    url: `http://127.0.0.1:${bound}/callback`,
    async code(state, signal) {
      const stopped = new Promise<never>((_, reject) => {
        if (signal.aborted) reject(signal.reason);
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      });
      const answer = await Promise.race([arrived.promise, stopped]);
      const error = answer.get("error");
      if (error !== null) throw new Error(`the sign-in page answered ${JSON.stringify(error)}`);
      // Any page in the browser can call this address: only the one we sent the person to knows the state.
      if (answer.get("state") !== state)
        throw new Error("what came back was not from the page that was opened");
      const code = answer.get("code");
      if (code === null) throw new Error("the sign-in page sent no code");
      return code;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) =>
      reject(new Error(`port ${port} cannot be listened on (${error.message})`)),
    );
    server.listen(port, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : port);
    });
  });
}
