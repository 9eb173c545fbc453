// @module-tag long
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { createServer as createTlsServer } from "node:tls";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { anthropicModel } from "../../src/model/anthropic.ts";
import { poster } from "../../src/model/http-post.ts";
import { troupe } from "../support/cli-process.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { startMessagesServer, streamOf } from "../support/messages-server.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { ask, failureIn, replyIn } from "./asking.ts";

const TLS = join(import.meta.dirname, "../fixtures/tls");
const REPLY = streamOf({ text: "Hello." });

async function portOf(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** A proxy that leads every name to one port of this machine, and what it was asked for. */
async function proxyTo(port: number) {
  const asked: string[] = [];
  const proxy = createHttpServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const to = connect(port, "127.0.0.1", () => {
      to.write(
        `POST ${new URL(request.url ?? "").pathname} HTTP/1.1\r\nhost: model.test\r\ncontent-length: ${request.headers["content-length"]}\r\nconnection: close\r\n\r\n`,
      );
      request.pipe(to, { end: false });
    });
    to.pipe(response.socket ?? to);
  });
  proxy.on("connect", (request, socket) => {
    asked.push(`CONNECT ${request.url}`);
    const to = connect(port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      to.pipe(socket);
      socket.pipe(to);
    });
    to.on("error", () => socket.destroy());
    socket.on("error", () => to.destroy());
  });
  return { url: `http://127.0.0.1:${await portOf(proxy)}`, asked };
}

test.each([
  ["gzip", gzipSync],
  ["x-gzip", gzipSync],
  ["deflate", deflateSync],
  ["br", brotliCompressSync],
] as const)(
  "a reply and a refusal that were compressed as %s without being asked for are read",
  async (encoding, compress) => {
    const bodies = [
      { status: 200, type: "text/event-stream", body: REPLY },
      {
        status: 400,
        type: "application/json",
        body: JSON.stringify({ error: { type: "invalid_request_error", message: "not so" } }),
      },
    ];
    const server = createHttpServer((request, response) => {
      request.resume();
      const { status, type, body } = bodies.shift() ?? { status: 500, type: "", body: "" };
      response.writeHead(status, { "content-type": type, "content-encoding": encoding }).end(compress(body));
    });
    const client = anthropicModel({ baseURL: `http://127.0.0.1:${await portOf(server)}` });
    expect(replyIn((await ask(client)).outcome).content).toEqual([{ type: "text", text: "Hello." }]);
    expect(failureIn((await ask(client)).outcome)).toMatchObject({
      kind: "invalid_request",
      message: expect.stringContaining("not so"),
    });
  },
);

test("a connection that the server closed while it was idle costs nothing: the request is sent again", async () => {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    let asked = 0;
    socket.on("data", (data) => {
      if (!data.includes("POST")) return;
      asked += 1;
      // The second request on one connection meets its end.
      if (asked === 2) return socket.destroy();
      const body = Buffer.from(REPLY);
      socket.write(
        `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: ${body.length}\r\n\r\n`,
      );
      return socket.write(body);
    });
  });
  const client = anthropicModel({ baseURL: `http://127.0.0.1:${await portOf(server)}` });
  for (let n = 0; n < 3; n++) expect(replyIn((await ask(client)).outcome).stopReason).toBe("end_turn");
  expect(connections).toBe(3);
});

test("a fresh connection that breaks is a failure, and not tried again here", async () => {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.once("data", () => socket.destroy());
  });
  const client = anthropicModel({ baseURL: `http://127.0.0.1:${await portOf(server)}` });
  expect(failureIn((await ask(client)).outcome).kind).toBe("connection");
  expect(connections).toBe(1);
});

test("a connection that is not made within ten seconds is given up", async () => {
  const clock = new FakeClock();
  // A proxy that never answers CONNECT: the socket is there, and no connection.
  const silent = createServer(() => {});
  const env = { HTTPS_PROXY: `http://127.0.0.1:${await portOf(silent)}` };
  const post = poster({ baseURL: "https://model.test", headers: {}, clock, env });
  const connected = once(silent, "connection");
  const posted = post("/v1/messages", ["{}"], new AbortController().signal).catch((error: unknown) => error);
  await connected;
  clock.advance(10_000);
  expect(await posted).toMatchObject({ code: "ETIMEDOUT" });
});

