import { randomBytes } from "node:crypto";
import {
  auth,
  extractWWWAuthenticateParams,
  type OAuthClientProvider,
} from "@modelcontextprotocol/sdk/client/auth.js";
import type { OAuthClientInformationMixed } from "@modelcontextprotocol/sdk/shared/auth.js";
import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import { LATEST_PROTOCOL_VERSION } from "@modelcontextprotocol/sdk/types.js";
import type { HttpServer } from "../server.ts";
import { type Callback, listenForCallback } from "./callback.ts";
import type { SignIn, SignInFile } from "./sign-in-file.ts";

/** Nobody is there who could sign in: connecting does not open browsers. */
export class NotSignedInError extends Error {
  override readonly name = "NobodySignedIn";
}

/** Never used: connecting only refreshes tokens, and without an address the SDK would take us for a robot. */
const NOWHERE = "http://127.0.0.1/callback";

interface Interaction {
  readonly callback: Callback;
  readonly state: string;
  open(url: URL): Promise<void>;
}

/** For a connection: tokens are used and refreshed, and nobody is asked for new ones. */
export function keptSignIn(server: HttpServer, file: SignInFile): OAuthClientProvider {
  return {
    redirectUrl: NOWHERE,
    clientMetadata: metadataFor(NOWHERE),
    clientInformation: () => ownClient(server) ?? file.read().client,
    tokens: () => file.read().tokens,
    saveTokens: (tokens) => file.write({ ...file.read(), tokens }),
    codeVerifier: () => "",
    saveCodeVerifier() {},
    async redirectToAuthorization() {
      throw new NotSignedInError("Nobody is signed in.");
    },
    invalidateCredentials(scope) {
      const { tokens, client } = file.read();
      if (scope === "all") file.write({});
      if (scope === "client") file.write({ tokens });
      if (scope === "tokens") file.write({ client });
    },
  };
}

/** For somebody who signs in: what is kept of an older sign-in stays until there is a new one. */
function newSignIn(
  server: HttpServer,
  file: SignInFile,
  { callback: { url: redirectUrl }, state, open }: Interaction,
): OAuthClientProvider {
  let verifier = "";
  let client = registeredFor(redirectUrl, file.read().client);
  return {
    redirectUrl,
    clientMetadata: metadataFor(redirectUrl),
    state: () => state,
    clientInformation: () => ownClient(server) ?? client,
    saveClientInformation(registered) {
      client = registered;
    },
    // With older ones nobody would be asked.
    tokens: () => undefined,
    saveTokens: (tokens) => file.write({ tokens, client }),
    codeVerifier: () => verifier,
    saveCodeVerifier(given) {
      verifier = given;
    },
    redirectToAuthorization: open,
    invalidateCredentials(scope) {
      if (scope === "all" || scope === "client") client = undefined;
    },
  };
}

function metadataFor(redirectUrl: string): OAuthClientProvider["clientMetadata"] {
  return {
    client_name: "Troupe",
    redirect_uris: [redirectUrl],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  };
}

/** What the person has registered by hand. */
function ownClient({ oauth }: HttpServer): OAuthClientInformationMixed | undefined {
  return oauth?.clientId === undefined ? undefined : { client_id: oauth.clientId };
}

/** One that is registered for another address to come back to is of no use. */
function registeredFor(redirectUrl: string, client: SignIn["client"]): SignIn["client"] {
  if (client === undefined || !("redirect_uris" in client)) return client;
  const uris: unknown = client.redirect_uris;
  return Array.isArray(uris) && uris.includes(redirectUrl) ? client : undefined;
}

export interface SignInParts {
  readonly server: HttpServer;
  readonly file: SignInFile;
  readonly fetch: FetchLike;
  /** Rejects where the page cannot be shown. */
  openBrowser(url: string): Promise<void>;
}

/** Has somebody sign in in a browser, and keeps the tokens. Rejects with half a sentence. */
export async function signIn(
  { server, file, fetch, openBrowser }: SignInParts,
  signal: AbortSignal,
): Promise<void> {
  const state = randomBytes(24).toString("base64url");
  const callback = await listenForCallback(server.oauth?.callbackPort ?? 0, state);
  try {
    const provider = newSignIn(server, file, {
      callback,
      state,
      async open(url) {
        // The server chooses this address, and a browser opens more than web pages.
        if (!["http:", "https:"].includes(url.protocol))
          throw new Error(`its sign-in page has an address that is not opened (${url.protocol})`);
        await openBrowser(url.href);
      },
    });
    const bounded: FetchLike = (url, init) => fetch(url, { ...init, signal });
    const asked = { serverUrl: server.url, fetchFn: bounded, ...(await challengeOf(server, bounded)) };
    if ((await auth(provider, asked)) === "AUTHORIZED") return;
    const authorizationCode = await callback.code(signal);
    await auth(provider, { ...asked, authorizationCode });
  } finally {
    callback.close();
  }
}

/** Where the server says it wants to be signed in at: it says so only when it refuses. */
async function challengeOf(
  { url, type }: HttpServer,
  fetch: FetchLike,
): Promise<{ readonly resourceMetadataUrl?: URL; readonly scope?: string }> {
  const hello = {
    ...{ jsonrpc: "2.0", id: 0, method: "initialize" },
    params: {
      ...{ protocolVersion: LATEST_PROTOCOL_VERSION, capabilities: {} },
      clientInfo: { name: "troupe", version: "0" },
    },
  };
  const response = await fetch(
    url,
    type === "sse"
      ? { headers: { accept: "text/event-stream" } }
      : {
          method: "POST",
          headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
          body: JSON.stringify(hello),
        },
  );
  await response.body?.cancel();
  if (response.status !== 401) return {};
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
  return {
    ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
    ...(scope === undefined ? {} : { scope }),
  };
}
