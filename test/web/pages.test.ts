// @module-tag long
import { execFileSync, spawnSync } from "node:child_process";
import type { LookupAddress } from "node:dns";
import { readFileSync } from "node:fs";
import { createServer as createTlsServer } from "node:https";
import { createServer as createSocketServer } from "node:net";
import { join } from "node:path";
import { brotliCompressSync, constants, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { FETCH_MS } from "../../src/web/fetch-page.ts";
import { PAGE_CACHE_MS, Pages, type PagesPorts } from "../../src/web/pages.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { unless } from "../support/needs.ts";
import { pdf } from "../support/pdf.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { article, html, servePages } from "./pages-server.ts";

const never = new AbortController().signal;
const at = (address: string): LookupAddress => ({ address, family: address.includes(":") ? 6 : 4 });

/** Pages over the real network of this machine; names lead where the test says. */
function pagesOf(given: Partial<PagesPorts> & { readonly named?: readonly string[] } = {}) {
  const { named = [], ...ports } = given;
  const pages = new Pages({
    clock: systemClock,
    resolve: async () => [at("127.0.0.1")],
    namesHost: (host) => named.includes(host),
    ...ports,
  });
  onTestFinished(() => pages.close());
  const get = (url: string, signal = never) => pages.get(url, signal);
  const text = async (url: string) => {
    const page = await get(url);
    return page.type === "page" ? page.text : `${page.type}: ${JSON.stringify(page)}`;
  };
  const problem = async (url: string) => {
    const page = await get(url);
    return page.type === "problem" ? page.message : `${page.type}: ${JSON.stringify(page).slice(0, 300)}`;
  };
  return { pages, get, text, problem };
}

const quickBrotli = (bytes: Buffer) =>
  brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });

const ifOpenssl = unless(spawnSync("openssl", ["version"]).error ? "openssl is not installed" : null);

/** A certificate for a name, of its own authority. */
function certificate(name: string) {
  const dir = temporaryFolder();
  const [key, cert] = [join(dir, "key.pem"), join(dir, "cert.pem")];
  const subject = ["-subj", `/CN=${name}`, "-addext", `subjectAltName=DNS:${name}`];
  const request = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2".split(" ");
  execFileSync("openssl", [...request, ...subject, "-keyout", key, "-out", cert], { stdio: "ignore" });
  return { key: readFileSync(key), cert: readFileSync(cert, "utf8") };
}

