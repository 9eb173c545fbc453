// @module-tag long
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import type { Carrier } from "../../src/engine/carrier.ts";
import { checkEngine } from "../../src/engine/check-engine.ts";
import { EngineAwayError } from "../../src/engine/limits.ts";
import { openEngine } from "../../src/engine/open-engine.ts";
import { listStock, sweepStock } from "../../src/engine/stock.ts";
import {
  type OwnServer,
  startPostgres,
  startRedis,
  whyNoPostgres,
  whyNoRedis,
} from "../support/engine-servers.ts";
import { unless } from "../support/needs.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { conforms, type Ground, survives } from "./conformance.ts";

describe.each([
  { name: "Redis", why: whyNoRedis, start: startRedis },
  { name: "PostgreSQL", why: whyNoPostgres, start: startPostgres },
])("the carrier on $name", ({ why, start }) => {
  describe("", unless(why), () => {
    let server: OwnServer;
    beforeAll(async () => {
      server = await start();
    });
    afterAll(() => server.close());

    const open = async (): Promise<Ground> => {
      const [session, runner, other] = await Promise.all([1, 2, 3].map(() => openEngine(server.url)));
      if (!session || !runner || !other) throw new Error("none");
      return { session, runner, other, crash: server.crash, restart: server.restart };
    };
    conforms(open);
    survives(open);

    it("removes what a dead runner had when its lock expires, and no runner runs it again", async () => {
      const lockMs = 1000;
      const [dies, lives] = await Promise.all([1, 2].map(() => openEngine(server.url, { lockMs })));
      if (!dies || !lives) throw new Error("none");
      closing(lives);
      const taken = Promise.withResolvers<void>();
      dies.take(["of-the-dead"], 1, () => {
        taken.resolve();
        return new Promise(() => {});
      });
      await lives.offer("of-the-dead", { id: "s-dead-1", body: "" });
      await taken.promise;
      // It closes its connections, and the engine hears nothing of its attempt, as from a killed one.
      await dies.close();
      const again: string[] = [];
      closing(lives.take(["of-the-dead"], 1, async ({ id }) => void again.push(id)));
      const left = async () => (await listStock(server.url)).pools.find(({ pool }) => pool === "of-the-dead");
      expect(await left()).toMatchObject({ waiting: 0, running: 1 });
      await vi.waitFor(async () => expect(await left()).toBeUndefined(), { timeout: 20_000, interval: 100 });
      expect(again).toEqual([]);
    });
  });
});

describe("an engine on Redis", unless(whyNoRedis), () => {
  it("passes its check, which leaves nothing behind; what is left can be listed and swept", async () => {
    const { url } = await own(startRedis());
    const checks = await checkEngine(url);
    expect(checks.map(({ what, state }) => `${what}: ${state}`)).toEqual([
      ...["connection: ok", "TLS: ok", "version: ok", "persistence: ok", "eviction: ok"],
      ...[expect.stringMatching(/^round trip: (ok|warning)$/), "blob: ok", "attempt: ok"],
    ]);
    expect(await listStock(url)).toEqual({ pools: [], blobs: 0 });
    const carrier = closing(await openEngine(url));
    await carrier.offer("gpu", { id: "s-a-1", body: "" });
    await carrier.putBlob("ours", Buffer.from("left"));
    expect(await sweepStock(url, 3_600_000)).toEqual({ attempts: 0, blobs: 0 });
    expect(await listStock(url)).toEqual({ pools: [{ pool: "gpu", waiting: 1, running: 0 }], blobs: 1 });
    expect(await sweepStock(url, 0)).toEqual({ attempts: 1, blobs: 1 });
    expect(await listStock(url)).toEqual({ pools: [], blobs: 0 });
  });

  it("fails its check if it may drop what waits, and says what to set", async () => {
    const { url } = await own(startRedis(["--maxmemory", "80mb", "--maxmemory-policy", "allkeys-lru"]));
    const checks = await checkEngine(url);
    expect(checks.filter(({ state }) => state !== "ok" && state !== "warning")).toEqual([
      {
        what: "eviction",
        state: "failed",
        figure: "allkeys-lru",
        todo: expect.stringContaining("noeviction"),
      },
    ]);
    expect(checks).toContainEqual(
      expect.objectContaining({
        what: "persistence",
        state: "warning",
        todo: expect.stringContaining("appendonly"),
      }),
    );
  });

  it("counts as away while its memory is full, and still delivers after that", async () => {
    const { url } = await own(startRedis(["--maxmemory", "20mb"]));
    const carrier = closing(await openEngine(url));
    const fill = async () => {
      for (let at = 0; at < 30; at += 1) await carrier.putBlob("ours", Buffer.alloc(1024 * 1024, at));
    };
    await expect(fill()).rejects.toThrow(EngineAwayError);
    await sweepStock(url, 0);
    await vi.waitFor(() => expect(carrier.isUp).toBe(true), 20_000);
    await carrier.offer("p", { id: "s-a-1", body: "" });
  });

  it("ends every call although it holds its connections and does not answer", async () => {
    const server = await own(startRedis());
    const carrier = closing(await openEngine(server.url));
    await carrier.publish("t", "");
    server.freeze();
    await expect(carrier.publish("t", "")).rejects.toThrow(EngineAwayError);
    await vi.waitFor(() => expect(carrier.isUp).toBe(false), 20_000);
    server.thaw();
    await vi.waitFor(() => expect(carrier.isUp).toBe(true), 20_000);
    await carrier.publish("t", "");
  });

  it("delivers again to those that listened, after it lost all its data", async () => {
    const server = await own(startRedis([]));
    const carrier = closing(await openEngine(server.url));
    const heard: string[] = [];
    await carrier.listen("t", (text) => heard.push(text));
    await server.crash();
    await server.restart();
    await vi.waitFor(
      async () => {
        await carrier.publish("t", "again");
        expect(heard).toContain("again");
      },
      { timeout: 20_000, interval: 200 },
    );
  });

  it("is used over TLS with a password, and not without a certificate that is known", async () => {
    const { url, ca } = await own(startSecureRedis());
    await expect(openEngine(url, { password: "secret" })).rejects.toThrow(/Cannot connect .*certificate/);
    const check = [join(import.meta.dirname, "../../src/cli/run-sources.ts"), "engine", "check", "--json"];
    const env = { ...process.env, TROUPE_ENGINE_PASSWORD: "secret", NODE_EXTRA_CA_CERTS: ca };
    const { stdout } = await execa(process.execPath, [...check, "--engine", url], { env });
    expect(JSON.parse(stdout)).toMatchObject({ ok: true });
    expect(stdout).not.toContain("secret");
  });
});

