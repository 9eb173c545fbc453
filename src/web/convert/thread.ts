import { parentPort, workerData } from "node:worker_threads";
import { readPage } from "./read-page.ts";

// The thread that parses one page.
void readPage(workerData)
  .catch((error: Error) => ({ problem: error.message }))
  .then((read) => parentPort?.postMessage(read));
