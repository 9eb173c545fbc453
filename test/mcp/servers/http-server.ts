import { createHash, randomUUID } from "node:crypto";
import {
  createServer,
  type Server as HttpServer,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { onTestFinished } from "vitest";
import { goodServer } from "./good-server.ts";

export interface HttpTestServer {
  readonly url: string;
  /** `METHOD path` with the headers of interest, in order. */
  readonly requests: readonly { readonly line: string; readonly headers: IncomingMessage["headers"] }[];
  /** What `/token` gives out from now on; what was given out before counts no more. */
  expire(): void;
  /** Tokens that were revoked, by the kind that the client gave. */
  readonly revoked: readonly string[];
  /** Every session is forgotten, as by a server that was started again. */
  forget(): void;
  /** Sessions that were ended by a DELETE. */
  readonly left: readonly string[];
  close(): Promise<void>;
}

export interface HttpTestOptions {
  /** `sse`: knows only the older protocol. */
  readonly speaks?: "streamable" | "sse";
  readonly oauth?: boolean;
  /** False for an authorization server without revocation, a status for one that refuses it. */
  readonly revokes?: boolean | number;
  /** Answers instead of everything else. */
  readonly instead?: (request: IncomingMessage, response: ServerResponse) => boolean;
  readonly port?: number;
}

/** An MCP server over HTTP on this machine, written with the SDK, for one test. */
export async function httpServer({
  speaks = "streamable",
  oauth = false,
  revokes = true,
  instead = () => false,
  port = 0,
}: HttpTestOptions = {}): Promise<HttpTestServer> {
  const requests: { line: string; headers: IncomingMessage["headers"] }[] = [];
  const left: string[] = [];
  const streamable = new Map<string, StreamableHTTPServerTransport>();
  const sse = new Map<string, SSEServerTransport>();
  const issuer = oauth ? new Issuer(revokes) : null;
  let url = "";

  const mcp = async (request: IncomingMessage, response: ServerResponse, path: string) => {
    if (issuer !== null && !issuer.accepts(request.headers.authorization)) {
      const metadata = `${url}/.well-known/oauth-protected-resource/mcp`;
      response.writeHead(401, { "www-authenticate": `Bearer resource_metadata="${metadata}"` }).end();
      return;
    }
    if (speaks === "sse") return olderProtocol(request, response, path);
    const id = request.headers["mcp-session-id"];
    const known = typeof id === "string" ? streamable.get(id) : undefined;
    if (typeof id === "string" && known === undefined)
      return void response.writeHead(404).end("no such session");
    if (request.method === "DELETE" && typeof id === "string") left.push(id);
    if (known !== undefined) return known.handleRequest(request, response);
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (made) => void streamable.set(made, transport),
    });
    await goodServer().connect(asTransport(transport));
    return transport.handleRequest(request, response);
  };
  const olderProtocol = async (request: IncomingMessage, response: ServerResponse, path: string) => {
    if (request.method === "GET" && path === "/mcp") {
      const transport = new SSEServerTransport("/messages", response);
      sse.set(transport.sessionId, transport);
      return goodServer().connect(transport);
    }
    const session = new URL(request.url ?? "/", url).searchParams.get("sessionId") ?? "";
    const transport = sse.get(session);
    if (request.method === "POST" && transport !== undefined)
      return transport.handlePostMessage(request, response);
    response.writeHead(request.method === "POST" ? 405 : 404).end();
  };

  const http = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://x").pathname;
    requests.push({ line: `${request.method} ${path}`, headers: request.headers });
    if (instead(request, response)) return;
    if (issuer?.answer(request, response, url)) return;
    void mcp(request, response, path).catch(() => response.destroy());
  });
  url = `http://127.0.0.1:${await listening(http, port)}`;
  const close = async () => {
    await Promise.all([...streamable.values(), ...sse.values()].map((transport) => transport.close()));
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  };
  onTestFinished(close);
  return {
    ...{ url: `${url}/mcp`, requests, left, close, revoked: issuer?.revoked ?? [] },
    expire: () => issuer?.expire(),
    forget: () => streamable.clear(),
  };
}

/** The SDK's own class does not quite fit its own interface under `exactOptionalPropertyTypes`. */
function asTransport(transport: StreamableHTTPServerTransport): Transport {
  return transport as Transport;
}

