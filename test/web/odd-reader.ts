/** A thread that does what a page's URL says. */
import { parentPort, workerData } from "node:worker_threads";

const { url }: { readonly url: string } = workerData;

if (url === "hang") for (;;);
if (url === "exit") process.exit(3);
if (url === "throw") throw new Error("broken");
parentPort?.postMessage({ title: "", text: url, hasLogin: false, isCut: false });
