import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js";
import type { OAuthClientInformationMixed } from "@modelcontextprotocol/sdk/shared/auth.js";
import type { HttpServer } from "../server.ts";
import type { SignIn, SignInFile } from "./sign-in-file.ts";

/** A connection needs a sign-in; connecting opens no browser. */
export class NotSignedInError extends Error {
  override readonly name = "NotSignedInError";
}

/** Never used, but without an address the SDK would take us for a client without a user. */
const NOWHERE = "http://127.0.0.1/callback";

/** Returns the provider of a connection: it uses and refreshes tokens, and never opens a page. */
export function connectionProvider(server: HttpServer, file: SignInFile): OAuthClientProvider {
  return {
    redirectUrl: NOWHERE,
    clientMetadata: metadataFor(NOWHERE),
    clientInformation: () => configuredClient(server) ?? file.read().client,
    tokens: () => file.read().tokens,
    saveTokens: (tokens) => file.write({ ...file.read(), tokens }),
    codeVerifier: () => "",
    saveCodeVerifier() {},
    async redirectToAuthorization() {
      throw new NotSignedInError("The user is not signed in.");
    },
    async invalidateCredentials(scope) {
      const { tokens, client } = file.read();
      if (scope === "all") await file.write({});
      if (scope === "client") await file.write({ tokens });
      if (scope === "tokens") await file.write({ client });
    },
  };
}

export interface Interaction {
  readonly redirectUrl: string;
  readonly state: string;
  open(page: URL): Promise<void>;
}

/** Returns the provider of a sign-in. An older sign-in stays until there is a new one. */
export function signInProvider(
  server: HttpServer,
  file: SignInFile,
  { redirectUrl, state, open }: Interaction,
): OAuthClientProvider {
  let verifier = "";
  let client = clientFor(redirectUrl, file.read().client);
  return {
    redirectUrl,
    clientMetadata: metadataFor(redirectUrl),
    state: () => state,
    clientInformation: () => configuredClient(server) ?? client,
    saveClientInformation(registered) {
      client = registered;
    },
    // With older tokens the user would not be asked.
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

export function configuredClient({ oauth }: HttpServer): OAuthClientInformationMixed | undefined {
  return oauth?.clientId === undefined ? undefined : { client_id: oauth.clientId };
}

/** A client that is registered for another redirect address is useless. */
function clientFor(redirectUrl: string, client: SignIn["client"]): SignIn["client"] {
  if (client === undefined || !("redirect_uris" in client)) return client;
  const uris: unknown = client.redirect_uris;
  return Array.isArray(uris) && uris.includes(redirectUrl) ? client : undefined;
}