describe("reading", () => {
  test("makes Markdown of the main content of HTML (A13.1)", async () => {
    const { url } = await servePages((_, response) =>
      html(response, article("The lamp", 'It is <b>bright</b>, see <a href="/more?a=1">more</a>.')),
    );
    const page = await pagesOf().get(`${url}/lamp`);
    expect(page).toMatchObject({ type: "page", title: "The lamp" });
    const said = page.type === "page" ? page.text : "";
    expect(said).toContain(`It is **bright**, see [more](${url}/more?a=1).`);
    expect(said).not.toMatch(/menu|imprint|steal/);
  });

  test("keeps all of a page that is an index, not an article", async () => {
    const links = Array.from({ length: 50 }, (_, n) => `<li><a href="/p${n}">Part ${n}</a></li>`).join("");
    const { url } = await servePages((_, response) => html(response, `<ul>${links}</ul>`));
    const said = await pagesOf().text(url);
    expect(said).toContain(`[Part 0](${url}/p0)`);
    expect(said).toContain(`[Part 49](${url}/p49)`);
  });

  test("writes tables and code as Markdown", async () => {
    const table = "<table><tr><th>A</th><th>B</th></tr><tr><td>1|2</td><td>3<br>4</td></tr></table>";
    const { url } = await servePages((_, response) =>
      html(response, `<body>${table}<pre><code>a  b\nc</code></pre><img src="data:x" alt="a lamp"></body>`),
    );
    const said = await pagesOf().text(url);
    expect(said).toContain("| A | B |\n| --- | --- |\n| 1\\|2 | 3 4 |");
    expect(said).toContain("```\na  b\nc\n```");
    expect(said).toContain("[image: a lamp]");
    expect(said).not.toContain("data:");
  });

  test("reads JSON, plain text and PDF documents as they are", async () => {
    const { url } = await servePages(({ url: path }, response) => {
      if (path === "/json") response.setHeader("content-type", "application/json").end('{"a": [1]}');
      else if (path === "/pdf") response.setHeader("content-type", "application/octet-stream").end(pdf(2));
      else response.setHeader("content-type", "text/plain").end("1 < 2 <b>");
    });
    const { text } = pagesOf();
    expect(await text(`${url}/json`)).toBe('{"a": [1]}');
    expect(await text(`${url}/plain`)).toBe("1 < 2 <b>");
    expect(await text(`${url}/pdf`)).toMatch(/\[Page 1 of 2\]\nThis is page 1[\s\S]*This is page 2/);
  });

  test.each([
    [
      "by the server",
      "text/html; charset=windows-1251",
      Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]),
      "Привет",
    ],
    ["by the page", "text/html", Buffer.from('<meta charset="iso-8859-1"><p>caf\xe9</p>', "latin1"), "café"],
    [
      "by the page, in Japanese",
      "text/html",
      Buffer.concat([
        Buffer.from('<meta http-equiv="content-type" content="text/html; charset=Shift_JIS"><p>'),
        Buffer.from([0x93, 0xfa, 0x96, 0x7b]),
      ]),
      "日本",
    ],
    [
      "by a byte order mark, against the server",
      "text/html; charset=latin1",
      Buffer.from("\uFEFF<p>naïve</p>"),
      "naïve",
    ],
    ["by nobody, as UTF-8", "text/html", Buffer.from("<p>Grüße</p>"), "Grüße"],
    ["by nobody, as Latin-1", "text/html", Buffer.from("<p>Gr\xfc\xdfe</p>", "latin1"), "Grüße"],
    [
      "wrongly, by a name that nobody knows",
      "text/html; charset=klingon",
      Buffer.from("<p>Grüße</p>"),
      "Grüße",
    ],
  ])("reads a charset that is said %s", async (_, type, body, words) => {
    const { url } = await servePages((_request, response) =>
      response.setHeader("content-type", type).end(body),
    );
    expect(await pagesOf().text(url)).toContain(words);
  });

  test.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
  ])("unpacks %s", { tags: ["long"] }, async (encoding, pack) => {
    const { url } = await servePages((_, response) =>
      response.writeHead(200, { "content-encoding": encoding }).end(pack("packed words")),
    );
    expect(await pagesOf().text(url)).toBe("packed words");
  });

  test("says why a page has no text: an image, an empty page, a page made by JavaScript", async () => {
    const { url } = await servePages(({ url: path }, response) => {
      if (path === "/png") response.setHeader("content-type", "image/png").end(Buffer.alloc(100));
      else html(response, '<body><div id="root"></div><script>render()</script></body>');
    });
    const { problem } = pagesOf();
    expect(await problem(`${url}/png`)).toContain("image/png, which has no text");
    expect(await problem(`${url}/app`)).toContain("made by JavaScript");
  });

  test("a page with a hundred thousand elements within each other is read as text", async () => {
    const { url } = await servePages((_, response) => html(response, `${"<div>".repeat(100_000)}deep words`));
    expect(await pagesOf().text(url)).toContain("deep words");
  });
});

