import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { main } from "../../src/cli/main.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { children, server } from "../mcp/opened-mcp.ts";
import { type HttpTestServer, httpServer } from "../mcp/servers/http-server.ts";
import { type Folders, foldersWith, put } from "../settings/folders.ts";
import { FakeIO } from "./fake-io.ts";
import { FakeRuntime } from "./fake-session.ts";

interface Begun {
  readonly io: FakeIO;
  readonly ended: Promise<{ readonly code: number; readonly out: string; readonly err: string }>;
  /** The page that is to be opened. */
  page(): Promise<string>;
}

function begin({ homedir, root, managed }: Folders, ...words: string[]): Begun {
  const { PATH = "" } = process.env;
  const io = Object.assign(new FakeIO({ homedir, cwd: root, env: { PATH } }), {
    ...{ managedSettings: managed, clock: systemClock },
  });
  const code = main(["mcp", ...words], io, new FakeRuntime());
  return {
    io,
    ended: code.then((end) => ({ code: end, out: io.out.text, err: io.err.text })),
    async page() {
      await expect.poll(() => io.err.text, { timeout: 15_000 }).toContain("Waiting until you have signed in");
      return io.out.text.trim();
    },
  };
}

const mcp = (folders: Folders, ...words: string[]) => begin(folders, ...words).ended;

/** What a browser does once the person has agreed. */
async function agree(page: string): Promise<string> {
  const answered = await fetch(page, { redirect: "manual" });
  const back = await fetch(answered.headers.get("location") ?? "");
  return back.text();
}

const of = ({ url }: HttpTestServer): Folders => foldersWith({ user: { mcpServers: { web: { url } } } });
const kept = ({ homedir }: Folders): string[] => {
  const folder = join(homedir, ".troupe", "mcp-sign-ins");
  return existsSync(folder) ? readdirSync(folder) : [];
};

describe("A17.1: troupe mcp login and logout", { timeout: 60_000 }, () => {
  test("prints the page; once the user has signed in there the server is connected, until logout", {
    tags: ["long"],
  }, async () => {
    const before = children();
    const web = await httpServer({ oauth: true });
    const folders = of(web);
    const login = begin(folders, "login", "web");
    const page = new URL(await login.page());
    expect(page.searchParams.get("code_challenge_method")).toBe("S256");
    expect(await agree(page.href)).toContain("You can close this window");
    expect(await login.ended).toMatchObject({
      code: 0,
      err: expect.stringContaining(
        'You are signed in at the MCP server "web", and it is connected (11 tools).',
      ),
    });
    expect(kept(folders)).toHaveLength(1);
    expect(await mcp(folders, "login", "web")).toMatchObject({
      ...{ code: 0, err: expect.stringContaining("You are already signed in") },
    });
    expect((await mcp(folders, "logout", "web")).err).toBe(
      'You are no longer signed in at the MCP server "web".\n',
    );
    expect(kept(folders)).toEqual([]);
    expect(web.revoked).toEqual(["refresh_token", "access_token"]);
    expect((await mcp(folders, "logout", "web")).err).toBe(
      'You were not signed in at the MCP server "web".\n',
    );
    expect(children(), "processes that are left").toEqual(before);
  });

  test.each([
    [false, "it does not say where."],
    [503, "it answered with HTTP 503."],
  ])(
    "logout says why tokens could not be revoked, and forgets them all the same (%s)",
    {
      tags: ["long"],
    },
    async (revokes, why) => {
      const folders = of(await httpServer({ oauth: true, revokes }));
      const login = begin(folders, "login", "web");
      await agree(await login.page());
      expect((await login.ended).code).toBe(0);
      expect((await mcp(folders, "logout", "web")).err).toBe(
        `You are no longer signed in at the MCP server "web". Its tokens are removed here, but could not be revoked, so the server accepts them until they expire: ${why}\n`,
      );
      expect(kept(folders)).toEqual([]);
    },
  );

  test("a sign-in that is refused on the page or stopped with Ctrl-C leaves nothing, and nothing listens", {
    tags: ["long"],
  }, async () => {
    const folders = of(await httpServer({ oauth: true }));
    const refused = begin(folders, "login", "web");
    const { searchParams } = new URL(await refused.page());
    await fetch(`${searchParams.get("redirect_uri")}?error=access_denied&state=${searchParams.get("state")}`);
    expect(await refused.ended).toMatchObject({
      ...{ code: 1, err: expect.stringContaining('the sign-in page answered "access_denied"') },
    });
    const left = begin(folders, "login", "web");
    const there = new URL(await left.page()).searchParams.get("redirect_uri") ?? "";
    left.io.send("SIGINT");
    expect(await left.ended).toMatchObject({
      ...{ code: 130, err: expect.stringContaining("The sign-in was stopped.") },
    });
    expect(left.io.signalListeners).toBe(0);
    await expect(fetch(there)).rejects.toThrow();
    expect(kept(folders)).toEqual([]);
  });

  test("a server of --mcp-config; and one that works without signing in", { tags: ["long"] }, async () => {
    const locked = await httpServer({ oauth: true });
    const open = await httpServer();
    const folders = foldersWith({});
    const config = JSON.stringify({ mcpServers: { "my web": { url: locked.url }, open: { url: open.url } } });
    const login = begin(folders, "login", "my_web", "--mcp-config", config);
    await agree(await login.page());
    expect((await login.ended).code).toBe(0);
    expect(kept(folders)).toHaveLength(1);
    expect(await mcp(folders, "login", "open", "--mcp-config", config)).toMatchObject({
      ...{ code: 0, err: expect.stringContaining('The MCP server "open" works without a sign-in.') },
    });
  });

  test("says why a sign-in is impossible, and starts nothing that is not trusted", async () => {
    const { url, requests, close } = await httpServer({ oauth: true });
    const folders = foldersWith({
      user: { mcpServers: { good: server("good.ts"), gone: { url: "http://127.0.0.1:9/mcp" } } },
    });
    put(join(folders.root, ".mcp.json"), {
      mcpServers: { theirs: { url }, script: { command: "nosuch" } },
    });
    const sentences: Readonly<Record<string, readonly [code: number, sentence: string]>> = {
      goood: [2, 'There is no MCP server "goood"; did you mean good?'],
      good: [2, 'The MCP server "good" is a program on this machine and has no sign-in.'],
      script: [2, 'The MCP server "script" is a program on this machine and has no sign-in.'],
      gone: [1, "could not be reached"],
      theirs: [1, "is of a directory that is not trusted; --trust signs in all the same"],
    };
    for (const [name, [code, sentence]] of Object.entries(sentences))
      expect(await mcp(folders, "login", name)).toMatchObject({
        ...{ code, out: "", err: expect.stringContaining(sentence) },
      });
    expect(await mcp(folders, "login")).toMatchObject({
      ...{ code: 2, err: expect.stringContaining("mcp login needs NAME: troupe mcp login NAME.") },
    });
    expect(requests).toEqual([]);
    await close();
  });
});
