import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateRawSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { createFleetKey, readFleetKey } from "../../src/engine/fleet-key.ts";
import { createSeal } from "../../src/engine/seal.ts";
import { temporaryFolder } from "../support/temporary.ts";

const key = Buffer.alloc(32, 1);
const seal = createSeal(key, "s1");

describe("a seal", () => {
  it.each(["", "text", "é\u0000\u2028", "x".repeat(300_000)])("opens what it sealed", (text) => {
    const sealed = seal.seal("svc.a", text, "3");
    expect(sealed).toMatch(/^[A-Za-z0-9+/]+=*$/);
    expect(createSeal(key, "s1").open("svc.a", sealed, "3")).toBe(text);
    expect(seal.seal("svc.a", text, "3")).not.toBe(sealed);
  });

  const sealed = seal.seal("svc.a", "go", "1");
  const flipped = Buffer.from(sealed, "base64");
  flipped[15] = (flipped[15] ?? 0) ^ 1;
  it.each<[string, () => string | null]>([
    ["another topic", () => seal.open("svc.b", sealed, "1")],
    ["a part of the topic in what it is about", () => seal.open("svc", sealed, ".a1")],
    ["another counter", () => seal.open("svc.a", sealed, "2")],
    ["no counter", () => seal.open("svc.a", sealed)],
    ["another session", () => createSeal(key, "s2").open("svc.a", sealed, "1")],
    ["another fleet key", () => createSeal(Buffer.alloc(32, 2), "s1").open("svc.a", sealed, "1")],
    ["one bit changed", () => seal.open("svc.a", flipped.toString("base64"), "1")],
    ["its end cut off", () => seal.open("svc.a", sealed.slice(0, -4), "1")],
    ["nothing", () => seal.open("svc.a", "", "1")],
    ["plain text", () => seal.open("svc.a", '{"type":"go"}', "1")],
  ])("opens nothing with %s", (_, open) => {
    expect(seal.open("svc.a", sealed, "1")).toBe("go");
    expect(open()).toBeNull();
  });
});

it("a seal makes a long text smaller, and opens none that grows beyond all bounds", () => {
  expect(seal.seal("svc.a", "tool ".repeat(10_000)).length).toBeLessThan(1_000);
  const bomb = Buffer.concat([Buffer.of(1), deflateRawSync(Buffer.alloc(100 * 1024 * 1024))]);
  expect(seal.open("svc.a", Buffer.from(seal.sealBytes("svc.a", bomb)).toString("base64"))).toBeNull();
});

describe("a fleet key", () => {
  it("is created for its owner alone, and read again", async () => {
    const path = join(temporaryFolder(), "keys", "fleet");
    const made = await createFleetKey(path);
    expect(made).toHaveLength(32);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(Buffer.from(await readFleetKey(path))).toEqual(Buffer.from(made));
    expect(readFileSync(path, "utf8")).toHaveLength(44);
    await expect(createFleetKey(path)).rejects.toThrow("exists already");
  });

  const good = Buffer.alloc(32, 255).toString("base64url");
  it.each<[string, string, number, RegExp]>([
    ["that others can read", good, 0o644, /Others can read.*chmod 600/],
    ["that a group can read", good, 0o640, /Others can read/],
    ["that is too short", good.slice(1), 0o600, /is damaged: it does not contain 32 bytes/],
    ["that is something else", "x".repeat(43).replace("x", "+"), 0o600, /does not contain/],
    ["that is empty", "", 0o600, /does not contain/],
    ["that is a long file", "x".repeat(5000), 0o600, /too large/],
  ])("refuses a file %s", async (_, text, mode, message) => {
    const path = join(temporaryFolder(), "fleet");
    writeFileSync(path, text);
    chmodSync(path, mode);
    await expect(readFleetKey(path)).rejects.toThrow(message);
  });

  it("says how to create one that does not exist, and refuses a directory", async () => {
    const path = join(temporaryFolder(), "fleet");
    await expect(readFleetKey(path)).rejects.toThrow("troupe runners key");
    mkdirSync(path);
    await expect(readFleetKey(path)).rejects.toThrow("is not a file");
  });
});
