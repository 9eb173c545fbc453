import { randomBytes } from "node:crypto";
import { createServer, type Server } from "node:http";
import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { HttpServer } from "../server.ts";
import { type HttpTransport, httpTransports, mayBeOlder } from "./http-transport.ts";
import { signInProvider } from "./oauth-providers.ts";
import type { SignInFile } from "./sign-in-file.ts";
import { NO_TIMEOUT_MS } from "./tool-list.ts";

export interface SignInParts {
  readonly file: SignInFile;
  readonly fetch: FetchLike;
  openBrowser(url: string): Promise<void>;
}

/** Has the user sign in with a browser, and keeps the tokens. Rejects with half a sentence. */
export async function signIn(
  server: HttpServer,
  { file, fetch, openBrowser }: SignInParts,
  signal: AbortSignal,
): Promise<void> {
  const state = randomBytes(24).toString("base64url");
  const callback = await listenForCallback(server.oauth?.callbackPort ?? 0, state);
  const authProvider = signInProvider(server, file, {
    ...{ redirectUrl: callback.url, state },
    async open(page) {
      // The server chooses this address, and a browser opens more than web pages.
      if (!["http:", "https:"].includes(page.protocol))
        throw new Error(`its sign-in page has an address that is not opened (${page.protocol})`);
      await openBrowser(page.href);
    },
  });
  const bounded: FetchLike = (url, init) =>
    fetch(url, { ...init, signal: AbortSignal.any([signal, ...(init?.signal ? [init.signal] : [])]) });
  try {
    const transport = await openPage(httpTransports(server, { fetch: bounded, authProvider }), signal);
    await transport.finishAuth(await callback.code(signal));
  } finally {
    callback.close();
  }
}

/** Connects without tokens: the server refuses, and the SDK then opens its sign-in page. */
async function openPage(
  transports: readonly (() => HttpTransport)[],
  signal: AbortSignal,
): Promise<HttpTransport> {
  let failure: unknown = new Error("it does not ask for a sign-in");
  for (const createTransport of transports) {
    const transport = createTransport();
    const client = new Client({ name: "troupe", version: "0" });
    try {
      await client.connect(transport, { signal, timeout: NO_TIMEOUT_MS });
      break;
    } catch (error) {
      if (error instanceof UnauthorizedError) return transport;
      failure = error;
      if (!mayBeOlder(error)) break;
    } finally {
      void client.close().catch(() => {});
    }
  }
  throw failure;
}

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
