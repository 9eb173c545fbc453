import {
  buildDiscoveryUrls,
  discoverOAuthServerInfo,
  selectClientAuthMethod,
} from "@modelcontextprotocol/sdk/client/auth.js";
import type { OAuthClientInformationMixed } from "@modelcontextprotocol/sdk/shared/auth.js";
import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import * as z from "zod/mini";
import type { Clock } from "../../lib/clock.ts";
import type { SignedOut } from "../mcp.ts";
import type { HttpServer } from "../server.ts";
import { boundedFetch } from "./http-transport.ts";
import { configuredClient } from "./oauth-providers.ts";
import { errorReason, toSentence } from "./server-text.ts";
import type { SignIn, SignInFile } from "./sign-in-file.ts";

const REVOKE_MS = 10_000;
const MAX_ANSWER_BYTES = 1024 * 1024;

/**
 * Removes the tokens of a sign-in, and asks the authorization server that gave them to revoke them (RFC 7009). Throws if
 * they cannot be removed here.
 */
export async function signOut(server: HttpServer, file: SignInFile, clock: Clock): Promise<SignedOut> {
  const signIn = file.read();
  if (!file.forget()) return { wasSignedIn: false, stillValid: null };
  const late = new AbortController();
  const withdraw = clock.after(REVOKE_MS, () => late.abort(new Error("it did not answer in time")));
  const bounded = boundedFetch({ ...server, messageBytes: MAX_ANSWER_BYTES });
  const fetch: FetchLike = (url, init) => bounded(url, { ...init, signal: late.signal });
  try {
    await revoke(server, signIn, fetch);
    return { wasSignedIn: true, stillValid: null };
  } catch (error) {
    const why = errorReason(late.signal.aborted ? late.signal.reason : error);
    const stillValid = `Its tokens are removed here, but could not be revoked, so the server accepts them until they expire: ${why}`;
    return { wasSignedIn: true, stillValid: toSentence(stillValid) };
  } finally {
    withdraw();
  }
}

/** Rejects with half a sentence. */
async function revoke(server: HttpServer, { tokens, client }: SignIn, fetch: FetchLike): Promise<void> {
  if (tokens === undefined) return;
  // Only the issuer may see its tokens, whatever the server names now. Older files do not say who that was.
  const issuer =
    tokens.issuer ?? (await discoverOAuthServerInfo(server.url, { fetchFn: fetch })).authorizationServerUrl;
  const { endpoint, methods } = await findEndpoint(issuer, fetch);
  const who = configuredClient(server) ?? client ?? { client_id: "" };
  // Without the refresh token no new access token is given out, so it comes first.
  const all = [
    ["refresh_token", tokens.refresh_token],
    ["access_token", tokens.access_token],
  ] as const;
  for (const [token_type_hint, token] of all) {
    if (token === undefined) continue;
    const body = new URLSearchParams({ token, token_type_hint });
    const headers = identify(who, methods, body);
    // A redirect would show the token to another address.
    const answer = await fetch(endpoint, { method: "POST", headers, body, redirect: "error" });
    await answer.body?.cancel();
    if (!answer.ok) throw new Error(`it answered with HTTP ${answer.status}`);
  }
}

const Metadata = z.object({
  revocation_endpoint: z.url(),
  revocation_endpoint_auth_methods_supported: z.optional(z.array(z.string())),
  token_endpoint_auth_methods_supported: z.optional(z.array(z.string())),
});

/** Reads the metadata here, because the SDK drops these fields of OpenID servers. */
async function findEndpoint(
  issuer: string,
  fetch: FetchLike,
): Promise<{ readonly endpoint: string; readonly methods: readonly string[] }> {
  for (const { url } of buildDiscoveryUrls(issuer)) {
    const answer = await fetch(url, { headers: { accept: "application/json" } });
    const { data } = Metadata.safeParse(
      answer.ok ? await answer.json().catch(() => null) : await answer.body?.cancel(),
    );
    if (data === undefined) continue;
    const { token_endpoint_auth_methods_supported: usual = [] } = data;
    const methods = data.revocation_endpoint_auth_methods_supported ?? usual;
    return { endpoint: data.revocation_endpoint, methods };
  }
  throw new Error("it does not say where");
}

/** Adds who asks to the body, or returns it as a header. */
function identify(
  client: OAuthClientInformationMixed,
  methods: readonly string[],
  body: URLSearchParams,
): Record<string, string> {
  const { client_id: id, client_secret: secret } = client;
  if (secret !== undefined && selectClientAuthMethod(client, [...methods]) === "client_secret_basic") {
    const pair = `${encodeURIComponent(id)}:${encodeURIComponent(secret)}`;
    return { authorization: `Basic ${Buffer.from(pair).toString("base64")}` };
  }
  body.set("client_id", id);
  if (secret !== undefined) body.set("client_secret", secret);
  return {};
}
