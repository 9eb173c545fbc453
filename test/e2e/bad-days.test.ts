// @module-tag long
import { createServer } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { troupe } from "../support/cli-process.ts";
import { apiError, type Handler, startMessagesServer } from "../support/messages-server.ts";
import { onLinux } from "../support/needs.ts";

async function serverOf(handler: Handler) {
  const server = await startMessagesServer(handler);
  onTestFinished(() => server.close());
  return server;
}

/** One sentence, no stack trace, no key. */
function expectSentence(text: string, ...words: RegExp[]) {
  expect(text).not.toMatch(/^\s+at /m);
  expect(text).not.toContain("sk-test-secret");
  for (const word of words) expect(text).toMatch(word);
}

/** Spent in moments, and yet longer than one request takes on a busy machine. */
const SHORT = { patienceMs: 3000 };

describe("what the user sees when the model is not available", () => {
  test("401 is reported and not retried", { tags: ["long"] }, async () => {
    const server = await serverOf(() => apiError(401, "authentication_error", "invalid x-api-key"));
    const { code, err, out } = await troupe(["-p", "hi"], { url: server.url });
    expect(code).toBe(1);
    expectSentence(out + err, /401/, /key/i);
    expect(server.requests).toHaveLength(1);
  });

  test("an unknown model is named", { tags: ["long"] }, async () => {
    const { url } = await serverOf(() => apiError(404, "not_found_error", "model: claude-nonsense"));
    const { code, err, out } = await troupe(["-p", "hi", "--model", "claude-nonsense"], { url });
    expect(code).toBe(1);
    expectSentence(out + err, /claude-nonsense/);
  });

  test("500 without end is retried with a countdown until the retry budget is spent", {
    tags: ["long"],
  }, async () => {
    const server = await serverOf(() => apiError(500, "api_error", "boom"));
    const { code, err, out } = await troupe(["-p", "hi", "--output-format", "json"], {
      url: server.url,
      settings: SHORT,
    });
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ subtype: "error_during_execution", is_error: true });
    expectSentence(err, /500/, /trying again in \d/);
    expect(server.requests.length).toBeGreaterThan(1);
  });

  test("500 twice, then well: the answer comes and the exit code is 0", { tags: ["long"] }, async () => {
    const { url } = await serverOf(({ n }) =>
      n < 2 ? apiError(500, "api_error", "boom") : { text: "recovered" },
    );
    expect(await troupe(["-p", "hi"], { url })).toMatchObject({ code: 0, out: "recovered\n" });
  });

  test("a refused connection names the address and what to check", { tags: ["long"] }, async () => {
    const port = await freePort();
    const { code, err, out } = await troupe(["-p", "hi"], {
      url: `http://127.0.0.1:${port}`,
      settings: SHORT,
    });
    expect(code).toBe(1);
    expectSentence(out + err, new RegExp(`127\\.0\\.0\\.1:${port}`), /refused/i, /trying again in/);
  });

  test("a server that stalls is given up, not waited for in silence", { tags: ["long"] }, async () => {
    const { url } = await serverOf(() => ({ text: "half an ans", upTo: "ans", ending: "pings" }));
    const { code, err, out } = await troupe(["-p", "hi"], { url, settings: { ...SHORT, idleMs: 1000 } });
    expect(code).toBe(1);
    expectSentence(out + err, /127\.0\.0\.1/);
  });

  test("a redirect is not followed: no key and no conversation reach another host", {
    tags: ["long"],
  }, async () => {
    const other = await serverOf(() => ({ text: "gotcha" }));
    const { url } = await serverOf(() => ({
      status: 307,
      headers: { location: `${other.url}/v1/messages` },
      body: "",
    }));
    const { code, err, out } = await troupe(["-p", "hi"], { url });
    expect(code).toBe(1);
    expectSentence(out + err, /redirects to/, /ANTHROPIC_BASE_URL/);
    expect(other.requests).toHaveLength(0);
  });

  test("a home where no session can be kept is said once, before any agent starts", async () => {
    const server = await serverOf(() => ({ text: "x" }));
    const { code, err } = await troupe(["fanout", "a", "b"], {
      url: server.url,
      env: { TROUPE_HOME: "/dev/null" },
    });
    expect(code).toBe(1);
    expectSentence(err, /\/dev\/null/);
    expect(err.trim().split("\n")).toHaveLength(1);
    expect(server.requests).toHaveLength(0);
  });

  test("a home that can never be made does not hang", onLinux, async () => {
    const { url } = await serverOf(() => ({ text: "x" }));
    const { code, err } = await troupe(["-p", "hi"], { url, env: { TROUPE_HOME: "/proc/troupe" } });
    expect(code).toBe(1);
    expectSentence(err, /\/proc\/troupe/);
  });

  test("what an agent had found before the server broke is kept", { tags: ["long"] }, async () => {
    const { url } = await serverOf(({ body }) =>
      body.messages.length === 1
        ? { text: "So far: it is in a.ts.", calls: [{ name: "Glob", input: { pattern: "*" } }] }
        : apiError(400, "invalid_request_error", "too strange"),
    );
    const { code, out } = await troupe(["fanout", "find it"], { url });
    expect(code).toBe(1);
    expect(out).toContain("So far: it is in a.ts.");
  });
});

describe("wrong usage is exit 2 and one sentence", () => {
  test.each([
    [["--nonsense"], /nonsense/],
    [["fanout", "--agent", "Wizard", "task"], /Wizard.*Explore/s],
    [["-p", "hi", "--cwd", "/no/such/folder"], /no\/such\/folder/],
    [["-p", "hi", "--permission-mode", "yolo"], /yolo.*default/s],
    [["frobnicate"], /frobnicate/],
  ])("%j", { tags: ["long"] }, async (args, words) => {
    const { code, err, out } = await troupe(args);
    expect(code).toBe(2);
    expect(out).toBe("");
    expectSentence(err, words);
  });

  test.each(["not a url", "ftp://example.org", "http://"])("ANTHROPIC_BASE_URL=%s", async (url) => {
    const { code, err } = await troupe(["-p", "hi"], { url });
    expect(code).toBe(2);
    expectSentence(err, /ANTHROPIC_BASE_URL/);
  });
});

describe("signals", () => {
  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)(
    "%s in the middle of a fan-out: what is known is printed, exit %i",
    { tags: ["long"] },
    async (signal, expected) => {
      const server = await serverOf(({ body }) =>
        JSON.stringify(body.messages[0]?.content).includes("quick")
          ? { text: "quick answer" }
          : { ending: "stall", upTo: 0 },
      );
      const ended = await troupe(["fanout", "--json", "quick", "slow"], {
        url: server.url,
        onStart(child) {
          // The quick answer is told on stderr; then the person has enough. A second signal would leave at once.
          child.stderr?.on("data", (text: Buffer) => {
            if (!child.killed && /✓|done/.test(String(text))) child.kill(signal);
          });
        },
      });
      expect(ended.code).toBe(expected);
      expect(ended.json()["results"]).toMatchObject([
        { status: "done", summary: "quick answer" },
        { status: "cancelled" },
      ]);
    },
  );
});

/** A port that nobody listens on: it was given out and closed again. */
function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 1));
    });
  });
}
