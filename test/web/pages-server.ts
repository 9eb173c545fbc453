import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface PagesServer {
  readonly port: number;
  /** By its address. */
  readonly url: string;
  /** Paths that were asked for, in order. */
  readonly asked: string[];
  readonly server: Server;
}

export type Serve = (request: IncomingMessage, response: ServerResponse) => void;

/** A real server on the loopback; ended with the test. */
export async function servePages(
  serve: Serve,
  make: (listener: RequestListener) => Server = createServer,
): Promise<PagesServer> {
  const asked: string[] = [];
  const server = make((request, response) => {
    asked.push(request.url ?? "");
    response.on("error", () => {});
    serve(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  const { port } = server.address() as AddressInfo;
  return { port, url: `http://127.0.0.1:${port}`, asked, server };
}

/** Answers with one page. */
export function html(
  response: ServerResponse,
  body: string,
  head: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(200, { "content-type": "text/html; charset=utf-8", ...head }).end(body);
}

export const article = (title: string, words: string) =>
  `<!doctype html><html><head><title>${title}</title><script>steal()</script></head><body><nav><a href="/x">menu</a></nav><main><article><h1>${title}</h1><p>${words}</p><p>${"More of the same article. ".repeat(20)}</p></article></main><footer>imprint</footer></body></html>`;