describe("an engine on PostgreSQL", unless(whyNoPostgres), () => {
  it("passes its check; what is left can be listed and swept", async () => {
    const { url } = await own(startPostgres());
    const checks = await checkEngine(url);
    expect(checks.filter(({ state }) => state === "failed")).toEqual([]);
    const carrier = closing(await openEngine(url));
    await carrier.offer("gpu", { id: "s-a-1", body: "" });
    await carrier.putBlob("ours", Buffer.from("left"));
    expect(await listStock(url)).toEqual({ pools: [{ pool: "gpu", waiting: 1, running: 0 }], blobs: 1 });
    expect(await sweepStock(url, 0)).toEqual({ attempts: 1, blobs: 1 });
  });

  it("cannot be opened while it is away, and says so; what was opened before works after that", async () => {
    const server = await own(startPostgres());
    const carrier = closing(await openEngine(server.url));
    await server.crash();
    await expect(openEngine(server.url)).rejects.toThrow(/Cannot connect to the engine .*ECONNREFUSED/);
    // Nothing of it was used until now, so that all of it is opened when the server is back.
    await expect(carrier.publish("t", "")).rejects.toThrow(EngineAwayError);
    await server.restart();
    await vi.waitFor(() => carrier.publish("t", ""), { timeout: 20_000, interval: 200 });
  });
});

async function own<T extends OwnServer>(starting: Promise<T>): Promise<T> {
  const server = await starting;
  onTestFinished(() => server.close());
  return server;
}

function closing<T extends Pick<Carrier, "close">>(carrier: T): T {
  onTestFinished(() => carrier.close());
  return carrier;
}

async function startSecureRedis() {
  const folder = temporaryFolder();
  chmodSync(folder, 0o755);
  const [key, ca] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const request = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost";
  const name = ["-addext", "subjectAltName=DNS:localhost"];
  await execa("openssl", [...request.split(" "), ...name, "-keyout", key, "-out", ca]);
  chmodSync(key, 0o644);
  const tls = [
    "--tls-cert-file",
    ca,
    "--tls-key-file",
    key,
    "--tls-ca-cert-file",
    ca,
    "--tls-auth-clients",
    "no",
  ];
  const server = await startRedis(["--appendonly", "yes", "--requirepass", "secret", ...tls], true);
  return { ...server, ca, url: `rediss://localhost:${server.port}` };
}

it.each(["redis://127.0.0.1:9", "postgres://troupe@127.0.0.1:9/postgres"])(
  "an engine at %s, a port without a server, is away: a session that has used it before waits for it",
  async (url) => {
    const failed = await openEngine(url).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(EngineAwayError);
    expect(String(failed)).toContain("Cannot connect to the engine");
  },
);
