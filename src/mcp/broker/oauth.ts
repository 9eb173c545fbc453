import { randomBytes } from "node:crypto";
import {
  auth,
  extractWWWAuthenticateParams,
  type OAuthClientProvider,
} from "@modelcontextprotocol/sdk/client/auth.js";
import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import { LATEST_PROTOCOL_VERSION } from "@modelcontextprotocol/sdk/types.js";
import type { HttpServer } from "../server.ts";
import { type Callback, listenForCallback } from "./callback.ts";
import type { SignInFile } from "./sign-in-file.ts";

/** Nobody is there who could sign in: connecting does not open browsers. */
export class NobodySignedIn extends Error {
  override readonly name = "NobodySignedIn";
}

/** Never used: connecting only refreshes tokens, and without an address the SDK would take us for a robot. */
const NOWHERE = "http://127.0.0.1/callback";

interface Interaction {
  readonly callback: Callback;
  readonly state: string;
  open(url: URL): Promise<void>;
}

/** `interaction` absent: tokens are used and refreshed, and nobody is asked for new ones. */
export function signInProvider(
  server: HttpServer,
  file: SignInFile,
  interaction: Interaction | null = null,
): OAuthClientProvider {
  const redirectUrl = interaction?.callback.url ?? NOWHERE;
  let verifier = "";
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: {
      client_name: "Troupe",
      redirect_uris: [redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    },
    clientInformation() {
      const clientId = server.oauth?.clientId;
      if (clientId !== undefined) return { client_id: clientId };
      const { client } = file.read();
      // Registered for another address to come back to: a sign-in registers anew.
      const isFor = (uris: unknown) => Array.isArray(uris) && uris.includes(redirectUrl);
      if (interaction !== null && client !== undefined && "redirect_uris" in client)
        return isFor(client.redirect_uris) ? client : undefined;
      return client;
    },
    tokens: () => file.read().tokens,
    saveTokens: (tokens) => file.write({ ...file.read(), tokens }),
    codeVerifier: () => verifier,
    saveCodeVerifier(given) {
      verifier = given;
    },
    async redirectToAuthorization(url) {
      if (interaction === null) throw new NobodySignedIn("Nobody is signed in.");
      await interaction.open(url);
    },
    invalidateCredentials(scope) {
      const { tokens, client } = file.read();
      if (scope === "all") file.write({});
      if (scope === "client") file.write({ tokens });
      if (scope === "tokens") file.write({ client });
    },
  };
  if (interaction === null) return provider;
  return {
    ...provider,
    state: () => interaction.state,
    saveClientInformation: (client) => file.write({ ...file.read(), client }),
  };
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
  const callback = await listenForCallback(server.oauth?.callbackPort ?? 0);
  try {
    const state = randomBytes(24).toString("base64url");
    const provider = signInProvider(server, file, {
      callback,
      state,
      async open(url) {
        // The server chooses this address, and a browser opens more than web pages.
        if (!["http:", "https:"].includes(url.protocol))
          throw new Error(`its sign-in page has an address that is not opened (${url.protocol})`);
        await openBrowser(url.href);
      },
    });
    // What is known of an older sign-in did not help, or nobody would sign in again.
    file.write({ client: file.read().client });
    const bounded: FetchLike = (url, init) => fetch(url, { ...init, signal });
    const asked = { serverUrl: server.url, fetchFn: bounded, ...(await challengeOf(server, bounded)) };
    if ((await auth(provider, asked)) === "AUTHORIZED") return;
    const authorizationCode = await callback.code(state, signal);
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
