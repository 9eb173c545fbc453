import { describe, expect, it } from "vitest";
import { parseInfo } from "../../src/engine/bullmq/redis.ts";
import { parseEngineUrl, withoutPassword } from "../../src/engine/engine-url.ts";

describe("an engine's address", () => {
  it.each([
    ["redis://localhost:6379", undefined, "redis", false],
    ["redis://127.0.0.1:6379/2", undefined, "redis", false],
    ["redis://[::1]:6379", undefined, "redis", false],
    ["rediss://:secret@redis.example:6380", undefined, "redis", true],
    ["rediss://redis.example", "s/e:c@ret", "redis", true],
    ["rediss://u:pass@secret@redis.example", undefined, "redis", true],
    ["postgres://u@localhost/db?password=secret", undefined, "postgres", false],
    ["postgres://troupe@localhost/db", undefined, "postgres", false],
    ["postgresql://troupe:secret@db.example/db?sslmode=verify-full", undefined, "postgres", true],
  ] as const)("accepts %s", (text, password, type, isEncrypted) => {
    const engine = parseEngineUrl(text, password);
    expect(engine).toMatchObject({ type, isEncrypted });
    expect(engine.shown).not.toContain("secret");
    if (password !== undefined) expect(decodeURIComponent(engine.url.password)).toBe(password);
  });

  it.each([
    ["", /is not an engine's address/],
    ["localhost:6379", /is not an engine's address/],
    ["http://localhost", /is not an engine's address/],
    ["redis://h:secret@", /is not an engine's address/],
    ["http://u:pa@secret/x@localhost", /is not an engine's address/],
    ["redis://:secret@redis.example", /not encrypted. Use rediss:/],
    ["redis://127.0.0.1.example", /not encrypted/],
    ["redis://localhost.example", /not encrypted/],
    ["rediss://redis.example", /has no password. Set TROUPE_ENGINE_PASSWORD/],
    ["rediss://user@redis.example", /has no password/],
    ["postgres://u:secret@db.example/db", /not encrypted. Add \?sslmode=verify-full/],
    ["postgres://u:secret@db.example/db?sslmode=require", /not encrypted/],
    ["postgres://u@db.example/db?sslmode=verify-full", /has no password/],
  ])("refuses %j, and never shows a password", (text, message) => {
    const parse = () => parseEngineUrl(text);
    expect(parse).toThrow(message);
    expect(parse).not.toThrow("secret");
  });
});

describe("an address that is shown to be used again", () => {
  it.each([
    ["redis://localhost:6379", "redis://localhost:6379"],
    ["ssh://build.example", "ssh://build.example"],
    ["redis://:secret@localhost:6379", "redis://localhost:6379"],
    ["rediss://user:sec@ret@redis.example", "rediss://user@redis.example"],
    [
      "postgres://u:secret@db.example/db?sslmode=verify-full",
      "postgres://u@db.example/db?sslmode=verify-full",
    ],
    [
      "postgres://u@db.example/db?password=secret&sslmode=verify-full",
      "postgres://u@db.example/db?sslmode=verify-full",
    ],
  ])("of %j is without the password", (text, shown) => {
    expect(withoutPassword(text)).toBe(shown);
  });
});

describe("what Redis says about itself", () => {
  it.each([
    [
      "redis_version:7.0.15\r\naof_enabled:1\r\nmaxmemory_policy:noeviction\r\n",
      "Redis",
      true,
      true,
      "noeviction",
    ],
    ["redis_version:6.2.0\naof_enabled:0\nmaxmemory_policy:allkeys-lru", "Redis", true, false, "allkeys-lru"],
    ["redis_version:6.0.16\naof_enabled:1", "Redis", false, true, null],
    ["redis_version:7.2.4\r\nvalkey_version:8.0.1\r\n", "Valkey", true, null, null],
    ["", "Redis", false, null, null],
  ])("is read from %j", (info, product, isSupported, keepsOnDisk, eviction) => {
    expect(parseInfo(info)).toMatchObject({ product, isSupported, keepsOnDisk, eviction });
  });
});