test("a key that no header can hold is a sentence", async () => {
  const client = anthropicModel({ apiKey: "two\nlines", baseURL: "http://127.0.0.1:9" });
  const { message } = failureIn((await ask(client)).outcome);
  expect(message).toContain("key");
  expect(message).not.toContain("two");
});

test.each(["HTTP_PROXY", "http_proxy"])(
  "a proxy that cannot be reached is named by its variable (%s)",
  async (name) => {
    const client = anthropicModel({ baseURL: "http://model.test", env: { [name]: "http://127.0.0.1:1" } });
    const { message } = failureIn((await ask(client)).outcome);
    expect(message).toContain(`the proxy that ${name} names`);
    const local = anthropicModel({ baseURL: "http://127.0.0.1:1", env: { [name]: "http://127.0.0.1:1" } });
    expect(failureIn((await ask(local)).outcome).message).not.toContain("proxy");
  },
);

test("proxies of the environment are used, but not for this machine nor for what NO_PROXY names", async () => {
  const server = await startMessagesServer(() => ({ text: "Hello." }));
  onTestFinished(() => server.close());
  const proxy = await proxyTo(server.port);
  const post = (baseURL: string, env: Record<string, string>) =>
    poster({ baseURL, headers: {}, clock: systemClock, env })("/v1/x", ["{}"], new AbortController().signal);
  const answer = await post("http://model.test", { http_proxy: proxy.url });
  expect([answer.status, proxy.asked]).toEqual([200, ["POST http://model.test/v1/x"]]);
  await text(answer.body);
  await text((await post(server.url, { HTTP_PROXY: proxy.url })).body);
  await expect(
    post("http://model.test", { HTTP_PROXY: proxy.url, NO_PROXY: "model.test" }),
  ).rejects.toThrow();
  expect(proxy.asked).toHaveLength(1);
});

test("the program reaches a server over TLS through a proxy, with an authority of NODE_EXTRA_CA_CERTS, and without it says what is wrong", async () => {
  const server = await startMessagesServer(() => ({ text: "From far away." }));
  onTestFinished(() => server.close());
  const [key, cert] = ["key.pem", "certificate.pem"].map((name) => readFileSync(join(TLS, name)));
  const front = createTlsServer({ key, cert }, (socket) => {
    const to = connect(server.port, "127.0.0.1");
    socket.on("error", () => to.destroy());
    to.on("error", () => socket.destroy());
    socket.pipe(to).pipe(socket);
  });
  const proxy = await proxyTo(await portOf(front));
  const env = {
    ANTHROPIC_BASE_URL: "https://model.test",
    ANTHROPIC_API_KEY: "sk-test-secret",
    HTTPS_PROXY: proxy.url,
  };
  const trusted = await troupe(["-p", "hi"], {
    env: { ...env, NODE_EXTRA_CA_CERTS: join(TLS, "certificate.pem") },
  });
  expect(trusted).toMatchObject({ code: 0, out: "From far away.\n" });
  expect(proxy.asked).toEqual(["CONNECT model.test:443"]);
  const stranger = await troupe(["-p", "hi"], { env });
  expect(stranger.code).toBe(1);
  expect(stranger.err + stranger.out).toMatch(
    /certificate of model\.test cannot be verified.*NODE_EXTRA_CA_CERTS/,
  );
});

test("a proxy in the user's settings counts like one of the environment", async () => {
  const server = await startMessagesServer(() => ({ text: "From far away." }));
  onTestFinished(() => server.close());
  const proxy = await proxyTo(server.port);
  const home = temporaryFolder("troupe-home-");
  mkdirSync(join(home, ".claude"));
  writeFileSync(join(home, ".claude/settings.json"), JSON.stringify({ env: { HTTP_PROXY: proxy.url } }));
  const env = { ANTHROPIC_BASE_URL: "http://model.test", ANTHROPIC_API_KEY: "sk-test-secret" };
  expect(await troupe(["-p", "hi"], { home, env })).toMatchObject({ code: 0, out: "From far away.\n" });
  expect(proxy.asked).toEqual(["POST http://model.test/v1/messages"]);
});
