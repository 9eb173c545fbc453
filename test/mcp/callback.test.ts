import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Callback, listenForCallback } from "../../src/mcp/broker/sign-in.ts";
import { never } from "./opened-mcp.ts";

async function listening(): Promise<Callback> {
  const callback = await listenForCallback(0, "ours");
  onTestFinished(() => callback.close());
  return callback;
}

describe("the sign-in callback", () => {
  test.each([
    ["another state", "?code=forged&state=guessed"],
    ["no state", "?code=forged"],
    ["an empty state", "?code=forged&state="],
    ["an error and another state", "?error=access_denied&state=guessed"],
    ["an error and no state", "?error=access_denied"],
    ["nothing at all", ""],
  ])("refuses a request with %s, and takes the real one that comes later", async (_, query) => {
    const callback = await listening();
    const code = callback.code(never);
    const refused = await fetch(`${callback.url}${query}`);
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain("not the one that Troupe is waiting for");
    expect((await fetch(`${callback.url}?code=real&state=ours`)).status).toBe(200);
    expect(await code).toBe("real");
  });

  test("survives a request whose target is not a URL", async () => {
    const callback = await listening();
    const code = callback.code(never);
    const { port } = new URL(callback.url);
    const socket = connect(Number(port), "127.0.0.1");
    socket.end("GET // HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 404 /);
    await fetch(`${callback.url}?code=real&state=ours`);
    expect(await code).toBe("real");
  });
});
