import { createServer, type Server } from "node:http";

export type Callback = Awaited<ReturnType<typeof listenForCallback>>;

/** Listens on this machine only, for the one sign-in that has this `state`. `port` 0: any. */
export async function listenForCallback(port: number, state: string) {
  const arrived = Promise.withResolvers<URLSearchParams>();
  const server = createServer((request, response) => {
    const url = URL.parse(request.url ?? "/", "http://127.0.0.1");
    const found = request.method === "GET" && url?.pathname === "/callback" ? url.searchParams : null;
    // Any page in the browser can call this address; only the page that was opened for the user knows the state.
    const status = found === null ? 404 : found.get("state") === state ? 200 : 400;
    response.writeHead(status, { "content-type": "text/plain; charset=utf-8", connection: "close" });
    response.end(PAGES[status]);
    if (found !== null && status === 200) arrived.resolve(found);
  });
  const bound = await listen(server, port);
  return {
    url: `http://127.0.0.1:${bound}/callback`,
    /** The code; rejects with a sentence if the sign-in page refuses, or the signal is aborted. */
    async code(signal: AbortSignal): Promise<string> {
      const stopped = new Promise<never>((_, reject) => {
        if (signal.aborted) reject(signal.reason);
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      });
      const reply = await Promise.race([arrived.promise, stopped]);
      const error = reply.get("error");
      if (error !== null) throw new Error(`the sign-in page answered ${JSON.stringify(error)}`);
      const code = reply.get("code");
      if (code === null) throw new Error("the sign-in page sent no code");
      return code;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

const PAGES = {
  200: "You can close this window and return to Troupe.\n",
  400: "This sign-in is not the one that Troupe is waiting for. Use the page that Troupe opened last.\n",
  404: "This address serves only the sign-in.\n",
};

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => reject(new Error(`port ${port} cannot be opened (${error.message})`)));
    server.listen(port, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : port);
    });
  });
}
