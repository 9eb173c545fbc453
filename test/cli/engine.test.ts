import { describe, expect, it } from "vitest";
import { main } from "../../src/cli/main.ts";
import { FakeIO } from "./fake-io.ts";
import { FakeRuntime } from "./fake-session.ts";

describe("troupe engine", () => {
  it.each([
    [["check"], 2, /give --engine URL/],
    [["check", "--engine", "ssh://host"], 2, /keeps nothing.*: each session starts its own runner there/],
    [["ls", "--engine", "ssh://host"], 2, /keeps nothing/],
    [["ls", "--engine", "redis://redis.example"], 1, /Use rediss:/],
    [["ls", "--engine", "redis://127.0.0.1:1"], 1, /Cannot connect to the engine .*ECONNREFUSED/],
    [["sweep", "--engine", "x", "--older-than", "-1"], 2, /older-than/],
  ])("refuses %j", async (words, code, message) => {
    const io = new FakeIO();
    expect(await main(["engine", ...words], io, new FakeRuntime())).toBe(code);
    expect(io.err.text).toMatch(message);
  });

  it("reports that it cannot connect as a check that failed, for programs too", async () => {
    const io = new FakeIO();
    const url = "postgres://me:secret@127.0.0.1:1/db";
    expect(await main(["engine", "check", "--json", "--engine", url], io, new FakeRuntime())).toBe(1);
    expect(JSON.parse(io.out.text)).toEqual({
      ok: false,
      checks: [{ what: "connection", state: "failed", figure: expect.stringMatching(/…@127.*ECONNREFUSED/) }],
    });
    expect(io.out.text).not.toContain("secret");
  });
});

it("says that an ssh engine has no runners to list", async () => {
  const io = new FakeIO();
  expect(await main(["runners", "--engine", "ssh://host"], io, new FakeRuntime())).toBe(2);
  expect(io.err.text).toContain("no runners to list: each session starts its own there");
});
