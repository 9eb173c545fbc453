import { randomBytes } from "node:crypto";
import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { HttpServer } from "../server.ts";
import { listenForCallback } from "./callback.ts";
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
