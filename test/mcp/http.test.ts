import { readdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { failing, never, opened, ready, refused } from "./opened-mcp.ts";
import { httpServer } from "./servers/http-server.ts";

const quick = { reconnectMs: 20, longestReconnectMs: 100 };
const hi = { name: "mcp__web__echo", input: { text: "hi" } };

describe("A17.1: servers over HTTP, written with the SDK", { tags: ["long"] }, () => {
  test("streamable HTTP: tools, calls, headers; the session is left at the end", async () => {
    const { url, requests, left } = await httpServer();
    const { mcp, state } = await ready({ web: { type: "http", url, headers: { "X-Key": "k1" } } });
    expect(state("web")).toEqual({ type: "connected" });
    expect(mcp.tools()).toHaveLength(11);
    expect(await mcp.call(hi, never)).toEqual({ content: "hi", isError: false });
    for (const { headers } of requests) expect(headers["x-key"]).toBe("k1");
    await mcp.close();
    expect(left).toHaveLength(1);
  });

  test("SSE, where a server only knows that, and where its entry says so", async () => {
    const { url, requests } = await httpServer({ speaks: "sse" });
    const { mcp, state } = await ready({ web: { type: "http", url }, old: { type: "sse", url } });
    expect([state("web"), state("old")]).toEqual([{ type: "connected" }, { type: "connected" }]);
    expect(requests[0]?.line).toMatch(/mcp$/);
    expect(await mcp.call(hi, never)).toEqual({ content: "hi", isError: false });
    expect(await mcp.call({ ...hi, name: "mcp__old__echo" }, never)).toEqual({
      content: "hi",
      isError: false,
    });
  });

  test("progress and cancellation go over HTTP too", async () => {
    const { url } = await httpServer();
    const { mcp, event } = await ready({ web: { url } }, { limits: { callMs: 1_000 } });
    const steps = await mcp.call({ name: "mcp__web__steps", input: { steps: 3, ms: 500 } }, never);
    expect(steps).toEqual({ content: "all steps", isError: false });
    expect(await event(({ type }) => type === "progress")).toMatchObject({ message: "step 1" });
    const waits = await mcp.call({ name: "mcp__web__waits", input: {} }, never);
    expect(waits).toMatchObject(failing("did not answer"));
  });

  test("names a server that does not listen", async () => {
    const { url, close } = await httpServer();
    await close();
    const { state } = await ready({ web: { url } });
    expect(state("web")).toMatchObject({
      ...{
        type: "failed",
        reason: expect.stringMatching(/"web" \(\.mcp\.json\) could not be reached: .*ECONNREFUSED/),
      },
    });
  });

  test("fault 58: a server that has forgotten the session, and one that was away, are connected again", async () => {
    const first = await httpServer();
    const { mcp, state } = await ready({ web: { url: first.url } }, { limits: quick });
    first.forget();
    expect(await mcp.call(hi, never)).toMatchObject(failing("it is being connected again"));
    expect(await mcp.call(hi, never)).toEqual({ content: "hi", isError: false });
    await first.close();
    expect(await mcp.call(hi, never)).toMatchObject({ isError: true });
    await httpServer({ port: Number(new URL(first.url).port) });
    expect(await mcp.call(hi, never)).toEqual({ content: "hi", isError: false });
    expect(state("web")).toEqual({ type: "connected" });
  });

  test("fault 58: an answer of 100 MB is cut off, with the reason", async () => {
    const { url } = await httpServer({
      instead(request, response) {
        if (request.method !== "POST") return false;
        response.writeHead(200, { "content-type": "application/json" });
        const piece = " ".repeat(1024 * 1024);
        let left = 100;
        const more = () => {
          while (left-- > 0) if (!response.write(piece)) return void response.once("drain", more);
          response.end();
        };
        more();
        return true;
      },
    });
    const { state } = await ready({ web: { url } });
    expect(state("web")).toMatchObject({
      ...{ type: "failed", reason: expect.stringContaining("it sent a message of more than 16777216 bytes") },
    });
  });

  test("threat: a redirect to another origin gets neither request nor headers", async () => {
    const stolen: unknown[] = [];
    const thief = createServer((request, response) => {
      stolen.push(request.headers);
      response.end();
    });
    await new Promise<void>((resolve) => thief.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void thief.close());
    const address = thief.address();
    const port = typeof address === "object" ? address?.port : 0;
    const { url } = await httpServer({
      instead(_, response) {
        response.writeHead(307, { location: `http://127.0.0.1:${port}/mcp` }).end();
        return true;
      },
    });
    const { state } = await ready({ web: { url, headers: { "X-Key": "k1" } } });
    expect(state("web").type).toBe("failed");
    expect(stolen).toEqual([]);
  });
});

/** A user whose browser follows the page immediately. */
function signingIn(pages: string[]): (url: string) => void {
  return (url) => {
    pages.push(url);
    const { origin } = new URL(url);
    void fetch(url, { redirect: "manual" }).then(async (page) => {
      await fetch(page.headers.get("location") ?? origin);
    });
  };
}

describe("A17.1: signing in", { tags: ["long"] }, () => {
  test("a server that wants a sign-in is named, and nothing is registered or opened unasked", async () => {
    const { url, requests } = await httpServer({ oauth: true });
    const { mcp, state } = await ready({ web: { url } });
    expect(state("web")).toMatchObject({
      type: "needs-auth",
      reason: expect.stringContaining("troupe mcp login web"),
    });
    expect(requests.map(({ line }) => line).filter((line) => !line.endsWith("/mcp"))).toEqual([]);
    expect(await mcp.call(hi, never)).toMatchObject({ isError: true });
  });

  test("in a browser; the tokens are kept in a private file, refreshed, and serve the next session", async () => {
    const { url, requests, expire } = await httpServer({ oauth: true });
    const pages: string[] = [];
    const { mcp, state, folder } = await ready({ web: { url } }, { limits: quick });
    expect(await mcp.signIn("web", signingIn(pages), never)).toEqual({ ok: true, value: null });
    expect(state("web")).toEqual({ type: "connected" });
    expect(await mcp.call(hi, never)).toEqual({ content: "hi", isError: false });
    expect(pages).toHaveLength(1);
    expect(pages[0]).toContain("code_challenge_method=S256");

    const kept = join(folder, "mcp-sign-ins");
    const [file = ""] = readdirSync(kept);
    expect(readdirSync(kept)).toHaveLength(1);
    expect(statSync(join(kept, file)).mode & 0o777).toBe(0o600);
    expect(statSync(kept).mode & 0o777).toBe(0o700);
    expect(JSON.parse(readFileSync(join(kept, file), "utf8"))).toMatchObject({
      tokens: { token_type: "Bearer" },
    });

    expire();
    expect(await mcp.call(hi, never)).toEqual({ content: "hi", isError: false });
    await mcp.close();
    const second = opened({ web: { url } }, { home: folder });
    await second.mcp.ready(20_000);
    expect(second.state("web")).toEqual({ type: "connected" });
    expect(requests.filter(({ line }) => line === "POST /register")).toHaveLength(1);
    expect(pages).toHaveLength(1);
    // A project that gives the name another address does not get them.
    const elsewhere = await httpServer({ oauth: true });
    const third = opened({ web: { url: elsewhere.url } }, { home: folder });
    await third.mcp.ready(20_000);
    expect(third.state("web").type).toBe("needs-auth");
    for (const { headers } of elsewhere.requests) expect(headers.authorization).toBeUndefined();
  });

  test("a page that refuses leaves the earlier sign-in", async () => {
    const { url } = await httpServer({ oauth: true });
    const refusing = (page: string) => {
      const { searchParams } = new URL(page);
      void fetch(
        `${searchParams.get("redirect_uri")}?error=access_denied&state=${searchParams.get("state")}`,
      );
    };
    const { mcp, folder } = await ready({ web: { url } });
    expect(await mcp.signIn("web", signingIn([]), never)).toMatchObject({ ok: true });
    expect(await mcp.signIn("web", refusing, never)).toMatchObject(
      refused('the sign-in page answered "access_denied"'),
    );
    await mcp.close();
    const next = opened({ web: { url } }, { home: folder });
    await next.mcp.ready(20_000);
    expect(next.state("web")).toEqual({ type: "connected" });
  });

  test("a sign-out forgets it, and the server is connected again without it", async () => {
    const { url } = await httpServer({ oauth: true });
    const { mcp, folder, state } = await ready({ web: { url } });
    expect(await mcp.signOut("web", never)).toEqual({
      ...{ ok: true, value: { wasSignedIn: false, stillValid: null } },
    });
    await mcp.signIn("web", signingIn([]), never);
    expect(await mcp.signOut("web", never)).toEqual({
      ...{ ok: true, value: { wasSignedIn: true, stillValid: null } },
    });
    expect(state("web").type).toBe("needs-auth");
    expect(readdirSync(join(folder, "mcp-sign-ins"))).toEqual([]);
  });

  test("a sign-in that is cancelled stops listening", async () => {
    const { url } = await httpServer({ oauth: true });
    const stop = new AbortController();
    const shown = Promise.withResolvers<string>();
    const { mcp } = await ready({ web: { url } });
    const signing = mcp.signIn("web", shown.resolve, stop.signal);
    const back = new URL(await shown.promise).searchParams.get("redirect_uri") ?? "";
    stop.abort();
    expect(await signing).toMatchObject({ ok: false });
    await expect
      .poll(() =>
        fetch(back).then(
          () => "there",
          () => "gone",
        ),
      )
      .toBe("gone");
  });
});
