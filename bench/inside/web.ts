import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readability } from "@mozilla/readability";
import TurndownService from "turndown";
import { systemClock } from "../../src/lib/clock.ts";
import { parseDocument } from "../../src/web/convert/html.ts";
import { Pages } from "../../src/web/pages.ts";
import { answer, given } from "../own-process.ts";
import { interleaved } from "../samples.ts";

export interface WebTask {
  readonly rounds: number;
  readonly bytes: number;
}

export interface WebRun {
  readonly samples: Readonly<Record<"page" | "library" | "article", readonly number[]>>;
  readonly cpuMs: Readonly<Record<"page" | "library" | "article", number>>;
  readonly chars: number;
}

const SMALL_BYTES = 20_000;

/** As documentation looks: headings, paragraphs with links, lists, code. */
function pageOf(bytes: number): string {
  const parts: string[] = [];
  for (let size = 0; size < bytes; size += parts.at(-1)?.length ?? 0) {
    const n = parts.length;
    parts.push(
      `<h2 id="s${n}">Section ${n}</h2><p>Words <b>in bold</b>, <a href="/x/${n}">a link</a> and ${"more words ".repeat(40)}<code>call(${n})</code>.</p><ul><li>one</li><li>two ${n}</li></ul><pre><code>const a = ${n};\n</code></pre>`,
    );
  }
  return `<!doctype html><html><head><title>Page</title></head><body><nav><a href="/">Home</a></nav><main><article><h1>Page</h1>${parts.join("\n")}</article></main></body></html>`;
}

const { rounds, bytes } = given<WebTask>();
const [large, small] = [pageOf(bytes), pageOf(SMALL_BYTES)].map((html) => Buffer.from(html)) as [
  Buffer,
  Buffer,
];
const server = createServer((request, response) => {
  response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
  response.end(request.url?.startsWith("/large") ? large : small);
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const { port } = server.address() as AddressInfo;
const pages = new Pages({ clock: systemClock, resolve: () => Promise.reject(), namesHost: () => false });
const cpuMs = { page: 0, library: 0, article: 0 };
let chars = 0;
let count = 0;

async function timed(name: keyof typeof cpuMs, work: () => Promise<void> | void): Promise<number> {
  const cpu = process.cpuUsage();
  const start = performance.now();
  await work();
  const took = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  cpuMs[name] += (user + system) / 1000;
  return took;
}

/** A new address each time, as what was fetched is kept. */
async function fetched(path: string): Promise<number> {
  count += 1;
  const page = await pages.get(`http://127.0.0.1:${port}/${path}?${count}`, new AbortController().signal);
  if (page.type !== "page") throw new Error(JSON.stringify(page));
  return page.text.length;
}

const samples = await interleaved(rounds, {
  page: () =>
    timed("page", async () => {
      chars = await fetched("large");
    }),
  library: () =>
    timed("library", () => {
      const article = new Readability(parseDocument(large.toString("utf8")) as never, {
        serializer: (node) => node,
      }).parse();
      new TurndownService().turndown(article?.content as never);
    }),
  article: () => timed("article", async () => void (await fetched("small"))),
});
await pages.close();
server.close();
server.closeAllConnections();
await answer({ samples, cpuMs, chars } satisfies WebRun);
