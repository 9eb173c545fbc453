import { describe, expect, test } from "vitest";
import { never, opened, server } from "./opened-mcp.ts";
import { httpServer } from "./servers/http-server.ts";

describe("A17.1: a sign-in has an end", () => {
  test("one at a time, and nobody signs in at a program", async () => {
    const { url } = await httpServer({ oauth: true });
    const { mcp } = opened({ web: { url }, good: server("good.ts") }, { limits: { signInMs: 400 } });
    await mcp.ready(20_000);
    const first = mcp.signIn("web", () => {}, never);
    expect(await mcp.signIn("web", () => {}, never)).toMatchObject({
      ...{ ok: false, message: expect.stringContaining("is signing in") },
    });
    expect(await mcp.signIn("good", () => {}, never)).toMatchObject({
      ...{ ok: false, message: expect.stringContaining("is a program here") },
    });
    expect(await first).toMatchObject({
      ...{ ok: false, message: expect.stringContaining("nobody has signed in in time") },
    });
  });

  test("completes after a forged callback of another page, with its own", async () => {
    const { url } = await httpServer({ oauth: true });
    const { mcp, state } = opened({ web: { url } });
    await mcp.ready(20_000);
    const follow = async (page: string) => {
      const back = new URL(page).searchParams.get("redirect_uri");
      for (const forged of ["?code=forged&state=guessed", "?error=access_denied"])
        await fetch(`${back}${forged}`);
      const { headers } = await fetch(page, { redirect: "manual" });
      await fetch(headers.get("location") ?? "");
    };
    expect(await mcp.signIn("web", (page) => void follow(page), never)).toEqual({ ok: true, value: null });
    expect(state("web")).toEqual({ type: "connected" });
  });

  test("a restart ends a server that runs and starts it again, whatever waits for it", async () => {
    const { mcp, state } = opened({ raw: server("raw.ts", "plain") });
    await mcp.ready(20_000);
    const pid = async () => {
      const answer = await mcp.call({ name: "mcp__raw__hello", input: {} }, never);
      return String(answer.content);
    };
    const before = await pid();
    const hanging = mcp.call({ name: "mcp__raw__hang", input: {} }, never);
    expect(await mcp.restart("raw", never)).toEqual({ ok: true, value: null });
    expect(state("raw")).toEqual({ type: "connected" });
    expect(await hanging).toMatchObject({ isError: true, content: expect.stringContaining("is not known") });
    expect(await pid()).not.toBe(before);
    expect(await mcp.restart("nobody", never)).toMatchObject({ ok: false });
  });
});
