// @module-tag long
import { describe, expect, test } from "vitest";
import { witness } from "../processes/witness.ts";
import { failing, isRunning, never, ready, refused, server } from "./opened-mcp.ts";
import { httpServer } from "./servers/http-server.ts";

describe("A17.1: a sign-in has an end", () => {
  test("one at a time, and none at a program", { tags: ["long"] }, async () => {
    const { url } = await httpServer({ oauth: true });
    const { mcp } = await ready({ web: { url }, good: server("good.ts") }, { limits: { signInMs: 400 } });
    const first = mcp.signIn("web", () => {}, never);
    expect(await mcp.signIn("web", () => {}, never)).toMatchObject(refused("already in progress"));
    expect(await mcp.signIn("good", () => {}, never)).toMatchObject(refused("is a program on this machine"));
    expect(await first).toMatchObject(refused("did not sign in in time"));
  });

  test.each(["file:///etc/passwd", "vscode://extension/run"])(
    "a sign-in page that is not a web page is not opened: %s (C4)",
    async (page) => {
      const { url } = await httpServer({
        oauth: true,
        instead(request, response) {
          if (request.url !== "/.well-known/oauth-authorization-server") return false;
          const issuer = `http://${request.headers.host}`;
          response.writeHead(200, { "content-type": "application/json" }).end(
            JSON.stringify({
              ...{ issuer, authorization_endpoint: page, token_endpoint: `${issuer}/token` },
              ...{ registration_endpoint: `${issuer}/register`, response_types_supported: ["code"] },
              code_challenge_methods_supported: ["S256"],
            }),
          );
          return true;
        },
      });
      const { mcp } = await ready({ web: { url } });
      const stop = new AbortController();
      const shown: string[] = [];
      const open = (address: string) => {
        shown.push(address);
        stop.abort(new Error("it was opened"));
      };
      expect(await mcp.signIn("web", open, stop.signal)).toMatchObject({
        ...{ ok: false, message: expect.stringContaining(`not opened (${new URL(page).protocol})`) },
      });
      expect(shown).toEqual([]);
    },
  );

  test("a restart ends a server that runs and starts it again, whatever waits for it", async () => {
    const { mcp, state } = await ready({ raw: server("raw.ts", "plain") });
    const pid = async () => {
      const answer = await mcp.call({ name: "mcp__raw__hello", input: {} }, never);
      return String(answer.content);
    };
    const before = await pid();
    const hanging = mcp.call({ name: "mcp__raw__hang", input: {} }, never);
    expect(await mcp.restart("raw", never)).toEqual({ ok: true, value: null });
    expect(state("raw")).toEqual({ type: "connected" });
    expect(await hanging).toMatchObject(failing("it is not known"));
    expect(await pid()).not.toBe(before);
    expect(await mcp.restart("unknown", never)).toMatchObject({ ok: false });
  });
});

test("a restart ends what the server itself had started, and a crash does, too", {
  tags: ["long"],
}, async () => {
  const [first, second] = [witness(), witness()];
  const { command, args } = server("raw.ts", "plain");
  // Each life of the server holds the next pipe with a process that ignores the end of its input.
  const lives = `n=$(cat lives 2>/dev/null || echo 0); echo $((n + 1)) > lives; set -- "${first.path}" "${second.path}"; shift $n; sh -c 'exec 9>"$0"; echo $$ >&9; exec sleep 1000 </dev/null >/dev/null 2>&1' "\${1:-/dev/null}" & exec "$NODE" "$SERVER" plain`;
  const env = { NODE: command, SERVER: args[0] ?? "" };
  const { mcp } = await ready({ raw: { command: "sh", args: ["-c", lives], env } });
  const before = Number(await first.ready);
  expect(isRunning(before)).toBe(true);
  expect(await mcp.restart("raw", never)).toEqual({ ok: true, value: null });
  expect(isRunning(before)).toBe(false);
  const after = Number(await second.ready);
  expect(isRunning(after)).toBe(true);
  await mcp.call({ name: "mcp__raw__crash", input: {} }, never);
  await expect.poll(() => isRunning(after)).toBe(false);
});