function listening(http: HttpServer, port: number): Promise<number> {
  return new Promise((resolve) => {
    http.listen(port, "127.0.0.1", () => {
      const address = http.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    });
  });
}

/** As much of an authorization server as a sign-in needs, with PKCE checked. */
class Issuer {
  readonly #clients = new Map<string, readonly string[]>();
  readonly #codes = new Map<string, { challenge: string; redirect: string }>();
  readonly #refresh = new Set<string>();
  readonly revoked: string[] = [];
  readonly #revokes: boolean | number;
  #tokens = new Set<string>();

  constructor(revokes: boolean | number) {
    this.#revokes = revokes;
  }

  accepts(authorization: string | undefined): boolean {
    return this.#tokens.has(authorization?.replace("Bearer ", "") ?? "");
  }

  expire(): void {
    this.#tokens = new Set();
  }

  answer(request: IncomingMessage, response: ServerResponse, url: string): boolean {
    const asked = new URL(request.url ?? "/", url);
    const json = (status: number, value: object) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
    switch (asked.pathname) {
      case "/.well-known/oauth-protected-resource/mcp":
        json(200, { resource: `${url}/mcp`, authorization_servers: [url] });
        return true;
      case "/.well-known/oauth-authorization-server":
        json(200, {
          ...{ issuer: url, authorization_endpoint: `${url}/authorize`, token_endpoint: `${url}/token` },
          ...{ registration_endpoint: `${url}/register`, response_types_supported: ["code"] },
          ...(this.#revokes === false ? {} : { revocation_endpoint: `${url}/revoke` }),
          ...{ code_challenge_methods_supported: ["S256"], token_endpoint_auth_methods_supported: ["none"] },
        });
        return true;
      case "/register":
        void body(request).then((text) => {
          const given: { redirect_uris: string[] } = JSON.parse(text);
          const client_id = randomUUID();
          this.#clients.set(client_id, given.redirect_uris);
          json(201, { ...given, client_id });
        });
        return true;
      case "/authorize":
        this.#authorize(asked.searchParams, response);
        return true;
      case "/token":
        void body(request).then((text) => this.#token(new URLSearchParams(text), json));
        return true;
      case "/revoke":
        void body(request).then((text) => this.#revoke(new URLSearchParams(text), json));
        return true;
      default:
        return false;
    }
  }

  #revoke(asked: URLSearchParams, json: (status: number, value: object) => void): void {
    const [token = "", hint = ""] = [asked.get("token") ?? "", asked.get("token_type_hint") ?? ""];
    if (typeof this.#revokes === "number") return void json(this.#revokes, { error: "server_error" });
    const isKnown = this.#clients.has(asked.get("client_id") ?? "");
    if (isKnown && (this.#tokens.delete(token) || this.#refresh.delete(token))) this.revoked.push(hint);
    json(isKnown ? 200 : 401, {});
  }

  /** The person agrees at once. */
  #authorize(asked: URLSearchParams, response: ServerResponse): void {
    const redirect = asked.get("redirect_uri") ?? "";
    if (!this.#clients.get(asked.get("client_id") ?? "")?.includes(redirect)) {
      response.writeHead(400).end("unknown client");
      return;
    }
    const code = randomUUID();
    this.#codes.set(code, { challenge: asked.get("code_challenge") ?? "", redirect });
    const location = `${redirect}?code=${code}&state=${asked.get("state")}`;
    response.writeHead(302, { location }).end();
  }

  #token(asked: URLSearchParams, json: (status: number, value: object) => void): void {
    const code = this.#codes.get(asked.get("code") ?? "");
    const verifier = createHash("sha256")
      .update(asked.get("code_verifier") ?? "")
      .digest("base64url");
    const byCode =
      code !== undefined && code.challenge === verifier && code.redirect === asked.get("redirect_uri");
    if (!byCode && !this.#refresh.has(asked.get("refresh_token") ?? "")) {
      json(400, { error: "invalid_grant" });
      return;
    }
    const access_token = randomUUID();
    const refresh_token = randomUUID();
    this.#tokens.add(access_token);
    this.#refresh.add(refresh_token);
    json(200, { access_token, refresh_token, token_type: "Bearer", expires_in: 3_600 });
  }
}

async function body(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text;
}