describe("getting there", () => {
  test(
    "asks for an http URL as https, and trusts no certificate that is not to be trusted (A13.1)",
    ifOpenssl,
    async () => {
      const { key, cert } = certificate("lamp.example");
      const { port, asked } = await servePages(
        (_, response) => html(response, article("Secure", "over TLS")),
        (listener) => createTlsServer({ key, cert }, listener),
      );
      const reaching = { named: ["127.0.0.1"] };
      const { get } = pagesOf({ ...reaching, ca: cert });
      expect(await get(`http://lamp.example:${port}/a#part`)).toMatchObject({
        ...{ type: "page", url: `https://lamp.example:${port}/a` },
      });
      expect(asked).toEqual(["/a"]);
      expect(await pagesOf(reaching).problem(`https://lamp.example:${port}/a`)).toMatch(
        /^TLS: no secure connection/,
      );
      expect(await pagesOf({ ...reaching, ca: cert }).problem(`https://other.example:${port}/`)).toMatch(
        /^TLS: .*ERR_TLS_CERT_ALTNAME_INVALID/,
      );
      expect(asked).toHaveLength(1);
    },
  );

  test("asks over http where a rule names the host, and on the loopback", async () => {
    const { port } = await servePages((_, response) => html(response, article("Plain", "over http")));
    const { get } = pagesOf({ named: ["127.0.0.1", "lamp.example"] });
    expect(await get(`http://lamp.example:${port}/`)).toMatchObject({ type: "page" });
    expect(await get(`http://localhost:${port}/`)).toMatchObject({ type: "page" });
    const asTls = await pagesOf({ named: ["127.0.0.1"] }).problem(`http://lamp.example:${port}/`);
    expect(asTls).toMatch(/^TLS: .*the user can add the rule WebFetch\(domain:lamp.example\)/);
  });

  test("follows redirects of the same host, and hands those to another one back", async () => {
    const { url, port, asked } = await servePages(({ url: path }, response) => {
      const to = path === "/a" ? "/b" : path === "/b" ? `http://localhost:${port}/c` : null;
      if (to === null) html(response, article("There", "arrived"));
      else response.writeHead(302, { location: to }).end();
    });
    expect(await pagesOf().get(`${url}/a`)).toEqual({
      ...{ type: "redirect", from: `${url}/a`, to: `http://localhost:${port}/c`, status: 302 },
    });
    expect(asked).toEqual(["/a", "/b"]);
  });

  test("what was asked for over https is never asked for over http", ifOpenssl, async () => {
    const { key, cert } = certificate("lamp.example");
    const { port, asked } = await servePages(
      ({ url: path }, response) => {
        if (path === "/b") html(response, article("Secure", "over TLS"));
        else response.writeHead(302, { location: `http://lamp.example:${port}/b` }).end();
      },
      (listener) => createTlsServer({ key, cert }, listener),
    );
    const { get } = pagesOf({ named: ["127.0.0.1", "lamp.example"], ca: cert });
    expect(await get(`https://lamp.example:${port}/a`)).toMatchObject({
      ...{ type: "page", url: `https://lamp.example:${port}/b` },
    });
    expect(asked).toEqual(["/a", "/b"]);
  });

  test("gives up redirects that never end, and those to what is not a page", async () => {
    const { url, asked } = await servePages(({ url: path }, response) => {
      const odd = {
        "/file": "file:///etc/passwd",
        "/user": "http://a:b@127.0.0.1/",
        "/long": "y".repeat(3000),
      };
      const to = Object.entries(odd).find(([from]) => from === path)?.[1] ?? `${path}x`;
      response.writeHead(301, { location: to }).end();
    });
    const { problem } = pagesOf();
    expect(await problem(`${url}/`)).toContain("redirects in circles");
    expect(asked).toHaveLength(6);
    expect(await problem(`${url}/file`)).toContain("only http and https are fetched");
    expect(await problem(`${url}/user`)).toContain("it contains credentials");
    expect(await problem(`${url}/long`)).toContain("it has 3000 characters");
  });

  test.each([
    [401, {}, "", "wants a login"],
    [403, {}, "no", "refuses this page (status 403)"],
    [403, { "cf-mitigated": "challenge" }, "", "check for robots"],
    [503, {}, "<title>Just a moment...</title>", "check for robots"],
    [404, {}, "", "has no such page"],
    [429, { "retry-after": "120" }, "", "it says to wait: 120"],
    [500, {}, "", "failed to serve the page"],
    [204, {}, "", "status 204 and no page"],
  ])("names the reason of status %i (A13.1)", async (status, head, body, reason) => {
    const { url } = await servePages((_, response) => response.writeHead(status, head).end(body));
    expect(await pagesOf().problem(url)).toContain(reason);
  });

  test("says that a page is a login, by its form or by where it redirects (A13.1)", async () => {
    const { url } = await servePages(({ url: path }, response) => {
      if (path === "/private") response.writeHead(302, { location: "/users/login?next=1" }).end();
      else if (path === "/theirs") response.writeHead(302, { location: "https://accounts.example/x" }).end();
      else html(response, '<form>Sign in <input name="p" type="password"><button>Go</button></form>');
    });
    const { problem } = pagesOf();
    expect(await problem(`${url}/private`)).toContain("wants a login: it redirects");
    expect(await problem(`${url}/theirs`)).toContain("it redirects to https://accounts.example/x");
    expect(await problem(`${url}/form`)).toContain("form for a password");
  });

  test("names what the network did: no such host, refused, broken off, not HTTP", async () => {
    const notFound = Object.assign(new Error("no"), { code: "ENOTFOUND" });
    const nowhere = pagesOf({ resolve: () => Promise.reject(notFound) });
    expect(await nowhere.problem("https://nowhere.example/")).toBe(
      "DNS: there is no host nowhere.example. Check the spelling of the URL.",
    );
    const { url: gone, server } = await servePages(() => {});
    await new Promise((resolve) => server.close(resolve));
    expect(await pagesOf().problem(gone)).toContain("refused the connection");
    const { url: broken } = await servePages((_, response) => {
      response.writeHead(200, { "content-length": "100" }).write("half");
      response.destroy();
    });
    expect(await pagesOf().problem(broken)).toContain("closed the connection before the page was complete");
    const raw = createSocketServer((socket) => socket.end("SSH-2.0-OpenSSH\r\n\r\n"));
    await new Promise<void>((resolve) => raw.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void raw.close());
    const { port } = raw.address() as { port: number };
    expect(await pagesOf().problem(`http://127.0.0.1:${port}/`)).toContain("not valid HTTP");
    const { url: damaged } = await servePages((_, response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end("not packed"),
    );
    expect(await pagesOf().problem(damaged)).toContain("its compression is damaged");
  });
});

describe("limits", () => {
  test("reads 10 MB of a page of 1 GB, and lets the rest be", async () => {
    const piece = Buffer.alloc(1 << 20, "word ");
    let sent = 0;
    const { url } = await servePages((_, response) => {
      response.writeHead(200, { "content-type": "text/plain", "content-length": String(2 ** 30) });
      const more = () => {
        while (sent < 2 ** 30 && !response.destroyed) {
          sent += piece.length;
          if (!response.write(piece)) return void response.once("drain", more);
        }
      };
      more();
    });
    const page = await pagesOf().get(url);
    expect(page).toMatchObject({ type: "page", isCut: true });
    expect(sent).toBeLessThan(64 << 20);
  });

  test("reads the first part of HTML that is no longer a page, and says so", { tags: ["long"] }, async () => {
    const { url } = await servePages((_, response) =>
      html(response, `<body><pre>${"word ".repeat(600_000)}</pre></body>`),
    );
    expect(await pagesOf().get(url)).toMatchObject({ type: "page", isCut: true });
  });

  test.each([
    ["gzip", gzipSync],
    ["br", quickBrotli],
  ])("unpacks no more than 10 MB of a bomb (%s)", { tags: ["long"] }, async (encoding, pack) => {
    const bomb = pack(Buffer.alloc(64 << 20, "a"));
    const { url } = await servePages((_, response) =>
      response.writeHead(200, { "content-type": "text/plain", "content-encoding": encoding }).end(bomb),
    );
    const page = await pagesOf().get(url);
    expect(page).toMatchObject({ type: "page", isCut: true });
    expect(page.type === "page" && page.text.length).toBe(10 << 20);
  });

  test("refuses what is packed again and again", async () => {
    const { url } = await servePages((_, response) =>
      response.writeHead(200, { "content-encoding": "gzip, gzip, gzip" }).end("x"),
    );
    expect(await pagesOf().problem(url)).toContain("compressed 3 times");
  });

  test("ends a server that drips after 60 s, headers or body", async () => {
    const clock = new FakeClock();
    const dripping = Promise.withResolvers<void>();
    const { url } = await servePages(({ url: path }, response) => {
      if (path === "/body") response.writeHead(200).write("a");
      dripping.resolve();
    });
    const { problem } = pagesOf({ clock });
    const both = Promise.all([problem(`${url}/body`), problem(`${url}/head`)]);
    await dripping.promise;
    await clock.advance(FETCH_MS);
    for (const said of await both) expect(said).toContain("did not send the page within 60 s");
  });

  test("a call that is cancelled ends its connection, unless others wait for the same page", async () => {
    const open: Array<() => void> = [];
    const closed = Promise.withResolvers<void>();
    const { url, asked } = await servePages((_, response) => {
      response.once("close", () => closed.resolve());
      open.push(() => html(response, article("Late", "at last")));
    });
    const { get } = pagesOf();
    const [one, two] = [new AbortController(), new AbortController()];
    const first = get(`${url}/a`, one.signal);
    const second = get(`${url}/a`, two.signal);
    await expect.poll(() => asked.length).toBe(1);
    one.abort(new Error("stopped"));
    await expect(first).rejects.toThrow("stopped");
    open[0]?.();
    expect(await second).toMatchObject({ type: "page" });
    const third = get(`${url}/b`, one.signal);
    await expect(third).rejects.toThrow("stopped");
    const alone = new AbortController();
    const fourth = get(`${url}/b`, alone.signal);
    await expect.poll(() => asked.length).toBe(2);
    alone.abort(new Error("stopped"));
    await expect(fourth).rejects.toThrow("stopped");
    await closed.promise;
  });

  test("the end of the session ends every fetch", async () => {
    const closed = Promise.withResolvers<void>();
    const { url, asked } = await servePages((_, response) => response.once("close", () => closed.resolve()));
    const { pages, get } = pagesOf();
    const fetch = get(url);
    await expect.poll(() => asked.length).toBe(1);
    await pages.close();
    expect(await fetch).toMatchObject({ type: "problem" });
    await closed.promise;
  });
});

describe("keeping", () => {
  test("a page is kept for 15 minutes by its URL, and then fetched again (A13.2)", async () => {
    const clock = new FakeClock();
    const { url, asked } = await servePages((_, response) => html(response, article("Kept", "words")));
    const { get } = pagesOf({ clock });
    expect(await get(`${url}/a`)).not.toHaveProperty("isKept");
    await clock.advance(PAGE_CACHE_MS);
    expect(await get(`${url}/a#other-part`)).toMatchObject({ isKept: true });
    expect(asked).toEqual(["/a"]);
    await get(`${url}/a?b`);
    expect(asked).toEqual(["/a", "/a?b"]);
    await clock.advance(1000);
    expect(await get(`${url}/a`)).not.toHaveProperty("isKept");
    expect(asked).toEqual(["/a", "/a?b", "/a"]);
  });

  test("agents that want the same page at the same time share one fetch", async () => {
    const { url, asked } = await servePages((_, response) => html(response, article("Once", "words")));
    const { get } = pagesOf();
    const all = await Promise.all(Array.from({ length: 20 }, () => get(url)));
    expect(all.every(({ type }) => type === "page")).toBe(true);
    expect(asked).toHaveLength(1);
  });

  test("fetches 16 of many pages at a time, and all of them in the end", async () => {
    let [open, most] = [0, 0];
    const held = Promise.withResolvers<void>();
    const { url, asked } = await servePages((_, response) => {
      open += 1;
      most = Math.max(most, open);
      void held.promise.then(() => {
        open -= 1;
        html(response, article("One", "of many"));
      });
    });
    const { get } = pagesOf();
    const all = Promise.all(Array.from({ length: 40 }, (_, n) => get(`${url}/${n}`)));
    await expect.poll(() => asked.length).toBe(16);
    held.resolve();
    expect((await all).every(({ type }) => type === "page")).toBe(true);
    expect(most).toBe(16);
  });

  test("what went wrong is not kept", async () => {
    let count = 0;
    const { url } = await servePages((_, response) => {
      count += 1;
      if (count === 1) response.writeHead(500).end();
      else html(response, article("Better", "now"));
    });
    const { problem, get } = pagesOf();
    expect(await problem(url)).toContain("status 500");
    expect(await get(url)).toMatchObject({ type: "page" });
  });
});
