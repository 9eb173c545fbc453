/** A thread that does what a page's URL says. */
import { parentPort, threadId } from "node:worker_threads";
import * as Comlink from "comlink";
import { endpointOf } from "../../src/web/convert/endpoint.ts";

if (parentPort === null) throw new Error("odd-reader.ts is the entry of a thread.");
const port = parentPort;

async function read({ url }: { readonly url: string }) {
  if (url === "hang") {
    port.postMessage({ id: -1 });
    for (;;);
  }
  if (url === "exit") process.exit(3);
  if (url === "reject") throw new Error("not a page");
  if (url === "throw") {
    setImmediate(() => {
      throw new Error("broken");
    });
    await new Promise(() => {});
  }
  return { title: String(threadId), text: url, hasLogin: false, isCut: false };
}

Comlink.expose({ read }, endpointOf(port));
